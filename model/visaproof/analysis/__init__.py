"""Questions about one kernel: conflicts, bounds, undefined values, and what a statement does."""
