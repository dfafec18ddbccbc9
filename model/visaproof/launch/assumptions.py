"""What the registers of a thread hold when it starts: arbitrary bytes, and what is assumed of the launch.

Every assumption is a row of `launch/premises.py`; a verdict lists those that it was asked under.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.isa.registers import Input
from visaproof.isa.surface_keys import StateAt, TableEntry
from visaproof.launch.assume import Assume
from visaproof.launch.bounded_scalars import BOUNDED, bounded_words
from visaproof.launch.constants import open_tables
from visaproof.launch.float_results import IEEE_ASSUMED, Floats, ieee_start
from visaproof.launch.ids.launched_start import NOTHING_LAUNCHED, launched_start
from visaproof.launch.ids.launched_words import FIRST_LANES, first_lanes
from visaproof.launch.ids.work_items import NO_GROUP, Group, group_of, launched_lanes
from visaproof.launch.launch import BufferAddress, Launch, LaunchValue, LocalId, Piece, TableSurface
from visaproof.launch.matching import is_linked, linked_address
from visaproof.launch.premises import Premise, premise
from visaproof.launch.relations.stated_relations import StatedRelation
from visaproof.program.kernel import Kernel
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import RegisterByte
from visaproof.smt import BitVec, Bool, Term, add, const, scale, symbol, zero_extend
from visaproof.smt.evaluate import all_hold

ID_BITS = 16
"""IGC passes local ids as words.  Source: docs/pages/payload.md §2."""


PRIVATE_APART = premise("private-apart")
"""Of kernels that get to know where their private memory is: what they store there they load again."""


class Start(Struct, frozen=True):
    """The initial contents of the registers, and on what they rest."""

    initial: Callable[[str, int], Byte]
    meanings: dict[str, str]
    """What a symbol of the payload stands for, by the name of the symbol."""
    assumed: tuple[Premise, ...]
    """What an answer about such a start rests on."""
    hints: tuple[str, ...]
    """What would help to know."""
    pointers: dict[BitVec, BufferAddress | LaunchValue] = field(
        default_factory=dict[BitVec, BufferAddress | LaunchValue]
    )
    """The 64-bit words that are the address of a buffer, or of private memory."""
    least: dict[str, int] = field(default_factory=dict[str, int])
    """From which value on a symbol of the payload counts, where that is not 0, by its name."""
    sizes: tuple[BitVec, ...] = ()
    """The dwords of the payload that hold sizes of the launch: no launch has one of 0."""
    group: Group = NO_GROUP
    """What is known of the work items of the thread."""
    where: tuple[StatedRelation, ...] = ()
    """What the user states of arguments and the launch."""

    def premises(self, lanes: Sequence[Bool]) -> tuple[Bool, ...]:
        """What holds in every launch, where launches that exist are asked about."""
        return self.group.facts if self.group.launched is None else tuple(self.group.possible(lanes))

    def is_launch(self, lanes: Sequence[Bool], values: Mapping[Term, int]) -> bool:
        """Whether a launch has these values, where that is asked, and what the user states holds of them."""
        if not all(one.holds(values) for one in self.where):
            return False
        if self.group.launched is None:
            return all_hold(self.group.facts, values)
        return self.group.has_room(lanes, values)

    @property
    def rest(self) -> str:
        """What the inputs hold that a counterexample does not list."""
        return "is the least that it may be" if self.least else "is 0"

    @property
    def private_base(self) -> BitVec | None:
        """Where the private memory of all threads begins, if the kernel gets to know it."""
        bases = (word for word, meaning in self.pointers.items() if meaning is LaunchValue.PRIVATE_BASE)
        return next(bases, None)

    @property
    def private_variable(self) -> str | None:
        """The variable that holds it when the kernel starts."""
        base = None if self.private_base is None else self.private_base.payload
        return base.variable if isinstance(base, RegisterByte) else None


def start_of(kernel: Kernel, launch: Launch, assume: Assume) -> Start:
    """Arbitrary contents, but for what `assume` says of the words whose places the launch information tells."""
    words: dict[tuple[str, int], BitVec] = {}
    pointers: dict[tuple[str, int], tuple[BitVec, BufferAddress | LaunchValue]] = {}
    meanings: dict[str, str] = {}
    simd = launch.simd or kernel.work_items or 0
    launched = launched_start(kernel, launch, simd, assume.lifted) if assume.of_launches else NOTHING_LAUNCHED
    refused = "" if assume.of_launches else _layout_broken(launch, simd)
    ids = "ids" in assume and simd > 1 and not refused
    bounded = tuple(bounded_words(kernel, launch)) if "bounded" in assume else ()
    first = FIRST_LANES if assume.first_lanes and FIRST_LANES not in launched.assumed else None
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if isinstance(piece.meaning, LocalId) and ids:
                words |= _local_ids(item, piece, piece.meaning, simd)
            if _is_pointer(piece):
                assert isinstance(piece.meaning, BufferAddress | LaunchValue)
                pointers[item.variable, piece.offset] = (
                    symbol(RegisterByte(item.variable, piece.offset), 64),
                    piece.meaning,
                )
            _name(meanings, item, piece)
    if words:
        meanings |= {"thread_in_row": f"first local_id_x of the thread, divided by {simd}"}
        meanings |= {"local_id_y": "local_id_y", "local_id_z": "local_id_z"}
    known = {place: word for place, (word, _) in pointers.items()} | {(w.variable, w.byte): w.word for w in bounded}
    known |= launched.words
    initial = _initial(kernel, words | known, _first_places(kernel, launch))
    group = launched.group or group_of(kernel, launch, words if "ids-below-size" in assume else {}, initial)
    if first is not None:
        group = replace(group, facts=(*group.facts, *first_lanes(launched_lanes(kernel))))
    return Start(
        initial=initial,
        meanings={**meanings, **launched.meanings},
        assumed=(
            *([premise("width", simd=simd, stated=launch.other_simd)] if launch.other_simd else []),
            *([premise("ids", simd=simd)] if words else []),
            *launched.assumed,
            *([first] if first is not None else []),
            *([BOUNDED] if bounded else []),
            *([PRIVATE_APART] if _has_private(pointers.values()) else []),
            *open_tables(launch.constants, table_names(kernel, launch)),
            *(
                premise("constants-open", table=f"{TableEntry(index)} ({name})", reason=IN_BINDING_TABLE)
                for index, name in launch.tables.items()
            ),
        ),
        hints=() if words or (launched.words and launch.meanings) else _hints(kernel, launch, assume, refused),
        pointers=dict(pointers.values()),
        least={one.name: one.least for one in bounded if one.least},
        sizes=tuple(_sizes(kernel, launch)),
        group=group,
    )


def with_floats(start: Start, floats: Floats) -> Start:
    """The start under what is assumed of floats."""
    if floats is Floats.UNINTERPRETED:
        return start
    return replace(start, initial=ieee_start(start.initial), assumed=(*start.assumed, *IEEE_ASSUMED))


IN_BINDING_TABLE = "contents are read where 64-bit addresses reach them"
"""Why those of a table in the binding table are arbitrary."""

TABLE_BASES = (LaunchValue.CONST_BASE, LaunchValue.GLOBAL_BASE)
"""Addresses of the variables of the program."""

BUFFER_BASES = (*TABLE_BASES, LaunchValue.PRINTF_BUFFER)
"""Addresses of buffers that the driver makes, and hands to each kernel that uses them."""

OWN_BASES = LaunchValue.PRIVATE_BASE, LaunchValue.LOCAL_ID_TABLE
"""Addresses of what a thread reaches its own part of."""


def table_names(kernel: Kernel, launch: Launch) -> Iterator[str]:
    """What the tables of the program are known by, of which the kernel gets the address."""
    yield from (name for name in kernel.registers if is_linked(name))
    handed = {piece.meaning for item in kernel.inputs for piece in launch.pieces(item.variable)}
    yield from (base.value for base in TABLE_BASES if handed & {base, TableSurface(base)})


def table_surfaces(kernel: Kernel, launch: Launch) -> dict[str, str]:
    """The tables that are surfaces, by the name of the surface."""
    found = {str(TableEntry(index)): name for index, name in launch.tables.items()}
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if isinstance(piece.meaning, TableSurface) and not piece.first_byte:
                found[str(StateAt(item.variable, piece.offset))] = piece.meaning.table.value
    return found


_SIZES = (LaunchValue.LOCAL_SIZE, LaunchValue.ENQUEUED_LOCAL_SIZE, LaunchValue.GLOBAL_SIZE, LaunchValue.GROUP_COUNT)


def _sizes(kernel: Kernel, launch: Launch) -> Iterator[BitVec]:
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if piece.meaning in _SIZES and piece.offset % 4 == 0:
                whole = range(piece.offset, piece.offset + piece.size - 3, 4)
                yield from (symbol(f"{item.variable}.{start}", 32) for start in whole)


def _has_private(pointers: Iterable[tuple[BitVec, BufferAddress | LaunchValue]]) -> bool:
    return any(meaning is LaunchValue.PRIVATE_BASE for _, meaning in pointers)


def _is_pointer(piece: Piece) -> bool:
    """Whether the piece is a whole 64-bit address, aligned as the payload has them."""
    address = isinstance(piece.meaning, BufferAddress) or piece.meaning in (*OWN_BASES, *BUFFER_BASES)
    return address and piece.size == 8 and not piece.first_byte and piece.offset % 8 == 0


def _layout_broken(launch: Launch, simd: int) -> str:
    """Why the required group size contradicts the assumption on ids; empty where it does not."""
    if launch.group_size is None or simd <= 1:
        return ""
    x, y, z = launch.group_size
    return f"the required group size {x}×{y}×{z} breaks rows of {simd} lanes" if x % simd and y * z > 1 else ""


def _hints(kernel: Kernel, launch: Launch, assume: Assume, refused: str) -> tuple[str, ...]:
    if assume.base == "none":
        return ("with `--assume ids` and `--launch FILE`, lanes have consecutive ids",)
    if refused:
        return (refused + ": nothing is assumed of the ids",)
    if not launch.meanings and kernel.inputs:
        option = f"`--input {kernel.inputs[0].variable}=local_id_x …`"
        files = "`--launch FILE` (a zebin, its .ze_info, or a manifest.json)"
        return (f"what the inputs mean is not known: give {files} or {option}",)
    return ()


def _local_ids(item: Input, piece: Piece, meaning: LocalId, simd: int) -> dict[tuple[str, int], BitVec]:
    """One word for each lane: x = simd·thread_in_row + lane, which cannot wrap; y and z are one word for all."""
    words: dict[tuple[str, int], BitVec] = {}
    lane_bits = simd.bit_length() - 1
    for k in range(piece.size // 2):
        lane = meaning.first_lane + k
        if lane >= simd:
            break
        if meaning.dimension == 0:
            row = scale(zero_extend(symbol("thread_in_row", ID_BITS - lane_bits), ID_BITS), simd)
            words[item.variable, piece.offset + 2 * k] = add(row, const(lane, ID_BITS))
        else:
            words[item.variable, piece.offset + 2 * k] = symbol(f"local_id_{'xyz'[meaning.dimension]}", ID_BITS)
    return words


def _name(meanings: dict[str, str], item: Input, piece: Piece) -> None:
    """Names the dwords that `_initial` gives to a piece."""
    for start in range(piece.offset - piece.offset % 4, piece.offset + piece.size, 4):
        inside = start - piece.offset + piece.first_byte
        place = f" byte {inside}" if piece.size > 4 and inside > 0 else ""
        meanings.setdefault(f"{item.variable}.{start}", f"{piece}{place}")


def _first_places(kernel: Kernel, launch: Launch) -> dict[tuple[str, int], tuple[str, int]]:
    """Dwords of the payload that hold what another one holds: a value of the launch that was passed before."""
    first: dict[tuple[LaunchValue, int], tuple[str, int]] = {}
    found: dict[tuple[str, int], tuple[str, int]] = {}
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if isinstance(meaning := piece.meaning, LaunchValue) and piece.offset % 4 == 0:
                for byte in range(0, piece.size - 3, 4):
                    place = item.variable, piece.offset + byte
                    found[place] = first.setdefault((meaning, piece.first_byte + byte), place)
    return found


def _initial(
    kernel: Kernel, words: dict[tuple[str, int], BitVec], first: dict[tuple[str, int], tuple[str, int]]
) -> Callable[[str, int], Byte]:
    """The words where they stand, and elsewhere a symbol for each dword, by the place where it is `first`."""
    sizes = dict.fromkeys(kernel.states, 4) | {name: one.size for name, one in kernel.registers.items()}
    known = {(name, at + k): (word, k) for (name, at), word in words.items() for k in range(word.width // 8)}

    def initial(variable: str, byte: int) -> Byte:
        found = known.get((variable, byte))
        if found is not None:
            return found
        if is_linked(variable):
            return linked_address(variable), byte
        start = byte - byte % 4
        if (other := first.get((variable, start), (variable, start))) != (variable, start):
            return initial(other[0], other[1] + byte % 4)
        return symbol(f"{variable}.{start}", 8 * min(4, sizes[variable] - start)), byte % 4

    return initial
