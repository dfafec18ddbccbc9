"""The threads that a model of a kernel's terms describes: registers, lanes, and memory with what the loads bring."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from visaproof.analysis.conflicts.lane_conditions import ExcludedBefore
from visaproof.isa.operands import SLM
from visaproof.isa.platform import Platform
from visaproof.isa.registers import Register
from visaproof.launch.assumptions import Start
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.local_memory import LARGEST_LOCAL
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.kernel import Kernel
from visaproof.program.lower import Runnable
from visaproof.program.places_alone import PlacesAlone
from visaproof.semantics.concrete.beyond import Found
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Texel
from visaproof.semantics.symbolic.accesses import Access, Atomic, Cell, Load
from visaproof.semantics.symbolic.beyond import byte_beyond
from visaproof.semantics.symbolic.effects import cells_equal
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.semantics.symbolic.value_names import PredicateBit
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    const,
    eq,
    evaluate,
    implies,
    neg,
    symbols_of,
)
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import Evaluation, evaluate_all

Values = dict[Term, int]

PRIVATE_MEMORY = 1 << 56
"""Where it lies if no question depends on that: far from the buffers."""


class Place(NamedTuple):
    """`size` bytes of a word, from byte `first` of it on, that stand at byte `start` of a variable."""

    variable: str
    start: int
    first: int
    size: int


class Asked(Struct, frozen=True):
    """What a question is about, beside the question."""

    kernel: Runnable
    platform: Platform
    trace: Trace
    start: Start
    timeout_ms: int
    places: dict[str, tuple[tuple[Term, Place], ...]] = field(default_factory=dict[str, tuple[tuple[Term, Place], ...]])
    """Of the words that each root variable holds at the start: filled in where the first run is to be confirmed."""
    by_word: dict[Term, list[Place]] = field(default_factory=dict[Term, list[Place]])
    """The same by the words, once it is known of all variables."""
    excluded: ExcludedBefore = field(default_factory=ExcludedBefore)
    """By the earlier conditions of its questions."""
    alone: PlacesAlone | None = None
    """What was run of the kernel, where that is not all of it."""
    arguments: tuple[Term, ...] = ()
    """The words of its arguments by value."""
    local: int = LARGEST_LOCAL
    """Bytes of shared local memory that a group has at most."""


def state_of(asked: Asked, until: Performed | None, values: Values, choices: Choices = STRICT) -> ConcreteState:
    """The thread that these values describe: registers, lanes, surfaces with what the loads return up to a message."""
    kernel, trace = asked.kernel, asked.trace
    if asked.start.private_base is not None:
        values = {asked.start.private_base: PRIVATE_MEMORY, **values}
    lanes = launched_lanes(kernel)
    mask, registers = bits_of(lanes, values), _registers(asked, values)
    state = ConcreteState(asked.platform, exec_mask=mask, registers=registers, choices=choices)
    set_bits = _predicates(values)
    for name, count in kernel.predicates.items():
        state.predicates[name] = PredicateBits(count, set_bits.get(name, 0) & ((1 << count) - 1))
    for key, surface in trace.surfaces.items():
        if isinstance(surface, SymbolicBuffer):
            state.surfaces[key] = Buffer(_size(key, surface, values))
        else:
            state.surfaces[key] = Image(tuple(_extents(level, values) for level in surface.levels))
    _fill(state, messages_before(trace, until), values)
    state.beyond = beyond_in(trace, values) if trace.beyond else None
    return state


def beyond_in(trace: Trace, values: Mapping[Term, int], elsewhere: int = 0) -> Found:
    """What lies beyond variables where these values describe it, and at register addresses that leave them."""
    registers: dict[tuple[str, int], int] = {}
    predicates: dict[tuple[str, int], int] = {}
    for one in trace.beyond:
        for place in one.places:
            if one.of_bits:
                predicates[one.variable, place] = values.get(trace.predicates.at_start(one.variable, place), 0)
            else:
                registers[one.variable, place] = values.get(byte_beyond(one.variable, place), 0)
    return Found(registers, predicates, elsewhere)


def _extents(level: tuple[BitVec, BitVec, BitVec], values: Values) -> tuple[int, int, int]:
    """Of a level; those that nothing depends on are as large as they can be."""
    known = (values.get(extent, 2**32 - 1) if extent.op is Op.SYMBOL else extent.low for extent in level)
    width, height, depth = known
    return width, height, depth


def _size(key: str, surface: SymbolicBuffer, values: Values) -> int:
    """As large as it can be where nothing depends on it."""
    if surface.size.op is Op.SYMBOL:
        return values.get(surface.size, LARGEST_LOCAL if key == SLM else 1 << 32)
    return evaluate(surface.size, values)


def bits_of(bits: Sequence[Bool], values: Values) -> int:
    """A number with these bits, as of lanes or of a predicate."""
    return sum((values.get(one, 0) & 1) << lane for lane, one in enumerate(bits))


def _predicates(values: Values) -> dict[str, int]:
    """Of each predicate the bits that are 1: a kernel has a thousand bits, and values name few of them."""
    found: dict[str, int] = {}
    for one, value in values.items():
        if one.op is Op.SYMBOL and not one.width and isinstance(bit := one.payload, PredicateBit) and value & 1:
            found[bit.variable] = found.get(bit.variable, 0) | 1 << bit.lane
    return found


def _registers(asked: Asked, values: Values) -> dict[str, bytearray]:
    """The root variables before the run."""
    places = places_of(asked)
    registers = {root.name: bytearray(root.size) for root in _roots(asked.kernel)}
    built = [word for word in places if word.op is not Op.SYMBOL]
    symbols = symbols_of(*built)
    of_symbols = [values.get(one, 0) & ((1 << max(one.width, 1)) - 1) for one in symbols]
    known = {word: value for word, value in values.items() if word in places}
    known.update(zip(built, compiled(built, symbols)(of_symbols), strict=True))
    for word, value in known.items():
        for variable, start, first, size in places[word]:
            piece = value >> 8 * first & ((1 << 8 * size) - 1)
            registers[variable][start : start + size] = piece.to_bytes(size, "little")
    return registers


def _roots(kernel: Kernel) -> Iterator[Register]:
    return (one for one in kernel.registers.values() if one.owns_storage)


def places_of(asked: Asked) -> dict[Term, list[Place]]:
    """By their words.  It is found variable by variable: a question that the limit ends leaves it to the next."""
    if asked.by_word:
        return asked.by_word
    for root in _roots(asked.kernel):
        if root.name not in asked.places:
            asked.places[root.name] = tuple(_places(root, asked.start.initial))
    found: dict[Term, list[Place]] = {}
    for word, place in (one for places in asked.places.values() for one in places):
        found.setdefault(word, []).append(place)
    asked.by_word.update(found)
    return asked.by_word


def _places(root: Register, initial: Callable[[str, int], Byte]) -> Iterator[tuple[Term, Place]]:
    """Word by word: of one, its last byte stands as far after its first as both are apart in it."""
    start = 0
    while start < root.size:
        word, first = initial(root.name, start)
        size = min(max(1, word.width // 8 - first), root.size - start)
        while size > 1 and initial(root.name, start + size - 1) != (word, first + size - 1):
            size -= 1
        yield word, Place(root.name, start, first, size)
        start += size


def _fill(state: ConcreteState, messages: Iterable[Performed], values: Values) -> None:
    """Puts what the loads of the messages bring into the memory that they read; into a texel once."""
    evaluation, filled = Evaluation(values), set[tuple[int, ...]]()
    for surface, access, content in ((one.surface, *each) for one in messages for each in one.loaded):
        if not evaluation.of(access.guard):
            continue
        place, value, memory = tuple(map(evaluation.of, access.cell)), evaluation.of(content), state.surfaces[surface]
        if isinstance(memory, Buffer):
            for k in range(access.width):
                memory.contents.setdefault(place[0] + k, value >> 8 * k & 0xFF)
        elif place not in filled:
            filled.add(place)
            _fill_texel(memory, access, place, value)


def _fill_texel(image: Image, access: Access, cell: tuple[int, ...], value: int) -> None:
    u, v, r, lod = cell[:4]
    texel: Texel = u, v, r, lod
    if isinstance(access, Atomic):
        image.texels.setdefault(texel, value)
    else:
        image.set_channel(texel, cell[4], value)


LOADS_DISAGREE = "loads from one place disagree"


class Repair(NamedTuple):
    """What memory says of loads; `certain` unless somebody may have written between them."""

    condition: Bool
    certain: bool
    otherwise: str = LOADS_DISAGREE
    """Where it does not hold, for a sentence."""


def loads_agree(trace: Trace, until: Performed, values: Values) -> Iterator[Repair]:
    """What these values get wrong of memory: a load outside brings what its page says; a place has one content."""
    seen: dict[tuple[str, tuple[int, ...]], tuple[BitVec, int, Cell, int]] = {}
    writes = 0
    for performed in messages_before(trace, until):
        for access, content in performed.loaded:
            beyond = const(access.outside if isinstance(access, Load) else 0, content.width)
            outside = conj(access.guard, neg(access.inside), neg(eq(content, beyond)))
            wrong, value, *cell = evaluate_all((outside, content, *access.cell), values)
            if wrong:
                yield Repair(neg(outside), True)
            mine = content, value, access.cell, writes
            other, known, place, before = seen.setdefault((performed.surface, tuple(cell)), mine)
            if other.width == content.width and known != value:
                agree = implies(cells_equal(access.cell, place), eq(content, other))
                yield Repair(agree, isinstance(access, Load) and before == writes)
        writes += any(not isinstance(access, Load) for access in performed.accesses)


def messages_before(trace: Trace, until: Performed | None) -> Iterator[Performed]:
    for performed in trace.performed:
        if performed is until:
            return
        yield performed
