"""What a lane knows that has come back to the beginning of a loop: why it did not leave.

    do { … i += n; } while (i < m)      in each iteration but the first, i < m

The branch says it of what the iteration before left. That is what the next one finds: the condition holds of the
symbols that stand for it, if it is about nothing else that an iteration changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from visaproof.machine.symbolic.loops.iteration import EVERY_LANE, RoundWrites, lane_runs, words_of
from visaproof.semantics.symbolic.guarded import NONE, GuardedRegisters, Literals, literals_of
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import BitVec, Bool, Term, conj, is_false, symbol, symbols_of, true, value_of
from visaproof.smt.evaluate import substitute

MOST_NAMES = 3
"""Variables that hold one value at the end of an iteration, and of which a condition is said."""

Found = Mapping[tuple[str, int, int], BitVec]
"""What words of single lanes held when the iteration began, by (variable, first byte, lane)."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known in each iteration but the first, by the symbol that says that a lane runs it."""

    lanes: Mapping[Bool, Bool]
    always: Bool
    """Whichever lanes run."""

    def with_it(self, guard: Bool) -> Bool:
        """The guard of an access in that iteration; one without a mask is not that of the lane with its number."""
        own = [self.lanes[one] for one in literals_of(guard) if one in self.lanes]
        return conj(guard, *(own or [self.always]))


NOTHING = Known({}, true())


def known_of_lanes(
    name: str,
    writes: RoundWrites,
    found: Found,
    began: Sequence[Bool],
    again: Sequence[Bool],
    registers: GuardedRegisters,
    here: Literals,
    fixed: frozenset[Term],
) -> Known:
    """What holds in every later iteration; `began` are the lanes of one, `again` those that go on.

    `here` says that there are such lanes, and `fixed` are the symbols that no iteration changes.
    """
    reader, registers.reader = registers.reader, None
    words: dict[int, list[tuple[BitVec, BitVec]]] = {}
    for variable, start, size, lane in words_of(writes):
        if lane != EVERY_LANE and is_false(again[lane]):
            continue
        held = found.get((variable, start, lane), symbol(OfLoop(name, RegisterByte(variable, start)), 8 * size))
        guard = here if lane == EVERY_LANE else literals_of(again[lane])
        words.setdefault(lane, []).append((registers.read_under(variable, start, size, guard), held))
    registers.reader = reader
    known: dict[Bool, Bool] = {}
    of_all: Literals | None = None
    for lane, goes_on in enumerate(again):
        if is_false(began[lane]):
            continue
        reasons = literals_of(goes_on) - literals_of(began[lane])
        own = [*words.get(lane, ()), *words.get(EVERY_LANE, ())]
        told = [] if is_false(goes_on) else [one for reason in reasons for one in _of_next(reason, own, fixed)]
        known[lane_runs(name, lane)] = conj(*told)
        of_all = frozenset(told) if of_all is None else of_all & frozenset(told)
    return Known(known, conj(*(of_all or NONE)))


def _of_next(reason: Bool, words: Sequence[tuple[BitVec, BitVec]], fixed: frozenset[Term]) -> Iterator[Bool]:
    """The reason, said of what the next iteration finds; nothing where it is about something else, too."""
    holders: dict[BitVec, list[BitVec]] = {}
    for left, held in words:
        if value_of(left) is None:
            holders.setdefault(left, []).append(held)
    places: dict[Term, Term] = {left: symbol(OfLoop("", f"next{at}"), left.width) for at, left in enumerate(holders)}
    said = substitute(reason, places)
    names = frozenset(places.values())
    about = frozenset(symbols_of(said))
    if not about & names or not about - names <= fixed:
        return
    rows = zip_longest(*(each[:MOST_NAMES] for each in holders.values()))
    for row in rows:
        finds = {places[left]: held or own[0] for (left, own), held in zip(holders.items(), row, strict=True)}
        yield substitute(said, finds)
