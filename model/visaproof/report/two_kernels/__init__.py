"""Answers about two kernels as people and programs read them."""
