"""What kind of statement an opcode is, for both machines.  Source: docs/pages/family.md §1, §2."""

from enum import Enum, auto

from visaproof.isa.errors import NotModelled
from visaproof.isa.opcodes import ROWS, Predicates
from visaproof.isa.types import DataType
from visaproof.visaasm.syntax import Immediate, Instruction, Name, Operand, Region, VectorSource


class Kind(Enum):
    """How a statement is run."""

    NOTHING = auto()  # no register, predicate or surface changes that a lane could see
    MEMORY = auto()  # decoded, then executed as its page says
    BIND = auto()  # movs: a surface or sampler variable gets its value
    BRANCH = auto()
    END = auto()
    COMPARE = auto()
    SET_PREDICATE = auto()
    PREDICATE_LOGIC = auto()  # and, or, xor and not whose operands are predicates
    ADDRESS = auto()
    ARITHMETIC = auto()
    SAMPLE = auto()  # reads an image through the sampler, into a raw destination
    INFO = auto()  # what is known of an image, into a raw destination
    MATRIX = auto()  # a product of matrices in registers, into a raw destination
    GROUP = auto()  # waits for some threads of the group: no run here shows for how long
    UNKNOWN = auto()


_BY_OPCODE: dict[Kind, tuple[str, ...]] = {
    Kind.NOTHING: (
        "barrier", "sbarrier", "fence_global", "fence_local", "fence_sw", "lsc_fence", "lifetime", "wait", "yield",
        "cache_flush", "loc", "file",
    ),
    Kind.GROUP: ("nbarrier",),
    Kind.BIND: ("movs",),
    Kind.BRANCH: ("goto", "jmp"),
    Kind.END: ("ret",),
    Kind.COMPARE: ("cmp",),
    Kind.SET_PREDICATE: ("setp",),
    Kind.ADDRESS: ("addr_add",),
    Kind.SAMPLE: ("load_lz", "sample_lz", "sample_l"),
    Kind.INFO: ("resinfo",),
    Kind.MATRIX: ("dpas",),
}  # fmt: skip

_COMPUTES = {opcode: Kind.ARITHMETIC for opcode, row in ROWS.items() if not row.not_modelled}
_KINDS = _COMPUTES | {opcode: kind for kind, opcodes in _BY_OPCODE.items() for opcode in opcodes}

BRANCHES = frozenset(_BY_OPCODE[Kind.BRANCH])

RUN = tuple(_KINDS)
"""The opcodes of statements beside the memory messages that a machine here can run."""

LOGIC = frozenset(opcode for opcode, row in ROWS.items() if row.predicates is Predicates.ALL)
"""Opcodes that work on integers, or on predicates alone (page AND)."""

DESTINATIONS = {opcode: row.results for opcode, row in ROWS.items() if row.results > 1}
"""Opcodes with more than one destination operand."""

OPERANDS = {"goto": 1, "jmp": 1, "faddr": 2, "resinfo": 3, "dpas": 4} | {
    opcode: row.operands for opcode, row in ROWS.items()
}
"""How many operands a statement has, destinations first."""


def kind_of(instruction: Instruction, memory: frozenset[str]) -> Kind:
    """How to run a statement; `memory` names the memory messages that can be decoded."""
    if instruction.opcode in memory:
        return Kind.MEMORY
    if instruction.opcode in LOGIC and any(isinstance(operand, Name) for operand in instruction.operands):
        return Kind.PREDICATE_LOGIC
    return kind_of_opcode(instruction.opcode)


def kind_of_opcode(opcode: str) -> Kind:
    """How to run a statement that is no memory message, and not logic on predicates."""
    return _KINDS.get(opcode, Kind.UNKNOWN)


def is_known(opcode: str) -> bool:
    """Whether it is a statement beside the memory messages that a machine here can run."""
    return opcode in _KINDS


def label_of(branch: Instruction) -> str:
    """The target of `goto` or `jmp`."""
    target = branch.operands[0]
    assert isinstance(target, Name)
    return target.name


def turns_lanes_off(instruction: Instruction) -> bool:
    """Whether some lanes may be off after it: `goto`, and a return that some of several lanes take."""
    several = instruction.execution is None or instruction.execution.size > 1
    returns = instruction.opcode in ("ret", "fret") and instruction.predicate is not None
    return instruction.opcode == "goto" or (returns and several)


PACKED = {DataType.V: DataType.W, DataType.UV: DataType.UW, DataType.VF: DataType.F}
"""The packed types of immediates, and what their elements are.

2_datatypes.md: V goes with the signed integer types, UV with the unsigned ones, VF with F.
"""

RESTRICTED_FLOATS = 4
"""The elements of `:vf`."""


def packed_element(immediate: Immediate, lane: int) -> tuple[int, DataType]:
    """Element `lane` of `:v` or `:uv`, eight 4-bit integers that are repeated, or of the four floats of `:vf`.

    ``bits 31..28 = element 7 | … | bits 3..0 = element 0``, and of `:vf` ``bits 31..24 = element 3 | …``
    """
    kind = immediate.type
    if kind is DataType.VF:
        return _restricted_float(immediate.bits >> 8 * lane & 0xFF), PACKED[kind]
    nibble = immediate.bits >> 4 * (lane % 8) & 0xF
    if kind is DataType.V and nibble >= 8:
        nibble += 0xFFF0
    return nibble, PACKED[kind]


def _restricted_float(byte: int) -> int:
    """The bits of F of an element of `:vf`, for which 2_datatypes.md names Intel's volumes on the hardware.

    ``bit 7 = sign | bits 6..4 = exponent, biased by 3 | bits 3..0 = mantissa``; 0x00 and 0x80 are zeros, and there are
    no denormals, infinities or NaNs.  Seen: Mesa's compiler for the same hardware reads it so (brw_packed_float.c).
    """
    sign, exponent, mantissa = byte >> 7, byte >> 4 & 0x7, byte & 0xF
    if not byte & 0x7F:
        return sign << 31
    return sign << 31 | exponent - 3 + 127 << 23 | mantissa << 19


def is_scalar(operand: Operand) -> bool:
    """Whether every lane reads the same element: an immediate, or a region `<0;1,0>`."""
    if isinstance(operand, VectorSource):
        return operand.region == Region(0, 1, 0)
    return isinstance(operand, Immediate)


def boolean_table(instruction: Instruction) -> int:
    """The eight entries of `bfn.xd8`, entry 0 in bit 0."""
    text = instruction.suffixes[0] if instruction.suffixes else ""
    try:
        return int(text.removeprefix("x"), 16)
    except ValueError:
        raise NotModelled(f"bfn.{text}", instruction.position) from None
