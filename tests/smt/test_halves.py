"""Words computed in halves: each rule against a solver, and what it makes of addresses."""

from collections.abc import Callable

import pytest

from visaproof.smt import (
    BitVec,
    Op,
    Term,
    add,
    ashr,
    concat,
    const,
    eq,
    extract,
    is_false,
    lshr,
    neg,
    scale,
    shl,
    sign_extend,
    sub,
    symbol,
    symbols_of,
    truncate,
    zero_extend,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.evaluate import evaluate_all
from visaproof.smt.halves import as_sum
from visaproof.smt.solvers import solve
from visaproof.smt.z3_backend import Lowering

HALVES = (4, 8, 32)


def carried(low: BitVec, high: BitVec, base: BitVec) -> BitVec:
    """low and high plus a base, half by half: add, carry, add, add."""
    half = low.width
    base_low, base_high = extract(base, half - 1, 0), extract(base, 2 * half - 1, half)
    wide = add(zero_extend(low, 2 * half), zero_extend(base_low, 2 * half))
    carry = extract(wide, 2 * half - 1, half)
    return concat(add(carry, add(high, base_high)), add(low, base_low))


def word(half: int) -> BitVec:
    return symbol(f"x{half}", half)


def base(half: int) -> BitVec:
    """A pointer that arrives in two halves."""
    return concat(symbol(f"high{half}", half), symbol(f"low{half}", half))


SHAPES: dict[str, Callable[[int], BitVec]] = {
    "concatenated": lambda h: concat(add(word(h), symbol(f"y{h}", h)), symbol(f"z{h}", h)),
    "in a sum": lambda h: scale(concat(word(h), symbol(f"z{h}", h)), 3),
    "carry": lambda h: carried(word(h), symbol(f"y{h}", h), base(h)),
    "shl, shr": lambda h: carried(shl(word(h), const(2, h)), lshr(word(h), const(h - 2, h)), base(h)),
    "shl, asr": lambda h: carried(shl(word(h), const(2, h)), ashr(word(h), const(h - 2, h)), base(h)),
    "asr all": lambda h: carried(word(h), ashr(word(h), const(h - 1, h)), base(h)),
    "asr all of a product": lambda h: carried(scale(word(h), 4), ashr(scale(word(h), 4), const(h - 1, h)), base(h)),
    "shl, shr of a sum": lambda h: carried(
        shl(add(word(h), const(3, h)), const(2, h)), lshr(add(word(h), const(3, h)), const(h - 2, h)), base(h)
    ),
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_sum_is_the_same_word(shape: str, half: int) -> None:
    """For all values: z3 gets the term as it was, with the concatenation, and the sum."""
    term = SHAPES[shape](half)
    joined = as_sum(term)
    assert not any(atom.op is Op.CONCAT for atom in (joined, *joined.args))
    lowering = Lowering()
    import z3

    solver = z3.Solver()
    solver.add(lowering.lower(term) != lowering.lower(joined))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize(
    ("shape", "whole"),
    [
        ("shl, shr", lambda h: scale(zero_extend(word(h), 2 * h), 4)),
        ("shl, asr", lambda h: scale(sign_extend(word(h), 2 * h), 4)),
        ("asr all", lambda h: sign_extend(word(h), 2 * h)),
        ("shl, shr of a sum", lambda h: scale(zero_extend(add(word(h), const(3, h)), 2 * h), 4)),
    ],
)
def test_addresses_are_pointer_plus_offset(shape: str, whole: Callable[[int], BitVec], half: int) -> None:
    """What is added to the pointer is one extended word."""
    assert as_sum(SHAPES[shape](half)) is add(as_sum(base(half)), whole(half))


def test_other_neighbours_stay_apart() -> None:
    """The upper half of one word and the lower half of another are no word."""
    one, other = symbol("one", 64), symbol("other", 64)
    mixed = as_sum(concat(extract(one, 63, 32), truncate(other, 32)))
    values: dict[Term, int] = {one: 7 << 32 | 1, other: 9 << 32 | 2}
    assert evaluate_all([mixed], values) == [7 << 32 | 2]


@pytest.mark.parametrize("extend", [zero_extend, sign_extend])
@pytest.mark.parametrize("factor", [1, 4, 12])
@pytest.mark.parametrize("distance", [0, 1, -1, 5])
@pytest.mark.parametrize("bytes_apart", [0, 1, 4, -4, 12, 20, 60])
def test_scaled_words_at_a_known_distance(
    extend: Callable[[BitVec, int], BitVec], factor: int, distance: int, bytes_apart: int
) -> None:
    """f·ext(x + d) = f·ext(x) + c is decided only where it can never hold; z3 agrees."""
    x, top = symbol("narrow", 6), 16
    left = scale(extend(add(x, const(distance, 6)), top), factor)
    right = add(scale(extend(x, top), factor), const(bytes_apart, top))
    equal = eq(left, right)
    possible = not isinstance(solve([neg(neg(equal))], 5000), Unsatisfiable)
    holds = [
        (factor * _extended(value + distance, extend) - factor * _extended(value, extend) - bytes_apart) % 2**16 == 0
        for value in range(64)
    ]
    assert possible == any(holds)
    if is_false(equal):
        assert not any(holds)
    if bytes_apart % factor or (bytes_apart // factor - distance) % 64:
        assert is_false(equal), "the difference is not a multiple, or another one"
    assert symbols_of(sub(left, right)) in ([], [x])


def _extended(value: int, extend: Callable[[BitVec, int], BitVec]) -> int:
    value %= 64
    return value - 64 if extend is sign_extend and value >= 32 else value
