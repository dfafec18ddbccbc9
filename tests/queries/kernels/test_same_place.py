"""Whether two cells of texels are one, coordinate by coordinate, against numbers."""

from itertools import product

import pytest

from visaproof.queries.kernels.stores import same_place
from visaproof.smt import (
    BitVec,
    Op,
    concat,
    conj,
    const,
    eq,
    evaluate,
    is_false,
    scale,
    symbol,
    symbols_of,
    zero_extend,
)

WIDTH = 10
X, Y, V, W = (symbol(name, 2) for name in "xyvw")


def cell(high: BitVec, low: BitVec, shift: int) -> BitVec:
    return scale(zero_extend(concat(high, low), WIDTH), 1 << shift)


@pytest.mark.parametrize("shift", [0, 1, 6, 7, 8])
@pytest.mark.parametrize("parts", [(X, Y, V, W), (X, Y, X, W), (X, Y, V, X), (X, X, Y, Y), (X, Y, Y, X)])
def test_cells_are_one_where_the_shifted_words_are(parts: tuple[BitVec, ...], shift: int) -> None:
    """From 7 on the shift loses bits."""
    one, other = cell(parts[0], parts[1], shift), cell(parts[2], parts[3], shift)
    found = same_place(one, other)
    names = sorted({*symbols_of(one), *symbols_of(other)}, key=str)
    for numbers in product(range(4), repeat=len(names)):
        values = dict(zip(names, numbers, strict=True))
        assert evaluate(found, values) == (evaluate(one, values) == evaluate(other, values))


def test_coordinates_are_compared_by_themselves() -> None:
    assert same_place(cell(X, Y, 6), cell(X, W, 6)) is eq(Y, W)
    assert same_place(cell(X, Y, 7), cell(X, W, 7)) is not eq(Y, W)
    assert same_place(cell(X, Y, 6), cell(V, W, 5)).op is Op.EQ
    channel = concat(V, W, const(1, 6))
    assert is_false(same_place(cell(X, Y, 6), channel))
    assert same_place(cell(X, Y, 6), concat(V, W, const(0, 6))) is conj(eq(X, V), eq(Y, W))
    assert same_place(concat(X, Y), concat(V, W)) is not eq(concat(X, Y), concat(V, W))
