"""Launches of the corpus by `visaproof run`'s engine, held against the kernels' own OpenCL source run by PoCL."""
