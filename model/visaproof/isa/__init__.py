"""The vocabulary of the pages: enums, operands, platforms and readings as pure data."""
