"""Both sides of a rewrite rule on terms, its conditions, and what is asked of them."""
