"""Places in memory in the kernel's words: `out[2]` rather than bytes of a surface."""

from msgspec import Struct

from visaproof.execution.elements import float_text
from visaproof.launch.overlap import SCALARS
from visaproof.report.records.common import BoundSurface

MOST_OFFSET = 1 << 32
"""A larger address is one among all 64-bit ones, and no offset in a buffer."""


class Buffer(Struct, frozen=True):
    """A surface in the words of a record."""

    name: str
    element: int
    """Bytes of what a lane accesses; 0 where that is not the same for all."""
    binding: str = ""
    """What the kernel calls it."""
    argument: int | None = None
    """The number of the argument that it is."""

    @staticmethod
    def of(record: BoundSurface, element: int = 0) -> "Buffer":
        """The surface of a message."""
        return Buffer(record.surface, element, record.binding, record.argument)

    @property
    def said(self) -> str:
        """What it is, for a caption."""
        parts = (self.name, "" if self.argument is None else f"argument {self.argument}", self.binding)
        return "  ·  ".join(dict.fromkeys(part for part in parts if part))

    def span(self, start: int, count: int) -> str:
        """`out[2]`, where the bytes are one element of an argument's buffer."""
        whole = self.element and count == self.element and start % self.element == 0
        if whole and start < MOST_OFFSET and self.argument is not None:
            return f"{self.name}[{start // self.element}]"
        if count == 1:
            return f"byte {start:#x} of {self.name}"
        return f"bytes {start:#x} to {start + count - 1:#x} of {self.name}"


_FLOATS = {"hf": "half", "f": "float", "df": "double"}


def value_text(value: int, width: int, data_type: object = None) -> str:
    """The bits of a value as a float where that is its type, and else in hexadecimal."""
    scalar = _FLOATS.get(str(data_type), "")
    if SCALARS.get(scalar) != width:
        return f"{value:#0{2 + 2 * width}x}"
    return float_text(value.to_bytes(width, "little"), scalar)
