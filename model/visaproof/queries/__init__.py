"""Questions about footprints: each function here returns a Query that the engine decides."""
