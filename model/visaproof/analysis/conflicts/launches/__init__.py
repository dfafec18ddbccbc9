"""Launches that are tried: usual ones, simple values and small random ones, and their runs."""
