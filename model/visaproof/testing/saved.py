"""A saved counterexample as what a test begins with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from visaproof.checking.counterexample import Counterexample, read_counterexample
from visaproof.checking.states import state_from
from visaproof.decode.message import OPCODES, decode
from visaproof.instructions import Instruction
from visaproof.isa.platform import Platform, platform_named
from visaproof.isa.readings import readings_from
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

F = TypeVar("F", bound=Callable[..., Any])


class Saved(Struct, frozen=True):
    """The program of a counterexample and the state that it begins in."""

    counterexample: Counterexample
    kernel: Kernel
    platform: Platform
    state: ConcreteState
    """One of one's own: a test may run it."""

    @property
    def instruction(self) -> Instruction:
        """The first memory message of the program.  Raises ValueError where it has none."""
        messages = [one for one in self.kernel.instructions() if one.opcode in OPCODES]
        if not messages:
            raise ValueError(f"{self.counterexample.claim}: its program has no memory message")
        return decode(messages[0], self.kernel, self.platform, readings_from(self.counterexample.under))


def saved(path: str | Path) -> Saved:
    """What a file of `--save` holds.  Raises ReadError."""
    found = read_counterexample(Path(path))
    platform = platform_named(found.platform)
    kernel = linked(read_kernel("\n".join(found.program), str(path), grf_bytes=platform.grf_bytes), {})
    return Saved(found, kernel, platform, state_from(found.state, found.platform))


def example_from(path: str | Path, **arguments: str) -> Callable[[F], F]:
    """Hypothesis's `@example` with what a file holds: `@example_from("found.json", what="instruction", at="state")`.

    Each argument of the test names an attribute of `Saved`; with none, `instruction` and `state` are so called.
    Raises ReadError, and ImportError without Hypothesis.
    """
    from hypothesis import example

    found = saved(path)
    wanted = arguments or {"instruction": "instruction", "state": "state"}
    return example(**{name: getattr(found, attribute) for name, attribute in wanted.items()})
