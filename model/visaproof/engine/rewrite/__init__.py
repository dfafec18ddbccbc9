"""Rewrite rules: each instance decided, counterexamples found and made small, preconditions suggested."""
