"""Concrete runs of whole launches: shape, payload, arguments, memory and images, races and traces."""
