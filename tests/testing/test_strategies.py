"""What the strategies draw: legal instructions, states that fit them, and kernels that can be read and run."""

import pytest
from hypothesis import given

from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.platform import Platform
from visaproof.testing import strategies
from visaproof.testing.strategies import Start
from visaproof.visaasm.reader import read_kernel


@pytest.mark.slow
@given(strategies.starts())
def test_an_instruction_runs_on_its_state(start: Start) -> None:
    start.instruction.validate(Platform.DG2)
    try:
        start.instruction.execute(start.state)
    except UndefinedBehavior:
        return
    assert start.state.surfaces


@pytest.mark.slow
@given(strategies.starts(Platform.TGLLP))
def test_states_have_every_variable_that_is_named(start: Start) -> None:
    text = str(start.instruction)
    for name in ("O", "D", "Q"):
        assert f" {name}." not in text or name in start.state.registers


@pytest.mark.slow
@given(strategies.kernels())
def test_kernels_are_read(text: str) -> None:
    assert list(read_kernel(text, "drawn").instructions())
