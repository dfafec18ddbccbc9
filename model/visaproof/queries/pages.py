"""The pages once more, as statements about one place: what the value and frame queries hold footprints against.

Written from the pages' prose and tables, not from their pseudo-code loops: lane enablement by shifting whole masks,
channel positions by listing each channel set, addresses on 33 bits.  Nothing here calls `execute` or `footprint`.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.undefined_bytes import ClearedSlice
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, RawOperand, Scalar
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.page_blocks import gaps_of_a_block, parts_of_a_block
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Cell, RegisterSlice
from visaproof.semantics.symbolic.effects import cells_equal
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    FLAT_BITS,
    SymbolicFlat,
    SymbolicImage,
    SymbolicState,
    field_term,
)
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit,
    bit_and,
    concat,
    conj,
    const,
    disj,
    eq,
    extract,
    implies,
    is_false,
    ite,
    kept,
    lshr,
    neg,
    shl,
    true,
    truncate,
    ule,
    ult,
    zero_extend,
)


class Effect(Struct, frozen=True):
    """One cell that the page says a lane touches, when it does."""

    lane: int | None
    enabled: Bool
    cell: Cell
    aligned: Bool
    written: BitVec | None = None
    """What a store leaves there."""
    destination: RegisterSlice | None = None
    """Where a load or an atomic puts what it brings back."""
    src0: BitVec | None = None
    src1: BitVec | None = None

    @property
    def width(self) -> int:
        """Bytes of the cell; of a texel, which has no address, it does not matter."""
        if self.written is not None:
            return self.written.width // 8
        return 4 if self.destination is None else self.destination.width

    @property
    def slot(self) -> RegisterSlice | None:
        """Where the result of an atomic stands, the whole dword: where the result is shorter, the page is silent on
        the rest of it (D34).  What a load brings takes its own bytes."""
        if self.src0 is None:
            return self.destination
        return self.destination and RegisterSlice(self.destination.variable, self.destination.start, 4)


@kept(256)
def effects(subject: Subject) -> list[Effect]:
    """What the page of the subject's instruction says, in the order in which the page performs it."""
    instruction: Instruction = subject.instruction
    match instruction:
        case Scatter4Scaled():
            return list(_scatter4_scaled(instruction, subject.state))
        case OwordLd():
            return list(_oword_ld(instruction, subject.state))
        case QwScatter():
            return list(_qw_scatter(instruction, subject.state))
        case TypedAtomic():
            return list(_typed_atomic(instruction, subject.state))
        case LscLoadBlock2d() | LscStoreBlock2d():
            return list(_block2d(instruction, subject.state))
        case _:
            raise TypeError(f"no statement of the page of {instruction.spec.mnemonic}")


def page_hits(subject: Subject, effect: Effect, probe: Cell) -> Bool:
    """Whether the page says that this effect touches the probe, inside the surface."""
    inside = contains(subject.state, subject.surface, probe, effect.width)
    return conj(effect.enabled, cells_equal(effect.cell, probe), inside)


def acting_effects(subject: Subject) -> list[Effect]:
    """The page's effects, with lane enablement in the terms of the instruction's own footprint.

    That these are the page's is the claim `enabled-lane-acts`, asked on its own; the queries that only combine
    enabled lanes take it as a lemma, which keeps two forms of one mask out of their formulas.
    """
    pairs = zip(effects(subject), subject.own_accesses, strict=True)
    return [replace(effect, enabled=access.guard) for effect, access in pairs]


def aligned_in_the_page(subject: Subject) -> Bool:
    """Whether every enabled lane has an address that the page gives a meaning."""
    return conj(*(implies(effect.enabled, effect.aligned) for effect in acting_effects(subject)))


def lanes_run(state: SymbolicState, execution: Execution) -> list[Bool]:
    """em(i) of the page for each lane: NoMask, or bit lane + offset of the execution mask."""
    mask = field_term(execution.mask, 4)
    window, no_mask = _window(state.exec_mask, mask), bit(mask, 3)
    return [disj(no_mask, bit(window, lane)) for lane in range(execution.size)]


def lanes_pass(state: SymbolicState, execution: Execution) -> list[Bool]:
    """The predicate of the page for each lane: combine first, then invert."""
    predicate = execution.predicate
    if predicate is None:
        return [true()] * execution.size
    window = truncate(_window(state.predicates[predicate.variable], field_term(execution.mask, 4)), execution.size)
    combine = field_term(predicate.combine, 2)
    plain, any_, all_, reserved = (eq(combine, const(code, 2)) for code in range(4))
    some = neg(eq(window, const(0, execution.size)))
    every = eq(window, const(-1, execution.size))
    inverse = bit(field_term(predicate.inverse, 1), 0)
    passes: list[Bool] = []
    for lane in range(execution.size):
        combined = conj(implies(plain, bit(window, lane)), implies(any_, some), implies(all_, every), neg(reserved))
        passes.append(conj(implies(inverse, neg(combined)), disj(inverse, combined)))
    return passes


