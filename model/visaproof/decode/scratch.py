"""The surface `%scratch`, in which the compiler keeps private variables of the source: a piece of it for each thread.

Bits 10 to 31 of dword 5 of r0 say where that of a thread begins.  LSC messages name it by a handle, which is in bits 4
to 31, and there it begins at 0:

    shr (M1_NM, 1) V0085(0,0)<1> %r0(0,5)<0;1,0> 0x4:uw
    lsc_store.ugm (M1, 32) ss(V0085)[V0084]:a32 V0079:d32
"""

from visaproof.decode.surfaces import Place, first_byte, writers_of
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm.syntax import Immediate, Instruction, Kernel, VectorDestination, VectorSource

SCRATCH_POINTER = "%r0", 5 * 4
"""The variable, and the byte in it."""
SCRATCH_UNIT = 1 << 10
"""Where that of a thread begins is a multiple of so many bytes."""

SHIFT = 4
DWORDS = {DataType.UD, DataType.D}


def is_scratch_handle(kernel: Kernel, place: Place, platform: Platform) -> bool:
    """Whether the dword at this byte of a root variable holds the handle wherever something was written there."""
    root, byte = place
    writers = writers_of(kernel, platform)
    own, pointer = writers.get(root, []), writers.get(SCRATCH_POINTER[0], [])
    return bool(own) and not pointer and all(at == byte and _is_shifted(kernel, one, platform) for at, one in own)


def _is_shifted(kernel: Kernel, instruction: Instruction, platform: Platform) -> bool:
    """Whether a statement that always runs moves the pointer down, into a dword."""
    execution = instruction.execution
    if instruction.opcode != "shr" or instruction.suffixes or instruction.predicate or execution is None:
        return False
    target, source, amount = instruction.operands
    if execution.size != 1 or not execution.mask.no_mask or not isinstance(target, VectorDestination):
        return False
    if not isinstance(source, VectorSource) or source.modifier or not isinstance(amount, Immediate):
        return False
    types = {getattr(kernel.variables[one.variable], "type", None) for one in (target, source)}
    return types <= DWORDS and first_byte(kernel, source, platform) == SCRATCH_POINTER and amount.bits == SHIFT
