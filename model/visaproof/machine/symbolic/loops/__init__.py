"""Loops of unknown length: an iteration that stands for later ones, and what is known in it."""
