"""Inputs on which conditions of a rule are compared: which of them let more through, and which cannot imply which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random

from visaproof.isa.errors import NotModelled
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.guesses import settled
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.runs import difference, has_meaning
from visaproof.rules.condition_grammar import Candidate
from visaproof.rules.counterexamples import counterexample_of
from visaproof.rules.guesses import Values
from visaproof.rules.language.syntax import Condition
from visaproof.rules.programs import Prepared, comparison_of
from visaproof.rules.questions.conditions import premise
from visaproof.rules.questions.symbols import any_dword
from visaproof.rules.verdicts import Counterexample
from visaproof.smt import Bool, Term, conj, evaluate
from visaproof.smt.compiled import compiled

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
        return has_meaning(*comparison.runners, comparison.question, values, nothing)
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
    """The guesses at inputs on which the target does something else."""
    comparison = comparison_of(ready, premise(pre, ready.instance))
    assert comparison.inputs is not None
    for values, content in comparison.inputs():
        with suppress(NotModelled):
            shown = difference(*comparison.runners, comparison.question, values, content)
            if shown is not None and (sure := settled(comparison, shown)) is not None:
                yield counterexample_of(ready, comparison, sure)


def meeting(conditions: Sequence[Candidate], of: int, ready: Prepared, cases: Sequence[Counterexample]) -> list[int]:
    """For each condition the counterexamples that meet it, as bits: to those it is no help."""
    terms = [conj(*one.premises[of].inputs) for one in conditions]
    found = _met(terms, ready.guesses.symbols, [case.difference.values for case in cases])
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
