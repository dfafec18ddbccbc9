"""Which input of one kernel is which of another: by what the launch puts there, else by the place in the payload."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping

from msgspec import Struct, field

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import ReadError
from visaproof.isa.operands import SCRATCH
from visaproof.isa.platform import Platform
from visaproof.isa.registers import Input
from visaproof.isa.surface_keys import AtPayloadByte, OfArgument, StateAt, TableEntry, surface_key
from visaproof.launch.input_meaning import Argument, ArgumentValue, LocalId, Piece, Sampler, SamplerModes
from visaproof.launch.launch import BufferAddress, Launch, Surface, TableSurface, Unknown
from visaproof.program.kernel import Kernel
from visaproof.program.lower import Runnable, lowered
from visaproof.program.program import Program as Code
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import OnlyHanded, Own, Owner, PredicateBit, RegisterByte
from visaproof.smt import BitVec, Bool, bool_symbol, symbol

THREAD_STATE = frozenset(
    ("%r0", "%cr0", "%sr0", "%hw_id", "%thread_x", "%thread_y", "%group_id_x", "%group_id_y", "%group_id_z")
)
"""What the hardware hands to a thread, whatever kernel it runs."""

_Place = tuple[str, int]
"""A byte of a variable."""


class Program(Struct, frozen=True):
    """A kernel, what is known of its launch, and the device."""

    kernel: Runnable
    launch: Launch
    platform: Platform
    local_bytes: int | None = None
    """Shared local memory of a group, where the program that it is compared with has another size."""
    samplers: Mapping[int, SamplerModes | Argument] = field(default_factory=dict[int, SamplerModes | Argument])
    """What stands at the numbers of its samplers, where the program that it is compared with says it as well."""
    own_tables: frozenset[str] = frozenset()
    """The tables that hold something else in the program that it refines: then they are others than that one's."""

    def __repr__(self) -> str:
        return f"<Program {self.kernel.name}: {self.kernel.path}, {self.platform.name}, {self.launch.source}>"

    @property
    def code(self) -> Code:
        """What a machine runs."""
        return lowered(self.kernel, self.platform)

    @property
    def sampler_handles(self) -> dict[str, int | Argument]:
        """What the inputs hold that are handles of samplers: by their bytes, `V52.0`, the number or the argument.

        A launch may say nothing of samplers but that an input is the handle of one.  If the kernel has no other, its
        number is 0, as where kernels name samplers by numbers: that both read alike is a premise (samplers-alike).
        """
        handles = {
            f"{name}.{piece.offset}": piece.meaning
            for name, pieces in self.launch.meanings.items()
            for piece in pieces
            if isinstance(piece.meaning, Sampler) and not piece.first_byte
        }
        alone = len(handles) == 1 and not self.launch.samplers and not self.code.samplers
        said = {name: one.argument or one.number for name, one in handles.items()}
        return {name: found for name, one in said.items() if (found := 0 if one is None and alone else one) is not None}

    @property
    def sampler_numbers(self) -> list[int]:
        """The numbers of the samplers that it names, by constants or by their handles."""
        handles = self.sampler_handles
        named = (handles.get(one) for one in self.code.sampler_handles)
        return sorted({*self.code.samplers, *(one for one in named if isinstance(one, int))})

    def table(self, name: str) -> str:
        """What a table is called in both programs."""
        return f"{name} of the target" if name in self.own_tables else name


class Matched(Struct, frozen=True):
    """One input of the target: what it holds, and the input of the source that holds the same."""

    target: str
    source: str | None
    """None: only the target has it, and it may be anything."""
    what: str


class Matching(Struct, frozen=True):
    """The inputs of the target, and where each of their bytes is in the source."""

    by_meaning: bool
    rows: tuple[Matched, ...]
    places: dict[_Place, _Place]
    """From a byte of the target to one of the source."""
    extra: frozenset[_Place]
    """Bytes of the target of which the launch says what they hold, and which the source does not get."""
    tables: frozenset[_Place] = frozenset()
    """Those of them that are addresses of the target's own tables."""


OWN_TABLE = "own table"
"""What the key of the address of such a table begins with."""

LaneOf = Callable[[int], Hashable]
"""The lane for which a lane of a thread stands, by its number."""


def _the_lane(lane: int) -> Hashable:
    return lane


def match(
    source: Program, target: Program, source_lane: LaneOf = _the_lane, target_lane: LaneOf = _the_lane
) -> Matching:
    """By meaning where both launches are known, else by the place in the payload.

    Local ids are the same where the lanes that they are of stand for the same lane.
    """
    by_meaning = bool(source.launch.meanings and target.launch.meanings)
    known = {key: place for key, place, _ in _bytes(source, by_meaning, source_lane)}
    places: dict[_Place, _Place] = {}
    extra: set[_Place] = set()
    tables: set[_Place] = set()
    rows: dict[str, Matched] = {}
    for key, place, what in _bytes(target, by_meaning, target_lane):
        found = known.get(key)
        if found is not None:
            places[place] = found
        elif by_meaning and key[0] != "unknown":
            extra.add(place)
            tables |= {place} if key[0] == OWN_TABLE else set()
        before = rows.get(place[0])
        if what and (before is None or before.source is None):
            rows[place[0]] = Matched(place[0], found[0] if found else None, what if before is None else before.what)
    return Matching(by_meaning, tuple(rows.values()), places, frozenset(extra), frozenset(tables))


