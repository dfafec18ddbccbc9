"""What every instruction file provides."""

from collections.abc import Iterator
from typing import ClassVar, Protocol

from visaproof.isa.answers import MaskAlignment, SmallSizes
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution, Parameter
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.state import SymbolicState


class Instruction(Protocol):
    """One instruction with its operands: two writings of its page, and the page's rules."""

    spec: ClassVar[Spec]
    __struct_fields__: ClassVar[tuple[str, ...]]
    """The names of its operands: an instruction is a struct."""

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        """Raises IllegalInstruction where the operands break the page on this platform, as it is read."""
        ...

    def execute(self, state: ConcreteState) -> None:
        """The page, in ints and bytes.  Raises UndefinedBehavior before anything has changed."""
        ...

    def footprint(self, state: SymbolicState) -> Iterator[Access]:
        """The page as guarded effects, in terms."""
        ...


def require(condition: bool, rule: str, source: str) -> None:
    """Raises IllegalInstruction with this rule where the condition fails."""
    if not condition:
        raise IllegalInstruction(rule, source)


def require_platform(spec: Spec, platform: Platform, source: str) -> None:
    require(platform >= spec.since, f"{spec.mnemonic} exists from {spec.since.name} on, not on {platform.name}", source)


def require_execution(execution: Execution, spec: Spec, readings: Readings = DEFAULT) -> None:
    """The page's sizes, and a lane offset that is a multiple of the size and stays within 32 lanes (D1, D2)."""
    legal_sizes = spec.exec_sizes
    if readings.small_sizes is SmallSizes.ACCEPTED and spec.mnemonic in ("SCATTER4_SCALED", "TYPED_ATOMIC"):
        legal_sizes = (1, 2, 4, *legal_sizes)  # D41
    sizes = ", ".join(str(size) for size in legal_sizes)
    require(execution.size in legal_sizes, f"execution size {execution.size} is not one of {sizes}", spec.page)
    if isinstance(execution.mask, Parameter):
        return
    offset = ExecMask(execution.mask).lane_offset
    aligned = offset % execution.size == 0 or readings.mask_alignment is MaskAlignment.VERIFIER_ACCEPTS
    legal = aligned and offset + execution.size <= 32
    require(legal, f"mask {execution.mask.name} does not fit {execution.size} lanes", "D1, D2")
