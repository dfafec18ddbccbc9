"""What iterations of loops write of registers and predicates: the words that the run uses, read when it is known which.

    used = the symbols of all that a run shows, then of what the used words hold before, during and after iterations

Most words that iterations write are temporary, and nothing reads them later.  To leave such a word out only takes
equalities away that an induction might have had: what is proved without them holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from visaproof.machine.symbolic.loops.iteration import Held, LoopIteration, LoopWrites, guard_of, words_of
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.thread import Thread
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.accesses import every_term
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.guarded import Writes
from visaproof.semantics.symbolic.guarded_bits import BitWrites
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop, PredicateBit, RegisterByte
from visaproof.smt import Bool, Term, bool_symbol, symbol, symbols_of

Then = tuple[Writes, BitWrites, Sequence[Bool], Literals]
"""What registers and predicates held once, the lanes that ran, and what was known."""


class Word(NamedTuple):
    """Bytes of a variable, or a bit of a predicate if there are none, and the lane that alone writes it."""

    variable: str
    start: int
    size: int
    lane: int

    def symbol(self, name: str) -> Term:
        """What stands for it in the loop of this name."""
        if not self.size:
            return bool_symbol(OfLoop(name, PredicateBit(self.variable, self.start)))
        return symbol(OfLoop(name, RegisterByte(self.variable, self.start)), 8 * self.size)

    def at(self, then: Then, thread: Thread) -> Term:
        """What it held."""
        registers, predicates, running, facts = then
        known = guard_of(self.lane, running, facts)
        if self.size:
            place = self.variable, self.start, self.size
            return under(thread.registers.read_then(place, known, registers), known)
        return under(thread.predicates.read_then((self.variable, self.start), known, predicates), known)


class LoopWords(Struct, frozen=True):
    """The words that the iterations of a loop write, before the loop and after the iteration that stands for all."""

    name: str
    writes: LoopWrites
    before: Then
    ended: Then
    after: Then

    def each(self) -> Iterator[tuple[Word, Term, Term]]:
        """Each, with what stands for it during an iteration, and behind the loop."""
        words = [Word(*one) for one in words_of(self.writes)]
        for (variable, place), lanes in self.writes.predicates.items():
            words.append(Word(variable, place, 0, min(lanes) if len(lanes) == 1 else EVERY_LANE))
        return ((word, word.symbol(self.name), word.symbol(f"{self.name}.left")) for word in words)

    def held(self, word: Word, during: Term, left: Term, thread: Thread) -> Held:
        before, after, ended = (word.at(then, thread) for then in (self.before, self.after, self.ended))
        return Held(before, during, after, ended, left, word.lane)


def with_words(trace: Trace, loops: Sequence[LoopWords], thread: Thread, *, every: bool) -> Trace:
    """The run with the words of its loops that it uses, or with `every` one."""
    found: list[dict[Word, Held]] = [{} for _ in loops]
    places: dict[Term, list[tuple[int, Word, Term, Term]]] = {}
    others: dict[Term, Held] = {one.during: one for loop in trace.loops for one in loop.held}
    others |= {one.left: one for loop in trace.loops for one in loop.held}
    for number, loop in enumerate(loops):
        for word, during, left in loop.each():
            places.setdefault(during, []).append((number, word, during, left))
            places.setdefault(left, []).append((number, word, during, left))
    made: dict[Term, list[Term]] = {}
    for one in trace.arbitrary:
        parts = [source.bits for source in one.operands or ()]
        made.setdefault(one.symbol, []).extend(parts if one.control is None else [*parts, one.control])
    terms, used = list(_shown(trace)), set[Term]()
    if every:
        terms += places
    while terms:
        fresh = [one for one in symbols_of(*terms) if one not in used]
        used.update(fresh)
        terms = [term for one in fresh for term in made.get(one, ())]
        held = [others[one] for one in fresh if one in others]
        for number, word, during, left in (place for one in fresh for place in places.get(one, ())):
            if word not in found[number]:
                found[number][word] = loops[number].held(word, during, left, thread)
                held.append(found[number][word])
        terms += (term for one in held for term in (one.before, one.after, one.ended))
    kept = ([each for each in one.held if not used.isdisjoint((each.during, each.left))] for one in trace.loops)
    each = zip(trace.loops, found, kept, strict=True)
    return replace(trace, loops=tuple(replace(one, held=(*words.values(), *rest)) for one, words, rest in each))


def _shown(trace: Trace) -> Iterator[Term]:
    """The terms of all that a run shows: what is compared with another one."""
    for one in trace.performed:
        for access in (*one.accesses, *(loaded for loaded, _ in one.loaded), *one.short):
            yield from every_term(access)
    yield from (condition for condition, _ in (*trace.conditions, *trace.bounded))
    yield from (one.guard for one in trace.events)
    yield from (term for loop in trace.loops for one in _lanes(loop) for term in (one.before, one.after, one.ended))


def _lanes(loop: LoopIteration) -> Iterable[Held]:
    return (*loop.lanes, *(one for lanes in loop.exits for one in lanes))
