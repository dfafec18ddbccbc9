"""The operand types that the pages demand.  Intel's tools accept others, and its compiler emits them."""

from visaproof.instructions.instruction import require
from visaproof.isa.types import DataType
from visaproof.kernel.syntax import GeneralVariable, Immediate, Instruction, Kernel, Operand, RawOperand, VectorSource

_Types = tuple[DataType, ...]

UD: _Types = (DataType.UD,)
DWORD: _Types = (DataType.UD, DataType.D, DataType.F)
QWORD: _Types = (DataType.Q, DataType.UQ, DataType.DF)

RULES: dict[str, tuple[tuple[str, _Types | None], ...]] = {
    "scatter4_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Src", DWORD)),
    "gather4_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Dst", DWORD)),
    "scatter_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Src", DWORD)),
    "gather_scaled": (("Surface", None), ("Offset", UD), ("Element_offset", UD), ("Dst", DWORD)),
    "qw_scatter": (("Surface", None), ("Offset", UD), ("Src", QWORD)),
    "qw_gather": (("Surface", None), ("Offset", UD), ("Dst", QWORD)),
    "oword_ld": (("Surface", None), ("Offset", UD), ("Dst", None)),
    "oword_ld_unaligned": (("Surface", None), ("Offset", UD), ("Dst", None)),
    "oword_st": (("Surface", None), ("Offset", UD), ("Src", None)),
}
"""For each operand of an opcode, its name on the page and the types it must have ("Must have type …")."""

_COORDINATES = (("Surface", None), ("U", UD), ("V", UD), ("R", UD), ("LOD", UD))
SIGNED_ATOMICS = ("minsint", "maxsint", "imin", "imax")


def check_types(instruction: Instruction, kernel: Kernel) -> None:
    """Raises IllegalInstruction where an operand has another type than its page demands."""
    page = f"{instruction.opcode.upper()}.md"
    for operand, (name, types) in zip(instruction.operands, _rules(instruction), strict=False):
        found = _type_of(operand, kernel)
        if types is not None and found is not None:
            legal = [data_type.name for data_type in types]
            listed = legal[0] if len(legal) == 1 else f"{', '.join(legal[:-1])} or {legal[-1]}"
            require(found in types, f"{name} must have type {listed}, not {found.name}", page)


def _rules(instruction: Instruction) -> tuple[tuple[str, _Types | None], ...]:
    if instruction.opcode != "typed_atomic":
        return RULES.get(instruction.opcode, ())
    signed = instruction.suffixes[:1] and instruction.suffixes[0] in SIGNED_ATOMICS
    data = (DataType.D,) if signed else UD
    return (*_COORDINATES, ("Src0", data), ("Src1", data), ("Dst", data))


def _type_of(operand: Operand, kernel: Kernel) -> DataType | None:
    """The type of an operand; none for a surface, and for the null variable."""
    match operand:
        case Immediate(type=data_type):
            return data_type
        case RawOperand(variable) | VectorSource(variable) if variable != "%null":
            declared = kernel.variables[variable]
            return declared.type if isinstance(declared, GeneralVariable) else None
        case _:
            return None
