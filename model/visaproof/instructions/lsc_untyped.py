"""LSC_UNTYPED (0x89): what its loads, stores and atomics share.  Page: LSC_UNTYPED.md."""

from dataclasses import dataclass
from enum import Enum

from visaproof.instructions.instruction import require
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform

PAGE = "LSC_UNTYPED.md"

READINGS = (
    "mask-alignment", "short-predicate", "any-all-window", "short-variable", "flat-bounds", "flat-address-wraps",
    "offset-sum-wraps", "channel-address-wraps", "slm-bounds", "lsc-bounds-grain", "lsc-misaligned",
)  # fmt: skip

VECTOR_SIZES = (1, 2, 3, 4, 8, 16, 32, 64)
"""Page: DataElemsPerAddr."""


class DataSize(Enum):
    """What one element is: (bytes in memory, bytes in its register)."""

    D8U32 = (1, 4)
    D16U32 = (2, 4)
    D32 = (4, 4)
    D64 = (8, 8)

    @property
    def in_memory(self) -> int:
        return self.value[0]

    @property
    def in_register(self) -> int:
        return self.value[1]


@dataclass(frozen=True, slots=True)
class DataShape:
    """`d32x4`, `d64x8t`: elements of each address, and whether they lie one behind the other in the registers."""

    size: DataSize
    elements: int = 1
    transposed: bool = False

    def __str__(self) -> str:
        many = f"x{self.elements}" if self.elements > 1 else ""
        return f"{self.size.name.lower()}{many}{'t' if self.transposed else ''}"


@dataclass(frozen=True, slots=True)
class Addresses:
    """`bti(0x1)[4*V.0+0x10]:a32`: one address of 32 or 64 bits per lane, scaled and moved."""

    operand: RawOperand
    bits: int
    scale: int = 1
    immediate: int = 0

    def __str__(self) -> str:
        factor = f"{self.scale:#x}*" if self.scale != 1 else ""
        distance = f"{self.immediate:+#x}" if self.immediate else ""
        return f"[{factor}{self.operand}{distance}]:a{self.bits}"


def require_shape(shape: DataShape, execution: Execution, platform: Platform) -> None:
    require(platform >= Platform.DG2, "LSC exists from DG2 on", "family.md")
    require(shape.elements in VECTOR_SIZES, f"{shape.elements} elements for an address", PAGE)
    require(not shape.transposed or execution.size == 1, "transpose only supports SIMD1", PAGE)


def component_bytes(shape: DataShape, lanes: int, grf_bytes: int) -> int:
    """Bytes from one vector element's registers to the next.  Page: "successive elements in successive registers"."""
    return -(-lanes * shape.size.in_register // grf_bytes) * grf_bytes
