"""Assertions: what is proved passes, and the message of what fails is the report."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import visaproof
from visaproof.checking.counterexample import write_counterexample
from visaproof.instructions import Instruction
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt import false
from visaproof.testing import (
    assert_free,
    assert_inside,
    assert_proved,
    assert_refines,
    assert_refuted,
    example_from,
    saved,
)

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
STORE = visaproof.parse_instruction("scatter4_scaled.R (M1, 8) T6 0x0:ud off.0 src.0")
STEP = visaproof.encode(STORE, visaproof.Arrays.arbitrary(STORE))
KEPT = STEP.after.buffer("T6").bytes == STEP.before.buffer("T6").bytes
SAME_MASK = STEP.after.exec_mask == STEP.before.exec_mask


def kernel(name: str) -> visaproof.Program:
    return visaproof.read_kernel(EXAMPLES / f"{name}.visaasm", launch=EXAMPLES / f"{name}.bin")


def test_a_proved_claim_passes_and_a_refuted_one_shows_its_state() -> None:
    assert_proved(SAME_MASK, STEP)
    with pytest.raises(AssertionError, match=r"refuted:\nscatter4_scaled/claim is false here"):
        assert_proved(KEPT, STEP)
    assert assert_refuted(KEPT, STEP).violation == "claim-fails"
    with pytest.raises(AssertionError, match="not refuted: proved by"):
        assert_refuted(SAME_MASK, STEP)


def test_what_is_vacuous_or_unknown_passes_as_neither() -> None:
    vacuous = replace(visaproof.claim(KEPT, STEP), assumptions=(false(),))
    with pytest.raises(AssertionError, match="vacuous"):
        assert_proved(vacuous)
    with pytest.raises(AssertionError, match="not refuted: vacuous"):
        assert_refuted(vacuous)


@pytest.mark.slow
def test_kernels_are_asserted_about() -> None:
    assert_free(kernel("pairs_fixed"))
    with pytest.raises(AssertionError, match="CONFLICT"):
        assert_free(kernel("pairs"))
    with pytest.raises(AssertionError, match="OUTSIDE"):
        assert_inside(kernel("rows"), size={"out": 16})
    assert_refines(kernel("mean"), kernel("mean"))
    with pytest.raises(AssertionError, match="DOES NOT REFINE"):
        assert_refines(kernel("mean"), kernel("mean_short"))


def test_what_was_not_asked_to_the_end_is_no_success() -> None:
    with pytest.raises(AssertionError, match="not everything was asked"):
        assert_free(kernel("pairs_fixed"), limit_s=1e-6)


def test_a_saved_counterexample_is_an_example_of_a_test(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    write_counterexample(assert_refuted(KEPT, STEP), path)
    assert saved(path).instruction == STORE
    drawn: list[ConcreteState] = []

    @settings(max_examples=1)
    @example_from(path, at="state", what="instruction")
    @given(at=st.nothing() | st.just(ConcreteState(visaproof.Platform.TGLLP)), what=st.just(STORE))
    def test(at: ConcreteState, what: Instruction) -> None:
        assert what == STORE
        drawn.append(at)

    test()
    assert drawn[0] == saved(path).state
