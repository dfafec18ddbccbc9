"""The concrete machine, on ints and bytes: what `execute` runs on."""
