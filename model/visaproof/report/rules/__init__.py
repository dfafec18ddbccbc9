"""Rewrite rules as people and programs read them."""
