"""Several files as one kernel: subroutines, and names that the linker knows."""
