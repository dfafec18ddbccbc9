"""Faults in what an instruction reads, writes and computes."""

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.faults.kinds import Fault, Kind, Site, Words, at
from visaproof.isa.types import DataType

OPERAND = re.compile(r"(?P<before>\S*?)(?P<name>V\w+)\((?P<row>\d+),(?P<column>\d+)\)(?P<region><[\d;,]+>\S*)")
IMMEDIATE = re.compile(r"(?P<value>0x[0-9a-f]+|\d+):(?P<type>u?[bwdq])")
RAW = re.compile(r"(?P<name>V\w+)\.(?P<offset>\d+)")
EXECUTION = re.compile(r"M(?P<lane>\d)(?P<no_mask>_NM)?, (?P<size>\d+)")

ORDERED = ("shl", "shr", "asr", "sel", "cmp", "mad", "div", "mod", "subb", "bfn", "sub", "rol", "ror")
"""Opcodes whose last source and the first cannot be exchanged."""
OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
BESIDE = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
COUNTED = ("cmp", "shl", "shr", "asr", "add", "mul", "mad", "and", "add3", "min", "max")
COMPUTED = ("add", "mul", "mad", "shl", "shr", "asr", "mov", "and", "or", "add3", "sel")
WIDE = (DataType.Q, DataType.UQ)
LOST = ("0x1c", "0x1d", "0x1e", "0x1f")
"""Shifts that give what leaves the low half of a 64-bit index times 16, 8, 4 or 2."""


class Register(Struct, frozen=True):
    """A register operand in its parts."""

    before: str
    name: str
    row: int
    column: int
    region: str

    def __str__(self) -> str:
        return f"{self.before}{self.name}({self.row},{self.column}){self.region}"

    @property
    def is_scalar(self) -> bool:
        return self.region.startswith("<0;1,0>")


def register(text: str) -> Register | None:
    found = OPERAND.fullmatch(text)
    return found and Register(found["before"], found["name"], int(found["row"]), int(found["column"]), found["region"])


def lane_offset(site: Site) -> Iterator[Fault]:
    """The neighbouring element of a source, or other lanes of the mask."""
    for place, text in enumerate(site.words.operands[1:], 1):
        operand = register(text)
        for column in (operand.column - 1, operand.column + 1) if operand else ():
            if operand and 0 <= column < 8 and _inside(site, operand, column):
                moved = str(replace(operand, column=column))
                yield at(Kind.LANE_OFFSET, site, site.words.with_operand(place, moved))
    found = EXECUTION.fullmatch(site.words.execution)
    if found and found["lane"] != "1" and not found["no_mask"]:
        yield at(Kind.LANE_OFFSET, site, replace(site.words, execution=f"M1, {found['size']}"))


def _inside(site: Site, operand: Register, column: int) -> bool:
    """Whether all that is read or written stays inside of the variable."""
    variable, found = site.variable(operand.name), EXECUTION.fullmatch(site.words.execution)
    shape = [int(number) for number in re.findall(r"\d+", operand.region)]
    if variable is None or found is None:
        return False
    last = int(found["size"]) - 1
    vertical, width, horizontal = shape if len(shape) == 3 else (0, last + 1, shape[0])
    behind = last // width * vertical + min(last, width - 1) * horizontal
    return operand.row * site.grf_bytes + (column + behind + 1) * variable.type.size <= variable.size


def channel(site: Site) -> Iterator[Fault]:
    """The register of another channel: another row of a variable of several, or of a message's data."""
    for place, text in enumerate(site.words.operands):
        operand, raw = register(text), RAW.fullmatch(text)
        if operand and not operand.is_scalar and not operand.column:
            for row in (operand.row - 1, operand.row + 1):
                if row >= 0 and _inside(site, replace(operand, row=row), 0):
                    moved = str(replace(operand, row=row))
                    yield at(Kind.CHANNEL, site, site.words.with_operand(place, moved))
        elif raw and int(raw["offset"]):
            yield at(Kind.CHANNEL, site, site.words.with_operand(place, f"{raw['name']}.0"))


