"""The second normal form: masks of all kinds against a solver, and what becomes equal; see `proofs/normal_form.py`."""

from collections.abc import Callable

import pytest

from visaproof.smt import (
    BitVec,
    add,
    bit_and,
    bit_or,
    bit_xor,
    const,
    eq,
    lshr,
    neg,
    scale,
    symbol,
    written,
    zero_extend,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.expanded import expanded
from visaproof.smt.solvers import Preparation, solve

X, Y, Z = symbol("x", 32), symbol("y", 32), symbol("z", 16)


def word(number: int) -> BitVec:
    return const(number, 32)


MASKS = (1, 2, 3, 0x3C, 0xFFFF_FFF8, 0x8000_0000, 0x7FFF_FFFF, 0xF0F0_0003, 0xFFFF_0000)

SHAPES: dict[str, BitVec] = {
    **{f"and {mask:#x}": bit_and(word(mask), add(scale(X, 12), Y)) for mask in MASKS},
    **{f"or {mask:#x}": bit_or(word(mask), add(scale(X, 12), Y)) for mask in MASKS},
    **{f"xor {mask:#x}": bit_xor(word(mask), add(scale(X, 4), Y)) for mask in MASKS},
    "and of a multiple": bit_and(word(0xFFFF_FFF8), scale(add(X, Y), 4)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_second_form_has_the_same_value(shape: str) -> None:
    """The solver gets the term as it was, and as it is then; nothing puts their equation in normal form."""
    term = SHAPES[shape]
    (second,) = expanded([term])
    differ = written.neg(written.eq(term, second))
    assert isinstance(solve([differ], 20_000, preparation=Preparation.SIMPLIFIED), Unsatisfiable)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (bit_and(word(0xFFFF_FFF8), scale(add(X, Y), 4)), scale(bit_and(word(0xFFFF_FFFE), add(X, Y)), 4)),
        (bit_xor(word(4), scale(add(X, Y), 4)), scale(bit_xor(word(1), add(X, Y)), 4)),
        (bit_or(word(4), scale(add(X, Y), 4)), scale(bit_or(word(1), add(X, Y)), 4)),
        (
            zero_extend(scale(add(X, Y), 960), 40),
            scale(zero_extend(lshr(add(scale(X, 960), word(16)), word(4)), 40), 16),
        ),
    ],
)
def test_masks_and_multiples_meet(one: BitVec, other: BitVec) -> None:
    """What is equal for all values is one term; but for the last, which is not equal."""
    equal = isinstance(solve([neg(eq(one, other))], 20_000), Unsatisfiable)
    first, second = expanded([one, other])
    assert (first is second) == equal


@pytest.mark.parametrize("wrong", [lambda c: c >> 1, lambda c: c << 1, lambda c: c ^ 8])
def test_another_mask_is_another_word(wrong: Callable[[int], int]) -> None:
    one, other = (bit_and(word(mask), add(X, Y)) for mask in (0x3C, wrong(0x3C)))
    first, second = expanded([one, other])
    assert first is not second
