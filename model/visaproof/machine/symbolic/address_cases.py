"""Register addresses that are a choice of constants, as that of the first lane that runs: one place in each case.

In the case where a lane is the first that runs, what it wrote shows without a condition; so where all lanes hold one
value, the first one's is that value, whichever it is.
"""

from collections.abc import Callable
from typing import NamedTuple, cast

from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.smt import BitVec, Bool, Op, Term, conj, disj, false, ite, neg, true
from visaproof.smt.substitution import rebuild
from visaproof.smt.terms import value_of

_FUNCTIONS = frozenset((
    Op.SUM, Op.AND, Op.OR, Op.XOR, Op.SHL, Op.LSHR, Op.EXTRACT, Op.ZERO_EXTEND, Op.SIGN_EXTEND, Op.CONCAT,
))  # fmt: skip
"""Of which a case is looked at by itself."""


class Case(NamedTuple):
    """A choice between two addresses."""

    condition: Bool
    then: "Cases"
    otherwise: "Cases"


Cases = int | Case
"""The address in each case."""


def cases_of(address: BitVec, most: int) -> Cases | None:
    """The address as a choice of at most so many constants; None where it is none."""
    left = most

    def cases(term: BitVec) -> Cases | None:
        nonlocal left
        if (value := value_of(term)) is not None:
            left -= 1
            return value
        choice = _choice(term) if left > 0 else None
        if choice is None:
            return None
        condition, *branches = choice
        then = cases(branches[0])
        otherwise = None if then is None else cases(branches[1])
        return None if then is None or otherwise is None else Case(condition, then, otherwise)

    found = cases(address)
    return found if left >= 0 else None


def _choice(term: BitVec) -> tuple[Bool, BitVec, BitVec] | None:
    """The term as a choice between two, where it is a function of such a choice alone."""
    if term.op is Op.ITE:
        return cast(tuple[Bool, BitVec, BitVec], term.args)
    unknown = [place for place, arg in enumerate(term.args) if arg.op is not Op.CONST]
    if term.op not in _FUNCTIONS or len(unknown) != 1:
        return None
    choice = _choice(cast(BitVec, term.args[unknown[0]]))
    if choice is None:
        return None

    def function(branch: Term) -> BitVec:
        args = list(term.args)
        args[unknown[0]] = branch
        return cast(BitVec, rebuild(term, tuple(args)))

    return choice[0], function(choice[1]), function(choice[2])


def inside(cases: Cases, assumed: Literals, is_place: Callable[[int], bool]) -> Bool:
    """Where `assumed` holds, whether the address is a place."""
    if isinstance(cases, int):
        return true() if is_place(cases) else false()
    then, otherwise = _assumed_in(cases, assumed)
    one = None if then is None else inside(cases.then, then, is_place)
    other = None if otherwise is None else inside(cases.otherwise, otherwise, is_place)
    if one is None or other is None or one is other:
        return one or other or true()
    return disj(conj(cases.condition, one), conj(neg(cases.condition), other))


def chosen(
    cases: Cases,
    assumed: Literals,
    is_place: Callable[[int], bool],
    read: Callable[[int, Literals], BitVec],
    elsewhere: BitVec,
) -> BitVec | None:
    """What is read where `assumed` holds: at places, and `elsewhere`; None where no case is possible."""
    if isinstance(cases, int):
        return read(cases, assumed) if is_place(cases) else elsewhere
    then, otherwise = _assumed_in(cases, assumed)
    one = None if then is None else chosen(cases.then, then, is_place, read, elsewhere)
    other = None if otherwise is None else chosen(cases.otherwise, otherwise, is_place, read, elsewhere)
    if one is None or other is None:
        return other if one is None else one
    if other.op is Op.ITE and other.args[1] is one:  # the same in the next case
        return ite(disj(cases.condition, cast(Bool, other.args[0])), one, cast(BitVec, other.args[2]))
    return ite(cases.condition, one, other)


def _assumed_in(case: Case, assumed: Literals) -> tuple[Literals | None, Literals | None]:
    """What holds in either case; None for one that what is assumed rules out."""
    given = literals_of(case.condition)
    if given <= assumed:
        return assumed, None
    if neg(case.condition) in assumed or any(neg(one) in assumed for one in given):
        return None, assumed
    otherwise = assumed | {neg(case.condition)}
    return assumed | given, None if _never(otherwise) else otherwise


def _never(assumed: Literals) -> bool:
    """Whether each alternative of something that is assumed is denied: of a thread, that a lane of it runs."""
    return any(one.op is Op.DISJ and all(neg(cast(Bool, way)) in assumed for way in one.args) for one in assumed)
