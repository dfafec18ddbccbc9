"""Addresses as numbers with digits: local ids, and what quotients and remainders leave of other numbers."""
