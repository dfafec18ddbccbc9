"""The JSON of `visaproof explain`."""

import msgspec

from visaproof.report.kernels.check import FindingEntry, NoteEntry
from visaproof.report.text.documents import Document


class CodeEntry(msgspec.Struct, kw_only=True):
    """A legal value of a bit range; `since` is the first platform that has it."""

    value: int
    meaning: str
    since: str
    only: str


class BitsEntry(msgspec.Struct, kw_only=True):
    """A range of bits of a field; `value` is that of the statement."""

    high: int
    low: int
    meaning: str
    since: str
    codes: list[CodeEntry]
    value: int | None


class FieldEntry(msgspec.Struct, kw_only=True):
    """A column of the Format table; `bytes` and `value` are those of the statement."""

    name: str
    width: str
    meaning: str
    types: list[str]
    null: str
    source: str
    bits: list[BitsEntry]
    bytes: str | None
    value: str | None


class CellEntry(msgspec.Struct, kw_only=True):
    """One access: `register` is null where nothing is returned, `sources` are those of an atomic."""

    channel: str
    effect: str
    """"store", "load" or "atomic"."""
    width: int
    register: str | None
    surface: str
    place: list[str]
    """A byte address, or u, v, r and lod, and at times the channel."""
    sources: list[str]


class LaneEntry(msgspec.Struct, kw_only=True):
    """A lane and what it does where it is enabled; `lane` is null for a block."""

    lane: int | None
    listens_to: str
    """Bits of the execution mask (EM) and of the predicate; "true" for always."""
    cells: list[CellEntry]


class NamesEntry(msgspec.Struct, kw_only=True):
    """`o0..o7`, and the registers that hold them."""

    names: str
    registers: str


class ReadingEntry(msgspec.Struct, kw_only=True):
    """An open question of the manual, and what visaproof reads."""

    decision: str
    question: str
    chosen: str


class StatementEntry(msgspec.Struct, kw_only=True):
    """A statement of the dump."""

    line: int
    text: str


class BeginEntry(msgspec.Struct, kw_only=True):
    """A variable with which the computation of an address begins; `holds` is empty where no launch file says it."""

    variable: str
    holds: list[str]


class AddressEntry(msgspec.Struct, kw_only=True):
    """Where the address of a message of a dump comes from; `unknown` says why the statements are not followed."""

    statements: list[StatementEntry]
    begins: list[BeginEntry]
    unknown: str | None


class ExplainDocument(Document, kw_only=True):
    """`visaproof explain`; what depends on a statement is that of the page's first example where none is given."""

    platform: str
    grf_bytes: int
    mnemonic: str
    page: str
    opcode: int
    since: str
    syntax: str
    out_of_bounds: str
    fields: list[FieldEntry]
    instruction: str | None
    is_example: bool
    legal: bool | None
    findings: list[FindingEntry]
    rejections: list[FindingEntry]
    """What Intel's parser and verifier object to."""
    hazards: list[FindingEntry]
    notes: list[NoteEntry]
    assumed: list[str]
    byte_code: str | None
    names: list[NamesEntry]
    lanes: list[LaneEntry]
    new_value: str | None
    """Of an atomic, in terms of old, src0 and src1."""
    returns: str | None
    """"old" or "new"."""
    address: AddressEntry | None
    """Of a line of a dump."""
    readings: list[ReadingEntry]
    examples: list[str]
