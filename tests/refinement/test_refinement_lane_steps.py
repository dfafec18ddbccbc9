"""A message of atomics of the source may be several of the target: one of the orders in which its lanes may come."""

import pytest

from tests.refinement.testing.test_refinement_collisions import both, constant
from visaproof.refinement.decision import decide
from visaproof.refinement.verdicts import Difference, Refines, Verdict


def asked(source: str, target: str) -> Verdict:
    return decide(both(source, target), 1_000)


def atomic(op: str, lanes: str = "M1, 8", first: int = 0, brought: bool = False) -> str:
    """Of all lanes, or of four from a lane on."""
    at = 4 * first
    return f"dword_atomic.{op} ({lanes}) T6 C.{at} X.{at} %null {f'Y.{at}' if brought else '%null'}\n"


def parts(op: str, brought: bool = False) -> tuple[str, str]:
    return atomic(op, "M1, 4", 0, brought), atomic(op, "M2, 4", 4, brought)


@pytest.mark.parametrize("op", ["or", "add", "xchg"])
def test_a_message_may_be_two_in_any_order(op: str) -> None:
    first, second = parts(op)
    assert isinstance(asked(atomic(op), first + second), Refines)
    assert isinstance(asked(atomic(op), second + first), Refines)


@pytest.mark.slow
def test_two_messages_come_in_an_order_that_one_does_not_keep() -> None:
    """Others may see the fifth lane's before the first one's."""
    first, second = parts("or")
    assert not isinstance(asked(first + second, atomic("or")), Refines)
    assert not isinstance(asked(first + second, second + first), Refines)


@pytest.mark.slow
def test_a_part_that_is_missing_or_another_one_is_a_difference() -> None:
    first, second = parts("or")
    assert isinstance(asked(atomic("or"), first + parts("and")[1]), Difference)
    assert not isinstance(asked(atomic("or"), first + first), Refines)
    assert not isinstance(asked(atomic("or"), first + second + second), Refines)
    assert isinstance(asked(atomic("or") + atomic("xor"), first + second), Difference)


def test_what_the_lanes_bring_is_the_same_in_parts() -> None:
    stored = "scatter4_scaled.R (M1, 8) T7 0x0:ud D.0 Y.0\n"
    bind = "movs (M1_NM, 1) T7(0) 0x1:ud\n"
    whole = atomic("add", brought=True)
    assert isinstance(asked(bind + whole + stored, bind + "".join(parts("add", brought=True)) + stored), Refines)


def test_a_load_of_the_same_surface_sees_what_a_turn_left() -> None:
    """Then there are no turns: a load would not know of them."""
    loaded = "gather4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0\nscatter4_scaled.R (M1, 8) T6 0x0:ud D.0 Y.0\n"
    nothing = constant(0, "Y") + "scatter4_scaled.R (M1, 8) T6 0x0:ud D.0 Y.0\n"
    whole, two = atomic("or"), "".join(parts("or"))
    assert not isinstance(asked(whole + loaded, two + nothing), Refines)
    assert not isinstance(asked(loaded + whole, two + loaded), Refines)
