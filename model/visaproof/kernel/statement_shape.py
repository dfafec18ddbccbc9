"""What a statement that is no memory message needs beside its number of operands."""

from collections.abc import Sequence

from visaproof.isa.errors import Position, ReadError
from visaproof.kernel.naming import listed
from visaproof.kernel.syntax import Name, Operand, SubscriptedName

RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")

FIRST: dict[str, tuple[type, str]] = {
    "setp": (Name, "a predicate"),
    "addr_add": (SubscriptedName, "an address"),
    "faddr": (Name, "a name"),
    "fcall": (Name, "a name"),
}
"""What the first operand is."""


def require_shape(opcode: str, suffixes: Sequence[str], operands: Sequence[Operand], position: Position) -> None:
    """Raises ReadError where the first operand is none such, or a suffix is missing."""
    if opcode == "faddr" and len(operands) != 2:
        raise ReadError(f"faddr takes 2 operands, not {len(operands)}", position)
    if opcode in FIRST and not (operands and isinstance(operands[0], FIRST[opcode][0])):
        raise ReadError(f"the first operand of {opcode} is {FIRST[opcode][1]}", position)
    if opcode == "cmp" and not set(suffixes) & set(RELATIONS):
        raise ReadError("cmp needs a relation", position, f"the relations are {listed(RELATIONS)}")
    if opcode == "bfn" and not suffixes:
        raise ReadError("bfn needs its table", position, "as in bfn.xd8")
