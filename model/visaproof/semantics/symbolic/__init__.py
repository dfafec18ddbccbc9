"""The symbolic machine, on terms: what `footprint` reads, and what its accesses do."""
