"""Whole launches on numbers: shape, payload, arguments, memory and images, races and traces."""
