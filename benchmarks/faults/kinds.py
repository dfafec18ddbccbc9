"""What a fault is: a kind, and the lines of a kernel's text that it changes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from visaproof.visaasm.syntax import GeneralVariable, Instruction, Kernel


class Kind(Enum):
    """What a compiler got wrong."""

    LANE_OFFSET = "wrong lane offset"
    CHANNEL = "wrong channel"
    MASK = "wrong mask"
    PREDICATE = "wrong predicate sense"
    OPERAND_ORDER = "wrong operand order"
    BOUND = "off by one"
    DROPPED_STORE = "dropped store"
    DUPLICATED_STORE = "duplicated store"
    SURFACES = "swapped surfaces"
    CARRY = "dropped carry"
    NARROW = "32 for 64 bits"


class Words(Struct, frozen=True):
    """A statement in its parts."""

    predicate: str
    """With its parentheses, or ""."""
    mnemonic: str
    execution: str
    """What stands between the parentheses: "M1, 8"."""
    operands: tuple[str, ...]

    def __str__(self) -> str:
        before = f"{self.predicate} " if self.predicate else ""
        return f"{before}{self.mnemonic} ({self.execution}) {' '.join(self.operands)}".rstrip()

    def with_operand(self, place: int, text: str) -> "Words":
        return replace(self, operands=(*self.operands[:place], text, *self.operands[place + 1 :]))


STATEMENT = re.compile(
    r"(?P<predicate>\([^)]*\))?\s*(?P<mnemonic>[\w.]+)\s*\((?P<execution>[^)]*)\)\s*(?P<operands>\S.*)?"
)


class Site(Struct, frozen=True):
    """An instruction on one line of the kernel's own file, where a fault may be."""

    kernel: Kernel
    instruction: Instruction
    words: Words
    grf_bytes: int

    @property
    def line(self) -> int:
        """Counted from 1."""
        return self.instruction.position.line

    def variable(self, name: str) -> GeneralVariable | None:
        found = self.kernel.variables.get(name)
        return found if isinstance(found, GeneralVariable) else None


def sites_of(kernel: Kernel, grf_bytes: int = 32) -> Iterator[Site]:
    for instruction in kernel.instructions():
        found = STATEMENT.fullmatch(instruction.text)
        if found and instruction.position.path == kernel.path:
            operands = tuple((found["operands"] or "").split())
            words = Words(found["predicate"] or "", found["mnemonic"], found["execution"], operands)
            yield Site(kernel, instruction, words, grf_bytes)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: each changed line, from its number to the lines that stand there then."""

    kind: Kind
    what: str
    """One line for the reader."""
    lines: Mapping[int, tuple[str, ...]] = field(repr=False)

    def planted(self, text: str) -> str:
        """The text of the kernel with the fault."""
        changed: list[str] = []
        for number, line in enumerate(text.splitlines(), 1):
            changed += self.lines.get(number, (line,))
        return "\n".join(changed) + "\n"


def at(kind: Kind, site: Site, *after: Words) -> Fault:
    """The fault that puts these statements in the place of one."""
    what = f"line {site.line}: {site.instruction.text} → {'; '.join(map(str, after)) or 'nothing'}"
    return Fault(kind, re.sub(r"\s+", " ", what), {site.line: tuple(map(str, after))})
