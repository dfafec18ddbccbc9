"""Values of functions of which nothing is known, in one launch: equal where their operands are, and only there."""

from visaproof.analysis.conflicts.alike_values import alike_values, functions_in
from visaproof.isa.errors import Position
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.uninterpreted_results import UNINTERPRETED, Uninterpreted
from visaproof.semantics.symbolic.elements import Source
from visaproof.smt import BitVec, Bool, Term, add, const, eq, neg, symbol
from visaproof.visaasm.syntax import Instruction

X, Y, N = (symbol(name, 32) for name in ("x", "y", "n"))
ONE, OTHER = symbol("one", 32), symbol("other", 32)
STATEMENT = Instruction("inv", (), None, None, (), Position("kernel.visaasm", 1, 1), "inv")


def value(of: BitVec, operand: BitVec | None, opcode: str = "inv", control: BitVec | None = None) -> Uninterpreted:
    operands = None if operand is None else (Source(operand, DataType.F),)
    return Uninterpreted(of, STATEMENT, 0, UNINTERPRETED, (opcode,), operands, DataType.F, control)


def alike(formula: Bool, values: list[Uninterpreted], launch: dict[BitVec, int]) -> dict[Term, Term]:
    return alike_values(
        functions_in(formula, values), {one: const(number, one.width) for one, number in launch.items()}
    )


def test_values_of_operands_that_a_launch_makes_equal_are_one() -> None:
    values = [value(ONE, add(X, N)), value(OTHER, add(Y, N))]
    assert alike(neg(eq(ONE, OTHER)), values, {X: 1, Y: 1}) == {OTHER: ONE}


def test_values_of_other_operands_stay_apart() -> None:
    values = [value(ONE, add(X, N)), value(OTHER, add(Y, N))]
    assert not alike(neg(eq(ONE, OTHER)), values, {X: 1, Y: 2})
    assert not alike(neg(eq(ONE, OTHER)), values, {X: 1})


def test_values_of_other_operations_stay_apart() -> None:
    asked = neg(eq(ONE, OTHER))
    assert not alike(asked, [value(ONE, X), value(OTHER, Y, "sqrt")], {X: 1, Y: 1})
    assert not alike(asked, [value(ONE, X), value(OTHER, Y, control=N)], {X: 1, Y: 1})
    assert not alike(asked, [value(ONE, None), value(OTHER, None)], {X: 1, Y: 1})


def test_a_value_of_equal_values_is_one_as_well() -> None:
    """Also where the formula names the outermost ones alone."""
    inner, same = symbol("inner", 32), symbol("same", 32)
    values = [value(inner, X), value(same, Y), value(ONE, add(inner, N)), value(OTHER, add(same, N))]
    assert alike(neg(eq(ONE, OTHER)), values, {X: 1, Y: 1}) == {same: inner, OTHER: ONE}
    assert not alike(neg(eq(ONE, OTHER)), values, {X: 1, Y: 2})


def test_values_that_a_formula_does_not_depend_on_are_left_alone() -> None:
    assert not alike(eq(ONE, N), [value(ONE, X), value(OTHER, Y)], {X: 1, Y: 1})
