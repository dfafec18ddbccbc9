"""What a statement that is no memory message needs: so many operands, a first one of a kind, and suffixes."""

import re
from collections.abc import Sequence

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.naming import listed
from visaproof.visaasm.opcode_kinds import OPERANDS, Kind, kind_of_opcode
from visaproof.visaasm.syntax import Name, Operand, SubscriptedName

NAMED_BARRIER = {"signal": (2, 4), "wait": (1,)}
"""How many operands the halves of a named barrier take.  Page: NBARRIER.md."""

RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")

FIRST: dict[str, tuple[type, str]] = {
    "setp": (Name, "a predicate"),
    "addr_add": (SubscriptedName, "an address"),
    "faddr": (Name, "a name"),
    "fcall": (Name, "a name"),
}
"""What the first operand is."""

WITHOUT_PREDICATE = frozenset(
    (
        "movs",
        "setp",
        "barrier",
        "sbarrier",
        "nbarrier",
        "fence_global",
        "fence_local",
        "fence_sw",
        "lsc_fence",
        "yield",
        "wait",
    )
)
"""Opcodes that run whatever a predicate holds: Intel's grammar (visa/CISA.y) has none before them."""


SUFFIXES = {
    "cmp": "|".join(RELATIONS),
    "bfn": r"x[0-9a-fA-F]{1,2}(\.sat)?",
    "lifetime": "start|end",
    "sbarrier": "signal|wait",
    "nbarrier": "signal|wait",
    "resinfo": r"(?=.)R?G?B?A?",
    "dpas": r"\w+\.\w+\.[0-9]+\.[0-9]+",
    "fence_global": r"[EISCR]*\.?(L1)?",
    "fence_local": r"[EISCR]*\.?(L1)?",
    "lsc_fence": r"(ugml?|slm|tgm)\.(none|evict|invalidate|discard|clean|flushl3)"
    r"\.(group|local|tile|gpu|gpus|sysrel|sysacq)",
}
"""The suffixes of a statement that is no memory message, with a dot between two; of an opcode that is not listed here,
`.sat` for arithmetic, and none else."""


def require_suffixes(opcode: str, suffixes: Sequence[str], position: Position) -> None:
    """Raises ReadError for a suffix that the opcode does not have: no machine would look at it."""
    kind = kind_of_opcode(opcode)
    if kind in (Kind.UNKNOWN, Kind.SAMPLE):  # not run, or refused where it is decoded
        return
    allowed = SUFFIXES.get(opcode, "(sat)?" if kind is Kind.ARITHMETIC else "")
    if not re.fullmatch(allowed, ".".join(suffixes)):
        raise ReadError(f"{opcode} takes no .{'.'.join(suffixes)}", position)


def require_no_predicate(opcode: str, position: Position) -> None:
    """Raises ReadError where the opcode takes no predicate."""
    if opcode in WITHOUT_PREDICATE:
        raise ReadError(f"{opcode} takes no predicate", position, "a branch around it leaves it out")


def require_count(opcode: str, operands: Sequence[Operand], position: Position) -> None:
    """Raises ReadError where there are too few operands or too many."""
    expected = OPERANDS.get(opcode, len(operands))
    if len(operands) != expected:
        message = f"{opcode} takes {expected} operand{'s' * (expected != 1)}, not {len(operands)}"
        raise ReadError(message, position)


def require_shape(opcode: str, suffixes: Sequence[str], operands: Sequence[Operand], position: Position) -> None:
    """Raises ReadError where the first operand is none such, or a suffix is missing."""
    if opcode in FIRST and not (operands and isinstance(operands[0], FIRST[opcode][0])):
        raise ReadError(f"the first operand of {opcode} is {FIRST[opcode][1]}", position)
    if opcode == "cmp" and not set(suffixes) & set(RELATIONS):
        raise ReadError("cmp needs a relation", position, f"the relations are {listed(RELATIONS)}")
    if opcode == "bfn" and not suffixes:
        raise ReadError("bfn needs its table", position, "as in bfn.xd8")
    require_suffixes(opcode, suffixes, position)
    if opcode == "nbarrier" and len(operands) not in NAMED_BARRIER[suffixes[0]]:
        forms = "nbarrier.wait ID, nbarrier.signal ID THREADS, nbarrier.signal ID TYPE PRODUCERS CONSUMERS"
        raise ReadError(f"nbarrier.{suffixes[0]} takes no {len(operands)} operands", position, forms)
