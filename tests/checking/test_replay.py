"""A counterexample replays if `execute` leaves what was recorded, and that shows the violation."""

from collections.abc import Callable

import pytest

from tests.support.examples import colliding_kernel, exchange_in_two_orders, wrong_scatter
from visaproof.checking.counterexample import Counterexample, Outcome, SurfaceState
from visaproof.checking.replay import replay
from visaproof.isa.errors import ReadError

EXAMPLES = (wrong_scatter, exchange_in_two_orders, colliding_kernel)


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_execute_does_replays(example: Callable[[], Counterexample]):
    assert replay(example(), "file.json").differences == ()


def test_a_changed_place_is_named():
    found = wrong_scatter()
    found.runs[0].outcome = Outcome(changes={"T6[0x4]": "0x05"})
    assert replay(found, "file.json").differences == (
        "T6[0x0]: recorded unchanged, execute leaves 0x05",
        "T6[0x4]: recorded 0x05, execute leaves unchanged",
    )


def test_an_outcome_that_has_a_meaning_now_is_named():
    found = wrong_scatter()
    found.runs[0].outcome = Outcome(undefined="two lanes store to one cell")
    first, *_ = replay(found, "file.json").differences
    assert first == "recorded: undefined (two lanes store to one cell); execute: defined"


def test_the_wording_of_an_undefined_outcome_may_change():
    found = wrong_scatter()
    found.state.registers["VO"] = "0" * 64
    found.runs[0].outcome = Outcome(undefined="as it was worded once")
    assert replay(found, "file.json").differences == ()


def test_runs_that_show_no_violation_do_not_replay():
    found = wrong_scatter()
    found.claimed = found.runs[0].outcome
    assert replay(found, "file.json").differences == (
        "what execute leaves does not show that without-bounds writes outside",
    )
    found = exchange_in_two_orders()
    found.runs[1] = found.runs[0]
    assert len(replay(found, "file.json").differences) == 1


def test_an_instruction_that_is_illegal_now_does_not_replay():
    found = wrong_scatter()
    found.program[6] = found.program[6].replace("(M1, 8)", "(M1, 4)")
    (difference,) = replay(found, "file.json").differences
    assert difference.startswith("the instruction is no longer accepted: execution size 4")


def test_a_kernel_must_end_at_the_recorded_line():
    found = colliding_kernel()
    found.line = 9
    (difference,) = replay(found, "file.json").differences
    assert difference.startswith("the run ends at line 10, not 9: ")
    found.state.exec_mask = "0x1"
    assert replay(found, "file.json").differences == ("the run is defined to its end, not undefined at line 9",)


def _without_surface(found: Counterexample) -> None:
    del found.state.surfaces["T6"]


def _image_for_buffer(found: Counterexample) -> None:
    found.state.surfaces["T6"] = SurfaceState(levels=[(1, 1, 1)])


def _no_instruction(found: Counterexample) -> None:
    del found.program[6]


def _two_instructions(found: Counterexample) -> None:
    found.program.insert(6, found.program[6])


def _bad_text(found: Counterexample) -> None:
    found.program[6] = "    scatter4_scaled.R (M1, 8) T6 nonsense"


def _bad_mask(found: Counterexample) -> None:
    found.runs[0].steps = ["many"]


def _bad_register(found: Counterexample) -> None:
    found.state.registers["VO"] = "0"


def _no_runs(found: Counterexample) -> None:
    found.runs = []


def _bad_platform(found: Counterexample) -> None:
    found.platform = "Larrabee"


@pytest.mark.parametrize(
    "damage",
    [
        _without_surface,
        _image_for_buffer,
        _no_instruction,
        _two_instructions,
        _bad_text,
        _bad_mask,
        _bad_register,
        _no_runs,
        _bad_platform,
    ],
)
def test_a_malformed_counterexample_is_a_read_error_with_the_files_name(damage: Callable[[Counterexample], None]):
    found = wrong_scatter()
    damage(found)
    with pytest.raises(ReadError, match=r"^file\.json"):
        replay(found, "file.json")
