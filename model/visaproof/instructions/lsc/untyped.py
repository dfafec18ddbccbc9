"""LSC_UNTYPED (0x89): what its loads, stores and atomics share.  Page: LSC_UNTYPED.md."""

from enum import Enum

from msgspec import Struct

from visaproof.instructions.instruction import require
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform

PAGE = "LSC_UNTYPED.md"

READINGS = (
    "mask-alignment", "short-predicate", "any-all-window", "short-variable", "flat-bounds", "flat-address-wraps",
    "offset-sum-wraps", "channel-address-wraps", "slm-bounds", "lsc-bounds-grain", "lsc-misaligned",
    "lsc-immediate-wraps",
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


class DataShape(Struct, frozen=True):
    """`d32x4`, `d64x8t`: elements of each address, and whether they lie one behind the other in the registers."""

    size: DataSize
    elements: int = 1
    transposed: bool = False
    components: tuple[int, ...] = ()
    """Of a quad, `d32.xyw`: which of four dwords in memory the elements are; else they are all, one after another."""

    def behind(self, element: int) -> int:
        """Bytes from an address to one of its elements."""
        return (self.components[element] if self.components else element) * self.size.in_memory

    def __str__(self) -> str:
        if self.components:
            return f"d32.{''.join('xyzw'[component] for component in self.components)}"
        many = f"x{self.elements}" if self.elements > 1 else ""
        return f"{self.size.name.lower()}{many}{'t' if self.transposed else ''}"


class Extension(Enum):
    """How a dword becomes a 64-bit address before it is scaled."""

    ZERO = "u"
    SIGN = "s"


MOST_MOVED = 1 << 39
"""Addresses of a surface that cannot get as far as this are told apart in 40 bits."""


class Addresses(Struct, frozen=True):
    """`flat(V2)[4*V.0+0x10]:a32u`: an address per lane, base + scale · extended element + immediate."""

    operand: RawOperand
    bits: int
    """In which the sum wraps: 32 or 64."""
    scale: int = 1
    immediate: int = 0
    extension: Extension | None = None
    """Where the element is a dword and the sum has 64 bits."""
    base: RawOperand | int | None = None
    """So many bits that are added to each: those at the first byte of the operand, or a constant."""

    @property
    def element_bytes(self) -> int:
        return 4 if self.extension else self.bits // 8

    @property
    def is_small(self) -> bool:
        """Whether no sum of an extended dword, scaled and moved, gets as far as MOST_MOVED."""
        return (abs(self.scale) << 32) + abs(self.immediate) < MOST_MOVED

    def __str__(self) -> str:
        factor = f"{self.scale:#x}*" if self.scale != 1 else ""
        distance = f"{self.immediate:+#x}" if self.immediate else ""
        size = f"a32{self.extension.value}" if self.extension else f"a{self.bits}"
        base = "" if self.base is None else f"({self.base:#x})" if isinstance(self.base, int) else f"({self.base})"
        return f"{base}[{factor}{self.operand}{distance}]:{size}"


def require_shape(shape: DataShape, execution: Execution, platform: Platform) -> None:
    require(platform >= Platform.DG2, "LSC exists from DG2 on", "docs/pages/family.md")
    require(shape.elements in VECTOR_SIZES, f"{shape.elements} elements for an address", PAGE)
    require(not shape.transposed or execution.size == 1, "transpose only supports SIMD1", PAGE)


def require_addresses(addresses: Addresses, platform: Platform) -> None:
    extended = addresses.base is not None or addresses.extension is not None
    require(not extended or platform >= Platform.Xe3P, "a base, :a32u and :a32s exist from Xe3P on", PAGE)


def component_bytes(shape: DataShape, lanes: int, grf_bytes: int) -> int:
    """Bytes from one vector element's registers to the next.  Page: "successive elements in successive registers"."""
    return -(-lanes * shape.size.in_register // grf_bytes) * grf_bytes
