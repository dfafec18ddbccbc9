"""Generated OpenCL C kernels: compiled for several devices, run by our machines, and held against PoCL."""
