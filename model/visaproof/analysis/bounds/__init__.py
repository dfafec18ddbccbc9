"""Which messages leave their surface or are undefined, and what hangs on uninitialised bits."""
