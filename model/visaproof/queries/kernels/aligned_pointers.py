"""Addresses whose low half adds less to a pointer than what that is a multiple of: nothing carries into the high half.

zx(a·x + c) = zx(a·x + c − r) + r    for a power of two a and r = c mod a
"""

from collections.abc import Mapping
from typing import cast

from visaproof.smt import BitVec, Op, add, const, linear_parts, scale, sub, truncate, zero_extend
from visaproof.smt.terms import lowest_bit


def without_small_carry(address: BitVec, pointers: Mapping[BitVec, int]) -> BitVec:
    """The same address, where these pointers are multiples of these powers of two."""
    half = address.width // 2
    aligned = {truncate(pointer, half): alignment for pointer, alignment in pointers.items()}
    constant, parts = linear_parts(address)
    summands = (scale(_behind_multiple(atom, aligned), factor) for atom, factor in parts.items())
    return add(const(constant, address.width), *summands)


def _behind_multiple(atom: BitVec, aligned: dict[BitVec, int]) -> BitVec:
    """An extended word as one with the low bits of its sum behind it; any other as it is."""
    if atom.op is not Op.ZERO_EXTEND:
        return atom
    word = cast(BitVec, atom.args[0])
    constant, parts = linear_parts(word)
    multiples = [(factor & -factor) * aligned.get(one, lowest_bit(one)) for one, factor in parts.items()]
    behind = const(constant % min((1 << word.width, *multiples)), word.width)
    return add(zero_extend(sub(word, behind), atom.width), zero_extend(behind, atom.width))
