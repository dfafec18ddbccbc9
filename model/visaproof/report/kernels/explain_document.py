"""What `visaproof explain` says, as data: the text and the JSON are both made of it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from visaproof.analysis.address_chain import AddressChains
from visaproof.analysis.explain import Explanation, Picture
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.fields import Field, Width
from visaproof.isa.operands import Channels
from visaproof.isa.platform import Platform
from visaproof.isa.readings import READINGS
from visaproof.isa.spec import Spec
from visaproof.launch.launch import Launch
from visaproof.report.kernels.check import finding_entry, note_entry
from visaproof.report.kernels.explain_records import (
    AddressEntry,
    BeginEntry,
    BitsEntry,
    CellEntry,
    CodeEntry,
    ExplainDocument,
    FieldEntry,
    LaneEntry,
    NamesEntry,
    ReadingEntry,
    StatementEntry,
)
from visaproof.report.text.formulas import formula
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import symbol
from visaproof.visaasm import words
from visaproof.visaasm.bytecode.instructions import encode, field_bytes
from visaproof.visaasm.bytecode.tables import FORMATS, EncodedInstruction
from visaproof.visaasm.syntax import Instruction, Kernel


def document_of(
    spec: Spec,
    platform: Platform,
    found: Explanation | None,
    exit_code: int,
    is_example: bool,
    address: AddressEntry | None = None,
) -> ExplainDocument:
    """`found` is about the statement that is explained, None where there is none; `address` of a line of a dump."""
    picture = found.picture if found is not None else None
    operation = _operation(picture.accesses) if picture else None
    encoded = found.encoded if found is not None and not is_example else None
    return ExplainDocument(
        command="explain",
        exit_code=exit_code,
        platform=platform.name,
        grf_bytes=platform.grf_bytes,
        mnemonic=spec.name,
        page=spec.page,
        opcode=spec.opcode,
        since=spec.since.name,
        syntax=spec.text,
        out_of_bounds=spec.out_of_bounds,
        fields=[_field(each, encoded, found) for each in spec.fields],
        instruction=None if found is None else found.statement.instruction.text,
        is_example=is_example,
        legal=None if found is None else not found.findings,
        findings=[finding_entry(each) for each in found.findings] if found else [],
        rejections=[finding_entry(each) for each in found.rejections] if found else [],
        hazards=[finding_entry(each) for each in found.hazards] if found else [],
        notes=[note_entry(each) for each in found.statement.notes] if found else [],
        assumed=list(found.statement.assumed) if found else [],
        byte_code=None if encoded is None else encode(encoded).hex(" "),
        names=list(_all_names(picture)) if picture else [],
        lanes=list(_lanes(picture)) if picture else [],
        new_value=operation[0] if operation else None,
        returns=operation[1] if operation else None,
        address=address,
        readings=[
            ReadingEntry(decision=each.decision, question=each.question, chosen=each.chosen)
            for each in (READINGS[name] for name in spec.readings)
        ],
        examples=list(spec.examples),
    )


PREDEFINED = {"%r0": ["group ids, and more of the payload"]}


def address_entries(
    messages: Sequence[Instruction], kernel: Kernel, launch: Launch, platform: Platform
) -> list[AddressEntry]:
    """Where the address of each message comes from, and what the launch says of where that begins."""
    try:
        chains = AddressChains(kernel, platform)
    except (NotModelled, ReadError) as error:
        return [_unknown_address(error) for _ in messages]
    return [_address_entry(chains, one, launch) for one in messages]


def _unknown_address(error: NotModelled | ReadError) -> AddressEntry:
    where = f"{error.position}: {error.message}" if isinstance(error, ReadError) else str(error)
    return AddressEntry(statements=[], begins=[], unknown=where)


def _address_entry(chains: AddressChains, message: Instruction, launch: Launch) -> AddressEntry:
    try:
        chain = chains.of(message)
    except (NotModelled, ReadError) as error:
        return _unknown_address(error)
    return AddressEntry(
        statements=[StatementEntry(line=one.position.line, text=one.text) for one in chain.statements],
        begins=[BeginEntry(variable=name, holds=held_at_first(name, launch)) for name in chain.begins],
        unknown=None,
    )


def held_at_first(name: str, launch: Launch) -> list[str]:
    """What the pieces of an input or of a predefined variable hold, as far as the launch says it."""
    return PREDEFINED.get(name) or [str(piece) for piece in launch.pieces(name)]


# ---------------------------------------------------------------- fields


def _field(field: Field, encoded: EncodedInstruction | None, found: Explanation | None) -> FieldEntry:
    number: int | None = None
    in_bytes: str | None = None
    if encoded is not None:
        layout = next(each for each in FORMATS[encoded.mnemonic].fields if each.name == field.name)
        value = encoded[field.name]
        number = value if isinstance(value, int) else None
        in_bytes = field_bytes(layout, value).hex(" ")
    return FieldEntry(
        name=field.name,
        width=field.width.value,
        meaning=field.meaning,
        types=[each.name for each in field.types],
        null=field.null,
        source=field.source,
        bits=[
            BitsEntry(
                high=bits.high,
                low=bits.low,
                meaning=bits.meaning,
                since=bits.since.name,
                codes=[
                    CodeEntry(value=c.value, meaning=c.meaning, since=c.since.name, only=c.only) for c in bits.codes
                ],
                value=None if number is None else number >> bits.low & ((1 << (bits.high - bits.low + 1)) - 1),
            )
            for bits in field.bits
        ],
        bytes=in_bytes,
        value=_written(field, found) if encoded is not None and found is not None else None,
    )


def _written(field: Field, found: Explanation) -> str | None:
    """The operand as it stands in the statement."""
    operands = [each.name for each in found.spec.fields if each.name == "Surface" or each.width in _OPERAND_WIDTHS]
    if field.name not in operands:
        return None
    text = found.statement.instruction.text
    split = words.split(text)
    return words.operands(text, split[words.head_length(split) :])[operands.index(field.name)].text


_OPERAND_WIDTHS = (Width.RAW, Width.SCALAR)


# ---------------------------------------------------------------- lanes


def _all_names(picture: Picture) -> Iterator[NamesEntry]:
    """What dwords are called: those of the lanes, and of the place of a 2D block."""
    yield from (_names(each.letter, str(each.operand), each.lanes) for each in picture.names)
    yield from (NamesEntry(names=name, registers=place) for name, place in picture.parts.items())


def _names(letter: str, operand: str, lanes: int) -> NamesEntry:
    variable, _, offset = operand.rpartition(".")
    places = [f"{variable}.{int(offset) + 4 * lane}" for lane in range(lanes)]
    shown = places if lanes <= 2 else [places[0], places[1], "…", places[-1]]
    return NamesEntry(
        names=f"{letter}0" if lanes == 1 else f"{letter}0..{letter}{lanes - 1}", registers=", ".join(shown)
    )


def _lanes(picture: Picture) -> Iterator[LaneEntry]:
    by_lane = sorted(picture.accesses, key=lambda access: -1 if access.lane is None else access.lane)
    for lane, group in groupby(by_lane, key=lambda access: access.lane):
        accesses = tuple(group)
        titles = _channels(picture, accesses)
        cells = [_cell(access, title) for access, title in zip(accesses, titles, strict=True)]
        yield LaneEntry(lane=lane, listens_to=formula(accesses[0].guard), cells=cells)


def _channels(picture: Picture, accesses: Sequence[Access]) -> list[str]:
    """What the accesses of one lane are called: channels where the instruction has them, else dwords."""
    channels = getattr(picture.instruction, "channels", None)
    if isinstance(channels, Channels):
        return list(str(channels))
    if len(accesses) == 1:
        return [""]
    return [f"{8 * access.width} bits #{index}" for index, access in enumerate(accesses)]


def _cell(access: Access, channel: str) -> CellEntry:
    sources: list[str] = []
    match access:
        case Store():
            effect, register = "store", formula(access.value)
        case Load():
            effect, register = "load", _slice(access.destination)
        case Atomic():
            effect, register = "atomic", None if access.destination is None else _slice(access.destination)
            sources = [formula(each) for each in (access.src0, access.src1)][: access.op.sources]
    return CellEntry(
        channel=channel,
        effect=effect,
        width=access.width,
        register=register,
        surface=access.surface,
        place=[formula(each) for each in access.cell],
        sources=sources,
    )


def _slice(place: RegisterSlice) -> str:
    """`V2.28`; with the last byte where it is not a dword."""
    end = "" if place.width == 4 else f"..{place.start + place.width - 1}"
    return f"{place.variable}.{place.start}{end}"


def _operation(accesses: Sequence[Access]) -> tuple[str, str] | None:
    """What an atomic leaves in memory, and what it returns."""
    for access in accesses:
        if isinstance(access, Atomic):
            bits = 8 * access.width
            new = new_value(access.op, symbol("old", bits), symbol("src0", bits), symbol("src1", bits))
            return formula(new), "new" if access.returns_new else "old"
    return None
