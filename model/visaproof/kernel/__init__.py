"""Kernels: reading `.visaasm` files, what their inputs mean, and running them."""
