"""The three machines that run a kernel: concretely, symbolically, and on arrays of many threads."""
