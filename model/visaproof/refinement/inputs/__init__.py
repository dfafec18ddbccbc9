"""What a launch hands to two kernels: samplers, and buffers that begin at offsets and may overlap."""
