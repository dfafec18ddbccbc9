"""Shared local memory: how much a group can have at most, and what its addresses are."""

from msgspec import Struct

from visaproof.isa.operands import SLM
from visaproof.launch.premises import Premise, premise
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicLocal
from visaproof.smt import Bool, Op, const, ule


class LocalLimit(Struct, frozen=True):
    """What holds, and the premise that says it."""

    holds: Bool
    premise: Premise


def without_tags(trace: Trace) -> tuple[Premise, ...]:
    """On what it rests that IGC's tag is no part of addresses, where the kernel may have it in some."""
    return (premise("slm-tag"),) if isinstance(trace.surfaces.get(SLM), SymbolicLocal) else ()


def local_limit(trace: Trace, most: int) -> LocalLimit | None:
    """That it has no more bytes; None where the kernel has none of it, or its size is known."""
    surface = trace.surfaces.get(SLM)
    if not isinstance(surface, SymbolicBuffer) or surface.size.op is not Op.SYMBOL:
        return None
    return LocalLimit(ule(surface.size, const(most, surface.size.width)), premise("slm-limit", most=f"{most:,}"))
