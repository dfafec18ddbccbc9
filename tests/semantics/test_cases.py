"""A function of choices is a choice between its values, with few of them."""

from collections.abc import Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.cases import by_cases
from visaproof.smt import BitVec, add, bool_symbol, evaluate, ite, mul, sub, symbol

P, Q, R = (bool_symbol(name) for name in "pqr")
A, B, C, D = (symbol(name, 32) for name in "abcd")


def cases(*operands: BitVec) -> tuple[BitVec, list[tuple[BitVec, ...]]]:
    """What becomes of a function, whose values are symbols, and the operands that it was asked about."""
    asked: dict[tuple[BitVec, ...], BitVec] = {}

    def function(sources: Sequence[Source]) -> BitVec:
        place = tuple(source.bits for source in sources)
        return asked.setdefault(place, symbol(f"f{len(asked)}", 32))

    return by_cases([Source(bits, DataType.F, "-") for bits in operands], function, ite), list(asked)


def test_the_values_are_those_of_the_branches() -> None:
    found, asked = cases(ite(P, A, B))
    assert asked == [(A,), (B,)]
    assert [evaluate(found, {P: holds, symbol("f0", 32): 7, symbol("f1", 32): 9}) for holds in (1, 0)] == [7, 9]


def test_operands_take_the_same_branch_of_one_condition() -> None:
    assert cases(ite(P, A, B), C, ite(P, C, D))[1] == [(A, C, C), (B, C, D)]
    assert cases(ite(P, A, B), ite(Q, C, D))[1] == [(A, C), (A, D), (B, C), (B, D)]


def test_more_choices_stay_operands() -> None:
    third = ite(R, A, D)
    assert cases(ite(P, A, B), ite(Q, C, D), third)[1] == [(A, C, third), (A, D, third), (B, C, third), (B, D, third)]
    assert cases(A, B)[1] == [(A, B)]


def test_choices_by_one_condition_that_are_added_up_are_a_choice() -> None:
    """Also as factors; by two conditions they stay a sum."""
    both = sub(ite(P, A, B), mul(ite(P, C, D), A))
    assert cases(both)[1] == [(sub(A, mul(C, A)),), (sub(B, mul(D, A)),)]
    assert cases(both, ite(P, C, D))[1] == [(sub(A, mul(C, A)), C), (sub(B, mul(D, A)), D)]
    apart = sub(ite(P, A, B), ite(Q, C, D))
    assert cases(apart)[1] == [(apart,)]
    alone = add(ite(P, A, B), C)
    assert cases(alone)[1] == [(alone,)]
