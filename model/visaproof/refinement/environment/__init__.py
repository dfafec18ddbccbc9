"""What other threads may see of two kernels, and do to them."""
