"""A small number added to the low half of an aligned pointer does not carry: for all values, and only there."""

from collections.abc import Callable

import pytest

from visaproof.queries.kernels.aligned_pointers import without_small_carry
from visaproof.queries.kernels.buffer_places import Settled, behind_pointer, under_guard
from visaproof.smt import (
    BitVec,
    add,
    bool_symbol,
    concat,
    const,
    eq,
    extract,
    ite,
    neg,
    scale,
    substitute,
    symbol,
    true,
    truncate,
    zero_extend,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.solvers import solve

P, X = symbol("pointer", 64), symbol("x", 32)
MULTIPLE = 16
"""Of this many bytes the pointers here are multiples."""
BASE = scale(symbol("base", 64), MULTIPLE)


def address(pointer: BitVec, *behind: BitVec) -> BitVec:
    """What a kernel computes that adds in the low half and drops the carry."""
    low = add(truncate(pointer, 32), *behind)
    return add(scale(zero_extend(extract(pointer, 63, 32), 64), 1 << 32), zero_extend(low, 64))


SHAPES: dict[str, Callable[[BitVec], BitVec]] = {
    "small": lambda pointer: address(pointer, const(12, 32)),
    "largest": lambda pointer: address(pointer, const(MULTIPLE - 1, 32)),
    "next": lambda pointer: address(pointer, const(MULTIPLE, 32)),
    "beside a multiple": lambda pointer: address(pointer, scale(X, 8), const(4, 32)),
    "beside any": lambda pointer: address(pointer, X, const(4, 32)),
    "in halves": lambda pointer: concat(extract(pointer, 63, 32), add(truncate(pointer, 32), const(4, 32))),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_the_same_address_for_every_multiple(shape: str) -> None:
    """The pointer is a symbol to the rule, and a multiple of what buffers are aligned to for the solver."""
    before = SHAPES[shape](BASE)
    after = _placed(without_small_carry(SHAPES[shape](P), {P: MULTIPLE}))
    assert isinstance(solve((neg(eq(before, after)),), 20_000), Unsatisfiable)


def _placed(term: BitVec) -> BitVec:
    return substitute(term, {P: BASE})


@pytest.mark.parametrize(("shape", "offset"), [("small", 12), ("largest", 15), ("next", None), ("beside any", None)])
def test_less_than_the_alignment_is_an_offset_behind_the_pointer(shape: str, offset: int | None) -> None:
    found = behind_pointer(without_small_carry(SHAPES[shape](P), {P: MULTIPLE}), (P,))
    assert found == (None if offset is None else (P, const(offset, 64)))
    assert behind_pointer(SHAPES[shape](P), (P,)) is None


SETTLED = Settled()
"""What lanes share: an answer under one guard is none under another."""


@pytest.mark.parametrize("tested", ["which pointer", "the tag", "nothing"])
def test_a_guard_settles_which_of_two_pointers_it_is(tested: str) -> None:
    local, index = bool_symbol("local"), scale(zero_extend(symbol("index", 6), 64), 4)
    generic = add(ite(local, const(0x4000_0000_1000_0000, 64), P), index)
    tag = eq(extract(generic, 63, 61), const(2, 3))
    guard = {"which pointer": neg(local), "the tag": neg(tag), "nothing": true()}[tested]
    found = behind_pointer(under_guard(generic, guard, SETTLED), (P,))
    assert found == (None if tested == "nothing" else (P, index))
