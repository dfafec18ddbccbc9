"""Functions of bits as words: every table, over words of which nothing is known and over such as are all or nothing."""

from itertools import product

import pytest

from visaproof.semantics.symbolic.bit_tables import by_table
from visaproof.smt import (
    BitVec,
    Op,
    Term,
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    bool_symbol,
    const,
    evaluate,
    ite,
    subterms,
    symbol,
)

a, b, c = (symbol(name, 8) for name in "abc")
p = bool_symbol("p")
MASK = ite(p, const(-1, 8), const(0, 8))
BITS: dict[Term, int] = {a: 0b10101010, b: 0b11001100, c: 0b11110000}
"""Bit k of the words is the digits of k."""


@pytest.mark.parametrize("table", range(256))
def test_bit_k_is_entry_k(table: int) -> None:
    assert evaluate(by_table(table, (a, b, c)), BITS) == table


@pytest.mark.parametrize("place", range(3))
def test_a_word_that_is_all_or_nothing_chooses(place: int) -> None:
    """No operation on the mask is left: what is chosen between are functions of the other words."""
    words: list[BitVec] = [a, b, c]
    words[place] = MASK
    for table, chosen in product(range(256), (0, 1)):
        term = by_table(table, words)
        values: dict[Term, int] = {**BITS, p: chosen}
        bits = [255 * chosen if k == place else BITS[word] for k, word in enumerate((a, b, c))]
        expected = sum(
            (table >> sum((word >> bit & 1) << k for k, word in enumerate(bits)) & 1) << bit for bit in range(8)
        )
        assert evaluate(term, values) == expected
        assert term.op is Op.ITE or p not in subterms(term)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (0x80, bit_and(a, bit_and(b, c))),
        (0xFE, bit_or(a, bit_or(b, c))),
        (0x96, bit_xor(a, bit_xor(b, c))),
        (0xEA, bit_or(a, bit_and(b, c))),
        (0x6A, bit_xor(a, bit_and(b, c))),
        (0xAC, bit_or(bit_and(b, bit_not(c)), bit_and(a, c))),
        (0x88, bit_and(a, b)),
        (0x0F, bit_not(c)),
    ],
)
def test_the_operations_are_those_that_were_joined(table: int, words: BitVec) -> None:
    """At most three of them: both terms have as many."""

    def operations(term: BitVec) -> int:
        return sum(bool(part.args) for part in subterms(term))

    found = by_table(table, (a, b, c))
    assert evaluate(found, BITS) == evaluate(words, BITS) == table
    assert operations(found) <= operations(words)
