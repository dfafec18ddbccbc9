"""From what was read back to text, as Intel's compiler spells it."""
