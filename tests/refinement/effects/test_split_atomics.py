"""An atomic that one device has in several messages, and another in one, is the same where nobody sees the order."""

import pytest
from msgspec.structs import replace

from tests.refinement.test_refinement_atomic_events import program
from tests.refinement.test_refinement_lane_steps import atomic, parts
from tests.refinement.testing.test_refinement_collisions import LOADED, STORED
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict

BIND = "movs (M1_NM, 1) T7(0) 0x1:ud\n"
OUT = STORED.replace("T6", "T7")
FIRST, SECOND = parts("or")
WHOLE = atomic("or")


def asked(source: str, target: str, device: Platform = Platform.TGLLP) -> Verdict:
    """Of a source for a device, and a target for DG2."""
    programs = replace(program(BIND + source), platform=device), program(BIND + target)
    return decide(compare(*programs, Scope(Assume.NONE, alias=Alias.NONE)), 1_000)


@pytest.mark.parametrize("op", ["or", "add", "max"])
def test_two_messages_of_one_device_are_one_of_another(op: str) -> None:
    assert isinstance(asked("".join(parts(op)), atomic(op)), Refines)
    assert isinstance(asked(atomic(op), "".join(parts(op))), Refines)


def test_on_one_device_messages_keep_their_order() -> None:
    assert not isinstance(asked(FIRST + SECOND, WHOLE, Platform.DG2), Refines)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("".join(parts("add", brought=True)) + OUT, atomic("add", brought=True) + OUT),
        ("".join(parts("xchg")), atomic("xchg")),
        (FIRST + SECOND + atomic("or", brought=True) + OUT, WHOLE + atomic("or", brought=True) + OUT),
        (FIRST + LOADED + SECOND + OUT, WHOLE + LOADED + OUT),
        (FIRST + LOADED + SECOND + OUT, LOADED + WHOLE + OUT),
        (FIRST + OUT + SECOND, WHOLE + OUT),
        (FIRST + OUT + SECOND, OUT + WHOLE),
        (FIRST + "barrier\n" + SECOND, "barrier\n" + WHOLE),
        (FIRST + SECOND + atomic("xchg"), WHOLE + atomic("xchg")),
    ],
    ids=[
        "what they bring is stored", "they do not commute", "another one brings something", "a load after the first",
        "a load before the second", "a store after the first", "a store before the second", "a barrier stands between",
        "another one does not commute",
    ],
)  # fmt: skip
def test_messages_whose_order_may_be_seen_are_not_one(source: str, target: str) -> None:
    assert not isinstance(asked(source, target), Refines)


def test_messages_that_do_something_else_are_told_from_one() -> None:
    assert isinstance(asked(FIRST + parts("and")[1], WHOLE), Difference)
    assert not isinstance(asked(FIRST + FIRST, WHOLE), Refines)
    assert not isinstance(asked(FIRST + SECOND, FIRST), Refines)
    assert not isinstance(asked(FIRST + SECOND + FIRST, WHOLE), Refines)


def cached(lanes: str, at: int, caches: str) -> str:
    return f"lsc_atomic_or.ugm.uc.{caches} ({lanes}) %null:d32 bti(0x0)[C.{at}]:a32 X.{at} %null\n"


@pytest.mark.parametrize(("second", "refines"), [("wb", True), ("uc", False)])
def test_messages_that_are_cached_otherwise_are_not_one(second: str, *, refines: bool) -> None:
    halves = cached("M1, 4", 0, "wb") + cached("M2, 4", 16, second)
    assert isinstance(asked(halves, cached("M1, 8", 0, "wb"), Platform.Xe2), Refines) is refines