def lanes_enabled(state: SymbolicState, execution: Execution) -> list[Bool]:
    """ChEn(i) = em(i) and p''(i) for each lane.  Source: docs/pages/instructions.md §0.2."""
    pairs = zip(lanes_run(state, execution), lanes_pass(state, execution), strict=True)
    return [conj(runs, passes) for runs, passes in pairs]


def _window(lanes: tuple[Bool, ...], mask: BitVec) -> BitVec:
    """The 32 bits, shifted down by four times the low three bits of the mask code."""
    word = concat(*(ite(lane, const(1, 1), const(0, 1)) for lane in reversed(lanes)))
    offset = shl(zero_extend(bit_and(mask, const(7, 4)), len(lanes)), const(2, len(lanes)))
    return lshr(word, offset)


def _dword(state: SymbolicState, operand: RawOperand, index: int) -> BitVec:
    first = operand.offset + 4 * index
    return concat(*(state.registers.read(operand.variable, first + byte, 1) for byte in (3, 2, 1, 0)))


def _scalar(state: SymbolicState, operand: Scalar) -> BitVec:
    if isinstance(operand, ImmediateUD):
        return const(operand.value, 32)
    return _dword(state, RawOperand(operand.variable, operand.offset), 0)


def contains(state: SymbolicState, surface: str, cell: Cell, width: int = 4) -> Bool:
    """Whether a cell lies inside: bytes iff the last one does, a texel iff each coordinate is below its extent."""
    memory = state.surfaces[surface]
    if isinstance(memory, SymbolicImage):
        return _texel_exists(memory, cell)
    (address,) = cell
    if isinstance(memory, SymbolicFlat):
        return ule(address, const(-width, FLAT_BITS))
    return ult(add(address, const(width - 1, ADDRESS_BITS)), memory.size)


def _texel_exists(image: SymbolicImage, cell: Cell) -> Bool:
    """There is such a level, and whichever it is, the coordinates are those of a texel of it."""
    *_, lod = cell
    numbers = [eq(lod, const(number, 32)) for number in range(len(image.levels))]
    there = (implies(number, _coordinates_exist(image, level, cell)) for level, number in enumerate(numbers))
    return conj(disj(*numbers), *there)


def _coordinates_exist(image: SymbolicImage, level: int, cell: Cell) -> Bool:
    """Page: the table of offsets for each surface type, row by row."""
    (u, v, r, _), (width, height, depth), layers, none = cell, image.levels[level], image.layers, const(0, 32)
    match image.kind:
        case SurfaceKind.LINE:
            return conj(ult(u, width), eq(v, none), eq(r, none))
        case SurfaceKind.LINE_ARRAY:
            return conj(ult(u, width), ult(v, layers), eq(r, none))
        case SurfaceKind.PLANE:
            return conj(ult(u, width), ult(v, height), eq(r, none))
        case SurfaceKind.PLANE_ARRAY:
            return conj(ult(u, width), ult(v, height), ult(r, layers))
        case SurfaceKind.VOLUME:
            return conj(ult(u, width), ult(v, height), ult(r, depth))


def _scatter4_scaled(instruction: Scatter4Scaled, state: SymbolicState) -> Iterator[Effect]:
    size = instruction.execution.size
    pitch = 16 if size == 16 else state.platform.grf_bytes // 4  # docs/pages/instructions.md §1, table of slot sizes
    channels = field_term(
        instruction.channels.mask if isinstance(instruction.channels, Channels) else instruction.channels, 4
    )
    base = zero_extend(_scalar(state, instruction.offset), 33)
    lanes = lanes_enabled(state, instruction.execution)
    offsets = [zero_extend(_dword(state, instruction.element_offset, lane), 33) for lane in range(size)]
    starts = [extract(add(base, offset), 31, 0) for offset in offsets]
    for channel in range(4):
        selected = bit(channels, channel)
        if is_false(selected):
            continue
        sets = [(eq(channels, const(code, 4)), code) for code in range(1, 16) if code >> channel & 1]
        slots = [(is_set, (code & ((1 << channel) - 1)).bit_count()) for is_set, code in sets if not is_false(is_set)]
        for lane, runs in enumerate(lanes):
            start, written = starts[lane], const(0, 32)
            for is_set, rank in slots:
                written = ite(is_set, _dword(state, instruction.src, rank * pitch + lane), written)
            yield Effect(
                lane=lane,
                enabled=conj(runs, selected),
                cell=(add(zero_extend(start, ADDRESS_BITS), const(4 * channel, ADDRESS_BITS)),),
                aligned=neg(disj(bit(start, 0), bit(start, 1))),
                written=written,
            )


