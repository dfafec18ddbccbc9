"""Loops of any length: both kernels go through them in step, and every iteration does the same in both.

By induction over iterations.  What an iteration writes is arbitrary before it.  But words that hold the same in both
kernels when their loops begin, and again after every iteration that begins so, hold the same in every iteration.
Memory before an iteration is arbitrary and the same in both, as the stores of what came before were.  Then it is enough
that one such iteration has the same stores, and that the same lanes go on.

Threads that run the lanes of a wide one go through their loops at once: one that has left its loop does nothing in the
iterations that others still take.  A word that is not one lane's holds what is said of it while its thread is in the
loop. That is one order of the threads; without a race every other leaves the same.  A source that races is undefined;
of the target it has to be known of any two iterations that it does not.

Threads come to a barrier in a loop together if all lanes of all threads stay in that loop together:

    before the loop  lane k runs = on(k) ∧ b,   after an iteration in which  runs(k) = on(k) ∧ r :  runs(k) = on(k) ∧ r'

for all lanes k, with the same b and r'.  So one symbol r says of all lanes whether they run an iteration.

Threads whose lanes come into a loop take one number of iterations if all lanes that come into it stay until one moment:

    before the loop  lane k runs = g(k),   after an iteration in which  runs(k) = g(k) ∧ r :  runs(k) = g(k) ∧ r ∧ r'

with the same r'.  Then words of no one lane are equal after the loop if they are after each iteration.  Else threads
take numbers of iterations of their own, and what these leave in such words has nothing in common.

Lanes may leave a loop to more places than one.  Where the same lanes leave any iteration to the n-th place of each
kernel, the same lanes leave the loop to there:

    left to n by lane k  =  ∃ iteration:  runs(k) ∧ leaves(k, n),   with one symbol for both kernels

The values of uninitialised registers are chosen once, before all iterations.  So the source may choose the values that
the target has in registers of its own, or a number:

    ∀ target's registers  ∃ source's registers = f(target's registers):  the induction above

Nothing that an iteration computes, loads or leaves may be chosen: it is another value in each.

Where the forms differ, addresses are equal of which a solver shows it, whatever their symbols are:

    ∀ symbols: a = b   ⇒   b may be written as a, in all terms of both kernels
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.launch.assume import DIVISION
from visaproof.launch.matching import own_predicates
from visaproof.machine.symbolic.loops.iteration import Held, LoopIteration
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.run import trace
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.surface_names import PRIVATE
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.effects.operands import of_device
from visaproof.refinement.effects.question import Launched, Question
from visaproof.refinement.effects.witness import Choices, is_initial, witness
from visaproof.refinement.iteration_numbers import counted
from visaproof.refinement.obligations import same_effects
from visaproof.refinement.questions import questions
from visaproof.refinement.scope import Scope
from visaproof.refinement.sweeping import likened
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.thread_group import ThreadGroup, group_of, with_plain_events
from visaproof.refinement.widths.wide_thread import Split, prefix_of
from visaproof.refinement.words_in_memory import words_in_memory
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.value_names import like
from visaproof.smt import Bool, Op, Term, bool_symbol, conj, false, is_false, substitute, symbols_of, true


def in_step(runners: tuple[Runner, Runner], launched: Launched, scope: Scope, split: Split | None) -> Question | None:
    """The question about one iteration of each loop that stands for all of them, if both kernels do the same in it.

    None where it cannot be asked, and where they may do something else, or other lanes go on.
    """
    several = split is not None
    if several and UndefinedKind.RACE not in scope.forbidden:  # then they do not go in step
        return None
    for fixed in (False, True):
        try:
            source, target = (_generalised(one, launched.lanes, scope, several, fixed) for one in runners)
        except NotModelled:
            return None
        loops = (source.trace.loops, target.trace.loops)
        if len(loops[0]) == len(loops[1]):
            break
    if not loops[0] or len(loops[0]) != len(loops[1]):
        return None
    chosen: Choices = {}
    in_memory: dict[Term, Term] = {}
    memory: SharedMemory | None = None
    needed = frozenset(loop for side in loops for loop in _with_events(side)) if several else frozenset[int]()
    together = frozenset(range(len(loops[0]))) if several else needed
    while True:
        found = _with_classes((source, target), launched, scope, chosen | in_memory, several, together, memory)
        if found is None:
            return None
        together, memory = found.together, found.question.memory
        known = words_in_memory(found.question, found.names)
        if in_memory.items() <= known.items() and _same_iterations(found.question, needed):
            ways = (found.question, found.question.of_items)
            shown = next((way for way in ways if way is not None and same_effects(way)), None)
            if shown is not None:
                return shown
        more = _chosen_once(found)
        if more.keys() <= chosen.keys() and known.keys() <= in_memory.keys() and not _likened(found.question):
            return None
        chosen, in_memory = more | chosen, known | in_memory


class _Iteration(Struct, frozen=True):
    """The question about one iteration, with names for words that hold the same in every iteration."""

    question: Question
    names: dict[Term, Term]
    together: frozenset[int]
    """The loops in which lanes of all threads stay until one moment."""


def _with_classes(
    runners: tuple[Runner, Runner],
    launched: Launched,
    scope: Scope,
    chosen: Choices,
    several: bool,
    together: frozenset[int],
    memory: SharedMemory | None,
) -> _Iteration | None:
    """The question in which words have one name as long as iterations leave the same in them, and all lanes one in
    each loop that they may go through `together`, as long as they do."""
    loops = (runners[0].trace.loops, runners[1].trace.loops)
    alike = {one.during: 0 for one in _words(loops)}
    classes = _Classes(alike, alike)
    while True:
        names = classes.names(loops, several, together)
        names |= {held.during: _runs_loop(loop) for side in loops for loop in together for held in side[loop].lanes}
        question = _question(runners, launched, scope, names | chosen, memory)
        if question is None:
            return None
        stay = frozenset(loop for loop in together if len(_ends_of(question, loop)) <= 1)
        finer = classes.refined((question.source.loops, question.target.loops))
        if finer.count == classes.count and stay == together:
            return _Iteration(question, names, together)
        classes, together = finer, stay


def _likened(question: Question) -> bool:
    """Whether more addresses of the question are shown to be equal, so that one may stand for the other."""
    memory, sides = question.memory, (question.source, question.target)
    stored = (one.cell for side in sides for stores in side.stores.values() for one in stores)
    cells = (*stored, *(cell for _, cell in memory.cells))
    found = likened((one for one in cells if one not in memory.alike), memory)
    memory.alike |= found
    return bool(found)


def _chosen_once(found: _Iteration) -> Choices:
    """What the source may find in its registers so that it does what the target does, as far as they do it alike."""
    question = found.question
    if UndefinedKind.UNINITIALISED in question.forbidden:
        return {}
    words: dict[Term, object] = {}
    for one in _words((question.source.loops, question.target.loops)):
        for name in (one.during, one.left):
            if name in found.names:
                words.setdefault(found.names[name], (one.before, one.after, one.ended))
    return {one: value for one, value in witness(question, words).items() if is_initial(one) and _is_settled(value)}


def _is_settled(value: Term) -> bool:
    """Whether it is a number, or what the target finds in its registers before anybody writes them."""
    return value.op is Op.CONST or is_initial(value, "target")


def _generalised(runner: Runner, lanes: Sequence[Bool], scope: Scope, several: bool, fixed: bool) -> Runner:
    """The same kernel, with one iteration for all iterations of a loop but the first, but of loops that run to their
    end for their `fixed` length.  Raises NotModelled."""
    if not isinstance(runner, ThreadGroup):
        thread = _generalised_thread(runner, lanes, scope, fixed)
        if several:
            thread = with_events_together(thread)
            thread = replace(thread, trace=with_plain_events(thread.trace, lanes, scope.timeout_ms))
        return thread if thread.observed else replace(thread, trace=counted(thread.trace))
    split = runner.split
    threads = [
        with_events_together(_generalised_thread(one, lanes[split.lanes(number)], scope, fixed, prefix_of(number)))
        for number, one in enumerate(runner.members)
    ]
    group = group_of(threads, lanes, split, runner.races_forbidden, scope.timeout_ms)
    return replace(group, trace=counted(group.trace))


def with_events_together(runner: Runner) -> Runner:
    """Its barriers and fences in loops under the symbol that says whether all lanes run an iteration."""
    loops = runner.trace.loops
    inside = {place for one in loops for place in range(one.begins.events, one.ends.events)}
    events = (
        replace(one, guard=_of_all_lanes(one.guard, loops)) if place in inside else one
        for place, one in enumerate(runner.trace.events)
    )
    return replace(runner, trace=replace(runner.trace, events=tuple(events)))


def _of_all_lanes(guard: Bool, loops: Sequence[LoopIteration]) -> Bool:
    """r ∧ g(true), where that is the condition: g(false) never holds.  Of lanes by themselves, it is left as it is."""
    for loop in _with_events(loops):
        used = set(symbols_of(guard))
        lanes = [held.during for held in loops[loop].lanes if held.during in used]
        if lanes and is_false(substitute(guard, dict.fromkeys(lanes, false()))):
            guard = conj(_runs_loop(loop), substitute(guard, dict.fromkeys(lanes, true())))
    return guard


def _generalised_thread(runner: Runner, lanes: Sequence[Bool], scope: Scope, fixed: bool, prefix: str = "") -> Runner:
    if fixed not in runner.generalised:
        base = next((word for word, buffer in runner.pointers.items() if buffer == PRIVATE), None)
        ran = trace(
            runner.kernel, runner.platform, runner.initial, lanes, own_predicates(runner.owner), unroll=0,
            private_base=base, compared_as=str(runner.owner), floats=scope.floats, name=prefix,
            divisions=DIVISION in scope.assume, fixed_loops=fixed, every_word=bool(scope.observe),
        )  # fmt: skip
        runner.generalised[fixed] = of_device(ran, runner.platform, scope.assume)
    return replace(runner, trace=runner.generalised[fixed])


def _with_events(loops: Sequence[LoopIteration]) -> Iterator[int]:
    """The loops with barriers or fences."""
    return (loop for loop, one in enumerate(loops) if one.begins.events < one.ends.events)


def _runs_loop(loop: int) -> Bool:
    return bool_symbol(f"round.{loop}.lanes")


def _in_loop(question: Question, loop: int) -> list[tuple[Literals, Held]]:
    """When lanes of all threads run it, and what is known where they are on."""
    sides = question.source.loops[loop], question.target.loops[loop]
    return [(literals_of(lane), held) for one in sides for lane, held in zip(question.lanes, one.lanes, strict=False)]


def _begins_of(question: Question, loop: int) -> set[Term]:
    """When lanes that are on come into a loop: one condition, if they do together."""
    return {under(held.before, on) for on, held in _in_loop(question, loop)}


def _ends_of(question: Question, loop: int) -> set[Term]:
    """When lanes that came into a loop go on: one condition, if they stay until one moment."""
    came = ((on, cast(Bool, held.before), held.after) for on, held in _in_loop(question, loop))
    return {under(after, on | literals_of(before)) for on, before, after in came if not is_false(before)}


_Loops = tuple[tuple[LoopIteration, ...], tuple[LoopIteration, ...]]
"""Those of both kernels, loop by loop."""


def _words(loops: _Loops) -> Iterable[Held]:
    """Everything that iterations write."""
    return (held for side in loops for one in side for held in one.held)


class _Classes(Struct, frozen=True):
    """Which words of both kernels hold the same in every iteration, by what they hold during one."""

    of: dict[Term, int]
    ended: dict[Term, int]
    """Which of them do in lanes that leave their loop, too."""

    @property
    def count(self) -> int:
        return len(set(self.of.values())) + len(set(self.ended.values()))

    def refined(self, loops: _Loops) -> "_Classes":
        """Only those stay together that hold the same before their loop and after an iteration: for one lane if one
        lane alone writes them, since an iteration in which it is off leaves them alone."""
        numbers: dict[tuple[object, ...], int] = {}
        found, ended = dict[Term, int](), dict[Term, int]()
        for side in loops:
            for loop, one in enumerate(side):
                for held in one.held:
                    key = loop, held.during.width, held.lane, self.of[held.during], held.before, held.after
                    found[held.during] = numbers.setdefault(key, len(numbers))
                    left = self.ended[held.during], found[held.during], held.ended
                    ended[held.during] = numbers.setdefault(left, len(numbers))
        return _Classes(found, ended)

    def names(self, loops: _Loops, threads: bool, together: frozenset[int]) -> dict[Term, Term]:
        """One name for all words of a class, of what they hold during an iteration and behind the loop; and for lanes.

        Behind a loop that `threads` do not go through `together`, words of no one lane have nothing in common.
        """
        found: dict[Term, Term] = {}
        for side in loops:
            for loop, one in enumerate(side):
                for held in one.held:
                    kind = f"{held.during.width}.{held.lane}"
                    found[held.during] = like(held.during, f"round.{kind}.{self.of[held.during]}")
                    if not threads or held.lane != EVERY_LANE or loop in together:
                        found[held.left] = like(held.left, f"left.{kind}.{self.ended[held.during]}")
                found |= {held.during: bool_symbol(f"round.{loop}.lane{held.lane}") for held in one.lanes}
                found |= {
                    held.during: bool_symbol(f"round.{loop}.exit{number}.lane{held.lane}")
                    for number, lanes in enumerate(one.exits)
                    for held in lanes
                }
        return found


def _question(
    runners: tuple[Runner, Runner],
    launched: Launched,
    scope: Scope,
    names: dict[Term, Term],
    memory: SharedMemory | None,
) -> Question | None:
    try:
        _, question = questions(runners, launched, scope.forbidden, choices=names, memory=memory)
    except NotModelled:
        return None
    return None if question.bounded or question.disturbed else question


def _same_iterations(question: Question, together: frozenset[int]) -> bool:
    """Whether the same lanes run each loop, the same go on from an iteration, the same leave to each place where lanes
    leave it, and threads iterate in step; through some loops all `together`."""
    if question.target.races_in_iterations:
        return False
    if any(len(ways(question, loop)) > 1 for loop in together for ways in (_begins_of, _ends_of)):
        return False
    loops = list(zip(question.source.loops, question.target.loops, strict=True))
    if any(len(one.exits) != len(other.exits) for one, other in loops):
        return False
    ways = (
        way for one, other in loops for way in zip((one.lanes, *one.exits), (other.lanes, *other.exits), strict=True)
    )
    pairs = (pair for one, other in ways for pair in zip(one, other, strict=True))
    return all(one.before is other.before and one.after is other.after for one, other in pairs)
