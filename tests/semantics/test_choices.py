"""What no page states is one of the values that are allowed; a policy picks, and always in the same way."""

from collections.abc import Callable

import pytest

from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import alu, floats
from visaproof.semantics.concrete.choices import ANY_BITS, ANY_NAN, POLICIES, STRICT, Allowed, Choices, Unstated

F = DataType.F
INFINITY, NAN, DENORMAL, MINUS_ZERO, LARGEST = 0x7F80_0000, 0x7FC0_0000, 1, 0x8000_0000, 0x7F7F_FFFF
TWO = 0x4000_0000
FLUSHED = FloatMode(Rounding.NEAREST_EVEN, frozenset())
HERE = Position("k.visaasm", 1, 1)

UNSTATED: dict[str, tuple[Callable[[], int], Allowed]] = {
    "div by 0": (lambda: alu.quotient("div", 7, 0), ANY_BITS),
    "mod by 0": (lambda: alu.quotient("mod", 7, 0), ANY_BITS),
    "NaN of a sum": (lambda: floats.operation("add", (INFINITY, INFINITY | MINUS_ZERO), F), ANY_NAN),
    "NaN of NaN": (lambda: floats.operation("mul", (NAN, TWO), F), ANY_NAN),
    "NaN converted": (lambda: floats.converted(NAN, F, DataType.HF), ANY_NAN),
    "min of zeros": (lambda: floats.operation("min", (0, MINUS_ZERO), F), Allowed((0, MINUS_ZERO))),
    "max of zeros": (lambda: floats.operation("max", (0, MINUS_ZERO), F), Allowed((0, MINUS_ZERO))),
    "mad beyond": (
        lambda: floats.operation("mad", (LARGEST, TWO, LARGEST | MINUS_ZERO), F),
        Allowed((LARGEST, INFINITY)),
    ),
    "negative as unsigned": (lambda: floats.to_integer(TWO | MINUS_ZERO, F, DataType.UD), ANY_BITS),
    "denormal, mode unknown": (lambda: floats.operation("add", (DENORMAL, 0), F), Allowed((0, DENORMAL))),
    "denormal result": (
        lambda: floats.operation("mul", (0x0080_0000, 0x3F00_0000), F),
        Allowed((0, 0x0040_0000)),
    ),
    "denormal compared": (lambda: floats.compare("gt", (DENORMAL, 0), F, FLUSHED), Allowed((0, 1))),
    "denormal clamped": (lambda: floats.clamped(DENORMAL, F, FLUSHED), Allowed((0, DENORMAL))),
    "denormal converted": (lambda: floats.converted(0x36A0 << 48, DataType.DF, F), Allowed((0, DENORMAL))),
}


@pytest.mark.parametrize("kind", UNSTATED)
def test_what_no_page_states_comes_with_all_that_is_allowed(kind: str) -> None:
    compute, allowed = UNSTATED[kind]
    with pytest.raises(Unstated) as found:
        compute()
    assert found.value.allowed == allowed


@pytest.mark.parametrize("kind", UNSTATED)
def test_policies_pick_what_is_allowed_and_not_all_the_same(kind: str) -> None:
    _, allowed = UNSTATED[kind]
    reason = Unstated(kind, allowed)
    picked = [Choices(policy).pick(reason, HERE, 0, F, ("add", 1, 2)) for policy in range(POLICIES)]
    assert all(allowed.admits(bits, F) for bits in picked)
    assert len(set(picked)) >= 2
    assert picked[0] != picked[1]
    assert picked[2] != picked[3]


def test_an_operation_on_the_same_operands_gets_the_same_value() -> None:
    reason = Unstated("div by 0", ANY_BITS)
    for policy in range(POLICIES):
        first, again = (Choices(policy).pick(reason, HERE, lane, F, ("div", 7, 0)) for lane in (0, 5))
        assert first == again
    scattered = {Choices(2).pick(reason, HERE, 0, F, ("div", left, 0)) for left in range(16)}
    assert len(scattered) == 16


def test_every_nan_that_is_picked_is_one_of_its_type() -> None:
    for data_type in (DataType.HF, DataType.BF, DataType.F, DataType.DF):
        for policy in range(POLICIES):
            bits = ANY_NAN.picked(policy, 0x0123_4567_89AB_CDEF, data_type)
            assert ANY_NAN.admits(bits, data_type)
            assert floats.number(bits, data_type) != floats.number(bits, data_type)


def test_without_a_policy_nothing_is_picked() -> None:
    with pytest.raises(NotModelled):
        STRICT.pick(Unstated("div by 0", ANY_BITS), HERE, 0, F, ())
    assert not STRICT.picked


def test_what_was_picked_is_noted_with_its_first_lane() -> None:
    choices = Choices(0)
    for lane in (3, 4):
        choices.of_thread(7).pick(Unstated("div by 0", ANY_BITS), HERE, lane, F, ())
    (noted,) = choices.picked.values()
    assert (noted.what, noted.thread, noted.lane, noted.others) == ("div by 0", 7, 3, True)


def test_mad_beyond_the_type_at_its_end_too_is_infinite() -> None:
    """The page lets implementations differ only where the final result would be inside."""
    for sign in (0, MINUS_ZERO):
        assert floats.operation("mad", (LARGEST, TWO | sign, 0), F) == INFINITY | sign
        assert floats.operation("mad", (LARGEST, TWO, INFINITY | sign), F) == INFINITY | sign
    with pytest.raises(Unstated) as found:
        floats.operation("mad", (LARGEST, TWO | MINUS_ZERO, LARGEST), F)
    assert found.value.allowed == Allowed((INFINITY, LARGEST | MINUS_ZERO, INFINITY | MINUS_ZERO))


@pytest.mark.parametrize("bits", [TWO | MINUS_ZERO, INFINITY | MINUS_ZERO])
def test_saturation_states_a_negative_number_as_unsigned(bits: int) -> None:
    """Page 2_datatypes: "the closest represented value with the target range"."""
    for result in (DataType.UB, DataType.UD, DataType.UQ):
        assert floats.to_integer(bits, F, result, saturates=True) == 0
        with pytest.raises(Unstated):
            floats.to_integer(bits, F, result)


def test_what_is_the_same_with_and_without_denormals_is_known() -> None:
    assert floats.compare("lt", (DENORMAL, TWO), F, FLUSHED)
    assert floats.operation("max", (DENORMAL, TWO), F, FLUSHED) == TWO
    assert floats.to_integer(DENORMAL, F, DataType.UD) == 0
