"""Operands of memory instructions, and how an instruction names its lanes."""

from msgspec import Struct

from visaproof.isa.execution import EXEC_SIZES, Combine, ExecMask


class Parameter(Struct, frozen=True):
    """A field that stands for each of its encodings: one proof then covers them all.

    The symbolic machine reads it as an arbitrary `width`-bit number; `execute` needs a number in its place.
    """

    name: str
    width: int


class RawOperand(Struct, frozen=True):
    """`variable.offset`: contiguous bytes of a variable, from a byte offset on."""

    variable: str
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.variable}.{self.offset}"


SLM = "%slm"
"""The grammar's name of T0, shared local memory."""

SCRATCH = "%scratch"
"""The grammar's name of a thread's private memory."""

SLM_TAG = 0x1000_0000
"""IGC sets this bit in addresses of shared local memory, so that none of them is a null pointer."""


def without_slm_tag(address: int) -> int:
    """The address in shared local memory of which the tag is no part."""
    return address - SLM_TAG if SLM_TAG <= address < 2 * SLM_TAG else address


NULL = RawOperand("%null")
"""The null variable V0: no operand."""


CHANNEL_ENABLES = "%ce0"
"""The grammar's name of the register that says which lanes run where it is read."""

CHANGING = frozenset(("%tsc", CHANNEL_ENABLES))
"""What the device may change between any two reads: the time, and the lanes that run."""


class ImmediateUD(Struct, frozen=True):
    """A scalar operand that is a constant of type UD."""

    value: int

    def __str__(self) -> str:
        return f"{self.value:#x}:ud"


class ScalarUD(Struct, frozen=True):
    """A scalar operand that is the UD element at a byte offset of a variable."""

    variable: str
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.variable}(0,{self.offset // 4})<0;1,0>"


Scalar = ImmediateUD | ScalarUD


class Predicate(Struct, frozen=True):
    """`(!P1.any)`: combine the bits first, then invert."""

    variable: str
    inverse: bool | Parameter = False
    combine: Combine | Parameter = Combine.PLAIN

    def __str__(self) -> str:
        suffix = f".{self.combine.name.lower()}" if self.combine in (Combine.ANY, Combine.ALL) else ""
        return f"({'!' if self.inverse else ''}{self.variable}{suffix})"


class Execution(Struct, frozen=True):
    """`(P1) … (M3, 8)`: how many lanes, which of the thread's lanes, and the predicate."""

    size: int
    mask: ExecMask | Parameter = ExecMask.M1
    predicate: Predicate | None = None

    def __post_init__(self) -> None:
        if self.size not in EXEC_SIZES:
            raise ValueError(f"execution size {self.size}")

    def __str__(self) -> str:
        return f"({self.mask.name}, {self.size})"

    @property
    def prefix(self) -> str:
        """The predicate as it stands before the mnemonic."""
        return f"{self.predicate} " if self.predicate else ""


class Channels(Struct, frozen=True):
    """The RGBA write mask, R in bit 0."""

    mask: int

    def __str__(self) -> str:
        return "".join(name for c, name in enumerate("RGBA") if self.mask >> c & 1)
