"""Stores of the source that change nothing: of an uninitialised word that nothing else reads.

∀ inputs ∃ choices: the word is what memory holds there when it is stored.  As nothing else depends on the word, all
else may be chosen first, and the store is as good as none.  Where it happens may depend on other choices.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from visaproof.isa.identity import Same
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import Stores, UnitStore
from visaproof.refinement.effects.operands import with_operands
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.uninitialised_words import is_unwritten, is_unwritten_word
from visaproof.smt import Op, Term, symbols_of


def without_silent_stores(question: Question) -> Question:
    """The question without such stores where the target has none; the question itself where there are none."""
    source = question.source
    if question.disturbed or question.bounded or source.rounds:
        return question
    lacking = [_lacking(stores, question.target.stores.get(surface, ())) for surface, stores in source.stores.items()]
    free = [store for stores in lacking for store in stores]
    if not free:
        return question
    used = _read_elsewhere(question, free)
    silent = {Same(store) for store in free if used.isdisjoint(symbols_of(store.value))}
    if not silent:
        return question
    remaining = {
        surface: tuple(one for one in stores if Same(one) not in silent) for surface, stores in source.stores.items()
    }
    return replace(question, source=replace(source, stores=remaining))


def _lacking(source: Stores, target: Stores) -> Iterator[UnitStore]:
    """The source's stores of words that may be any, at places and under conditions that the target has none for."""
    places = {(one.guard, one.cell) for one in (Counter(target) - Counter(source))}
    for one in source:
        anything = one.change is None and (is_unwritten(one.value) or is_unwritten_word(one.value))
        if anything and (one.guard, one.cell) not in places:
            yield one


def _read_elsewhere(question: Question, free: Sequence[UnitStore]) -> set[Term]:
    """The words that anything depends on but the value of one of these stores."""
    source, apart = question.source, {Same(one) for one in free}
    terms: list[Term] = [*source.undefined, *source.ends, *source.comes]
    terms += [term for reach in source.reaches for term in (reach.guard, reach.cell, reach.offset)]
    for one in (store for stores in source.stores.values() for store in stores):
        terms += (one.guard, one.cell) if Same(one) in apart else (one.guard, one.cell, one.value)
    found = {one for one in with_operands(question.memory, [*terms, *_named(question.memory)]) if one.op is Op.SYMBOL}
    values = Counter(word for one in free for word in symbols_of(one.value))
    return found | {word for word, times in values.items() if times > 1}


def _named(memory: SharedMemory) -> Iterator[Term]:
    """What values, cells and results are made of, whichever kernel reads them."""
    yield from memory.definitions.values()
    yield from (cell for _, cell in memory.cells)
    yield from memory.operations
