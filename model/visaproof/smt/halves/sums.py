"""Wide words that were computed in halves, as sums again.

Compilers add 64-bit addresses 32 bits at a time: low halves, a carry, high halves.  With h the width of a half:

    high : low                                    = 2^h·zx(high) + zx(low)
    2^h·zx(a + b)                                 = 2^h·zx(a) + 2^h·zx(b)              modulo 2^2h
    2^h·zx(S[2h−1:h]) + zx(S[h−1:0])              = S
    2^h·zx(x >> (h − k)) + zx(x << k)             = 2^k·zx(x)
    2^h·sx(x >> (h − k)) + zx(x << k)             = 2^k·sx(x)                          arithmetic shift
    2^h·sx(x >> (h − 1)) + zx(x)                  = sx(x)

They also compare them so: the high halves, and the low ones where the high ones are equal.

    high < high′  ∨  (high = high′  ∧  low < low′)      =      high : low  <  high′ : low′

The order of high halves may be that of two's complement, and is then that of the whole words; ≤ of low halves is ≤.
Each is checked with a solver in tests/smt/test_split_words.py.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple, cast

from visaproof.smt.arithmetic import add, linear_parts, scale, sum_of
from visaproof.smt.bits import sign_extend, zero_extend
from visaproof.smt.comparison import slt, ult
from visaproof.smt.logic import neg
from visaproof.smt.slices import concat, truncate
from visaproof.smt.terms import BitVec, Bool, Op, const, kept, value_of

KEPT_SUMS = 4_096
"""One address is used by several messages."""


@kept(KEPT_SUMS)
def recombined(term: BitVec) -> BitVec:
    """The same word of an even width, as a sum of whole words where its halves come from whole words."""
    half = term.width // 2
    _, parts = linear_parts(term)
    if not any(atom.op is Op.CONCAT or factor % (1 << half) == 0 for atom, factor in parts.items()):
        return term
    total = _spread_out(term, half)
    while (simpler := _fused(total, half)) is not None:
        total = _spread_out(simpler, half)  # what is joined may be a sum of halves itself
    return total


def _spread_out(total: BitVec, half: int) -> BitVec:
    constant, parts = linear_parts(total)
    return add(const(constant, total.width), *(_spread(atom, factor, half) for atom, factor in parts.items()))


def _spread(atom: BitVec, factor: int, half: int) -> BitVec:
    """So many times two concatenated halves, or an upper half, as a sum; of any other atom as it is."""
    if atom.op is Op.CONCAT and len(atom.args) == 2 and atom.args[1].width == half:
        high, low = cast(tuple[BitVec, BitVec], atom.args)
        return add(_raised(high, factor << half, atom.width), scale(zero_extend(low, atom.width), factor))
    if atom.op is Op.ZERO_EXTEND and atom.args[0].width == half and factor % (1 << half) == 0:
        return _raised(cast(BitVec, atom.args[0]), factor, atom.width)
    return scale(atom, factor)


def _raised(high: BitVec, factor: int, width: int) -> BitVec:
    """So many times an upper half, summand by summand; the factor is a multiple of 2^half."""
    constant, parts = linear_parts(high)
    return add(
        *_terms(constant * factor, {zero_extend(one, width): times * factor for one, times in parts.items()}, width)
    )


def _terms(constant: int, parts: dict[BitVec, int], width: int) -> Iterator[BitVec]:
    """The summands one by one: some are sums themselves."""
    yield const(constant, width)
    for part, factor in parts.items():
        yield scale(part, factor)


def _fused(total: BitVec, half: int) -> BitVec | None:
    """The sum after the rules that join an upper to a lower summand; None where none applies.

    What is joined brings new summands: only they are looked at again, and what waited for them.  A sum of n steps of a
    loop is n joins, each of which uncovers the next.
    """
    constant, parts = linear_parts(total)
    left, modulus, joined = dict(parts), 1 << total.width, False
    waiting, wanting = list(parts), dict[BitVec, dict[BitVec, None]]()
    for upper in waiting:  # it grows
        factor = left.get(upper, 0)
        if not factor or factor % (1 << half) or upper.op is not Op.ZERO_EXTEND:
            continue
        for lower, whole, multiple in _joins(cast(BitVec, upper.args[0]), half, total.width):
            count = left.get(lower, 0)
            if not count or lower is upper or (count << half) % modulus != factor:
                wanting.setdefault(lower, {})[upper] = None
                continue
            del left[upper], left[lower]
            joined = True
            more, brought = linear_parts(scale(whole, count * multiple))
            constant += more
            for atom, times in brought.items():
                left[atom] = (left.get(atom, 0) + times) % modulus
                waiting += (atom, *wanting.get(atom, ()))
            break
    return sum_of(constant, left, total.width) if joined else None


def as_order(condition: Bool) -> Bool:
    """The same condition, as an order of two whole words where it is one of their halves."""
    if condition.op is not Op.DISJ or len(condition.args) != 2:
        return condition
    for one, rest in permutations(cast(tuple[Bool, Bool], condition.args)):
        if rest.op is Op.CONJ and len(rest.args) == 2 and (upper := _less(one)) is not None:
            for equal, lower in permutations(cast(tuple[Bool, Bool], rest.args)):
                if equal.op is Op.EQ and set(equal.args) == set(upper.args) and (found := _order(upper, lower)):
                    return found
    return condition


class _Less(NamedTuple):
    """The order of two words."""

    args: tuple[BitVec, BitVec]
    signed: bool = False


def _less(term: Bool) -> _Less | None:
    """What is said to be less than what; 0 < x is x != 0 in normal form."""
    if term.op in (Op.ULT, Op.SLT):
        return _Less(cast(tuple[BitVec, BitVec], term.args), term.op is Op.SLT)
    inner = term.args[0] if term.op is Op.NOT else term
    if inner is not term and inner.op is Op.EQ and value_of(zero := cast(BitVec, inner.args[0])) == 0:
        return _Less((zero, cast(BitVec, inner.args[1])))
    return None


def _order(upper: _Less, lower: Bool) -> Bool | None:
    """The order of two words of which `upper` is the one of the high halves, and `lower` of the low ones."""
    less, below = (slt if upper.signed else ult), _less(lower)
    if below is not None and not below.signed:
        left, right = map(as_whole, upper.args, below.args)
        return less(left, right)
    denied = _less(cast(Bool, lower.args[0])) if lower.op is Op.NOT else None
    if denied is None or denied.signed:
        return None
    right, left = map(as_whole, reversed(upper.args), denied.args)
    return neg(less(right, left))


def as_whole(high: BitVec, low: BitVec) -> BitVec:
    """Both halves side by side, as a sum where they come from one."""
    joined = concat(high, low)
    return joined if joined.op is not Op.CONCAT or high.op is not Op.EXTRACT else recombined(joined)


@kept(KEPT_SUMS)
def _joins(upper: BitVec, half: int, width: int) -> tuple[tuple[BitVec, BitVec, int], ...]:
    """(lower summand, whole, multiple): 2^h·zx(upper) + lower = multiple·whole.  Addresses share most of these."""
    return tuple(_joined(upper, half, width))


def _joined(upper: BitVec, half: int, width: int) -> Iterator[tuple[BitVec, BitVec, int]]:
    signed = upper.op is Op.SIGN_EXTEND and upper.width == half
    slice_ = cast(BitVec, upper.args[0]) if signed else upper
    if slice_.op is not Op.EXTRACT:
        return
    source = cast(BitVec, slice_.args[0])
    top, bottom = cast(tuple[int, int], slice_.payload)
    if top != source.width - 1:
        return
    if not signed and source.width == width and bottom == half:
        yield zero_extend(truncate(source, half), width), source, 1
    if source.width == half:
        shift = half - bottom
        whole = sign_extend(source, width) if signed else zero_extend(source, width)
        yield zero_extend(scale(source, 1 << shift), width), whole, 1 << shift
        if signed and shift == 1:
            yield zero_extend(source, width), whole, 1
