"""Where the lanes of a scatter write, as one sum for all: strides times local ids, and what lanes have in common.

address = c + s_x·x + s_y·y + s_z·z   (mod 2^w)
"""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.launch.ids.any_items import AnyItemsId
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.queries.kernels.lane_accesses import LaneAccesses
from visaproof.smt import BitVec, Op, Term, add, const, linear_parts, scale, symbols_of
from visaproof.smt.arithmetic import mul

Factors = tuple[BitVec, ...]
Stride = Mapping[Factors, int]
"""A sum of products, by their factors."""

EXTENSIONS = (Op.ZERO_EXTEND, Op.SIGN_EXTEND)


class Strides(Struct, frozen=True):
    """Of all lanes of one scatter."""

    by_dimension: Mapping[int, Stride]
    """Of the local ids on which it depends where a lane writes."""
    common: object
    """What is added to them."""
    bits: int
    """In which the sum wraps."""
    unit: int
    """Bytes for which 1 of the sum stands."""
    width: int
    """Bytes from the first that a lane writes to the last."""

    def alike(self, other: "Strides") -> bool:
        """Whether they differ in nothing but what all lanes have in common."""
        return replace(self, common=None) == replace(other, common=None)


def strides_of(question: ConflictQuestion) -> Strides | None:
    """None where the lanes write at no such sum, or at different ones."""
    found: Strides | None = None
    for lane in question.lanes:
        one = _of_lane(lane)
        if one is None or (found is not None and one != found):
            return None
        found = one
    return found


def _of_lane(lane: LaneAccesses) -> Strides | None:
    if lane.is_texel:
        return None
    first = min(at for at, _ in lane.stores)
    width = max(at + store.width for at, store in lane.stores) - first
    found = _sum_of(lane.base[0])
    if found is None:
        return None
    return Strides(found.by_dimension, (found.common, first), found.bits, found.unit, width)


def _sum_of(address: BitVec) -> Strides | None:
    """Also of an extended sum: what is apart in its bits is as far apart when it is extended and counted in units."""
    constant, parts = linear_parts(address)
    common: dict[BitVec, int] = {}
    strides: dict[int, dict[Factors, int]] = {}
    extended: list[tuple[BitVec, int]] = []
    for atom, times in parts.items():
        if not any(isinstance(one.payload, AnyItemsId) for one in symbols_of(atom)):
            common[atom] = times
        elif (found := _digit(atom)) is not None:
            dimension, factors = found
            own = strides.setdefault(dimension, {})
            own[factors] = _signed(own.get(factors, 0) + times, address.width)
        elif atom.op in EXTENSIONS:
            extended.append((atom, times))
        else:
            return None
    shared = constant, frozenset(common.items())
    if not extended:
        return Strides(strides, shared, address.width, 1, 0)
    ((atom, times), *more), inner = extended, cast(BitVec, extended[0][0].args[0])
    within = _sum_of(inner)
    if strides or more or within is None or times << inner.width > 1 << address.width:
        return None
    return Strides(within.by_dimension, (shared, within.common, atom.op), within.bits, times * within.unit, 0)


def _digit(atom: BitVec) -> tuple[int, Factors] | None:
    """A local id, and what it is multiplied by."""
    factors = cast(Factors, atom.args) if atom.op is Op.MUL else (atom,)
    ids = [one for one in factors if _id(one) is not None]
    if len(ids) != 1:
        return None
    others = tuple(one for one in factors if one is not ids[0])
    if any(isinstance(one.payload, AnyItemsId) for one in symbols_of(*others)):
        return None
    return cast(AnyItemsId, _id(ids[0])).dimension, others


def _id(word: BitVec) -> AnyItemsId | None:
    inner: Term = word.args[0] if word.op is Op.ZERO_EXTEND else word
    return inner.payload if isinstance(inner.payload, AnyItemsId) else None


def term_of(stride: Stride, bits: int) -> BitVec:
    """The stride as a word."""
    total = const(0, bits)
    for factors, times in stride.items():
        product = const(1, bits)
        for factor in factors:
            product = mul(product, factor)
        total = add(total, scale(product, times))
    return total


def _signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value
