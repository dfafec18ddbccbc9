"""What an address of a scatter is made of: digits, and what they are multiplied by."""

from collections.abc import Mapping

from msgspec import Struct

from visaproof.smt import BitVec, Op

Factors = tuple[BitVec, ...]
Stride = Mapping[Factors, int]
"""A sum of products, by their factors."""

EXTENSIONS = (Op.ZERO_EXTEND, Op.SIGN_EXTEND)
DIVISIONS = (Op.UDIV, Op.UREM)


class Part(Struct, frozen=True):
    """What is left of a number where it is divided step by step, each time by a word: a quotient, or a remainder."""

    number: BitVec
    """Of the first lane."""
    steps: tuple[tuple[Op, BitVec], ...]


Digit = int | Part
"""The local id of a dimension, or a part of a number."""
