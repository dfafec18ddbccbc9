"""When two offsets with equal low halves are equal: each rule for all values, and what it must not leave out."""

import pytest

from visaproof.refinement.effects.places import (
    ALWAYS,
    Condition,
    Reach,
    conditions,
    signed_and_unsigned,
)
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    neg,
    scale,
    sign_extend,
    symbol,
    truncate,
    ult,
    zero_extend,
)
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve

SOURCE, TARGET, LOW, BEHIND = symbol("source", 64), symbol("target", 64), symbol("low", 32), symbol("behind", 64)
GIB = 1 << 30
EM = bool_symbol("em")


def below(offset: BitVec, bound: int) -> Bool:
    return ult(offset, const(bound, 64))


def claim(target: BitVec, bound: int, *others: Bool) -> tuple[Bool, ...]:
    """What fails if the source's offset is below the bound, both low halves are equal, and the offsets are not."""
    same_low = eq(truncate(SOURCE, 32), truncate(target, 32))
    return below(SOURCE, bound), same_low, below(BEHIND, 2 * GIB), *others, neg(eq(SOURCE, target))


def holds(formulas: tuple[Bool, ...]) -> bool:
    answer = solve(formulas, 20_000)
    assert isinstance(answer, Satisfiable | Unsatisfiable)
    return isinstance(answer, Unsatisfiable)


def test_offsets_below_4_gib_with_one_low_half_are_equal() -> None:
    assert holds(claim(TARGET, 4 * GIB, below(TARGET, 4 * GIB)))
    assert not holds(claim(TARGET, 4 * GIB, below(TARGET, 4 * GIB + 1)))


def test_a_sign_extended_word_is_the_offset_below_2_gib() -> None:
    signed = add(sign_extend(LOW, 64), BEHIND)
    assert holds(claim(signed, 2 * GIB))
    assert not holds(claim(signed, 2 * GIB + 1))


def test_a_zero_extended_word_needs_that_its_first_byte_is_inside() -> None:
    first = symbol("first", 64)
    inside = conj(below(first, 2 * GIB), eq(truncate(first, 32), LOW))
    unsigned = add(zero_extend(LOW, 64), BEHIND)
    assert holds(claim(unsigned, 2 * GIB, inside))
    assert not holds(claim(unsigned, 2 * GIB))


@pytest.mark.parametrize("factor", [1, 2, 4, 8, 12, 64, 1000, (1 << 31) - 1])
def test_a_signed_multiple_below_2_gib_is_the_unsigned_one(factor: int) -> None:
    signed, unsigned = scale(sign_extend(LOW, 64), factor), scale(zero_extend(LOW, 64), factor)
    assert holds((below(signed, 2 * GIB), neg(eq(signed, unsigned))))
    assert signed_and_unsigned(signed, unsigned)
    assert not signed_and_unsigned(unsigned, signed)


def test_not_of_every_multiple() -> None:
    """With a large one, a negative word makes a small product: the rule refuses factors of 2^31 and more."""
    factor = 0x5555_5555_5555_5555  # times −3 it is 1
    signed, unsigned = scale(sign_extend(LOW, 64), factor), scale(zero_extend(LOW, 64), factor)
    assert not holds((below(signed, 2 * GIB), neg(eq(signed, unsigned))))
    assert not signed_and_unsigned(signed, unsigned)


def reach(offset: BitVec, guard: Bool = EM, width: int = 4) -> Reach:
    return Reach(guard, "argument 0", truncate(offset, 32), offset, width)


WORD = zero_extend(LOW, 64)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (reach(WORD), reach(WORD), set[Condition]()),
        (reach(scale(WORD, 4)), reach(scale(WORD, 4)), set[Condition]()),
        (reach(scale(WORD, 4)), reach(zero_extend(scale(LOW, 4), 64)), set[Condition]()),
        (reach(zero_extend(scale(LOW, 4), 64)), reach(scale(WORD, 4)), {Condition.NO_WRAP}),
        (reach(WORD), reach(sign_extend(LOW, 64)), {Condition.UNDER_2_GIB}),
        (reach(scale(sign_extend(LOW, 64), 4)), reach(scale(WORD, 4)), {Condition.UNDER_2_GIB}),
        (reach(scale(WORD, 4)), reach(scale(sign_extend(LOW, 64), 4)), {Condition.NO_WRAP}),
        (reach(WORD), reach(WORD, bool_symbol("other")), {Condition.TARGET_INSIDE}),
        (reach(WORD, conj(EM, bool_symbol("other"))), reach(WORD), {Condition.TARGET_INSIDE}),
        (reach(WORD), reach(WORD, conj(EM, bool_symbol("other"))), set[Condition]()),
        (reach(WORD, width=2), reach(WORD), {Condition.TARGET_INSIDE}),
        (reach(add(WORD, const(4, 64))), reach(WORD), {Condition.TARGET_INSIDE}),
    ],
)
def test_what_is_asked_for_is_no_more_than_needed(source: Reach, target: Reach, expected: set[Condition]) -> None:
    assert conditions([source], [target]) - ALWAYS == expected
