"""What words would be if nothing wrapped."""

import pytest

from visaproof.smt import BitVec, add, const, mul, scale, sign_extend, symbol, udiv, zero_extend
from visaproof.smt.integers.unwrapped import unwrapped

x, n = symbol("x", 32), symbol("n", 32)
VALUES = {x: 3, n: 0x8000_0001}


@pytest.mark.parametrize(
    ("word", "integer"),
    [
        (scale(mul(x, sign_extend(symbol("k", 16), 32)), 4), 3 * -2 * 4),
        (add(x, const(-5, 32)), -2),
        (scale(n, 2), 2 * (0x8000_0001 - (1 << 32))),
        (udiv(n, const(2, 32)), 0x4000_0000),
        (add(zero_extend(n, 64), const(1, 64)), 0x8000_0002),
        (zero_extend(scale(n, 2), 64), 2 * (0x8000_0001 - (1 << 32))),
    ],
    ids=["a product", "a difference", "a sum that wraps", "a quotient", "an unsigned word", "an extended sum"],
)
def test_sums_and_products_are_read_as_integers(word: BitVec, integer: int) -> None:
    assert unwrapped(word, {**VALUES, symbol("k", 16): 0xFFFE}) == integer