def _oword_ld(instruction: OwordLd, state: SymbolicState) -> Iterator[Effect]:
    offset = zero_extend(_scalar(state, instruction.offset), ADDRESS_BITS)
    for byte in range(0, 16 * instruction.size, 4):
        oword = add(offset, const(byte // 16, ADDRESS_BITS))
        address = add(shl(oword, const(4, ADDRESS_BITS)), const(byte % 16, ADDRESS_BITS))
        yield Effect(
            lane=None,
            enabled=true(),
            cell=(address,),
            aligned=true(),
            destination=RegisterSlice(instruction.dst.variable, instruction.dst.offset + byte, 4),
        )


def _qw_scatter(instruction: QwScatter, state: SymbolicState) -> Iterator[Effect]:
    for lane, enabled in enumerate(lanes_enabled(state, instruction.execution)):
        offset = _dword(state, instruction.offset, lane)
        for dword in range(2 * instruction.num_blocks):  # of the lane's blocks, one behind the other; little endian
            qword = dword // 2 * instruction.execution.size + lane
            yield Effect(
                lane=lane,
                enabled=enabled,
                cell=(add(zero_extend(offset, ADDRESS_BITS), const(4 * dword, ADDRESS_BITS)),),
                aligned=neg(disj(bit(offset, 0), bit(offset, 1), bit(offset, 2))),
                written=_dword(state, instruction.src, 2 * qword + dword % 2),
            )


def _typed_atomic(instruction: TypedAtomic, state: SymbolicState) -> Iterator[Effect]:
    zero, bits = const(0, 32), instruction.texel_bits
    for lane, enabled in enumerate(lanes_enabled(state, instruction.execution)):
        operands = (instruction.u, instruction.v, instruction.r, instruction.lod, instruction.src0, instruction.src1)
        u, v, r, lod, src0, src1 = (zero if operand == NULL else _dword(state, operand, lane) for operand in operands)
        dst = instruction.dst
        yield Effect(
            lane=lane,
            enabled=enabled,
            cell=(u, v, r, lod),
            aligned=true(),
            destination=None if dst == NULL else RegisterSlice(dst.variable, dst.offset + 4 * lane, bits // 8),
            src0=extract(src0, bits - 1, 0),  # Page: "only the lower 16bit part of each dword is used"
            src1=extract(src1, bits - 1, 0),
        )


def _block2d(instruction: LscLoadBlock2d | LscStoreBlock2d, state: SymbolicState) -> Iterator[Effect]:
    """Page: elements outside of the matrix load 0, and stores of them are dropped."""
    (runs,) = lanes_enabled(state, instruction.execution)
    for part in parts_of_a_block(instruction.shape, instruction.place, state):
        written = destination = None
        if isinstance(instruction, LscStoreBlock2d):
            written = state.registers.read(instruction.src.variable, instruction.src.offset + part.start, part.width)
        else:
            destination = RegisterSlice(instruction.dst.variable, instruction.dst.offset + part.start, part.width)
        yield Effect(
            lane=None,
            enabled=conj(runs, part.in_matrix),
            cell=(part.address,),
            aligned=true(),
            written=written,
            destination=destination,
        )


def cleared(subject: Subject) -> list[tuple[Bool, RegisterSlice]]:
    """The register bytes that become 0, and when: elements outside of the matrix, and gaps.  Of a 2D block alone."""
    instruction, state = subject.instruction, subject.state
    if not isinstance(instruction, LscLoadBlock2d):
        return []
    (runs,) = lanes_enabled(state, instruction.execution)
    name, first = instruction.dst.variable, instruction.dst.offset
    found = [
        (conj(runs, neg(part.in_matrix)), ClearedSlice(name, first + part.start, part.width))
        for part in parts_of_a_block(instruction.shape, instruction.place, state)
    ]
    gaps = gaps_of_a_block(instruction.shape, state.platform.grf_bytes)
    return [*found, *((runs, ClearedSlice(name, first + byte, 1)) for byte in gaps)]
