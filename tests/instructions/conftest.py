"""A thread for examples that are worked by hand."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState


@pytest.fixture
def thread() -> ConcreteState:
    """TGLLP, all lanes on, no registers and no surfaces yet."""
    return ConcreteState(Platform.TGLLP)
