"""What a source may choose for uninitialised values, and whether a choice explains a difference."""
