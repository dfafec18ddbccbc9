"""Whole launches on numbers: many threads at once, on NumPy arrays.  The only package that imports numpy."""
