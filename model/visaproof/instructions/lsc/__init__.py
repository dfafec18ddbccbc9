"""Untyped LSC messages.  Page: LSC_UNTYPED.md."""
