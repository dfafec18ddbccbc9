"""Addresses as places in buffers: 64-bit addresses, surfaces and bindless surfaces of one argument are one buffer.

An address that is the base of one buffer plus something without a base is that buffer at an offset of 64 bits.  As long
as every access stays inside its buffer, buffers share no byte and have at most 4 GiB, an access is given by its buffer
and the low 32 bits of its offset.  That the target stays inside follows from what is asked of each of its `Reach`es.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.identity import Same
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.aligned_pointers import without_small_carry
from visaproof.queries.kernels.buffer_places import Settled, behind_pointer, is_private, under_guard
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.effects.sharing import NOTHING_SHARED, Sharing
from visaproof.semantics.symbolic.accesses import Access, Load
from visaproof.semantics.symbolic.literals import literals_of
from visaproof.semantics.symbolic.names import surface_size
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    add,
    conj,
    const,
    eq,
    implies,
    is_false,
    known_trailing_zeros,
    linear_parts,
    neg,
    sign_extend,
    sub,
    true,
    truncate,
    ule,
    zero_extend,
)

OFFSET_BITS = 32


class Condition(Enum):
    """What the launch has to grant so that both kernels can be compared; the value is for the reader."""

    SOURCE_INSIDE = "the source stays inside its buffers"
    UNDER_4_GIB = "buffers have at most 4 GiB"
    UNDER_2_GIB = "buffers have at most 2 GiB"
    NO_WRAP = "no offset that the target computes in 64 bits is 4 GiB or more"
    TARGET_INSIDE = "the target stays inside its buffers"
    ITEMS_APART = "no two work items of the source store one byte between two barriers, which OpenCL C leaves undefined"


ALWAYS = frozenset((Condition.SOURCE_INSIDE, Condition.UNDER_4_GIB))


class Reach(Struct, frozen=True):
    """`width` bytes of a buffer that are accessed where the guard holds."""

    guard: Bool
    surface: str
    cell: BitVec
    """The low 32 bits of the offset."""
    offset: BitVec
    """All 64 bits."""
    width: int

    @property
    def inside(self) -> Bool:
        """Whether all of it lies inside of the buffer, if it is accessed."""
        size = zero_extend(surface_size(self.surface), self.offset.width + 1)
        end = add(zero_extend(self.offset, self.offset.width + 1), const(self.width, self.offset.width + 1))
        return implies(self.guard, ule(end, size))


class Located(Struct, frozen=True):
    """A run whose accesses are at places in buffers, under the common names of these."""

    trace: Trace
    offsets: Mapping[Same[Access], BitVec]
    """The 64-bit offset of each access."""


NO_DISTANCES: Mapping[str, BitVec] = {}


def located(
    trace: Trace,
    pointers: Mapping[BitVec, str],
    surfaces: Mapping[str, str],
    distances: Mapping[str, BitVec] = NO_DISTANCES,
    sharing: Sharing = NOTHING_SHARED,
) -> Located:
    """The run with the places of its accesses; some surfaces begin at distances before their buffers.

    Raises NotModelled for an address that belongs to no one buffer.
    """
    offsets: dict[Same[Access], BitVec] = {}
    performed: list[Performed] = []
    for one in trace.performed:
        by_surface: dict[str, dict[Same[Access], Access]] = {}
        for access in one.accesses:
            surface = surfaces.get(one.surface, one.surface)
            place = access
            if is_private(trace, one, access):
                surface = one.surface
            elif surface != SHARED_LOCAL and len(access.cell) == 1:
                surface, offset = _place(one, access, surface, pointers, sharing)
                offset = _in_buffer(offset, distances.get(one.surface))
                place = replace(access, cell=(truncate(offset, OFFSET_BITS),), inside=true())
                offsets[Same(place)] = offset
            by_surface.setdefault(surface, {})[Same(access)] = place
        values = {Same(access): value for access, value in one.loaded}
        if len(by_surface) > 1:
            raise NotModelled("one message to several buffers", one.instruction.position)
        for surface, places in by_surface.items():
            loaded = tuple((place, values[old]) for old, place in places.items() if old in values)
            performed.append(replace(one, surface=surface, accesses=tuple(places.values()), loaded=loaded))
        if not by_surface:  # barriers are given by the number of messages before them
            performed.append(replace(one, accesses=(), loaded=()))
    return Located(replace(trace, performed=tuple(performed)), offsets)


def _in_buffer(offset: BitVec, distance: BitVec | None) -> BitVec:
    """The offset in a buffer of an offset in its surface; of 32 bits, as kernels add them, where that is all it has."""
    if distance is None:
        return offset
    if offset.high < 1 << OFFSET_BITS:
        return zero_extend(sub(truncate(offset, OFFSET_BITS), distance), offset.width)
    return sub(offset, zero_extend(distance, offset.width))


def _place(
    one: Performed, access: Access, surface: str, pointers: Mapping[BitVec, str], sharing: Sharing
) -> tuple[str, BitVec]:
    """The buffer, and the 64-bit offset in it."""
    address = access.cell[0]
    if one.surface != FLAT:
        return surface, zero_extend(address, 64)
    found = behind_pointer(address, pointers)
    if found is None:
        address = under_guard(address, access.guard, Settled())
        found = behind_pointer(address, pointers)
    if found is None:
        units = {pointer: sharing.unit(buffer) for pointer, buffer in pointers.items()}
        found = behind_pointer(without_small_carry(address, units), pointers)
    if found is None:
        raise _lost(one.instruction.position)
    pointer, offset = found
    return pointers[pointer], offset


def _lost(position: Position) -> NotModelled:
    return NotModelled("an address that is not one buffer's plus an offset", position)


# ---------------------------------------------------------------- conditions


def conditions(source: Iterable[Reach], target: Iterable[Reach]) -> frozenset[Condition]:
    """What suffices so that the target stays inside its buffers wherever the source does."""
    known: _Known = {}
    for reach in source:
        known.setdefault((reach.surface, reach.cell), []).append(reach)
    found: set[Condition] = set(ALWAYS)
    for reach in target:
        choices = (_needed(one, reach, known) for one in _counterparts(reach, reach.cell, known))
        found |= min(choices, key=_cost, default=LAST)
    return frozenset(found)


_Known = dict[tuple[str, BitVec], list[Reach]]

LAST = frozenset((Condition.TARGET_INSIDE,))
_WEAKEST_FIRST = (Condition.UNDER_2_GIB, Condition.NO_WRAP, Condition.TARGET_INSIDE)


def _cost(needed: frozenset[Condition]) -> int:
    return max((_WEAKEST_FIRST.index(condition) + 1 for condition in needed), default=0)


def _counterparts(target: Reach, cell: BitVec, known: _Known) -> Iterator[Reach]:
    """The source's accesses of this cell that happen whenever the target's does."""
    for source in known.get((target.surface, cell), ()):
        if literals_of(source.guard) <= literals_of(target.guard):
            yield source


def _needed(source: Reach, target: Reach, known: _Known) -> frozenset[Condition]:
    """What makes both offsets equal wherever the source's lies inside; their low halves are equal.

    With c the low half of both: the source's offset is zx(c), as it is below 4 GiB.
    """
    if target.width > source.width:
        return LAST
    if target.offset is source.offset or target.offset.high < 1 << OFFSET_BITS:
        return frozenset()
    behind, _ = linear_parts(target.offset)
    if behind < 1 << (OFFSET_BITS - 1):
        first = sub(target.offset, const(behind, target.offset.width))
        low = truncate(first, OFFSET_BITS)
        # sx(low) + behind: as an integer in [−2^31, 2^32), and c < 2^31 is that integer modulo 2^32.
        if first is sign_extend(low, first.width):
            return frozenset((Condition.UNDER_2_GIB,))
        # zx(low) + behind, where the source also accesses low: then low < 2^31, and nothing carries.
        if first is zero_extend(low, first.width) and any(_counterparts(target, low, known)):
            return frozenset((Condition.UNDER_2_GIB,))
    if signed_and_unsigned(source.offset, target.offset):
        return frozenset((Condition.UNDER_2_GIB,))
    return frozenset((Condition.NO_WRAP,))


def signed_and_unsigned(source: BitVec, target: BitVec) -> bool:
    """Whether they are f·sx(x) and f·zx(x), which are equal wherever f·sx(x) < 2^31.

    With v bits of x and 0 < f < 2^(63 − v), a negative x makes f·sx(x) more than 2^63, read unsigned.
    """
    (constant, parts), (other_constant, other_parts) = linear_parts(source), linear_parts(target)
    if constant or other_constant or len(parts) != 1 or len(other_parts) != 1:
        return False
    ((one, factor),) = parts.items()
    ((other, other_factor),) = other_parts.items()
    if one.op is not Op.SIGN_EXTEND or other.op is not Op.ZERO_EXTEND or factor != other_factor:
        return False
    word = cast(BitVec, one.args[0])
    return word is other.args[0] and 0 < factor < 1 << (one.width - 1 - word.width)


# ---------------------------------------------------------------- what is wrong with an access that is undefined

DWORD = 4

LARGER_UNITS = ("qw_", "svm_")
"""What the opcodes begin with that ask for more than the width of each of their accesses."""


def kind_of(access: Access) -> UndefinedKind:
    """What a variable does not have is known, an address mostly is not."""
    return UndefinedKind.BEYOND_VARIABLE if is_false(access.defined) else UndefinedKind.MISALIGNED


def may_be_of_two_kinds(performed: Performed, access: Access) -> bool:
    """Whether an access never is defined, and its address may be a reason for that."""
    address, *coordinates = access.cell
    if coordinates or not is_false(access.defined):
        return False
    asks_for_more = performed.instruction.opcode.startswith(LARGER_UNITS)
    return asks_for_more or 1 << known_trailing_zeros(address) < max(DWORD, access.width)


def is_texel_read(access: Access) -> bool:
    """Whether it reads an image, and by no sampler, which defines what is read outside."""
    return isinstance(access, Load) and len(access.cell) > 1


def is_aligned(address: BitVec) -> Bool:
    """Whether an address is a multiple of 4."""
    return eq(truncate(address, 2), const(0, 2))


def where_aligned(defined: Bool, address: BitVec) -> Bool:
    """Where an access is defined and its address is a multiple of 4; as it was if it says so already."""
    aligned = is_aligned(address)
    return defined if is_false(conj(defined, neg(aligned))) else conj(defined, aligned)
