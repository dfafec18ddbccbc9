"""Which lanes of a scatter may write the same byte: guesses, solver, and a run that confirms it."""
