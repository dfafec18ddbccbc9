"""Where the lanes of a scatter write, as one sum for all: strides times digits, and what lanes have in common.

address = c + s_x·x + s_y·y + s_z·z + s_r·(n mod r) + …   (mod 2^w)

Digits are local ids, and what quotients and remainders leave of a number n that depends on ids.
"""

from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.conflicts.digits.constant_radices import with_constant_radices
from visaproof.analysis.conflicts.digits.records import DIVISIONS, EXTENSIONS, Digit, Factors, Part, Stride
from visaproof.checking.stages import literals
from visaproof.launch.ids.any_items import AnyItemsId, any_ids
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.queries.kernels.lane_accesses import LaneAccesses
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    const,
    linear_parts,
    scale,
    signed_value,
    substitute,
    symbols_of,
    value_of,
)
from visaproof.smt.arithmetic import mul
from visaproof.smt.halves.products import of_whole_words, whole_word
from visaproof.smt.integers.constant_divisors import divided_by_constant, without_low_bits
from visaproof.smt.terms import trailing_zeros


class Strides(Struct, frozen=True):
    """Of all lanes of one scatter."""

    by_digit: Mapping[Digit, Stride]
    """Of the digits on which it depends where a lane writes."""
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


def strides_of(question: ConflictQuestion, settled: Callable[[BitVec], BitVec]) -> Strides | None:
    """None where the lanes write at no such sum, or at different ones; of words where what is known is `settled`."""
    found: Strides | None = None
    for lane in question.lanes:
        one = _of_lane(lane, settled)
        if one is None or (found is not None and one != found):
            return None
        found = one
    return found


def conditions_of(question: ConflictQuestion, settled: Callable[[Bool], Bool]) -> frozenset[Bool]:
    """What holds wherever a lane writes, said of the first lane; comparisons where what is known is `settled`."""
    guards = (_of_the_first(store.guard, one.lane) for one in question.lanes for _, store in one.stores)
    found = reduce(
        frozenset[Bool].intersection, (frozenset(map(of_whole_words, literals(one))) for one in dict.fromkeys(guards))
    )
    return frozenset(settled(one) if _compares(one) else one for one in found)


def _compares(condition: Bool) -> bool:
    inner = condition.args[0] if condition.op is Op.NOT else condition
    return inner.op in (Op.EQ, Op.ULT, Op.SLT)


T = TypeVar("T", bound=Term)


def _of_the_first(term: T, lane: int) -> T:
    return substitute(term, dict[Term, Term](zip(any_ids(lane), any_ids(0), strict=True)))


def _of_lane(lane: LaneAccesses, settled: Callable[[BitVec], BitVec]) -> Strides | None:
    if lane.is_texel:
        return None
    first = min(at for at, _ in lane.stores)
    width = max(at + store.width for at, store in lane.stores) - first
    found = sum_of(whole_word(settled(_of_the_first(lane.base[0], lane.lane))))
    if found is None:
        return None
    return Strides(found.by_digit, (found.common, first), found.bits, found.unit, width)


def sum_of(address: BitVec) -> Strides | None:
    """Also of an extended sum: what is apart in its bits is as far apart when it is extended and counted in units."""
    constant, parts = linear_parts(address)
    parts, common = dict(parts), dict[BitVec, int]()
    strides: dict[Digit, dict[Factors, int]] = {}
    constant += _take_quotients(parts, strides, address.width)
    extended: list[tuple[BitVec, int]] = []
    for atom, times in parts.items():
        if not depends_on_ids(atom):
            common[atom] = times
        elif (found := _digit(atom, trailing_zeros(times, address.width))) is not None:
            digit, factors, count = found
            own = strides.setdefault(digit, {})
            own[factors] = signed_value(own.get(factors, 0) + times * count, address.width)
        elif atom.op in EXTENSIONS:
            extended.append((atom, times))
        else:
            return None
    by_digit = with_constant_radices(strides, address.width, partial(_ids_of, address.width))
    shared = constant, frozenset(common.items())
    if not extended:
        return Strides(by_digit, shared, address.width, 1, 0)
    ((atom, times), *more), inner = extended, cast(BitVec, extended[0][0].args[0])
    within = sum_of(inner)
    if strides or more or within is None or times << inner.width > 1 << address.width:
        return None
    return Strides(within.by_digit, (shared, within.common, atom.op), within.bits, times * within.unit, 0)


