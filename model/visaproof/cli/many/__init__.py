"""Many files under one set of options: which are asked, side by side or in turn, and where the results go."""
