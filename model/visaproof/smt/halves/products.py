"""Products of words that were computed in halves, as products of the whole words.

With h the width of a half, w′ the high half of a word and w″ its low one, extended with zeros:

    x″·y″ + 2^h·(x′·y″) + 2^h·(x″·y′)  =  x·y          modulo 2^2h

Of what is multiplied by 2^h only the low h bits count.  Where a word has no high half, that summand is not there.
x′·y″ may be several summands, those of y″ each with x′.
tests/smt/test_split_products.py decides it with a solver.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from visaproof.smt.arithmetic import add, linear_parts, mul, scale, sum_of
from visaproof.smt.bits import zero_extend
from visaproof.smt.comparison import slt, ult
from visaproof.smt.halves.sums import as_whole, recombined
from visaproof.smt.logic import conj, disj, neg
from visaproof.smt.terms import BitVec, Bool, Op, const, kept

QWORD_BITS = 64
KEPT_CONDITIONS = 4_096
"""Accesses of one kernel share their conditions."""


@kept(KEPT_CONDITIONS)
def without_split_words(word: BitVec) -> BitVec:
    """The same word of an even width, as a sum with products of whole words in place of those of their halves."""
    return _with_products(recombined(word))


def whole_word(word: BitVec) -> BitVec:
    """The same, if it has 64 bits; any other word as it is."""
    return without_split_words(word) if word.width == QWORD_BITS else word


@kept(KEPT_CONDITIONS)
def of_whole_words(condition: Bool) -> Bool:
    """The same condition, with words that were computed in halves as wholes where it compares them."""
    match condition.op:
        case Op.ULT | Op.SLT:
            left, right = map(whole_word, cast(tuple[BitVec, BitVec], condition.args))
            return (ult if condition.op is Op.ULT else slt)(left, right)
        case Op.NOT:
            return neg(of_whole_words(cast(Bool, condition.args[0])))
        case Op.CONJ | Op.DISJ:
            parts = map(of_whole_words, cast(tuple[Bool, ...], condition.args))
            return (conj if condition.op is Op.CONJ else disj)(*parts)
        case _:
            return condition


def _with_products(total: BitVec) -> BitVec:
    half, modulus = total.width // 2, 1 << total.width
    constant, parts = linear_parts(total)
    left, joined = dict(parts), list[BitVec]()
    for atom, factor in parts.items():
        raised = (factor << half) % modulus
        if (low := _extended_factors(atom, half)) is None or not raised:
            continue
        whole = list[BitVec]()
        for one, other in (low, low[::-1]):
            found = _upper(left, one, other, raised, total.width)
            for summand in () if found is None else found.summands:
                del left[summand]
            whole.append(as_whole(const(0, half) if found is None else found.high, one))
        del left[atom]
        joined.append(scale(mul(*whole), factor))
    return add(sum_of(constant, left, total.width), *joined)


def _extended_factors(atom: BitVec, half: int) -> tuple[BitVec, BitVec] | None:
    """x″ and y″ of their product."""
    if atom.op is not Op.MUL or len(atom.args) != 2:
        return None
    inner = [cast(BitVec, one.args[0]) for one in atom.args if one.op is Op.ZERO_EXTEND]
    return (inner[0], inner[1]) if [one.width for one in inner] == [half, half] else None


class _Upper(NamedTuple):
    """What stands for so many times x′·y″ in a sum."""

    summands: list[BitVec]
    """One for each summand of y″."""
    high: BitVec
    """x′"""


def _upper(parts: Mapping[BitVec, int], low: BitVec, other: BitVec, factor: int, width: int) -> _Upper | None:
    """What is so many times x′·y″, and x′: of a slice x″ that of the same word; else there is only one."""
    found = list[_Upper]()
    for high in _factors(parts, factor, low.width):
        _, products = linear_parts(mul(high, other))
        wanted = {zero_extend(one, width): times * factor % (1 << width) for one, times in products.items()}
        if wanted and all(times and parts.get(one) == times for one, times in wanted.items()):
            found.append(_Upper([*wanted], high))
    if low.op is Op.EXTRACT:
        word = cast(BitVec, low.args[0])
        slices = (one for one in found if one.high.op is Op.EXTRACT and one.high.args[0] is word)
        found = [one for one in slices if _follows(one.high, low)]
    return found[0] if len(found) == 1 else None


def _factors(parts: Mapping[BitVec, int], unit: int, half: int) -> Iterator[BitVec]:
    """Those of the summands that are an upper half, each once: x′ is one of them."""
    seen = dict[BitVec, None]()
    for atom, times in parts.items():
        product = cast(BitVec, atom.args[0]) if atom.op is Op.ZERO_EXTEND else atom
        if times % (unit & -unit) == 0 and product.width == half:
            seen |= dict.fromkeys(cast(tuple[BitVec, ...], product.args) if product.op is Op.MUL else (product,))
    yield from seen


def _follows(high: BitVec, low: BitVec) -> bool:
    """Whether a slice of a word lies above another."""
    (_, start), (end, _) = cast(tuple[int, int], high.payload), cast(tuple[int, int], low.payload)
    return start == end + 1
