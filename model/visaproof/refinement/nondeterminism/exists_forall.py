"""Whether for all inputs some choice of uninitialised values leaves what the target stores: ∀ inputs ∃ choices.

Stores that share no choice are asked one after the other.  A few choices are held against all inputs, each a term that
the inputs decide: ∨ₖ left(choiceₖ) = stored.  Where none of them is right, one that is for these inputs is taken in:
what the target has computed, if that is one, or else a constant.  Each choice that is taken in may be any: it only adds
to what may hold, so that a proof rests on the solver alone.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.ladder import Fails, Holds, Values, climb, literals
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import UnitStore
from visaproof.refinement.effects.operands import is_given
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.uninitialised_words import is_unwritten, is_unwritten_word
from visaproof.refinement.effects.witness import Choices, choose, of_width
from visaproof.refinement.obligations import open_undefined, premises
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    bool_const,
    conj,
    const,
    disj,
    eq,
    evaluate,
    implies,
    is_true,
    neg,
    substitute,
    subterms,
    symbols_of,
)

MOST_CHOICES = 8
"""Taken in for one group of stores."""

MOST_GROUPS = 24
"""Of stores that are asked about: the others are like one of them."""


def some_choice_leaves_each(question: Question, first: Choices, timeout_ms: int) -> bool:
    """Whether that is shown; `first` is the choice that is tried first."""
    pairs, reaches = list(_pairs(question)), question.source.reaches
    if None in pairs or question.disturbed or question.bounded:
        return False
    if not is_given((term for reach in reaches for term in (reach.guard, reach.offset)), question.memory):
        return False
    defined = neg(open_undefined(question))
    if not is_true(defined) and not isinstance(climb(premises(question, defined), defined, timeout_ms), Holds):
        return False
    shown: set[Form] = set()
    for group in _groups(question, [pair for pair in pairs if pair is not None], first):
        if len(shown) == MOST_GROUPS:
            return False
        forms = {group.form, group.anywhere.form}
        if shown.isdisjoint(forms):
            one = next((one for one in (group.anywhere, group) if _is_shown(one, timeout_ms)), None)
            if one is None:
                return False
            shown.add(one.form)
    return True


def _pairs(question: Question) -> Iterator["_Pair | None"]:
    """The stores that differ; None where choices decide more than the value."""
    for surface in question.surfaces:
        source, target = question.source.stores.get(surface, ()), question.target.stores.get(surface, ())
        if not target:
            yield from (_kept(one, surface, question.memory) for one in source)
            continue
        if len(source) != len(target):
            yield None
            return
        for one, other in zip(source, target, strict=True):
            if one != other:
                yield _pair(one, other, question.memory)


class _Pair(NamedTuple):
    """Two stores at one place."""

    happen: Bool
    same: Bool
    """That they leave the same."""


def _kept(one: UnitStore, surface: str, memory: SharedMemory) -> _Pair | None:
    """A store to what the target leaves as it was: where all of them leave it so, the first and the later ones do."""
    plain = one.change is None and is_given((one.guard, one.cell), memory)
    value = _opened(one.value, memory) if plain else None
    return None if value is None else _Pair(one.guard, eq(value, memory.initial(surface, one.cell)))


def _pair(one: UnitStore, other: UnitStore, memory: SharedMemory) -> _Pair | None:
    """Two stores of one place, on which choices have no bearing, as it is the target's as well."""
    if one.guard is not other.guard or one.cell is not other.cell or one.change or other.change:
        return None
    value = _opened(one.value, memory)
    return None if value is None else _Pair(one.guard, eq(value, other.value))


def _opened(value: BitVec, memory: SharedMemory) -> BitVec | None:
    """The value as one of choices and of what does not depend on them; None where a result or an address does."""
    while True:
        names = [one for one in symbols_of(value) if not is_own(one, "source") and not is_given((one,), memory)]
        if not names:
            return value
        if any(one not in memory.definitions for one in names):
            return None
        value = substitute(value, {one: memory.definitions[one] for one in names})


# ---------------------------------------------------------------- stores that share choices


