"""A concrete run of a kernel: one thread, statement by statement."""
