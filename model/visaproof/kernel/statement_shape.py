"""How many operands a statement has that is no memory message, and of what kind its names are."""

from visaproof.isa.errors import ReadError
from visaproof.kernel.declarations import Declarations
from visaproof.kernel.naming import listed
from visaproof.kernel.syntax import (
    Instruction,
    Name,
    PredicateVariable,
    SubscriptedName,
)

_BY_COUNT: dict[int, tuple[str, ...]] = {
    1: ("goto", "jmp"),
    2: (
        "mov", "movs", "setp", "faddr", "not", "cbit", "fbl", "fbh", "lzd", "bfrev", "inv", "log", "exp", "sqrt",
        "rsqt", "sin", "cos", "sqrtm", "frc", "rndd", "rndu", "rnde", "rndz",
    ),
    3: (
        "add", "mul", "shl", "shr", "asr", "rol", "ror", "and", "or", "xor", "sel", "min", "max", "mulh", "avg", "div",
        "mod", "pow", "divm", "pln", "cmp", "addr_add",
    ),
    4: ("mad", "add3", "addc", "subb", "madw", "bfn", "lrp", "dp4a"),
}  # fmt: skip

COUNTS = {opcode: count for count, opcodes in _BY_COUNT.items() for opcode in opcodes}
"""Operands of each opcode, destinations included."""

RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")
NAMES_OF_CODE = ("goto", "jmp", "faddr")
PREDICATE_ALLOWED = {"cmp": (0,), "setp": (0,), "mov": (1,)}
"""Where an operand may be a predicate."""


FIRST: dict[str, tuple[type, str]] = {
    "setp": (Name, "a predicate"),
    "addr_add": (SubscriptedName, "an address"),
    "faddr": (Name, "a name"),
    "fcall": (Name, "a name"),
}
"""What the first operand is."""


def require_shape(instruction: Instruction, declarations: Declarations) -> None:
    """Raises ReadError for a statement with too few or too many operands, or with one that no such statement has."""
    opcode, operands = instruction.opcode, instruction.operands
    count = COUNTS.get(opcode, len(operands))
    if len(operands) != count:
        what = "operand" if count == 1 else "operands"
        raise ReadError(f"{opcode} takes {count} {what}, not {len(operands)}", instruction.position)
    if opcode in FIRST and not (operands and isinstance(operands[0], FIRST[opcode][0])):
        raise ReadError(f"the first operand of {opcode} is {FIRST[opcode][1]}", instruction.position)
    if opcode == "cmp" and not set(instruction.suffixes) & set(RELATIONS):
        raise ReadError("cmp needs a relation", instruction.position, f"the relations are {listed(RELATIONS)}")
    if opcode == "bfn" and not instruction.suffixes:
        raise ReadError("bfn needs its table", instruction.position, "as in bfn.xd8")
    if opcode in COUNTS and opcode not in NAMES_OF_CODE:
        _require_predicates(instruction, declarations)


def _require_predicates(instruction: Instruction, declarations: Declarations) -> None:
    """A bare name is that of a predicate, and stands where one may stand."""
    for index, operand in enumerate(instruction.operands):
        if isinstance(operand, Name):
            allowed = index in PREDICATE_ALLOWED.get(instruction.opcode, ())
            if not allowed or not isinstance(declarations.find(operand.name), PredicateVariable):
                hint = "it may be a predicate" if allowed else ""
                raise ReadError(f"{operand.name} is no operand of {instruction.opcode}", operand.position, hint)
