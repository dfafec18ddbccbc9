"""A function of choices as a choice between its results: f(c ? a : b) is c ? f(a) : f(b), whatever f is.

What a statement without a mask computes in a lane that is off is then apart from what it computes in one that is on,
and vanishes where only the latter is used.  `prove_a_function_of_a_choice_is_the_choice_between_its_values` decides it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, cast

from msgspec.structs import replace

from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import BitVec, Bool, Op, Term, false, kept, linear_parts, neg, negate, substitute, true
from visaproof.smt.substitution import Booleans, substitute_bools

MOST_CHOICES = 2
"""On one way to a result: each of them doubles the results."""

MOST_CHANGED = 400
"""Subterms of a value that is simplified by what is known: what lanes read of all others has thousands for each."""

KEPT = 64
"""The statements of a lane know the same one after another."""

T = TypeVar("T", BitVec, Bool)
AnyTerm = TypeVar("AnyTerm", bound=Term)


def by_cases(
    sources: Sequence[Source],
    function: Callable[[Sequence[Source]], T],
    choose: Callable[[Bool, T, T], T],
    most: int = MOST_CHOICES,
) -> T:
    """The function of these sources, as far as they are no choices between others."""
    condition = next(filter(None, (_chosen_by(source.bits) for source in sources)), None)
    if condition is None or most == 0:
        return function(sources)
    then, otherwise = ([_where(source, condition, place) for source in sources] for place in (1, 2))
    return choose(
        condition, by_cases(then, function, choose, most - 1), by_cases(otherwise, function, choose, most - 1)
    )


def _chosen_by(word: BitVec) -> Bool | None:
    """The condition of a choice, or of several that are added up: (c ? a : b) − (c ? d : e) is c ? a − d : b − e.

    A word or its negative, as an absolute value is, is one of its own.
    """
    if word.op is Op.ITE:
        condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], word.args)
        return None if then is negate(otherwise) else condition
    choices = _added_choices(word)
    same = len(choices) > 1 and all(one.args[0] is choices[0].args[0] for one in choices)
    return cast(Bool, choices[0].args[0]) if same else None


def _added_choices(word: BitVec) -> list[BitVec]:
    """Those of a sum, or of products in it."""
    atoms = linear_parts(word)[1] if word.op is Op.SUM else ()
    factors = (cast(tuple[BitVec, ...], one.args) if one.op is Op.MUL else (one,) for one in atoms)
    return [one for some in factors for one in some if one.op is Op.ITE]


def _where(source: Source, condition: Bool, branch: int) -> Source:
    """The source where the condition takes this branch of a choice."""
    word = source.bits
    if word.op is Op.ITE and word.args[0] is condition:
        return replace(source, bits=cast(BitVec, word.args[branch]))
    taken: dict[Term, Term] = {one: one.args[branch] for one in _added_choices(word) if one.args[0] is condition}
    return replace(source, bits=substitute(word, taken)) if taken else source


@kept(KEPT)
def known_under(assumed: Literals) -> Booleans:
    """What is true, and what is false, where these hold."""
    known: dict[Term, Term] = {}
    for literal in assumed:
        known[literal] = true()
        known[neg(literal)] = false()
    return Booleans(known)


def under(value: AnyTerm, assumed: Literals) -> AnyTerm:
    """The value simplified by what holds whenever it is used; statements of a lane use most values again."""
    known = known_under(assumed)
    if not value.marks & known.marks:
        return value
    found = known.under.get(value)
    if found is None:
        found = known.under[value] = substitute_bools((value,), known, MOST_CHANGED)[0]
    return cast(AnyTerm, found)


def given(sources: Iterable[Source], assumed: Literals) -> list[Source]:
    """The sources as they are where these hold: what is left open of them depends on nothing else."""
    return [replace(source, bits=under(source.bits, assumed)) for source in sources]
