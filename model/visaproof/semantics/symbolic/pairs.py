"""Sums of absolute differences of pairs of elements, symbolically.  Pages: SAD2, SAD2ADD."""

from collections.abc import Sequence

from visaproof.semantics.symbolic.elements import Integer, Source
from visaproof.smt import BitVec, add, const, ite, negate, slt, sub

PAIRED = ("sad2", "sad2add")


def sum_of_differences(sources: Sequence[Source]) -> Integer:
    """|a − b| + |c − d| of src0[i], src1[i], src0[i+1], src1[i+1]; plus src2[i], if there is one."""
    width = max(source.held for source in sources) + 3
    words = [source.modulo(width) for source in sources]
    parts = [_size(sub(words[0], words[1])), _size(sub(words[2], words[3])), *words[4:]]
    return Integer(add(*parts))


def _size(word: BitVec) -> BitVec:
    return ite(slt(word, const(0, word.width)), negate(word), word)
