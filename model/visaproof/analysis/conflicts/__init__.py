"""Which lanes of a scatter may write the same byte: simple values, solver, and a run that confirms it."""
