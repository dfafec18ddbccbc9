"""A message as it is written, and what its operands are called on its page."""

from enum import Enum, auto

from msgspec import Struct

from visaproof.isa.platform import Platform
from visaproof.visaasm import predefined, syntax


class Form(Enum):
    """What the grammar takes in the place of an operand."""

    SURFACE = auto()
    SCALAR = auto()
    RAW = auto()


OPERANDS: dict[str, tuple[tuple[str, Form], ...]] = {
    "scatter4_scaled": (
        ("Surface", Form.SURFACE),
        ("Offset", Form.SCALAR),
        ("Element_offset", Form.RAW),
        ("Src", Form.RAW),
    ),
    "oword_ld": (("Surface", Form.SURFACE), ("Offset", Form.SCALAR), ("Dst", Form.RAW)),
    "qw_scatter": (("Surface", Form.SURFACE), ("Offset", Form.RAW), ("Src", Form.RAW)),
    "typed_atomic": (
        ("Surface", Form.SURFACE),
        *((name, Form.RAW) for name in ("U", "V", "R", "LOD", "Src0", "Src1", "Dst")),
    ),
}
"""The operands of each text form by the page's names, in the order of the text."""

MESSAGES = tuple(OPERANDS)
PREDICATED = tuple(mnemonic for mnemonic in MESSAGES if mnemonic != "oword_ld")
"""The instructions with lanes: they have an execution size, a mask and a predicate."""


class Message(Struct, frozen=True):
    """A statement of the four pages in its kernel, on a platform."""

    instruction: syntax.Instruction
    kernel: syntax.Kernel
    platform: Platform

    @property
    def mnemonic(self) -> str:
        return self.instruction.opcode

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its operands."""
        return tuple(name for name, _ in OPERANDS[self.mnemonic])

    def operand(self, name: str) -> syntax.Operand | None:
        """None where the statement has too few."""
        index = self.names.index(name)
        return self.instruction.operands[index] if index < len(self.instruction.operands) else None

    def is_null(self, name: str) -> bool:
        match self.operand(name):
            case syntax.RawOperand(predefined.NULL):
                return True
            case _:
                return False

    @property
    def size(self) -> int:
        """Lanes, or owords; 1 where none is written."""
        return self.instruction.execution.size if self.instruction.execution else 1

    @property
    def lane_offset(self) -> int:
        return self.instruction.first_lane

    @property
    def surface(self) -> str:
        """The name of its surface, "" where it has none."""
        match self.operand("Surface"):
            case syntax.Name(name) | syntax.SubscriptedName(name):
                return name
            case _:
                return ""

    @property
    def suffix(self) -> str:
        """Channels, number of blocks or operation."""
        return self.instruction.suffixes[0] if self.instruction.suffixes else ""

    def variable(self, name: str) -> syntax.Variable | None:
        """The variable that an operand reads or writes; Intel's tools take an undeclared V7 for %r0."""
        match self.operand(name):
            case (
                syntax.RawOperand(found)
                | syntax.VectorSource(found)
                | syntax.IndirectOperand(found)
                | syntax.Name(found)
                | syntax.SubscriptedName(found)
            ):
                return find_variable(self.kernel, found)
            case _:
                return None


def find_variable(kernel: syntax.Kernel, name: str) -> syntax.Variable | None:
    """The variable of that name: declared, predefined, or one of V0 to V20, by which the predefined ones go, too."""
    if name in kernel.variables:
        return kernel.variables[name]
    number = name.removeprefix("V")
    if name.startswith("V") and number.isdecimal() and str(int(number)) == number and int(number) < 21:
        return kernel.variables[predefined.GENERAL[int(number)][0]]
    return None
