"""How much shared local memory a group can have at most."""

from msgspec import Struct

from visaproof.isa.operands import SLM
from visaproof.launch.premises import Premise, premise
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import Bool, Op, const, ule


class LocalLimit(Struct, frozen=True):
    """What holds, and the premise that says it."""

    holds: Bool
    premise: Premise


def local_limit(trace: Trace, most: int) -> LocalLimit | None:
    """That it has no more bytes; None where the kernel has none of it, or its size is known."""
    surface = trace.surfaces.get(SLM)
    if not isinstance(surface, SymbolicBuffer) or surface.size.op is not Op.SYMBOL:
        return None
    return LocalLimit(ule(surface.size, const(most, surface.size.width)), premise("slm-limit", most=f"{most:,}"))