def _ids_of(bits: int, number: BitVec) -> Mapping[Digit, Stride] | None:
    """The strides of ids in a number of so many bits that is a sum of them."""
    found = sum_of(number) if number.width == bits else None
    ids = found is not None and found.bits == bits and all(isinstance(one, int) for one in found.by_digit)
    return found.by_digit if found is not None and ids else None


def _take_quotients(parts: dict[BitVec, int], strides: dict[Digit, dict[Factors, int]], width: int) -> int:
    """Takes k·n − k·(n mod r), which is k·r·⌊n/r⌋, out of a sum: a compiler makes it of n and what it has of it anyway.

    Gives what is left of the constant of n.
    """
    constant = 0
    for atom in [one for one in parts if one.op is Op.UREM]:
        number, radix = cast(tuple[BitVec, BitVec], atom.args)
        count, (own, terms) = -parts.get(atom, 0), linear_parts(number)
        alike = all((parts.get(one, 0) - count * times) % (1 << width) == 0 for one, times in terms.items())
        if count and alike and depends_on_ids(number) and not depends_on_ids(radix):
            for one in (atom, *terms):
                parts.pop(one, None)
            constant -= count * own
            quotient = strides.setdefault(Part(extended_from(number), ((Op.UDIV, radix),)), {})
            quotient[cast(Factors, radix.args) if radix.op is Op.MUL else (radix,)] = signed_value(count, width)
    return constant


def _digit(atom: BitVec, unused: int) -> tuple[Digit, Factors, int] | None:
    """A digit, what it is multiplied by, and how many times it counts; so many high bits do not matter."""
    factors = cast(Factors, atom.args) if atom.op is Op.MUL else (atom,)
    found = [(one, digit) for one in factors if (digit := _multiple(one, unused)) is not None]
    if len(found) != 1:
        return None
    ((word, (digit, count)),) = found
    others = tuple(one for one in factors if one is not word)
    return None if depends_on_ids(*others) else (digit, others, count)


def _multiple(word: BitVec, unused: int) -> tuple[Digit, int] | None:
    """A digit, or so many times one."""
    unused *= word.op is Op.AND  # what is extended has all of its bits
    quotient, cleared = without_low_bits(extended_from(word), unused) or (word, 0)
    digit = _id_or_part(quotient)
    return None if digit is None else (digit, 1 << cleared)


def depends_on_ids(*words: BitVec) -> bool:
    return any(isinstance(one.payload, AnyItemsId) for one in symbols_of(*words))


def _id_or_part(word: BitVec) -> Digit | None:
    inner = extended_from(word)
    if isinstance(inner.payload, AnyItemsId):
        return inner.payload.dimension
    steps = list[tuple[Op, BitVec]]()
    while (one := _divided(inner)) is not None:
        inner, more = extended_from(one[0]), one[1]
        steps[:0] = more
    return Part(inner, tuple(steps)) if steps and depends_on_ids(inner) else None


def extended_from(word: BitVec) -> BitVec:
    """A word that is the same number in fewer bits, if it is extended from one."""
    return cast(BitVec, word.args[0]) if word.op is Op.ZERO_EXTEND else word


def _divided(word: BitVec) -> tuple[BitVec, list[tuple[Op, BitVec]]] | None:
    """What is divided, and how: by words that are the same for all lanes, or by powers of two."""
    if word.op in DIVISIONS:
        dividend, by = cast(tuple[BitVec, BitVec], word.args)
        return None if depends_on_ids(by) else (dividend, [(word.op, by)])
    if word.op is Op.AND and (mask := value_of(cast(BitVec, word.args[0]))) is not None and not mask & (mask + 1):
        return cast(BitVec, word.args[1]), [(Op.UREM, const(mask + 1, word.width))]
    inner = extended_from(word)
    if inner.op is not Op.EXTRACT:
        return None
    if (quotient := divided_by_constant(inner)) is not None and not quotient[1] >> quotient[0].width:
        number, divisor = quotient
        return number, [(Op.UDIV, const(divisor, number.width))]
    dividend, (high, low) = cast(BitVec, inner.args[0]), cast(tuple[int, int], inner.payload)
    steps = [(Op.UDIV, const(1 << low, dividend.width))] if low else []
    if high + 1 < dividend.width:
        steps.append((Op.UREM, const(1 << (high + 1 - low), dividend.width)))
    return dividend, steps


def term_of(stride: Stride, bits: int) -> BitVec:
    """The stride as a word."""
    total = const(0, bits)
    for factors, times in stride.items():
        product = const(1, bits)
        for factor in factors:
            product = mul(product, factor)
        total = add(total, scale(product, times))
    return total
