"""Text of vISA: reading `.visaasm` files, what they say, and which statements there are."""
