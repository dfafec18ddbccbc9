"""The three machines that run a kernel: on numbers, on terms, and on arrays of many threads."""
