"""Addresses of shared local memory without IGC's tag: of t + x the byte x, as no x carries into the tag."""

from typing import cast

from visaproof.isa.operands import SLM_TAG
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    ite,
    kept,
    linear_parts,
    sub,
    subterms,
    ule,
    ult,
    zero_extend,
)

KEPT = 1024
"""Addresses: it is asked of each where it is, and whether that is inside."""
LEAST, MOST = SLM_TAG // 2, 2 * SLM_TAG
"""Between which the constant of a tagged address is: less than the tag where something is subtracted, s[i - 1]."""


@kept(KEPT)
def without_slm_tag(address: BitVec) -> BitVec:
    """The address without the tag; each of the choices in it is looked at once."""
    words, left = dict[BitVec, BitVec](), [address]
    while left:
        if (one := left.pop()) not in words:
            words[one] = one
            left += _inner(one)
    for one in sorted(words, key=lambda word: word.serial):
        if one.op is Op.ITE:
            then, otherwise = (words[inner] for inner in _inner(one))
            words[one] = ite(cast(Bool, one.args[0]), then, otherwise)
        elif inner := _inner(one):
            words[one] = zero_extend(words[inner[0]], one.width)
        else:
            words[one] = _plain(one)
    return words[address]


def _inner(word: BitVec) -> tuple[BitVec, ...]:
    """The words of which it is one, or the choice that is made longer.

    Any other longer word is a sum of one part: so what a constant is added to has the same form without the tag.
    """
    of_choice = word.op is Op.ZERO_EXTEND and word.args[0].op is Op.ITE
    first = 0 if of_choice else 1 if word.op is Op.ITE else len(word.args)
    return cast(tuple[BitVec, ...], word.args[first:])


def _plain(word: BitVec) -> BitVec:
    """A word that is no choice: where the tag is in it in another way than by a sum, the value shows whether it is."""
    constant, parts = linear_parts(word)
    if _has_tag(constant):
        return sub(word, const(SLM_TAG, word.width))
    for atom, count in parts.items():
        inner = cast(BitVec, atom.args[0]) if atom.op is Op.ZERO_EXTEND else atom
        if count == 1 and inner is not atom and _has_tag(linear_parts(inner)[0]):
            longer = zero_extend(sub(inner, const(SLM_TAG, inner.width)), word.width)
            return add(sub(word, atom), longer)
    if word.high < SLM_TAG or not any(map(_brings_tag, subterms(word))):
        return word
    tag, most = const(SLM_TAG, word.width), const(MOST, word.width)
    return ite(conj(ule(tag, word), ult(word, most)), sub(word, tag), word)


def _has_tag(constant: int) -> bool:
    return LEAST <= constant < MOST


def _brings_tag(term: Term) -> bool:
    """Whether a constant in it may be the tag; of a choice of two, each is a part by itself."""
    if term.op is Op.SUM:
        return _has_tag(cast(tuple[int, tuple[int, ...]], term.payload)[0])
    return term.op is Op.CONST and _has_tag(cast(int, term.payload))
