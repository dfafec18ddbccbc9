"""Launches as people and programs read them."""
