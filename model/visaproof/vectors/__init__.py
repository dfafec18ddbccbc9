"""Vectors of other implementations: read, tried in both writings, compared."""
