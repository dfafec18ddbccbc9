"""Files of rewrite rules: their grammar, what is declared, and the instances they stand for."""
