"""A kernel on numbers: one thread, statement by statement."""
