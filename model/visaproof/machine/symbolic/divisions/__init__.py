"""Integer divisions that a compiler makes of operations on floats."""
