"""Products as integers of which the order is known: what cannot hold with them cannot hold; it is enough for rows."""

from random import Random

import pytest

from visaproof.smt import (
    BitVec,
    Bool,
    add,
    conj,
    const,
    eq,
    mul,
    neg,
    scale,
    sign_extend,
    sle,
    slt,
    symbol,
    ule,
    ult,
    zero_extend,
)
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.integers.products import with_integer_products
from visaproof.smt.solvers import solve

WIDE = 66
MS = 20_000


def words(*names: str) -> list[BitVec]:
    return [symbol(name, 32) for name in names]


def beyond(size: BitVec, index: BitVec) -> Bool:
    """Element `index` of four bytes ends behind the size."""
    return ult(size, add(zero_extend(scale(index, 4), WIDE), const(4, WIDE)))


def inside(bound: Bool, x: BitVec, y: BitVec, w: BitVec, h: BitVec) -> Bool | None:
    """Element y·w + x leaves a buffer of w·h elements, of which no more than 2^32 bytes are."""
    size = scale(mul(sign_extend(w, WIDE), sign_extend(h, WIDE)), 4)
    natural = [sle(const(0, 32), one) for one in (x, y)]
    fits = conj(sle(const(0, WIDE), size), ule(size, const(1 << 32, WIDE)))
    return with_integer_products(conj(bound, *natural, fits, beyond(size, add(mul(y, w), x))))


def test_rows_and_columns_stay_inside_their_product() -> None:
    x, y, w, h = words("x", "y", "w", "h")
    formula = inside(conj(slt(x, w), slt(y, h)), x, y, w, h)
    assert formula is not None
    assert isinstance(solve([formula], MS), Unsatisfiable)


@pytest.mark.parametrize("wrong", ["one column more", "one row more", "no bound of columns"])
def test_one_row_or_column_more_does_not(wrong: str) -> None:
    x, y, w, h = words("x", "y", "w", "h")
    bounds = {
        "one column more": conj(sle(x, w), slt(y, h)),
        "one row more": conj(slt(x, w), sle(y, h)),
        "no bound of columns": slt(y, h),
    }
    formula = inside(bounds[wrong], x, y, w, h)
    assert formula is not None
    assert not isinstance(solve([formula], MS), Unsatisfiable)


@pytest.mark.slow
def test_a_sum_that_the_formula_compares_is_one_factor() -> None:
    """g·l·w + i·w is (g·l + i)·w, where g·l + i is below h."""
    x, w, h, group, size, own = words("x", "w", "h", "g", "l", "i")
    y = add(mul(group, size), own)
    formula = inside(conj(slt(x, w), slt(y, h)), x, y, w, h)
    assert formula is not None
    assert isinstance(solve([formula], MS), Unsatisfiable)


@pytest.mark.parametrize(
    ("rows", "below", "shown"), [(1, 1, True), (1, 0, False), (2, 2, True), (2, 1, False), (7, 7, True)]
)
def test_rows_below_that_of_a_work_item_stay_inside(rows: int, below: int, shown: bool) -> None:
    """(y + rows)·w + x is inside where y + below < h, if `below` is as many."""
    x, y, w, h = words("x", "y", "w", "h")
    size = scale(mul(sign_extend(w, WIDE), sign_extend(h, WIDE)), 4)
    guard = conj(slt(x, w), slt(add(y, const(below, 32)), h), *(ult(one, const(1 << 15, 32)) for one in (x, y, w, h)))
    index = add(mul(y, w), scale(w, rows), x)
    formula = with_integer_products(conj(guard, beyond(size, index)))
    assert formula is not None
    assert isinstance(solve([formula], MS), Unsatisfiable) is shown


@pytest.mark.parametrize("natural", [True, False])
def test_a_guard_that_wraps_lets_through_no_size_of_a_buffer(natural: bool) -> None:
    """0 < x < w - 1 holds of x for w = -2^31, too; then 4·w·h is negative, or more than 32 bits reach."""
    x, y, w, h = words("x", "y", "w", "h")
    size = scale(mul(sign_extend(w, WIDE), sign_extend(h, WIDE)), 4)
    inner = [conj(slt(const(0, 32), one), slt(one, add(end, const(-1, 32)))) for one, end in ((x, w), (y, h))]
    premises = [sle(const(0, WIDE), size)] if natural else []
    formula = with_integer_products(conj(*inner, *premises, slt(size, zero_extend(scale(x, 4), WIDE))))
    assert formula is not None
    assert isinstance(solve([formula], MS), Unsatisfiable) is natural


@pytest.mark.parametrize(("most", "shown"), [(1024, True), (2048, True), (4096, False)])
def test_a_product_that_is_bounded_by_a_number_does_not_wrap(most: int, shown: bool) -> None:
    """g·l + i < n < 2^31 in 44 bits, for a local size l ≤ `most`: from 4096 on 44 bits do not hold g·l + l."""
    group, size, own = (symbol(name, width) for name, width in (("g", 32), ("l", 16), ("i", 16)))
    product = mul(zero_extend(group, 44), zero_extend(size, 44))
    in_group = conj(ule(size, const(most, 16)), ult(const(0, 16), size), ult(own, size))
    ids = ule(add(product, zero_extend(size, 44)), const(1 << 31, 44))
    negative = slt(add(mul(group, zero_extend(size, 32)), zero_extend(own, 32)), const(0, 32))
    formula = with_integer_products(conj(in_group, ids, negative))
    assert formula is not None
    assert isinstance(solve([formula], MS), Unsatisfiable) is shown


def test_a_formula_without_products_is_left_alone() -> None:
    x, w = words("x", "w")
    assert with_integer_products(slt(x, w)) is None


def a_word(random: Random, symbols: list[BitVec]) -> BitVec:
    """A polynomial, with extended factors as well."""
    found = const(random.randrange(16), symbols[0].width)
    for _ in range(random.randrange(1, 4)):
        product = random.choice(symbols)
        for _ in range(random.randrange(3)):
            product = mul(product, random.choice(symbols))
        found = add(found, scale(product, random.choice((1, 1, 2, 3, 15))))
    return found


def a_comparison(random: Random, narrow: list[BitVec], signed: list[bool]) -> Bool:
    wide = [sign_extend(one, 9) if flag else zero_extend(one, 9) for one, flag in zip(narrow, signed, strict=True)]
    symbols = random.choice((narrow, wide))
    compare = random.choice((slt, sle, ult, ule, eq))
    one = compare(a_word(random, symbols), a_word(random, symbols))
    return neg(one) if random.random() < 0.3 else one


@pytest.mark.slow(but=24)
@pytest.mark.parametrize("seed", range(60))
def test_what_can_hold_can_hold_with_integers(seed: int) -> None:
    """Of small words, whose products wrap in every way."""
    random = Random(seed)
    narrow = [symbol(f"small.{name}", 4) for name in "abcd"]
    signed = [random.random() < 0.5 for _ in narrow]
    limits = [ule(one, const(random.randrange(16), 4)) for one in narrow if random.random() < 0.3]
    formula = conj(*limits, *(a_comparison(random, narrow, signed) for _ in range(random.randrange(1, 5))))
    followed = with_integer_products(formula)
    if followed is not None and isinstance(solve([formula], MS), Satisfiable):
        assert isinstance(solve([followed], MS), Satisfiable)
