"""Wide words that were computed in halves, as sums again.

Compilers add 64-bit addresses 32 bits at a time: low halves, a carry, high halves.  With h the width of a half:

    high : low                                    = 2^h·zx(high) + zx(low)
    2^h·zx(a + b)                                 = 2^h·zx(a) + 2^h·zx(b)              modulo 2^2h
    2^h·zx(S[2h−1:h]) + zx(S[h−1:0])              = S
    2^h·zx(x >> (h − k)) + zx(x << k)             = 2^k·zx(x)
    2^h·sx(x >> (h − k)) + zx(x << k)             = 2^k·sx(x)                          arithmetic shift
    2^h·sx(x >> (h − 1)) + zx(x)                  = sx(x)

Each is checked with a solver in tests/smt/test_halves.py.
"""

from collections.abc import Iterator
from typing import cast

from visaproof.smt.arithmetic import add, linear_parts, scale, sum_of
from visaproof.smt.bits import sign_extend, zero_extend
from visaproof.smt.slices import truncate
from visaproof.smt.terms import BitVec, Op, const, kept

KEPT_SUMS = 4_096
"""One address is used by several messages."""


@kept(KEPT_SUMS)
def as_sum(term: BitVec) -> BitVec:
    """The same word of an even width, as a sum of whole words where its halves come from whole words."""
    half = term.width // 2
    constant, parts = linear_parts(term)
    if not any(atom.op is Op.CONCAT or factor % (1 << half) == 0 for atom, factor in parts.items()):
        return term
    summands = (_spread(atom, factor, half) for atom, factor in parts.items())
    total = add(const(constant, term.width), *summands)
    while (simpler := _fused(total, half)) is not None:
        total = simpler
    return total


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
