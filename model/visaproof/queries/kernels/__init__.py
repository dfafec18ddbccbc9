"""Formulas about the accesses of a kernel: collisions, bounds, undefined reads, buffers."""
