"""Answers of earlier runs, and what keeps them in order."""
