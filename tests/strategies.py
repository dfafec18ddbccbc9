"""What the tests of the core draw: states near the edges of the pages, whole numbers near the edges of words, terms.

States are made with the methods of `random.Random`.  Hypothesis gives one whose choices it shrinks; the search for
states on which a wrong variant shows gives one with a seed.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, cast

import z3
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from visaproof import smt
from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.scatter4_scaled import PREFIXES
from visaproof.isa.answers import (
    ChannelSets,
    DwordMisaligned,
    MaskAlignment,
    OffsetSum,
    OwordBounds,
    QwordBounds,
    QwordMisaligned,
    QwordUnit,
    ScatterBounds,
    ShortVariable,
    SlmBounds,
)
from visaproof.isa.atomics import COMPARING_OPS, PAGE_OPS
from visaproof.isa.execution import EXEC_SIZES, Combine, ExecMask
from visaproof.isa.operands import NULL, SLM, Channels, Execution, ImmediateUD, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, READINGS, Readings
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.subject import CHANNEL_SET, COMBINE, INVERSE, MASK, PREDICATE, SURFACE, Subject
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image
from visaproof.semantics.symbolic.state import SymbolicImage, field_term
from visaproof.smt import BitVec, Bool, Term, evaluate, symbol, symbols_of
from visaproof.smt.evaluate import evaluate_all

Values = dict[Term, int]

FLOATS = {
    32: (0, 0, 1, 0x7F_FFFF, 0x80_0000, 0x3F80_0000, 0x4000_0000, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF),
    16: (0, 0, 1, 0x3FF, 0x400, 0x3C00, 0x4000, 0x7C00, 0x7C01, 0x7E00, 0x7FFF),
}
"""Floats without their signs: zero, denormals, the least normal number, 1, 2, infinity, NaN of both kinds."""

EXTENTS = (0, 1, 2, 4, 5, 2**31, 2**32 - 1)
"""Of typed surfaces."""

WORDS = (0, 1, 2, 3, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF)
"""Dwords at the edges of both readings, signed and unsigned."""


class Start(Struct, frozen=True):
    """An instruction without parameters, the state it starts in, and the values of the symbols that stand for both."""

    instruction: Instruction
    before: ConcreteState
    values: Values


# ---------------------------------------------------------------- numbers


def widened(value: int, width: int) -> list[int]:
    return [(value + step) % (1 << width) for step in (-2, -1, 0, 1, 2)]


def numbers(width: int) -> st.SearchStrategy[int]:
    """Numbers of `width` bits, near 0, near both ends of the signed range, near a power of two, or any."""
    edges = {near for edge in (0, 1 << (width - 1)) for near in widened(edge, width)}
    powers = st.integers(0, width - 1).map(lambda power: 1 << power)
    return st.sampled_from(sorted(edges)) | powers | st.integers(0, (1 << width) - 1)


def dword(pick: Random) -> int:
    return pick.choice(WORDS) if pick.randrange(3) else pick.getrandbits(32)


def buffer_size(pick: Random) -> int:
    """A size below 2^33: small and odd ones, and those about which addresses wrap."""
    if pick.randrange(3) == 0:
        return pick.randrange(65)
    return pick.choice([256, 4096, 2**28, 2**32, 2**32 + 64]) + pick.choice([-8, -4, -1, 0, 1, 4, 8])


def edge_address(pick: Random, size: int) -> int:
    """A 32-bit byte address: 0, 4, at the end of the surface, at 2^28 or at 2^32, and a little beside it."""
    base = pick.choice([0, 4, size, 2**28, 2**32])
    return (base + pick.choice([-16, -12, -8, -4, -1, 0, 1, 4, 8])) % 2**32


# ---------------------------------------------------------------- states of a subject


def starts(subject: Subject) -> st.SearchStrategy[Start]:
    """States of a subject in which every register, mask bit and memory byte near an access is drawn."""
    return st.randoms(use_true_random=False).map(lambda pick: start_of(subject, pick))


def start_of(subject: Subject, pick: Random) -> Start:
    """Values for all symbols of the subject, legal encodings for its parameters, and memory around what it touches."""
    values = _lanes_and_fields(subject, pick)
    match subject.instruction:
        case Scatter4Scaled():
            _scatter_registers(subject, pick, values, 4)
        case QwScatter():
            _scatter_registers(subject, pick, values, 8)
        case OwordLd():
            _block_registers(subject, pick, values)
        case TypedAtomic():
            _texel_registers(subject, pick, values)
        case LscLoadBlock2d() | LscStoreBlock2d():
            _matrix_registers(subject, subject.instruction, pick, values)
        case _:
            raise TypeError(f"no states for {subject.instruction.spec.mnemonic}")
    assert all(evaluate(condition, values) for condition in subject.legal)
    instruction, before = subject.bind(values)
    before.readings = subject.readings
    _fill_memory(subject, pick, values, before)
    return Start(instruction, before, values)


def _register(subject: Subject, variable: str, index: int) -> Term:
    return subject.state.registers.read(variable, 4 * index, 4)


def _set_dwords(subject: Subject, values: Values, variable: str, dwords: list[int]) -> None:
    for index, value in enumerate(dwords):
        values[_register(subject, variable, index)] = value


def _bits(pick: Random) -> int:
    """32 lanes: all, none, one, half, or any of them."""
    some = [0, 1 << pick.randrange(32), 0x00FF_FF00, 0xAAAA_AAAA, pick.getrandbits(32)]
    return pick.choice(some) if pick.randrange(2) else 2**32 - 1


def _lanes_and_fields(subject: Subject, pick: Random) -> Values:
    values: Values = {}
    for lanes in (subject.state.exec_mask, *subject.state.predicates.values()):
        bits = _bits(pick)
        if subject.readings.short_variable is ShortVariable.ALL_LANES and pick.randrange(4):
            bits = 0x0101_0101 << pick.randrange(5)  # not the last lanes, although these are asked for
        values |= {lane: bits >> index & 1 for index, lane in enumerate(lanes)}
    size = getattr(getattr(subject.instruction, "execution", None), "size", 1)
    aligned = subject.readings.mask_alignment is MaskAlignment.ALIGNED
    fitting = [
        mask for mask in ExecMask if mask.lane_offset % (size if aligned else 4) == 0 and mask.lane_offset + size <= 32
    ]
    any_set = subject.readings.channel_sets is ChannelSets.ANY
    for parameter, code in (
        (MASK, pick.choice(fitting)),
        (INVERSE, pick.randrange(2)),
        (COMBINE, pick.randrange(3)),
        (CHANNEL_SET, pick.randrange(1, 16) if any_set else pick.choice(PREFIXES)),
    ):
        values[field_term(parameter, parameter.width)] = int(code)
    return values


def _scatter_registers(subject: Subject, pick: Random, values: Values, unit: int) -> None:
    """Lane addresses at an edge: apart from each other, on one another, anywhere, or misaligned."""
    size = buffer_size(pick)
    values[symbol("size", 33)] = size
    lanes = subject.state.registers.sizes["VO"] // 4
    first, pitch = edge_address(pick, size) // unit * unit, pick.choice([16, 16, 64, 2**28])
    kind = pick.choice(["apart", "apart", "apart", "anywhere", "meeting", "misaligned"])
    order = list(range(lanes))
    pick.shuffle(order)
    addresses = [first + pitch * (place - pick.choice([0, lanes // 2])) for place in order]
    one, other = pick.randrange(lanes), pick.randrange(lanes)
    if kind == "anywhere":
        addresses = [edge_address(pick, size) // unit * unit for _ in range(lanes)]
    elif kind == "meeting":
        addresses[one] = addresses[other] + unit * pick.randrange(4)
    elif kind == "misaligned":
        addresses[one] += pick.choice([unit // 2, pick.randrange(1, unit)])
    readings = subject.readings
    if readings.qword_unit is QwordUnit.LITERAL and pick.randrange(2):  # block 1 of a lane meets block 0 of the next
        addresses = [first + 8 * place for place in order]
    exact = (
        readings.qword_misaligned is QwordMisaligned.BYTE_EXACT
        or readings.dword_misaligned is DwordMisaligned.BYTE_EXACT
    )
    if exact and pick.randrange(2):  # lanes that share some bytes only
        addresses = [first + 5 * place for place in order]
    if readings.dword_misaligned is DwordMisaligned.DATA_UNDEFINED and pick.randrange(2):
        addresses = [address + pick.randrange(unit) for address in addresses]
    together = (
        readings.qword_bounds_grain is not QwordBounds.PER_DWORD
        or readings.scatter_bounds_grain is not ScatterBounds.PER_DWORD
    )
    if (together or readings.slm_bounds is SlmBounds.UNDEFINED) and pick.randrange(4):
        values[symbol("size", 33)] = size = _size_at_an_edge(pick, size, unit)
        top = size // unit * unit - unit * pick.randrange(16 // unit + 1)
        addresses = [top - 16 * place for place in order]
        if together and pick.randrange(2):  # on the last bytes, or right behind them
            addresses[one] = addresses[other] = size // unit * unit
    if readings.offset_sum_wraps is OffsetSum.NO_WRAP and pick.randrange(4) == 0:  # inside, from 4 GiB on
        values[symbol("size", 33)] = 2**32 + pick.choice([64, 4096, 2**31])
        first = 2**32 - 16
        addresses = [2**32 - 8 + 16 * place for place in order]
    base = 0
    if "VG" in subject.state.registers.sizes:
        base = pick.choice([0, 4, first % 2**32, edge_address(pick, size)])
        values[_register(subject, "VG", 0)] = base
    _set_dwords(subject, values, "VO", [(address - base) % 2**32 for address in addresses])
    data = "VS" if "VS" in subject.state.registers.sizes else "VQ"
    _set_any_dwords(subject, pick, values, data)


def _size_at_an_edge(pick: Random, size: int, unit: int) -> int:
    """A size near this one, for readings by which one place beyond decides over all: the last bytes tell most."""
    return size // unit * unit + pick.choice([0, 0, unit - 1, unit - 1, 1])


def _set_any_dwords(subject: Subject, pick: Random, values: Values, variable: str) -> None:
    """A register whose dwords all differ."""
    salt = pick.getrandbits(32)
    count = subject.state.registers.sizes[variable] // 4
    _set_dwords(subject, values, variable, [(salt + 0x0101_0101 * (index + 1)) % 2**32 for index in range(count)])


def _block_registers(subject: Subject, pick: Random, values: Values) -> None:
    size = buffer_size(pick)
    values[symbol("size", 33)] = size
    near = pick.choice([0, 0, size // 16, 2**28, 2**32]) + pick.choice([-2, -1, 0, 1, 2])
    readings = subject.readings
    together = readings.oword_bounds_grain is not OwordBounds.PER_DWORD
    if (together or readings.slm_bounds is SlmBounds.UNDEFINED) and pick.randrange(4):
        values[symbol("size", 33)] = size = _size_at_an_edge(pick, size, 16)
        near = size // 16 - subject.state.registers.sizes["VD"] // 16 + pick.choice([1, 2, 2])
    values[_register(subject, "VG", 0)] = near % 2**32
    _set_any_dwords(subject, pick, values, "VD")


def _matrix_registers(subject: Subject, block: LscLoadBlock2d | LscStoreBlock2d, pick: Random, values: Values) -> None:
    """A matrix about as large as the block, and a block at one of its edges, or far outside."""
    place = block.place
    base = pick.choice([0, 64, 4099, 2**64 - 9, 2**64 - 64])
    width, height, pitch = (pick.choice([0, 1, 2, 5, 7, 2**31, 2**32 - 1]) for _ in range(3))
    x, y = (pick.choice([-9, -2, -1, 0, 0, 1, 2, 7, -(2**31), 2**31 - 1]) for _ in range(2))
    words = ((place.base, base), (place.width, width), (place.height, height), (place.pitch, pitch), (place.x, x))
    for operand, value in (*words, (place.y, y)):
        assert isinstance(operand, RawOperand)
        for dword in range(2 if operand is place.base else 1):
            term = subject.state.registers.read(operand.variable, operand.offset + 4 * dword, 4)
            values[term] = value >> 32 * dword & 0xFFFF_FFFF
    _set_any_dwords(subject, pick, values, "VD" if isinstance(block, LscLoadBlock2d) else "VS")


def _texel_registers(subject: Subject, pick: Random, values: Values) -> None:
    (image,) = subject.state.surfaces.values()
    assert isinstance(image, SymbolicImage)
    assert isinstance(subject.instruction, TypedAtomic)
    bits, variables = subject.instruction.texel_bits, subject.state.registers.sizes
    extents = [*(part for level in image.levels for part in level), image.layers]
    values |= {extent: pick.choice(EXTENTS) for extent in extents if symbols_of(extent)}
    levels = len(image.levels)
    lods = [pick.choice([0, *range(levels), levels, 2**32 - 1]) for _ in range(8)]
    if "VL" in variables:
        _set_dwords(subject, values, "VL", lods)
    for variable in (name for name in ("VU", "VV", "VR") if name in variables):
        _set_dwords(subject, values, variable, [_coordinate(pick, extents, values) for _ in range(8)])
    floats = subject.instruction.op in COMPARING_OPS
    for variable in (name for name in ("VS0", "VS1") if name in variables):
        _set_dwords(subject, values, variable, [texel_value(pick, bits, floats) for _ in range(8)])
    _set_any_dwords(subject, pick, values, "VD")


def _coordinate(pick: Random, extents: list[BitVec], values: Values) -> int:
    """A small number, or one at an extent: often of another level or axis."""
    edge = evaluate(pick.choice(extents), values)
    return pick.choice([0, 0, 0, 0, 1, 3, edge - 1, edge, edge + 1, 2**31, 2**32 - 1]) % 2**32


def texel_value(pick: Random, bits: int, floats: bool) -> int:
    """A dword whose low `bits` bits lie at the edges of that width, of integers or of floats; the others are any."""
    if floats and pick.randrange(4):
        return pick.choice(FLOATS[bits]) | pick.choice([0, 1 << (bits - 1)])
    if bits == 32:
        return dword(pick)
    return pick.choice([0, 0xFFFF_0000, 0xABCD_0000]) | (dword(pick) >> pick.choice([0, 16]) & 0xFFFF)


def _fill_memory(subject: Subject, pick: Random, values: Values, before: ConcreteState) -> None:
    """Nonzero bytes in and around every cell of the accesses and of the instruction's own, inside and outside."""
    cells = {tuple(evaluate_all(access.cell, values)) for access in (*subject.accesses, *subject.own_accesses)}
    salt = pick.getrandbits(8)
    memory = before.surfaces[subject.surface]
    if isinstance(memory, Buffer):
        for (address,) in cells:
            for place in range(max(0, address - 4), address + 8):
                memory.contents[place] = (place * 167 + salt) % 255 + 1
    else:
        assert isinstance(subject.instruction, TypedAtomic)
        bits, floats = subject.instruction.texel_bits, subject.instruction.op in COMPARING_OPS
        for u, v, r, lod in sorted(cells):
            for texel in ((u, v, r, lod), (v, u, r, lod), (u + 1, v, r, lod)):
                memory.texels[texel] = texel_value(pick, bits, floats)


