"""What `import visaproof` offers.  The table of names is in the package's `__init__`."""
