"""Products of words that were computed in halves, as products of the whole words.

With h the width of a half, w′ the high half of a word and w″ its low one, extended with zeros:

    x″·y″ + 2^h·(x′·y″) + 2^h·(x″·y′)  =  x·y          modulo 2^2h

Of what is multiplied by 2^h only the low h bits count.  Where a word has no high half, that summand is not there.
tests/smt/test_half_products.py decides it with a solver.
"""

from collections.abc import Mapping
from typing import cast

from visaproof.smt.arithmetic import add, linear_parts, mul, scale, sum_of
from visaproof.smt.halves import as_sum, as_whole
from visaproof.smt.terms import BitVec, Op, const


def without_halves(word: BitVec) -> BitVec:
    """The same word of an even width, as a sum with products of whole words in place of those of their halves."""
    return _with_products(as_sum(word))


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
            found = _upper(left, one, other, raised, half)
            if found is not None:
                del left[found[0]]
            whole.append(as_whole(const(0, half) if found is None else found[1], one))
        del left[atom]
        joined.append(scale(mul(*whole), factor))
    return add(sum_of(constant, left, total.width), *joined)


def _extended_factors(atom: BitVec, half: int) -> tuple[BitVec, BitVec] | None:
    """x″ and y″ of their product."""
    if atom.op is not Op.MUL or len(atom.args) != 2:
        return None
    inner = [cast(BitVec, one.args[0]) for one in atom.args if one.op is Op.ZERO_EXTEND]
    return (inner[0], inner[1]) if [one.width for one in inner] == [half, half] else None


def _upper(
    parts: Mapping[BitVec, int], low: BitVec, other: BitVec, factor: int, half: int
) -> tuple[BitVec, BitVec] | None:
    """The summand that is so many times x′·y″, and x′: of a slice x″ that of the same word; else there is only one."""
    found: list[tuple[BitVec, BitVec]] = []
    for atom, times in parts.items():
        product = cast(BitVec, atom.args[0]) if atom.op is Op.ZERO_EXTEND else atom
        if times != factor or product.op is not Op.MUL or len(product.args) != 2 or product.width != half:
            continue
        one, two = cast(tuple[BitVec, BitVec], product.args)
        found += [(atom, high) for high, factor_of in ((one, two), (two, one)) if factor_of is other]
    if low.op is Op.EXTRACT:
        word = cast(BitVec, low.args[0])
        found = [one for one in found if one[1].op is Op.EXTRACT and one[1].args[0] is word and _follows(one[1], low)]
    return found[0] if len(found) == 1 else None


def _follows(high: BitVec, low: BitVec) -> bool:
    """Whether a slice of a word lies above another."""
    (_, start), (end, _) = cast(tuple[int, int], high.payload), cast(tuple[int, int], low.payload)
    return start == end + 1
