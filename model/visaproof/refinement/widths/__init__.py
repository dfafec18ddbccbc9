"""Kernels of different SIMD widths: one wide thread against several narrow ones."""
