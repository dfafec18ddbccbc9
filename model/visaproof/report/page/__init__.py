"""One page for many results, that a browser opens from a file and without a network."""
