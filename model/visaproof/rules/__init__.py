"""Rewrite rules: each instance decided, counterexamples made small, preconditions suggested."""