# ---------------------------------------------------------------- states that a page need not allow


RAGGED = "V3"
"""A variable that ends in or before the dword of lane 7."""
LOOSE_KINDS: tuple[type[Instruction], ...] = (Scatter4Scaled, QwScatter, OwordLd, TypedAtomic)


class Loose(Struct, frozen=True):
    """An instruction as nobody should write it, with operands that overlap and are too short, and its state."""

    instruction: Instruction
    before: ConcreteState


def loose_starts() -> st.SearchStrategy[Loose]:
    """Variables and predicates with too few lanes, masks that do not fit, and operands that share a variable."""
    return st.randoms(use_true_random=False).map(loose_start)


def any_readings(pick: Random) -> Readings:
    """The defaults, and for some questions another answer."""
    chosen = DEFAULT
    for name, reading in READINGS.items():
        if reading.alternatives and pick.randrange(3) == 0:
            chosen = chosen.with_answer(name, pick.choice(reading.alternatives))
    return chosen


def loose_start(pick: Random, readings: Readings = DEFAULT, kinds: Sequence[type[Instruction]] = LOOSE_KINDS) -> Loose:
    before = ConcreteState(pick.choice([Platform.TGLLP, Platform.PVC]), exec_mask=_bits(pick), readings=readings)
    for name in ("V0", "V1", "V2"):
        length = pick.choice([0, 3, 30, 60, 64, 128, *[256] * 9])
        before.registers[name] = bytearray(
            b"".join(_small_word(pick).to_bytes(4, "little") for _ in range(length // 4 + 1))[:length]
        )
    before.registers[RAGGED] = bytearray(pick.randrange(28, 32))
    before.predicates[PREDICATE] = PredicateBits(pick.choice([1, 8, 16, *[32] * 4]), pick.getrandbits(32))
    kind = pick.choice(kinds)
    if kind is TypedAtomic:
        levels = tuple(
            (pick.randrange(5), pick.randrange(1, 40), pick.randrange(1, 40)) for _ in range(pick.choice([1, 3]))
        )
        texels = {(u, v, 0, lod): dword(pick) for u in range(2) for v in range(2) for lod in range(2)}
        before.surfaces[SURFACE] = Image(levels, texels, pick.choice(list(SurfaceKind)), pick.randrange(1, 40))
    else:
        before.surfaces[SURFACE] = Buffer(
            pick.choice([0, 61, 64, 4096]), {place: place % 255 + 1 for place in range(80)}
        )
    instruction = _loose_instruction(kind, pick)
    if kind is not TypedAtomic and readings.slm_bounds is not DEFAULT.slm_bounds:
        before.surfaces[SLM] = before.surfaces.pop(SURFACE)
        instruction = replace(cast(Any, instruction), surface=SLM)
    return Loose(instruction, before)


def _small_word(pick: Random) -> int:
    return pick.choice([0, 0, 1, 2, 8 * pick.randrange(512), 8 * pick.randrange(512), 2**32 - 8])


def _raw(pick: Random) -> RawOperand:
    return RawOperand(pick.choice(["V0", "V1", "V2"]), pick.choice([0, 0, 0, 4, 32, 64]))


def _loose_instruction(kind: type[Instruction], pick: Random) -> Instruction:
    predicate = pick.choice([None, Predicate(PREDICATE, pick.choice([False, True]), pick.choice(list(Combine)))])
    execution = Execution(pick.choice(EXEC_SIZES), pick.choice(list(ExecMask)), predicate)
    first, second, third = _raw(pick), _raw(pick), _raw(pick)
    scalar = pick.choice([ImmediateUD(_small_word(pick)), ScalarUD(third.variable, third.offset)])
    if kind is Scatter4Scaled:
        return Scatter4Scaled(execution, Channels(pick.randrange(1, 16)), SURFACE, scalar, first, second)
    if kind is QwScatter:
        return QwScatter(execution, SURFACE, first, second)
    if kind is OwordLd:
        owords = pick.choice([1, 2, 4, 8, 16])
        if pick.randrange(4) == 0:  # the variable ends in or just behind the block
            owords, first = 1, RawOperand(RAGGED, 12)
        return OwordLd(owords, SURFACE, scalar, first)
    others = [pick.choice([NULL, _raw(pick)]) for _ in range(6)]
    if pick.randrange(2):
        others[-1] = RawOperand(RAGGED, pick.choice([0, 4, 4]))  # dst
    op, texel_bits = pick.choice(PAGE_OPS), pick.choice([16, 32])
    return TypedAtomic(execution, op, SURFACE, first, *others, texel_bits=texel_bits)


# ---------------------------------------------------------------- terms beside what they should mean

_z3: Any = z3
WIDTHS = (1, 3, 4, 8, 16, 32, 33, 40)


class Word(Struct, frozen=True):
    """A term, and the z3 expression of the same meaning, built by z3 alone."""

    term: BitVec
    raw: Any


class Truth(Struct, frozen=True):
    """The same of a truth value."""

    term: Bool
    raw: Any


def words(width: int, depth: int = 4) -> st.SearchStrategy[Word]:
    """Terms of `width` bits made of every operation, over three symbols and edge constants of each width."""
    return st.randoms(use_true_random=False).map(lambda pick: word(pick, width, depth))


def truths(width: int, depth: int = 3) -> st.SearchStrategy[Truth]:
    """Comparisons of terms of `width` bits, and connectives over them."""
    return st.randoms(use_true_random=False).map(lambda pick: truth(pick, width, depth))


def edge_number(pick: Random, width: int) -> int:
    top = 1 << width
    return pick.choice([0, 0, 1, top - 1, top // 2, top // 2 - 1, 1 << pick.randrange(width), pick.randrange(top)])


def leaf(pick: Random, width: int) -> Word:
    if pick.randrange(3) == 0:
        value = edge_number(pick, width)
        return Word(smt.const(value, width), _z3.BitVecVal(value, width))
    name = f"{pick.choice('abc')}{width}"
    return Word(symbol(name, width), _z3.BitVec(name, width))


def word(pick: Random, width: int, depth: int) -> Word:
    if depth == 0:
        return leaf(pick, width)
    makers = [_sum, _bitwise, _shifted, _changed, _ite, _unary, _slice, _sum]
    if width > 1:
        makers += [_concat, _extension, _concat]
    return pick.choice(makers)(pick, width, depth - 1)


_BINARY: list[tuple[Callable[[BitVec, BitVec], BitVec], Callable[[Any, Any], Any]]] = [
    (smt.bit_and, lambda x, y: x & y),
    (smt.bit_or, lambda x, y: x | y),
    (smt.bit_xor, lambda x, y: x ^ y),
    (smt.add, lambda x, y: x + y),
    (smt.sub, lambda x, y: x - y),
    (smt.mul, lambda x, y: x * y),
    (smt.shl, lambda x, y: x << y),
    (smt.lshr, _z3.LShR),
    (smt.ashr, lambda x, y: x >> y),
    (smt.udiv, _z3.UDiv),
    (smt.urem, _z3.URem),
]


def _binary(pick: Random, width: int, depth: int, first: int, last: int) -> Word:
    make, raw = pick.choice(_BINARY[first:last])
    left, right = word(pick, width, depth), word(pick, width, pick.choice([0, depth]))
    if pick.randrange(2):
        left, right = right, left
    return Word(make(left.term, right.term), raw(left.raw, right.raw))


def _bitwise(pick: Random, width: int, depth: int) -> Word:
    return _binary(pick, width, depth, 0, 3)


def _sum(pick: Random, width: int, depth: int) -> Word:
    return _binary(pick, width, depth, 3, 6)


def _shifted(pick: Random, width: int, depth: int) -> Word:
    if pick.randrange(2):
        return _binary(pick, width, depth, 6, 11)
    make, raw = pick.choice(_BINARY[6:11])
    amount, inside = pick.randrange(min(width + 2, 1 << width)), word(pick, width, depth)
    return Word(make(inside.term, smt.const(amount, width)), raw(inside.raw, _z3.BitVecVal(amount, width)))


def _changed(pick: Random, width: int, depth: int) -> Word:
    """A multiple, or a low bit mask: what addresses are made of."""
    inside, factor = word(pick, width, depth), pick.choice([-1, 1, 2, 4, 12, 16])
    if pick.randrange(2):
        return Word(smt.scale(inside.term, factor), inside.raw * _z3.BitVecVal(factor, width))
    mask = smt.const(-factor, width)
    return Word(smt.bit_and(inside.term, mask), inside.raw & _z3.BitVecVal(-factor, width))


def _unary(pick: Random, width: int, depth: int) -> Word:
    inside = word(pick, width, depth)
    if pick.randrange(2):
        return Word(smt.negate(inside.term), -inside.raw)
    return Word(smt.bit_not(inside.term), ~inside.raw)


def _ite(pick: Random, width: int, depth: int) -> Word:
    condition = truth(pick, pick.choice(WIDTHS), min(depth, 1))
    then, otherwise = word(pick, width, depth), word(pick, width, pick.choice([0, depth]))
    return Word(smt.ite(condition.term, then.term, otherwise.term), _z3.If(condition.raw, then.raw, otherwise.raw))


def _slice(pick: Random, width: int, depth: int) -> Word:
    wide = width + pick.choice([1, 2, 8, 24])
    inside, low = word(pick, wide, depth), pick.choice([0, 0, pick.randrange(wide - width + 1)])
    high = low + width - 1
    return Word(smt.extract(inside.term, high, low), _z3.Extract(high, low, inside.raw))


def _concat(pick: Random, width: int, depth: int) -> Word:
    low_bits = pick.randrange(1, width)
    upper, lower = word(pick, width - low_bits, depth), word(pick, low_bits, depth)
    if pick.randrange(3) == 0 and width % 2 == 0:  # neighbouring slices of one word, in the right order or not
        inside, half = word(pick, width, depth), width // 2
        slices = [(width - 1, half), (half - 1, 0)]
        if pick.randrange(2):
            slices.reverse()
        return Word(
            smt.concat(*(smt.extract(inside.term, high, low) for high, low in slices)),
            _z3.Concat(*(_z3.Extract(high, low, inside.raw) for high, low in slices)),
        )
    return Word(smt.concat(upper.term, lower.term), _z3.Concat(upper.raw, lower.raw))


def _extension(pick: Random, width: int, depth: int) -> Word:
    inner = pick.randrange(1, width)
    inside = word(pick, inner, depth)
    if pick.randrange(3):
        return Word(smt.zero_extend(inside.term, width), _z3.ZeroExt(width - inner, inside.raw))
    return Word(smt.sign_extend(inside.term, width), _z3.SignExt(width - inner, inside.raw))


_RELATIONS: list[tuple[Callable[[BitVec, BitVec], Bool], Callable[[Any, Any], Any]]] = [
    (smt.eq, lambda x, y: x == y),
    (smt.ult, _z3.ULT),
    (smt.ule, _z3.ULE),
    (smt.slt, lambda x, y: x < y),
    (smt.sle, lambda x, y: x <= y),
]


def truth(pick: Random, width: int, depth: int) -> Truth:
    if depth == 0 or pick.randrange(2):
        return _comparison(pick, width, depth)
    one, other = truth(pick, width, depth - 1), truth(pick, width, depth - 1)
    if pick.randrange(4) == 0:
        other = Truth(smt.neg(one.term), _z3.Not(one.raw)) if pick.randrange(2) else one
    make, raw = pick.choice(_CONNECTIVES)
    return Truth(make(one.term, other.term), raw(one.raw, other.raw))


_CONNECTIVES: list[tuple[Callable[[Bool, Bool], Bool], Callable[[Any, Any], Any]]] = [
    (smt.conj, _z3.And),
    (smt.disj, _z3.Or),
    (smt.implies, _z3.Implies),
    (smt.iff, lambda x, y: x == y),
    (lambda x, y: smt.neg(smt.conj(x, y)), lambda x, y: _z3.Not(_z3.And(x, y))),
    (lambda x, y: smt.ite_bool(x, y, smt.neg(y)), lambda x, y: _z3.If(x, y, _z3.Not(y))),
]


def _comparison(pick: Random, width: int, depth: int) -> Truth:
    kind = pick.randrange(6)
    if kind == 0:
        name = pick.choice("pqr")
        return Truth(smt.bool_symbol(name), _z3.Bool(name))
    left, right = word(pick, width, depth), word(pick, width, pick.choice([0, depth]))
    if kind == 1:
        index = pick.randrange(width)
        return Truth(smt.bit(left.term, index), _z3.Extract(index, index, left.raw) == 1)
    if kind == 2:  # the same word moved by a constant: a difference without symbols
        by = edge_number(pick, width)
        right = Word(smt.add(left.term, smt.const(by, width)), left.raw + _z3.BitVecVal(by, width))
    make, raw = pick.choice(_RELATIONS)
    return Truth(make(left.term, right.term), raw(left.raw, right.raw))
