"""Which messages leave their surface or have no meaning, and what hangs on bits that nothing wrote."""
