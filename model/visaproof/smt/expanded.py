"""A second normal form, for words that one side masks and shifts and the other multiplies and adds.

It loses which bits are known to be zero, so terms are brought into it only to be compared.  For words of w bits:

    x | c                        = x + c − (x & c)
    x ^ c                        = x + c − 2·(x & c)
    x & (2^h − 2^l)              = 2^l·zx(x[h−1:l]); for h = w also x − zx(x[l−1:0])
    high : low                   = 2^|low|·zx(high) + zx(low)
    (2^l·x + y)[h:l]             = x[h−l:0] + y[h:l]
    (2^k·x)[h:l]                 = x[h−k:l−k] for k <= l
    zx(2^k·x)                    = 2^k·zx(x[v−k−1:0]) for x of v bits
"""

from collections.abc import Sequence
from typing import TypeVar, cast

from visaproof.smt.arithmetic import add, linear_parts, scale, sub
from visaproof.smt.bits import zero_extend
from visaproof.smt.evaluate import subterms
from visaproof.smt.slices import extract, truncate
from visaproof.smt.substitution import rebuild
from visaproof.smt.terms import BitVec, Op, Term, const, trailing_zeros, value_of

T = TypeVar("T", bound=Term)


def expanded(roots: Sequence[T]) -> list[T]:
    """The same values, in the second normal form."""
    return Expansion()(roots)


class Expansion:
    """Terms in the second normal form, each brought into it once."""

    def __init__(self) -> None:
        self._done: dict[Term, Term] = {}

    def __call__(self, roots: Sequence[T]) -> list[T]:
        """The same values, in the second normal form."""
        done = self._done
        for term in subterms(*roots, known=done):
            args = tuple(done[arg] for arg in term.args)
            done[term] = _rewritten(term, args) if args else term
        return [cast(T, done[root]) for root in roots]


def _rewritten(term: Term, args: tuple[Term, ...]) -> Term:
    parts = cast(tuple[BitVec, ...], args)
    match term.op:
        case Op.AND if value_of(parts[0]) is not None:
            return _masked(parts[1], cast(int, parts[0].payload))
        case Op.OR if value_of(parts[0]) is not None:
            common = _masked(parts[1], cast(int, parts[0].payload))
            return sub(add(parts[0], parts[1]), common)
        case Op.XOR if value_of(parts[0]) is not None:
            common = _masked(parts[1], cast(int, parts[0].payload))
            return sub(add(parts[0], parts[1]), scale(common, 2))
        case Op.CONCAT:
            return _spread(parts)
        case Op.EXTRACT:
            high, low = cast(tuple[int, int], term.payload)
            return slice_of(parts[0], high, low)
        case Op.ZERO_EXTEND:
            return widened(parts[0], term.width)
        case _:
            return rebuild(term, args)


def _masked(term: BitVec, mask: int) -> BitVec:
    """`term & mask`, run by run of the mask."""
    width, total, low = term.width, const(0, term.width), 0
    while mask >> low:
        low += trailing_zeros(mask >> low, width)
        high = low + trailing_zeros(~(mask >> low), width + 1)
        if high == width and low:
            total = add(total, sub(term, widened(slice_of(term, low - 1, 0), width)))
        else:
            total = add(total, scale(widened(slice_of(term, high - 1, low), width), 1 << low))
        low = high
    return total


def _spread(parts: Sequence[BitVec]) -> BitVec:
    width = sum(part.width for part in parts)
    total, low = const(0, width), 0
    for part in reversed(parts):
        total = add(total, scale(widened(part, width), 1 << low))
        low += part.width
    return total


def _divided(term: BitVec, power: int) -> BitVec:
    """A word of which `term` is 2^power times, where all its parts are."""
    constant, parts = linear_parts(term)
    pieces = [scale(atom, factor >> power) for atom, factor in parts.items()]
    return add(const(constant >> power, term.width), *pieces)


def _power(term: BitVec) -> int:
    """How many factors of two the constant and all coefficients have."""
    constant, parts = linear_parts(term)
    return min(trailing_zeros(number, term.width) for number in (constant, *parts.values()))


def slice_of(term: BitVec, high: int, low: int) -> BitVec:
    """Bits `high` down to `low`."""
    term = truncate(term, high + 1)
    if not low or term.op is not Op.SUM:
        return extract(term, high, low)
    constant, parts = linear_parts(term)
    width = high + 1 - low
    upper, rest = const(constant >> low, width), const(constant & ((1 << low) - 1), term.width)
    for atom, factor in parts.items():
        if factor % (1 << low):
            rest = add(rest, scale(atom, factor))
        else:
            upper = add(upper, scale(truncate(atom, width), factor >> low))
    power = min(_power(rest), low)
    if value_of(rest) is None and power:
        rest, high, low = truncate(_divided(rest, power), high - power + 1), high - power, low - power
    return add(upper, extract(rest, high, low))


def widened(term: BitVec, to: int) -> BitVec:
    """`term` with zeros above."""
    power = _power(term) if term.op is Op.SUM else 0
    if not power or to == term.width:
        return zero_extend(term, to)
    return scale(zero_extend(truncate(_divided(term, power), term.width - power), to), 1 << power)
