"""How large a surface has to be, where nothing is stated of its size."""
