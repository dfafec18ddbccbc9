"""Memory messages of many threads at once."""
