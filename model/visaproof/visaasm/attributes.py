"""What `.kernel_attr` may say.  Source: docs/pages/operands-and-files.md §2."""

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import THREAD_LANES
from visaproof.visaasm.naming import shown

TARGETS = ("cm", "3d")


def require_attribute(name: str, value: str | int | None, position: Position) -> None:
    """Raises ReadError for a target that there is none, and for a thread of so many lanes."""
    if name == "Target" and isinstance(value, str) and value not in TARGETS:
        raise ReadError(f"there is no target {shown(value)}", position, 'it is "cm", "3d" or a number')
    if name == "SimdSize" and isinstance(value, int) and not 1 <= value <= THREAD_LANES:
        raise ReadError(f"a thread has no {value} lanes", position, f"SimdSize is 1 to {THREAD_LANES}")
