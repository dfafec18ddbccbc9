"""The symbolic machine: what `footprint` reads, and what its accesses do."""
