"""Counters of loops, as integers."""
