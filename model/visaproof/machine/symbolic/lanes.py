"""Which lanes run, symbolically: the execution mask while lanes jump ahead and wait at labels.  Page: GOTO.md."""

from collections.abc import Collection, Sequence
from functools import reduce
from typing import cast

from visaproof.isa.execution import THREAD_LANES
from visaproof.machine.symbolic.loops.iteration import lane_leaves
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.smt import Bool, Op, conj, disj, false, is_false, neg, true

Waiting = tuple[tuple[Bool, ...], dict[int, list[list[Bool]]], Literals]
"""The running lanes, the guards under which lanes wait, by place and lane, and what holds at this place."""


class Lanes:
    """The running lanes at one place of the kernel, and those that wait further down.

    A place is the index of a statement.
    """

    def __init__(self, exec_mask: Sequence[Bool]) -> None:
        self.running: tuple[Bool, ...] = (*exec_mask, *(false() for _ in range(THREAD_LANES - len(exec_mask))))
        self._waiting: dict[int, list[list[Bool]]] = {}
        self.facts: Literals = NONE
        """What holds whenever the thread is at this place at all."""
        self._facts_for = {self.running: NONE}
        self._joined: tuple[Literals, Bool] = (NONE, true())

    @property
    def diverged(self) -> bool:
        """Whether a lane may wait somewhere."""
        return any(not is_false(guard) for waiting in self._waiting.values() for lane in waiting for guard in lane)

    @property
    def reached(self) -> Bool:
        """The facts as one condition: every statement asks for it, and for each of its lanes."""
        if self._joined[0] is not self.facts:
            self._joined = self.facts, conj(*self.facts)
        return self._joined[1]

    @property
    def nowhere(self) -> bool:
        """Whether certainly no lane runs here."""
        return is_false(self.reached) or all(is_false(guard) for guard in self.running)

    @property
    def here(self) -> Bool:
        """Whether the thread is here, with a lane that runs."""
        guards = [guard for guard in self.running if not is_false(guard)]
        return conj(*(fact for fact in self.facts if not _follows(fact, guards)), disj(*guards))

    def follow(self, facts: Literals) -> bool:
        """Whether these are seen to hold here, as they do where a lane that runs here has come from."""
        guards = [guard for guard in self.running if not is_false(guard)]
        return all(fact in self.facts or _follows(fact, guards) for fact in facts)

    def jump(self, place: int, jumping: Sequence[Bool], uniform: bool) -> None:
        """Lets each lane jump ahead, to wait at the place, where `jumping` holds for it."""
        waiting = self._waiting.setdefault(place, [[] for _ in range(THREAD_LANES)])
        for lane, jumps in enumerate(jumping):
            waiting[lane].append(conj(self.running[lane], jumps))
        self.running = tuple(conj(guard, neg(jumps)) for guard, jumps in zip(self.running, jumping, strict=True))
        if self.running not in self._facts_for:
            # A uniform branch leaves all lanes or none; after another one, execution goes on where some lane stays.
            remains = literals_of(neg(jumping[0])) if uniform else _of_some_lane(self.running)
            self._facts_for[self.running] = self.facts | remains
        self.facts = self._facts_for[self.running]

    def contents(self) -> Waiting:
        """What `restore` brings back."""
        waiting = {place: [list(guards) for guards in lanes] for place, lanes in self._waiting.items()}
        return self.running, waiting, self.facts

    def restore(self, contents: Waiting) -> None:
        self.running, waiting, self.facts = contents
        self._waiting = {place: [list(guards) for guards in lanes] for place, lanes in waiting.items()}

    def only(self, running: tuple[Bool, ...]) -> None:
        """Lets these lanes run here, of which there is at least one."""
        self.running = running
        if running not in self._facts_for:
            self._facts_for[running] = _of_some_lane(running)
        self.facts = self._facts_for[running]

    def reached_since(self, contents: Waiting, place: int) -> dict[int, list[Bool]]:
        """The places from this one on at which a lane has come to wait since then, in order, and which ones did."""
        _, before, _ = contents
        reached: dict[int, list[Bool]] = {}
        for at, lanes in sorted(self._waiting.items()):
            known = before.get(at, [[]] * THREAD_LANES)
            came = [disj(*guards[len(old) :]) for old, guards in zip(known, lanes, strict=True)]
            if at >= place and not all(map(is_false, came)):
                reached[at] = came
        return reached

    def wait_between(self, first: int, behind: int) -> bool:
        """Whether a lane may wait at a place after the first one and before the other."""
        places = (lanes for place, lanes in self._waiting.items() if first < place < behind)
        return any(not is_false(guard) for lanes in places for guards in lanes for guard in guards)

    def halt(self) -> None:
        """Lets no lane run here any longer; those that wait go on waiting."""
        self.running = (false(),) * THREAD_LANES
        self.facts = NONE

    def leave(self, loop: str, exits: Collection[int], running: tuple[Bool, ...]) -> None:
        """Lets these lanes wait at one of the places where they can leave a loop, which has this name."""
        for place in exits:
            chosen = [lane_leaves(loop, place, lane) for lane in range(THREAD_LANES)]
            self.only(running)
            self.jump(place, chosen if len(exits) > 1 else [true()] * THREAD_LANES, uniform=False)
        self.halt()

    def arrive(self, place: int) -> None:
        """Lets the lanes that wait at the place run again."""
        waiting = self._waiting.pop(place, None)
        if waiting is None:
            return
        joined = zip(self.running, waiting, strict=True)
        self.running = tuple(reduce(_either, sorted_pieces(others), guard) for guard, others in joined)
        if self.running not in self._facts_for:
            self._facts_for[self.running] = _of_some_lane(self.running)
        self.facts = self._facts_for[self.running]


def sorted_pieces(guards: list[Bool]) -> list[Bool]:
    """The guards of the lanes that jumped last first: they undo the innermost branch."""
    return list(reversed(guards))


def _of_some_lane(running: Sequence[Bool]) -> Literals:
    """What holds where some lane runs: what the guards have in common, and one of them.

    (c ∧ a₀) ∨ … ∨ (c ∧ aₙ)  =  c ∧ (a₀ ∨ … ∨ aₙ)
    """
    guards = [literals_of(guard) for guard in running if not is_false(guard)]
    if not guards:
        return literals_of(false())
    shared = frozenset[Bool].intersection(*guards)
    return shared | literals_of(disj(*(conj(*(guard - shared)) for guard in guards)))


def _follows(fact: Bool, guards: Sequence[Bool]) -> bool:
    """Whether a fact is seen to hold where any of the guards does, as they were fewer conditions further up."""
    ways = [literals_of(way) for way in (cast(tuple[Bool, ...], fact.args) if fact.op is Op.DISJ else (fact,))]
    return all(any(way <= literals_of(guard) for way in ways) for guard in guards)


def _either(left: Bool, right: Bool) -> Bool:
    """The disjunction of two guards; where they differ in one condition and its opposite, what they share."""
    if is_false(left) or is_false(right):
        return disj(left, right)
    ones, others = literals_of(left), literals_of(right)
    shared = ones & others
    rest_one, rest_other = conj(*(ones - shared)), conj(*(others - shared))
    if rest_one is neg(rest_other):
        return conj(*shared)
    return conj(*shared, disj(rest_one, rest_other))
