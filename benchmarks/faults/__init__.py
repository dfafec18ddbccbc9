"""Seeded miscompilations: faults planted in the targets of proved pairs, and what `refine` says of each."""
