"""The type of what a store writes, as its text declares it."""

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType
from visaproof.program.kernel import Kernel
from visaproof.visaasm.syntax import Instruction, LscData, RawOperand


def stored_type(position: Position, kernel: Kernel) -> str | None:
    """Of the statement at a place: the type of its last register, which holds the data: "f".  None of whole numbers."""
    for statement in kernel.instructions():
        if statement.position == position and isinstance(statement, Instruction):
            named = [one.variable for one in statement.operands if isinstance(one, RawOperand | LscData)]
            register = kernel.registers.get(named[-1]) if named else None
            if register is not None and register.type in _SHOWN:
                return register.type.spelling
    return None


_SHOWN = (DataType.F, DataType.DF, DataType.HF)
"""Of whole numbers a type says too little: the compiler reuses variables for pointers and bits."""
