"""The types of z3 that public records have, for type checkers alone: z3 is not imported."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import z3  # pyright: ignore[reportMissingTypeStubs]

    Z3BitVec = z3.BitVecRef
    Z3Bool = z3.BoolRef
    Z3Array = z3.ArrayRef
    Z3Expr = z3.ExprRef
else:
    Z3BitVec = Z3Bool = Z3Array = Z3Expr = Any
