"""Floating-point terms: one value by evaluation, by compiled functions, by z3's theory and by Bitwuzla's."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.isa.float_modes import Rounding
from visaproof.smt import Bool, Term, const, eq, evaluate, neg, substitute, symbol, written, z3_backend
from visaproof.smt.answers import Answer, Satisfiable, Unsatisfiable
from visaproof.smt.compiled import compiled
from visaproof.smt.ieee import DOUBLE, HALF, SINGLE, FloatOp, FloatOperation, Format, compute, rounded
from visaproof.smt.smtlib import term_of, text_of

FORMATS = (HALF, SINGLE, DOUBLE)
ARITHMETIC = {FloatOp.ADD: 2, FloatOp.MUL: 2, FloatOp.FMA: 3, FloatOp.INTEGRAL: 1}
Ask = Callable[[Sequence[Bool], int, int], Answer]


def backends() -> list[Ask]:
    """z3, and Bitwuzla where it is installed."""
    try:
        from visaproof.smt import bitwuzla_backend
    except ImportError:
        return [z3_backend.ask]
    return [z3_backend.ask, bitwuzla_backend.ask]


every_solver = pytest.mark.parametrize("ask", backends(), ids=lambda ask: ask.__module__.rpartition(".")[2])


def patterns(layout: Format) -> st.SearchStrategy[int]:
    """Zeros, the ends of the denormal and the normal numbers, infinities, NaN, powers of two, then the rest."""
    one = layout.bias << layout.fraction_bits
    edges = (0, 1, layout.smallest_normal - 1, layout.smallest_normal, layout.infinity - 1, layout.infinity)
    edges += (layout.nan, layout.infinity + 1, one, one - 1, one + 1, one + layout.smallest_normal)
    near = st.builds(lambda edge, by: (edge + by) % layout.sign, st.sampled_from(edges), st.integers(-2, 2))
    magnitudes = st.one_of(st.sampled_from(edges), near, st.integers(0, layout.sign - 1))
    return st.builds(lambda size, sign: size | sign, magnitudes, st.sampled_from((0, layout.sign)))


@st.composite
def operations(draw: st.DrawFn) -> tuple[FloatOperation, tuple[int, ...], tuple[int, ...]]:
    """An operation, its arguments, and their widths."""
    result, rounding = draw(st.sampled_from(FORMATS)), draw(st.sampled_from(Rounding))
    op = draw(st.sampled_from(FloatOp))
    if op in ARITHMETIC:
        args = tuple(draw(patterns(result)) for _ in range(ARITHMETIC[op]))
        return FloatOperation(op, rounding, result), args, (result.width,) * len(args)
    if op is FloatOp.CONVERT:
        source = draw(st.sampled_from(FORMATS))
        return FloatOperation(op, rounding, result, source), (draw(patterns(source)),), (source.width,)
    width = draw(st.sampled_from((8, 16, 32, 64)))
    number = draw(
        st.one_of(st.integers(0, (1 << width) - 1), st.sampled_from((0, 1, (1 << width) - 1, 1 << width - 1)))
    )
    return FloatOperation(op, rounding, result), (number,), (width,)


@pytest.mark.slow
@settings(max_examples=150)
@given(operations())
def test_every_way_to_a_float_result_gives_the_same(
    drawn: tuple[FloatOperation, tuple[int, ...], tuple[int, ...]],
) -> None:
    operation, args, widths = drawn
    symbols = [symbol(f"float{k}.{width}", width) for k, width in enumerate(widths)]
    term = rounded(operation, *symbols)
    values: dict[Term, int] = dict(zip(symbols, args, strict=True))
    expected = compute(operation, args, widths)
    assert evaluate(term, values) == expected
    assert compiled([term], symbols)(args) == [expected]
    constants: dict[Term, Term] = {one: const(value, one.width) for one, value in zip(symbols, args, strict=True)}
    assert substitute(term, constants) is const(expected, term.width)
    fixed = [eq(one, const(value, one.width)) for one, value in zip(symbols, args, strict=True)]
    for ask in backends():
        assert isinstance(ask([*fixed, eq(term, const(expected, term.width))], 20_000, 0), Satisfiable)
        assert isinstance(ask([*fixed, neg(eq(term, const(expected, term.width)))], 20_000, 0), Unsatisfiable)


@given(operations())
def test_a_float_term_is_read_back_from_its_text(
    drawn: tuple[FloatOperation, tuple[int, ...], tuple[int, ...]],
) -> None:
    operation, args, widths = drawn
    symbols = {f"float{k}": symbol(f"float{k}", width) for k, width in enumerate(widths)}
    term = written.rounded(operation, *symbols.values())
    read = term_of(text_of(term), symbols)
    values: dict[Term, int] = dict(zip(symbols.values(), args, strict=True))
    assert (read.payload, evaluate(read, values)) == (operation, evaluate(term, values))


@pytest.mark.parametrize("text", ["(_ ieee.add RNE 8)", "(_ ieee.add RNE 0 23)", "(_ ieee.div RNE 8 23)"])
def test_an_operation_that_is_none_is_no_expression(text: str) -> None:
    with pytest.raises(ValueError, match=r"float|FloatOp"):
        term_of(f"({text} x x)", {"x": symbol("x", 32)})


@every_solver
def test_doubling_is_adding_to_itself_and_values_of_a_difference_hold(ask: Ask) -> None:
    x, y = symbol("x", 32), symbol("y", 32)
    add, mul = (FloatOperation(op, Rounding.NEAREST_EVEN, SINGLE) for op in (FloatOp.ADD, FloatOp.MUL))
    two = const(0x4000_0000, 32)
    assert isinstance(ask([neg(eq(rounded(mul, x, two), rounded(add, x, x)))], 20_000, 0), Unsatisfiable)
    differ = neg(eq(rounded(mul, x, y), rounded(add, x, y)))
    answer = ask([differ], 20_000, 0)
    assert isinstance(answer, Satisfiable)
    assert evaluate(differ, dict(answer.values))


@pytest.mark.parametrize("rounding", Rounding)
def test_addition_and_multiplication_commute_and_nothing_else_does(rounding: Rounding) -> None:
    """As terms, and to a solver, which sees them as they are written."""
    x, y, z = (symbol(name, 16) for name in "xyz")
    ask = backends()[-1]
    for op, more in ((FloatOp.ADD, ()), (FloatOp.MUL, ()), (FloatOp.FMA, (z,))):
        operation = FloatOperation(op, rounding, HALF)
        assert rounded(operation, x, y, *more) is rounded(operation, y, x, *more)
        other = neg(eq(written.rounded(operation, y, x, *more), rounded(operation, y, x, *more)))
        assert isinstance(ask([other], 20_000, 0), Unsatisfiable)
    fused = FloatOperation(FloatOp.FMA, rounding, HALF)
    differ = neg(eq(rounded(fused, x, y, z), rounded(fused, x, z, y)))
    assert isinstance(ask([differ], 20_000, 0), Satisfiable)
