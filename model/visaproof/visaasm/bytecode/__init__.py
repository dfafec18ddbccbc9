"""Byte code: the fields of a Format table to bytes and back."""
