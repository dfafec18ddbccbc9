"""Which conditions of a rule follow from which, where its preconditions hold and its source is defined.

Samples of its inputs show which let more through, and which cannot imply which.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import cast

from visaproof.checking.stages import Holds, decide_goal
from visaproof.isa.errors import NotModelled
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.random_testing import settled
from visaproof.refinement.testing.runs import difference, has_meaning
from visaproof.rules.condition_grammar import Candidate
from visaproof.rules.conditions import Premise, premise
from visaproof.rules.decision import SourceMeaning, source_meaning
from visaproof.rules.language.syntax import Condition
from visaproof.rules.numbers import any_dword
from visaproof.rules.programs import Prepared, Values, comparison_of
from visaproof.rules.verdicts import Counterexample, counterexample_of
from visaproof.smt import Bool, Op, Term, conj, evaluate, implies, neg, symbols_of
from visaproof.smt.compiled import compiled

TIMEOUT_MS = 1_000


class Implication:
    """Compares conditions: by sampled inputs, and where those leave it open by a solver."""

    def __init__(self, ready: Sequence[Prepared], pre: Sequence[Condition], singles: Sequence[Candidate]) -> None:
        self._pre = pre
        self._ready = ready
        self._meanings: list[SourceMeaning | None] = [None] * len(ready)
        self._met: dict[tuple[Premise, ...], int] = {}
        inputs, self._defined = samples(ready[0], pre)
        met = signatures(singles, 0, inputs)
        self._met |= {one.premises: bits for one, bits in zip(singles, met, strict=True)}
        self._known: dict[tuple[str, str, bool], bool] = {}

    def _inputs(self, one: Candidate) -> int:
        """The sampled inputs that meet the condition."""
        if one.premises not in self._met:
            met = -1
            for part in one.parts:
                met &= self._inputs(part)
            self._met[one.premises] = met
        return self._met[one.premises]

    def weakest_first(self, conditions: Iterable[Candidate]) -> list[Candidate]:
        return sorted(conditions, key=lambda one: -self._inputs(one).bit_count())

    def weakest_pairs_first(self, pairs: Iterable[tuple[Candidate, Candidate]]) -> list[tuple[Candidate, Candidate]]:
        return sorted(pairs, key=lambda pair: -(self._inputs(pair[0]) & self._inputs(pair[1])).bit_count())

    def says(self, stronger: Candidate, weaker: Candidate) -> bool:
        """Whether the stronger one includes what the weaker one says by itself, in every instance."""
        return self._cached(stronger, weaker, source=False)

    def follows(self, stronger: Candidate, weaker: Candidate) -> bool:
        """Whether the weaker one holds wherever the stronger one does and the source is defined."""
        return self.says(stronger, weaker) or self._cached(stronger, weaker, source=True)

    def _cached(self, stronger: Candidate, weaker: Candidate, source: bool) -> bool:
        against = self._inputs(stronger) & ~self._inputs(weaker)
        if against & self._defined if source else against:  # a sampled input shows that it does not
            return False
        asked = stronger.text, weaker.text, source
        if asked not in self._known:
            every = range(len(self._ready))
            self._known[asked] = all(self._follows(stronger, weaker, index, source) for index in every)
        return self._known[asked]

    def _follows(self, stronger: Candidate, weaker: Candidate, index: int, source: bool) -> bool:
        strong, weak = stronger.premises[index], weaker.premises[index]
        for surface, about in weak.contents:
            if not _holds([one for name, one in strong.contents if name == surface], about):
                return False
        meaning = self._source(index).premises if source else ()
        return _holds((*strong.inputs, *meaning), conj(*weak.inputs))

    def _source(self, index: int) -> SourceMeaning:
        known = self._meanings[index]
        if known is None:
            known = self._meanings[index] = source_meaning(self._ready[index], self._pre)
        return known

    def is_idle(self, one: Candidate) -> bool:
        """Whether the source changes no memory where the condition holds, though elsewhere it does."""
        source = self._source(0)
        known = (*one.premises[0].inputs, *source.premises)
        return bool(source.acts) and all(_holds(known, neg(act)) for act in source.acts)

    def weakest(self, conditions: Sequence[Candidate]) -> Iterator[Candidate]:
        """Those from which no other one follows."""
        kept: list[Candidate] = []
        for one in conditions:
            if any(self.follows(one, other) for other in kept):
                continue
            kept = [other for other in kept if not self.follows(other, one)] + [one]
        yield from kept


def _holds(premises: Sequence[Bool], goal: Bool) -> bool:
    """Whether the goal follows, part by part: from the premises about the same unknowns, or else from all of them."""
    parts = [part for one in premises for part in _conjuncts(one)]
    named = [(part, set(symbols_of(part))) for part in parts]
    for part in _conjuncts(goal):
        about = set(symbols_of(part))
        near = [one for one, names in named if names <= about]
        if not _follows_from(near, part) and not _follows_from(parts, part):
            return False
    return True


def _conjuncts(premise: Bool) -> tuple[Bool, ...]:
    return cast(tuple[Bool, ...], premise.args) if premise.op is Op.CONJ else (premise,)


def _follows_from(premises: Sequence[Bool], goal: Bool) -> bool:
    return isinstance(decide_goal((), implies(conj(*premises), goal), TIMEOUT_MS), Holds)


# ---------------------------------------------------------------- samples


WORDS = (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
"""What memory may hold."""


def samples(ready: Prepared, pre: Sequence[Condition]) -> tuple[list[Values], int]:
    """Inputs of an instance that meet the rule's preconditions, and a dword of each surface; as bits, those for which
    the source is defined.
    """
    comparison, random = comparison_of(ready, premise(pre, ready.instance)), Random(2)
    words = [any_dword(name) for name in dict.fromkeys(ready.instance.surfaces.values())]
    assert comparison.inputs is not None
    found = [values for values, _ in comparison.inputs()]
    defined = sum(_source_defined(comparison, values) << index for index, values in enumerate(found))
    return [{**values, **{word: random.choice(WORDS) for word in words}} for values in found], defined


def _source_defined(comparison: Comparison, values: Values) -> bool:
    """Whether a run of the source on these inputs is defined, with memory of zeros."""
    try:
        return has_meaning(comparison, values, nothing)
    except NotModelled:
        return False


def signatures(conditions: Sequence[Candidate], of: int, inputs: Sequence[Values]) -> list[int]:
    """For each condition the samples that meet it, as bits; `of` is the number of their instance."""
    if not inputs:
        return [0] * len(conditions)
    said = [one.premises[of] for one in conditions]
    terms = [conj(*one.inputs, *(about for _, about in one.contents)) for one in said]
    return _met(terms, tuple(inputs[0]), inputs)


def _met(terms: Sequence[Bool], symbols: Sequence[Term], inputs: Iterable[Mapping[Term, int]]) -> list[int]:
    holds, found = compiled(terms, symbols), [0] * len(terms)
    for index, values in enumerate(inputs):
        for number, met in enumerate(holds([values.get(symbol, 0) for symbol in symbols])):
            found[number] |= met << index
    return found


def differences(ready: Prepared, pre: Sequence[Condition]) -> Iterator[Counterexample]:
    """The random inputs on which the target does something else."""
    comparison = comparison_of(ready, premise(pre, ready.instance))
    assert comparison.inputs is not None
    for values, content in comparison.inputs():
        with suppress(NotModelled):
            shown = difference(comparison, values, content)
            if shown is not None and (sure := settled(comparison, shown)) is not None:
                yield counterexample_of(ready, comparison, sure)


def meeting(conditions: Sequence[Candidate], of: int, ready: Prepared, cases: Sequence[Counterexample]) -> list[int]:
    """For each condition the counterexamples that meet it, as bits: to those it is no help."""
    terms = [conj(*one.premises[of].inputs) for one in conditions]
    found = _met(terms, ready.drawn.symbols, [case.difference.values for case in cases])
    for index, case in enumerate(cases):
        words = {name: _dwords(case, name) for name in set(ready.instance.surfaces.values())}
        for number, one in enumerate(conditions):
            if not all(_all_are(about, any_dword(name), words[name]) for name, about in one.premises[of].contents):
                found[number] &= ~(1 << index)
    return found


def _all_are(about: Bool, dword: Term, words: Iterable[int]) -> bool:
    return all(evaluate(about, {dword: word}) for word in words)


def _dwords(case: Counterexample, surface: str) -> list[int]:
    """What memory holds where the counterexample looks at it."""
    words: dict[tuple[int, ...], int] = {}
    for (name, where), value in case.contents.items():
        if name == surface:
            at, shift = ((where[0] // 4,), 8 * (where[0] % 4)) if len(where) == 1 else (where, 0)
            words[at] = words.get(at, 0) | value << shift
    return list(words.values())
