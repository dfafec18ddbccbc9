"""Random testing of two kernels: launches, runs, and differences made small."""
