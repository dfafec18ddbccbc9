"""Concrete runs of whole launches: many threads at once, on NumPy arrays.  The only package that imports numpy."""
