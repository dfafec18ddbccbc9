"""The tables and strings of a program, as the data sections of its zebin hold them.

.data.const           variables of the `constant` address space      address: const_base, or a symbol's
.data.const.string    strings                                        address: a symbol's
.data.global          variables of the `global` address space        address: global_base, or a symbol's
.bss.const, .bss.global   zeros after the section of the same space
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from visaproof.isa.errors import Position, ReadError
from visaproof.launch.premises import Premise, premise

SECTION_LIMIT = 16 * 2**20
"""Bytes of a data section."""

BASES = {"const_base": ".data.const", "global_base": ".data.global"}
"""The section whose address the payload argument of this kind holds."""

_ZEROS = {".data.const": ".bss.const", ".data.global": ".bss.global"}
_WRITABLE = frozenset((".data.global", ".bss.global"))
_DATA = (".data.const", ".data.const.string", ".data.global")


class Constant(Struct, frozen=True):
    """What a variable of the program holds when a kernel starts."""

    content: bytes
    is_written: bool = False
    """Whether kernels may write there, so that it may hold something else later."""
    is_relocated: bool = False
    """Whether some of its bytes are addresses that the loader fills in."""


Constants = Mapping[str, Constant]
"""By what holds the address: `&NAME` of a symbol, and the kind of the payload argument."""


class Section(Struct, frozen=True):
    """A section of an ELF file: its place in the file, and what it needs from the loader."""

    offset: int
    size: int
    is_relocated: bool
    in_file: bool


class Symbol(Struct, frozen=True):
    """A named piece of a section."""

    name: str
    section: str
    start: int
    size: int


def constants_of(
    blob: bytes, path: str, sections: Mapping[str, Section], symbols: Iterable[Symbol]
) -> dict[str, Constant]:
    """What the sections hold, by the symbols in them and as a whole.  Raises ReadError for a damaged file."""
    content = {name: _content(blob, path, sections, name) for name in _DATA}
    found = {f"&{one.name}": _constant(content, sections, one) for one in symbols if one.section in _DATA and one.size}
    for kind, name in BASES.items():
        if content[name]:
            found[kind] = _constant(content, sections, Symbol(kind, name, 0, len(content[name])))
    return found


def _constant(content: Mapping[str, bytes], sections: Mapping[str, Section], symbol: Symbol) -> Constant:
    held = content[symbol.section][symbol.start : symbol.start + symbol.size]
    section = sections.get(symbol.section)
    return Constant(held, symbol.section in _WRITABLE, section is not None and section.is_relocated)


def _content(blob: bytes, path: str, sections: Mapping[str, Section], name: str) -> bytes:
    """The bytes of a section, and the zeros after it."""
    section, zeros = sections.get(name), sections.get(_ZEROS.get(name, ""))
    size = sum(one.size for one in (section, zeros) if one is not None)
    if size > SECTION_LIMIT:
        raise ReadError(f"{name} has {size} bytes, more than {SECTION_LIMIT}", Position(path, 1, 1))
    held = b""
    if section is not None and section.in_file:
        held = blob[section.offset : section.offset + section.size]
        if len(held) < section.size:
            raise ReadError(f"truncated ELF file: {name} ends after the file", Position(path, 1, 1))
    return held + bytes(size - len(held))


MOST_ASKED = 1 << 12
"""Bytes of a table of which a question says what it holds."""


def known(constants: Constants, name: str) -> bytes | None:
    """What is there whenever a kernel reads it; None where a question takes it as arbitrary."""
    return None if why_arbitrary(constants, name) else constants[name].content


def why_arbitrary(constants: Constants, name: str) -> str:
    """Why a question takes what is there as arbitrary; empty where it does not."""
    one = constants.get(name)
    if one is None:
        return "the launch information does not say it; a zebin does"
    if one.is_written:
        return "kernels may write there"
    if one.is_relocated:
        return "the loader puts addresses there"
    return f"more than {MOST_ASKED} bytes" if len(one.content) > MOST_ASKED else ""


def open_tables(constants: Constants, names: Iterable[str]) -> Iterator[Premise]:
    """One for each table whose contents a question takes as arbitrary."""
    for name in names:
        if reason := why_arbitrary(constants, name):
            yield premise("constants-open", table=name.removeprefix("&"), reason=reason)
