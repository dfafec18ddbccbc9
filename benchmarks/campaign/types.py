"""Types of OpenCL C: scalars and their vectors."""

from msgspec import Struct

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
WIDTHS = (1, 2, 3, 4, 8, 16)
_SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "half": 2, "float": 4, "double": 8}


class Type(Struct, frozen=True, order=True):
    """`base`, or a vector of `lanes` of them."""

    base: str
    lanes: int = 1

    def __str__(self) -> str:
        base = "HALF" if self.base == "half" else self.base
        return base if self.lanes == 1 else f"{base}{self.lanes}"

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return _SIZES[self.base if self.floating else self.base.removeprefix("u")]

    @property
    def bits(self) -> int:
        """Of an element."""
        return 8 * self.size

    @property
    def bytes(self) -> int:
        """In memory by `vstoreN`, where three elements take the room of three."""
        return self.size * self.lanes

    @property
    def floating(self) -> bool:
        return self.base in ("half", *FLOATS)

    @property
    def signed(self) -> bool:
        return not self.base.startswith("u")

    @property
    def unsigned(self) -> "Type":
        """Of integers: the unsigned type of the same width."""
        return Type("u" + self.base.removeprefix("u"), self.lanes)

    @property
    def condition(self) -> "Type":
        """What a comparison gives: int of scalars, signed integers of the same width of vectors."""
        if self.lanes == 1:
            return Type("int")
        base = {1: "char", 2: "short", 4: "int", 8: "long"}[self.size]
        return Type(base, self.lanes)

    def of(self, lanes: int) -> "Type":
        return Type(self.base, lanes)

    def based(self, base: str) -> "Type":
        return Type(base, self.lanes)


INT, UINT = Type("int"), Type("uint")