class _Group(Struct, frozen=True):
    """Stores that share choices with no others."""

    assumed: tuple[Bool, ...]
    goal: Bool
    """That they leave the same where they happen."""
    same: Bool
    """That they leave the same."""
    own: tuple[Term, ...]
    """The choices."""
    first: Choices
    """What is tried first for each of them."""

    @property
    def form(self) -> Form:
        """The same for other groups of which this is shown or not shown alike."""
        return form_of(*self.assumed, self.goal, *self.own)

    @property
    def anywhere(self) -> "_Group":
        """The same without what is assumed, where the stores do not happen as well: lanes are alike so."""
        return replace(self, assumed=(), goal=self.same)

    @property
    def none(self) -> Choices:
        """All choices 0."""
        return {one: _constant(0, one) for one in self.own}

    def where(self, choices: Choices) -> Bool:
        """The goal where the choices are these."""
        return substitute(self.goal, choices)


def _groups(question: Question, pairs: Sequence[_Pair], first: Choices) -> Iterator[_Group]:
    """The stores, those together that have a choice in common."""
    together: list[tuple[set[Term], list[_Pair]]] = []
    for pair in pairs:
        own, those = {one for one in symbols_of(pair.same) if is_unwritten(one)}, [pair]
        for other in [one for one in together if not own.isdisjoint(one[0])]:
            together.remove(other)
            own, those = own | other[0], [*other[1], *those]
        together.append((own, those))
    for _, those in together:
        yield _group(question, those, first)


def _group(question: Question, pairs: Sequence[_Pair], first: Choices) -> _Group:
    """A group with what is assumed of it apart from choices: less than all that is, and so no more than that says."""
    goal, same = conj(*(implies(*one) for one in pairs)), conj(*(one.same for one in pairs))
    about = set(symbols_of(goal, *question.memory.facts((goal,))))
    parts = [part for premise in premises(question, goal) for part in literals(premise)]
    given = (part for part in parts if about.issuperset(symbols_of(part)) and not _depends_on_the_source(part))
    own = tuple(one for one in symbols_of(goal) if is_unwritten(one))
    chosen: Choices = {one: first.get(one, _constant(0, one)) for one in own}
    chosen |= {word: first[word] for word in _words(goal, own) if word in first}
    return _Group(tuple(given), goal, same, own, chosen)


def _depends_on_the_source(term: Term) -> bool:
    return any(is_own(one, "source") for one in symbols_of(term))


def _words(goal: Bool, own: Sequence[Term]) -> list[Term]:
    """What is chosen together: words, and parts that are in none."""
    words = [term for term in subterms(goal) if is_unwritten_word(term)]
    inside = {part for word in words for part in word.args}
    return [*words, *(one for one in own if one not in inside)]


def _constant(value: int, like: Term) -> Term:
    return const(value, like.width) if like.width else bool_const(bool(value))


# ---------------------------------------------------------------- choices for all inputs


def _is_shown(group: _Group, timeout_ms: int) -> bool:
    """Whether for all inputs one of a few choices leaves the same."""
    tried = [group.first]
    for _ in range(MOST_CHOICES):
        answer = climb(group.assumed, disj(*map(group.where, tried)), timeout_ms)
        if not isinstance(answer, Fails):
            return isinstance(answer, Holds)
        choices = _computed(group, answer.values) or _found(group, answer.values, timeout_ms)
        if choices is None:
            return False
        tried.append(choices)
    return False


def _computed(group: _Group, values: Values) -> Choices | None:
    """One word as the target computes it, and the others 0 or as tried first, if that is right for these inputs."""
    terms = [term for term in reversed(subterms(group.goal)) if term.width and not _depends_on_the_source(term)]
    for others, word in product((group.none, group.first), reversed(_words(group.goal, group.own))):
        for term in terms if word.width else ():
            choices = dict(others)
            choose(choices, word, of_width(cast(BitVec, term), word.width))
            if evaluate(group.where(choices), values):
                return choices
    return None


def _found(group: _Group, values: Values, timeout_ms: int) -> Choices | None:
    """Constants that are right for these inputs: of one word, or else of all."""
    given = {one: _constant(values.get(one, 0), one) for one in symbols_of(group.goal) if one not in group.own}
    same = substitute(group.goal, given)
    for word in (*reversed(_words(group.goal, group.own)), None):
        own = group.own if word is None else symbols_of(word)
        others = {one: value for one, value in group.none.items() if one not in own}
        answer = climb((), neg(substitute(same, others)), timeout_ms)
        if isinstance(answer, Fails):
            return others | {one: _constant(answer.values.get(one, 0), one) for one in own}
    return None