def _bytes(program: Program, by_meaning: bool, lane_of: LaneOf) -> Iterator[tuple[tuple[Hashable, ...], _Place, str]]:
    """The bytes of all inputs: what each holds, as a key and in words."""
    for item in program.kernel.inputs:
        if not by_meaning:
            for byte in range(item.size):
                yield ("payload", item.offset + byte), (item.variable, byte), f"payload byte {item.offset}"
            continue
        for piece in program.launch.pieces(item.variable):
            own = str(piece.meaning) in program.own_tables
            for byte in range(piece.size):
                key = meant(piece, byte, lane_of)
                yield (OWN_TABLE, *key) if own else key, (item.variable, piece.offset + byte), str(piece)


def meant(piece: Piece, byte: int, lane_of: LaneOf) -> tuple[Hashable, ...]:
    """What a byte of a piece holds: bytes of two launches with the same key hold the same."""
    match piece.meaning:
        case LocalId(dimension, first_lane):
            return "local_id", dimension, lane_of(first_lane + byte // 2), byte % 2
        case ArgumentValue(argument, offset):
            return "argument", argument.index, offset + byte
        case Unknown(text):
            return "unknown", text, piece.first_byte + byte
        case meaning:
            return type(meaning).__name__, meaning, piece.first_byte + byte


# ---------------------------------------------------------------- what the registers hold

SOURCE, TARGET = Owner("source"), Owner("target")


def source_start(
    kernel: Kernel, initial: Callable[[str, int], Byte], owner: Owner = SOURCE
) -> Callable[[str, int], Byte]:
    """The registers of the source: what no launch sets gets a name of the source's own."""
    inputs = {item.variable for item in kernel.inputs}

    def start(variable: str, byte: int) -> Byte:
        if variable in inputs or variable in THREAD_STATE:
            return initial(variable, byte)
        return started_with(owner, variable, byte)

    return start


def target_start(
    matching: Matching,
    source: Callable[[str, int], Byte],
    own: Callable[[str, int], Byte],
    own_tables: Collection[str] = (),
) -> Callable[[str, int], Byte]:
    """The registers of the target: inputs hold what those of the source do; `own` has what else it starts with."""

    def start(variable: str, byte: int) -> Byte:
        place = matching.places.get((variable, byte))
        if place is not None:
            return source(*place)
        if variable in THREAD_STATE:
            return source(variable, byte)
        if variable in own_tables:
            return only_targets_address(variable), byte
        if (variable, byte) in matching.extra:
            word, index = own(variable, byte)
            if word.width == 64:  # an address
                return only_targets_address(word.payload), index
            return symbol(OnlyHanded("target", RegisterByte(variable, byte)), 8), 0
        return started_with(TARGET, variable, byte)

    return start


def started_with(owner: Owner, variable: str, byte: int) -> Byte:
    """What no launch sets: the address of something linked, or a value that only this kernel has."""
    if is_linked(variable):
        return linked_address(variable), byte
    return symbol(Own(owner, RegisterByte(variable, byte)), 8), 0


def is_linked(variable: str) -> bool:
    """Whether it holds the address of something that the program calls by its name, as `&table`."""
    return variable.startswith("&")


def linked_address(variable: str) -> BitVec:
    """The address, which is the same for both kernels."""
    return symbol(variable, 64)


def only_targets_address(name: Hashable) -> BitVec:
    """An address that only the target has."""
    return symbol(OnlyHanded("target", name), 64)


def own_predicates(owner: Owner) -> Callable[[str, int], Bool]:
    """Uninitialised bits of predicates, by names of the kernel's own."""
    return lambda variable, lane: bool_symbol(Own(owner, PredicateBit(variable, lane)))


def require_matched(kernel: Kernel, matching: Matching, read: Iterable[_Place]) -> None:
    """Raises ReadError where the target reads a byte of an input that has no counterpart."""
    inputs = {item.variable: item for item in kernel.inputs}
    for variable, byte in read:
        item = inputs.get(variable)
        if item is None or (variable, byte) in matching.places or (variable, byte) in matching.extra:
            continue
        raise ReadError(
            f"{_described(item)} has no counterpart in the source at byte {byte}",
            item.position,
            "say what the inputs of both kernels hold: `--launch FILE` (a zebin, its .ze_info, or a manifest.json)",
        )


def _described(item: Input) -> str:
    return f"input {item.variable} (payload byte {item.offset}, {item.size} bytes)"


# ---------------------------------------------------------------- surfaces

SHARED_LOCAL = "%slm"


def surface_of(program: Program, key: str, by_meaning: bool) -> str | None:
    """A name for the surface that is the same in both kernels: its argument, or else how it is reached.

    None where it is not known which surface it is.
    """
    if key in (SHARED_LOCAL, FLAT, SCRATCH):
        return key
    match surface_key(key):
        case TableEntry(index):
            argument = program.launch.surface(index)
            if by_meaning and index in program.launch.tables:
                return program.table(program.launch.tables[index])
            if by_meaning:
                return None if argument is None else str(OfArgument(argument.index))
            return key
        case StateAt(variable, byte, line):
            return None if line is not None else _of_input(program, variable, byte, by_meaning)
        case _:
            return _of_input(program, key, 0, by_meaning)


def _of_input(program: Program, variable: str, byte: int, by_meaning: bool) -> str | None:
    if by_meaning:
        for piece in program.launch.pieces(variable):  # without stateful access, a pointer's place names its surface
            if piece.offset != byte or piece.first_byte:
                continue
            if isinstance(piece.meaning, Surface | BufferAddress):
                return str(OfArgument(piece.meaning.argument.index))
            if isinstance(piece.meaning, TableSurface):
                return program.table(piece.meaning.table.value)
        return None
    for item in program.kernel.inputs:
        if item.variable == variable:
            return str(AtPayloadByte(item.offset + byte))
    return None
