"""Words that compilers compute in halves, as whole words."""
