"""Sweeping: equal terms become one, others stay apart, and what memory holds hangs on its address."""

import pytest

from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.refinement.sweeping import likened, swept
from visaproof.smt import (
    BitVec,
    Term,
    add,
    ashr,
    bit_and,
    bit_or,
    bit_xor,
    const,
    eq,
    evaluate,
    is_true,
    ite,
    lshr,
    mul,
    neg,
    negate,
    scale,
    slt,
    sub,
    symbol,
    symbols_of,
    truncate,
    zero_extend,
)

x, y, z = (symbol(name, 32) for name in "xyz")


def added(left: BitVec, right: BitVec) -> BitVec:
    """The sum by the bits that differ and the carries, which no normal form sees."""
    return add(bit_xor(left, right), scale(bit_and(left, right), 2))


def upper(word: BitVec) -> BitVec:
    """What a product does not see through."""
    return lshr(word, const(3, 32))


def again(left: BitVec, right: BitVec) -> BitVec:
    return sub(add(bit_or(left, right), bit_and(left, right)), const(0, 32))


def test_products_of_equal_words_are_equal() -> None:
    """A solver that is given both products at once takes very long."""
    one, other = mul(upper(added(x, y)), upper(added(y, z))), mul(upper(again(y, z)), upper(again(x, y)))
    chain = eq(mul(upper(one), bit_xor(one, x)), mul(upper(other), bit_xor(x, other)))
    assert not is_true(chain)
    assert is_true(swept(chain, SharedMemory({})))


@pytest.mark.parametrize("apart", [1, 1 << 31])
def test_words_that_differ_for_few_inputs_stay_two(apart: int) -> None:
    """Where x is one number of 2^32, which no sample is: the solver finds it, and what is left says the same."""
    rare = bit_and(eq_word(x, 0x12345678), const(apart, 32))
    goal = eq(mul(added(x, y), z), mul(add(again(x, y), rare), z))
    left = swept(goal, SharedMemory({}))
    values: dict[Term, int] = {x: 0x12345678, y: 5, z: 1}
    assert not is_true(left)
    assert evaluate(left, values) == evaluate(goal, values) == 0
    assert evaluate(left, {**values, x: 7}) == 1


def eq_word(word: BitVec, value: int) -> BitVec:
    """All bits set where the word has the value."""
    return ite(eq(word, const(value, 32)), const(-1, 32), const(0, 32))


def test_equal_addresses_hold_one_value() -> None:
    memory = SharedMemory({"T": 4})
    one, other = memory.initial("T", added(x, y)), memory.initial("T", again(x, y))
    assert one is not other
    assert is_true(swept(eq(mul(one, x), mul(x, other)), memory))


def test_other_addresses_and_other_surfaces_hold_other_values() -> None:
    memory = SharedMemory({"T": 4, "U": 4})
    one = memory.initial("T", added(x, y))
    for other in (memory.initial("U", again(x, y)), memory.initial("T", again(x, z))):
        left = swept(eq(one, other), memory)
        assert {one, other} <= set(symbols_of(left))


def test_named_values_are_what_they_name() -> None:
    memory = SharedMemory({})
    name = memory.named(added(x, y))
    assert is_true(swept(eq(mul(upper(name), z), mul(upper(again(x, y)), z)), memory))
    assert not is_true(swept(eq(mul(upper(name), z), mul(upper(again(x, z)), z)), memory))


def test_what_is_true_or_false_is_said_to_be() -> None:
    truth = eq(added(x, y), again(x, y))
    assert is_true(swept(truth, SharedMemory({})))
    assert is_true(neg(swept(neg(truth), SharedMemory({}))))


def test_without_questions_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visaproof.refinement.sweeping.MOST_ASKED", 0)
    goal = eq(added(x, y), again(x, y))
    assert swept(goal, SharedMemory({})) is goal


# ---------------------------------------------------------------- addresses


def test_addresses_that_are_equal_for_all_inputs_are_one() -> None:
    one, other, third = added(x, y), again(x, y), again(y, z)
    assert likened((one, third, other), SharedMemory({})) == {other: one}


def test_no_more_is_asked_of_addresses_than_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visaproof.refinement.sweeping.MOST_CELLS_ASKED", 0)
    assert likened((added(x, y), again(x, y)), SharedMemory({})) == {}


def quotients(rounding: int) -> tuple[BitVec, BitVec]:
    """A product and more divided by 32 as signed numbers: by its amount, and with 31 below 0."""
    dividend = add(mul(x, zero_extend(truncate(y, 16), 32)), scale(z, 16), const(2, 32))
    negative = slt(dividend, const(0, 32))
    amount = lshr(ite(negative, negate(dividend), dividend), const(5, 32))
    rounded = ite(negative, add(dividend, const(rounding, 32)), dividend)
    return ite(negative, negate(amount), amount), ashr(rounded, const(5, 32))


def test_sums_that_differ_in_sign_are_one_unknown() -> None:
    """Of the products in them a solver needs to know nothing."""
    one, other = quotients(31)
    assert one is not other
    assert likened((one, other), SharedMemory({})) == {other: one}
    assert likened(quotients(30), SharedMemory({})) == {}
    assert likened(quotients(32), SharedMemory({})) == {}