def mask(site: Site) -> Iterator[Fault]:
    """Without the execution mask or with it, or fewer lanes."""
    found = EXECUTION.fullmatch(site.words.execution)
    if not found or site.instruction.opcode in ("movs", "ret", "goto", "fence_sw", "barrier"):
        return
    size, lane = int(found["size"]), found["lane"]
    other = f"M{lane}, {size}" if found["no_mask"] else f"M{lane}_NM, {size}"
    yield at(Kind.MASK, site, replace(site.words, execution=other))
    if size > 1:
        fewer = f"M{lane}{found['no_mask'] or ''}, {size // 2}"
        yield at(Kind.MASK, site, replace(site.words, execution=fewer))


def predicate(site: Site) -> Iterator[Fault]:
    """The other sense of a predicate or of a comparison, or no predicate."""
    words = site.words
    if words.predicate:
        inside = words.predicate[1:-1]
        other = inside[1:] if inside.startswith("!") else f"!{inside}"
        yield at(Kind.PREDICATE, site, replace(words, predicate=f"({other})"))
        if site.instruction.opcode != "sel":
            yield at(Kind.PREDICATE, site, replace(words, predicate=""))
    if words.mnemonic.startswith("cmp."):
        yield at(Kind.PREDICATE, site, replace(words, mnemonic=f"cmp.{OPPOSITE[words.mnemonic[4:]]}"))


def operand_order(site: Site) -> Iterator[Fault]:
    if site.instruction.opcode not in ORDERED or len(site.words.operands) < 3:
        return
    one, other = (1, len(site.words.operands) - 1)
    first, last = site.words.operands[one], site.words.operands[other]
    if first != last:
        yield at(Kind.OPERAND_ORDER, site, site.words.with_operand(one, last).with_operand(other, first))


def bound(site: Site) -> Iterator[Fault]:
    """A strict comparison for one that is not, or a number that is one more or less."""
    words, opcode = site.words, site.instruction.opcode
    relation = words.mnemonic.partition(".")[2]
    if opcode == "cmp" and relation in BESIDE:
        yield at(Kind.BOUND, site, replace(words, mnemonic=f"cmp.{BESIDE[relation]}"))
    for place, text in enumerate(words.operands):
        found = IMMEDIATE.fullmatch(text)
        if found and opcode in COUNTED:
            value = int(found["value"], 0)
            for other in (value - 1, value + 1):
                if other >= 0:
                    yield at(Kind.BOUND, site, words.with_operand(place, f"{other:#x}:{found['type']}"))


def carry(site: Site) -> Iterator[Fault]:
    """A sum without its carry."""
    words = site.words
    if site.instruction.opcode == "addc":
        destination, carried, *sources = words.operands
        plain = replace(words, mnemonic="add", operands=(destination, *sources))
        yield at(Kind.CARRY, site, plain, replace(words, mnemonic="mov", operands=(carried, "0x0:ud")))


def narrow(site: Site) -> Iterator[Fault]:
    """A result whose high half is lost: of 64 bits, or the half that is computed apart."""
    words = site.words
    destination = register(words.operands[0]) if words.operands else None
    variable = destination and site.variable(destination.name)
    if destination is None or variable is None or not EXECUTION.fullmatch(words.execution):
        return
    if variable.type in WIDE and site.instruction.opcode in COMPUTED:
        source = f"{destination.name}({destination.row},{destination.column}){_region(site, destination)}"
        low = Words("", "and", words.execution, (words.operands[0], source, "0xffffffff:uq"))
        yield at(Kind.NARROW, site, words, low)
    high = site.instruction.opcode in ("shr", "asr") and words.operands[-1].startswith(LOST)
    if high or site.instruction.opcode == "mulh":
        yield at(Kind.NARROW, site, replace(words, mnemonic="mov", operands=(words.operands[0], "0x0:ud")))


def _region(site: Site, destination: Register) -> str:
    size = site.words.execution.rpartition(" ")[2]
    return "<0;1,0>" if size == "1" else f"<{destination.region.strip('<>')};1,0>"
