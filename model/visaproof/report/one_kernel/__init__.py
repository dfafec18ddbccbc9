"""Answers about one kernel as people and programs read them."""
