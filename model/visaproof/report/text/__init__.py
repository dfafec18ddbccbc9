"""Columns, tables, excerpts and formulas in plain text."""
