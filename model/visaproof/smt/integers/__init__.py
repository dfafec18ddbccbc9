"""Bit-vector formulas as formulas about integers: what cannot hold of the integers cannot hold of the words."""
