"""What the reports on questions about a kernel have in common: what was asked about, and a run that shows something."""

from collections.abc import Iterator
from typing import Protocol

from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import Launch
from visaproof.machine.symbolic.trace import Performed
from visaproof.program.lower import Runnable
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt.limit import Limit


class AskedKernel(Protocol):
    """A kernel, its launch, and what is assumed of it."""

    @property
    def kernel(self) -> Runnable: ...
    @property
    def platform(self) -> Platform: ...
    @property
    def launch(self) -> Launch: ...
    @property
    def start(self) -> Start: ...
    @property
    def asked(self) -> Asked: ...
    @property
    def limit(self) -> Limit: ...


class ShownRun(Protocol):
    """A run of the kernel on `state`, which `values` describe; it depends on the symbols `depends_on`."""

    @property
    def state(self) -> ConcreteState: ...
    @property
    def values(self) -> Values: ...
    @property
    def depends_on(self) -> tuple[str, ...]: ...


def loads_that_decide(answers: AskedKernel, shown: ShownRun) -> Iterator[Performed]:
    """The loads whose values it depends on, one for each value."""
    brought = {str(content.payload): performed for performed in answers.asked.trace.performed
               for _, content in performed.loaded}  # fmt: skip
    return (brought[name] for name in shown.depends_on if name in brought)
