"""Statements, files and premises as people and programs read them."""
