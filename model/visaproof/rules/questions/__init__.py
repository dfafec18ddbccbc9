"""Both sides of a rewrite rule, symbolically, its conditions, and what is asked of them."""
