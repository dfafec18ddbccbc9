"""What two kernels do to one memory, as guarded stores, and when it is the same."""
