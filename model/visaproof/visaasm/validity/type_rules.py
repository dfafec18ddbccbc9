"""The operand types that the pages demand.  Intel's tools accept others, and its compiler emits them.

LSC messages say the size of their data in the operand itself: their page demands no types.
"""

from collections.abc import Iterator
from typing import NamedTuple

from visaproof.isa.types import DataType
from visaproof.visaasm.syntax import (
    GeneralVariable,
    Immediate,
    IndirectOperand,
    Instruction,
    Kernel,
    Operand,
    RawOperand,
    VectorSource,
)

Types = tuple[DataType, ...]
Row = tuple[str, Types | None]
"""An operand's name on the page, and the types it must have ("Must have type …")."""

UD: Types = (DataType.UD,)
UQ: Types = (DataType.UQ,)
BYTE: Types = (DataType.UB, DataType.B)
DWORD: Types = (DataType.UD, DataType.D, DataType.F)
QWORD: Types = (DataType.Q, DataType.UQ, DataType.DF)

RULES: dict[str, tuple[Row, ...]] = {
    "scatter4_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Src", DWORD)),
    "gather4_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Dst", DWORD)),
    "scatter_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Src", DWORD)),
    "gather_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Dst", DWORD)),
    "qw_scatter": (("Surface", None), ("Offset", UD), ("Src", QWORD)),
    "qw_gather": (("Surface", None), ("Offset", UD), ("Dst", QWORD)),
    "oword_ld": (("Surface", None), ("Offset", UD), ("Dst", None)),
    "oword_ld_unaligned": (("Surface", None), ("Offset", UD), ("Dst", None)),
    "oword_st": (("Surface", None), ("Offset", UD), ("Src", None)),
    "svm_block_ld": (("Address", UQ), ("Dst", None)),
    "svm_block_st": (("Address", UQ), ("Src", None)),
    "svm_gather4scaled": (("Address", UQ), ("Element_offset", UQ), ("Dst", DWORD)),
    "svm_scatter4scaled": (("Address", UQ), ("Element_offset", UQ), ("Src", DWORD)),
}
"""The operands of each opcode in the order of the text."""

_BLOCKS = {"1": BYTE, "4": DWORD, "8": QWORD}
"""Of SVM_GATHER and SVM_SCATTER: the type has the size of a block."""
_COORDINATES = (("Surface", None), ("U", UD), ("V", UD), ("R", UD), ("LOD", UD))
SIGNED_ATOMICS = ("minsint", "maxsint", "imin", "imax")


class WrongType(NamedTuple):
    """An operand that has another type than its page demands."""

    name: str
    operand: Operand
    found: DataType
    legal: Types

    @property
    def rule(self) -> str:
        names = [data_type.name for data_type in self.legal]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
        return f"must have type {listed}, not {self.found.name}"


def wrong_types(instruction: Instruction, kernel: Kernel) -> Iterator[WrongType]:
    """The operands of a memory message whose types are not the page's; none for other statements."""
    for operand, (name, legal) in zip(instruction.operands, rows_of(instruction), strict=False):
        found = type_of(operand, kernel)
        if (
            legal is not None
            and found is not None
            and found not in legal
            and not _is_widened(operand, legal, instruction)
            and not _is_padded(found, legal, instruction)
        ):
            yield WrongType(name, operand, found, legal)


def rows_of(instruction: Instruction) -> tuple[Row, ...]:
    """The rows of a statement; for some opcodes they depend on its suffixes."""
    first = instruction.suffixes[0] if instruction.suffixes else ""
    data = (DataType.D,) if first in SIGNED_ATOMICS else UD
    match instruction.opcode:
        case "typed_atomic":
            return (*_COORDINATES, ("Src0", data), ("Src1", data), ("Dst", data))
        case "gather4_typed" | "scatter4_typed" as opcode:
            return (*_COORDINATES, ("Dst" if opcode == "gather4_typed" else "Src", DWORD))
        case "dword_atomic":
            return (("Surface", None), ("Element_offset", UD), ("Src0", data), ("Src1", data), ("Dst", data))
        case "svm_atomic":
            return (("Addresses", UQ), ("Dst", data), ("Src0", data), ("Src1", data))
        case "svm_gather" | "svm_scatter":
            return (("Addresses", UQ), ("Dst" if instruction.opcode == "svm_gather" else "Src", _BLOCKS.get(first)))
        case opcode:
            return RULES.get(opcode, ())


def _is_widened(operand: Operand, legal: Types, instruction: Instruction) -> bool:
    """An immediate UD for an address of 64 bits: Intel's compiler writes 0x0:ud, and its verifier takes it.

    The number is the same, so that there is nothing to misread; of a register the upper half would be missing.
    """
    if instruction.opcode not in ("svm_gather4scaled", "svm_scatter4scaled"):
        return False
    return legal == UQ and isinstance(operand, Immediate) and operand.type is DataType.UD


def _is_padded(found: DataType, legal: Types, instruction: Instruction) -> bool:
    """Single bytes in a variable of dwords: Intel's compiler writes UD, its verifiers (2022, 2026) take any type.

    A lane's bytes have a dword of their own whatever the type is, so that there is nothing to misread.
    """
    return instruction.opcode in ("svm_gather", "svm_scatter") and legal == BYTE and found is DataType.UD


def type_of(operand: Operand, kernel: Kernel) -> DataType | None:
    """The type of an operand; none for a surface, and for the null variable."""
    match operand:
        case Immediate(type=data_type) | IndirectOperand(type=data_type):
            return data_type
        case RawOperand(variable) | VectorSource(variable) if variable != "%null":
            declared = kernel.variables[variable]
            return declared.type if isinstance(declared, GeneralVariable) else None
        case _:
            return None
