"""Vectors for every ALU, predicate and conversion opcode, with an oracle drawn from Intel's public pages alone.

The oracle was written from `documentation/visa` of intel-graphics-compiler (instructions/*.md, 2_datatypes.md,
3_execution_model.md, 5_operands.md) without a look at what the model computes; it imports nothing of the model.
Where a page states no result, it returns the set of results that the page allows.
"""
