"""The variables that exist without a declaration.  Source: docs/pages/operands-and-files.md §4, §5.

Their sizes are those of Intel's table (visa/PreDefinedVars.cpp), except that `%r0` is one GRF of the widest platform:
kernels for a 64-byte GRF alias all of it, and on a narrower one nothing lies behind its eighth dword.
"""

from visaproof.isa.types import DataType

GENERAL = (
    ("%null", DataType.UD, 1),
    ("%thread_x", DataType.UW, 1),
    ("%thread_y", DataType.UW, 1),
    ("%group_id_x", DataType.UD, 1),
    ("%group_id_y", DataType.UD, 1),
    ("%group_id_z", DataType.UD, 1),
    ("%tsc", DataType.UD, 5),
    ("%r0", DataType.UD, 16),
    ("%arg", DataType.UD, 256),
    ("%retval", DataType.UD, 96),
    ("%sp", DataType.UQ, 1),
    ("%fp", DataType.UQ, 1),
    ("%hw_id", DataType.UD, 1),
    ("%sr0", DataType.UD, 4),
    ("%cr0", DataType.UD, 3),
    ("%ce0", DataType.UD, 1),
    ("%dbg0", DataType.UD, 2),
    ("%color", DataType.UW, 1),
    ("%impl_arg_buf_ptr", DataType.UQ, 1),
    ("%local_id_buf_ptr", DataType.UQ, 1),
    ("%msg0", DataType.UD, 3),
    ("%scratchloc", DataType.UQ, 1),
)
"""Name, element type and element count; the place in this list is the index in byte code."""

SURFACES = ("%slm", "T1", "T2", "TSS", "%bss", "%scratch")
"""The place in this list is the index in byte code."""

BINDLESS_SAMPLER = "S31"
"""Stands for the sampler whose handle a `movs` last put there.  Source: docs/pages/current-compiler.md §5."""

PREDEFINED = frozenset((*(name for name, _, _ in GENERAL), *SURFACES, BINDLESS_SAMPLER))
"""The names of them all."""
