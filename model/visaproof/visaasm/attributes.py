"""What `.kernel_attr` may say.  Source: docs/pages/operands-and-files.md §2."""

from collections.abc import Mapping

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import THREAD_LANES
from visaproof.visaasm.naming import shown

VECTOR_COMPILER = "cm"
TARGETS = (VECTOR_COMPILER, "3d")


def stated_items(attributes: Mapping[str, str | int | None]) -> int | None:
    """How many work items a thread runs, as the kernel itself says; None where it does not.

    A thread of the VectorCompiler runs one.  The SimdSize that IGC 2 gives to such a kernel is the size of its widest
    instruction, and no number of lanes that are on.
    """
    if attributes.get("Target") == VECTOR_COMPILER:
        return 1
    stated = attributes.get("SimdSize")
    return stated if isinstance(stated, int) else None


def stated_lanes(attributes: Mapping[str, str | int | None]) -> int | None:
    """How many lanes a thread may start with, as the kernel itself says; None where it does not: all there are."""
    return None if attributes.get("Target") == VECTOR_COMPILER else stated_items(attributes)


LOCAL_SIZE = "SLMSize"
"""D12: "the SLM size is the SLMSize kernel attribute (KB …)"."""

SCRATCH_SIZE = "SpillMemOffset"
"""Private variables come first, then what the compiler spills."""


def stated_local_bytes(attributes: Mapping[str, str | int | None]) -> int | None:
    """Shared local memory of a group, as the kernel itself says."""
    kilobytes = attributes.get(LOCAL_SIZE)
    return kilobytes << 10 if isinstance(kilobytes, int) else None


def stated_scratch_bytes(attributes: Mapping[str, str | int | None]) -> int | None:
    """Private memory of a thread in the scratch surface, as the kernel itself says."""
    size = attributes.get(SCRATCH_SIZE)
    return size if isinstance(size, int) else None


def require_attribute(name: str, value: str | int | None, position: Position) -> None:
    """Raises ReadError for a target that there is none, and for a thread of so many lanes."""
    if name == "Target" and isinstance(value, str) and value not in TARGETS:
        raise ReadError(f"there is no target {shown(value)}", position, 'it is "cm", "3d" or a number')
    if name == "SimdSize" and isinstance(value, int) and not 1 <= value <= THREAD_LANES:
        raise ReadError(f"a thread has no {value} lanes", position, f"SimdSize is 1 to {THREAD_LANES}")
