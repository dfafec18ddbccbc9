"""How a question about two programs is decided: a table of strategies, tried in order until one answers."""
