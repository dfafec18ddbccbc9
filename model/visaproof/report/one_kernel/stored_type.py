"""The type of what a store writes, as its text declares it."""

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType
from visaproof.visaasm.syntax import GeneralVariable, Kernel, LscData, RawOperand


def stored_type(position: Position, kernel: Kernel) -> str | None:
    """Of the statement at a place: the type of its last register, which holds the data: "f".  None of whole numbers."""
    for statement in kernel.instructions():
        if statement.position == position:
            named = [one.variable for one in statement.operands if isinstance(one, RawOperand | LscData)]
            declared = kernel.variables.get(named[-1]) if named else None
            if isinstance(declared, GeneralVariable) and declared.type in _SHOWN:
                return declared.type.spelling
    return None


_SHOWN = (DataType.F, DataType.DF, DataType.HF)
"""Of whole numbers a type says too little: the compiler reuses variables for pointers and bits."""
