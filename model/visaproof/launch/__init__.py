"""What a launch puts into the inputs of a kernel, and on which premises answers rest."""
