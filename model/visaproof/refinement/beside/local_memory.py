"""Shared local memory of two kernels: of one size in both, or of a known size in each."""

from dataclasses import replace

from visaproof.launch.local_memory import LocalMemory, local_memory
from visaproof.launch.matching import Program


def with_local_sizes(source: Program, target: Program) -> tuple[Program, Program, LocalMemory]:
    """The programs, each with its own size where they differ, and else what is known of the size that both have.

    Where only one of them says its size, the other one is taken to have the same.
    """
    one, other = (local_memory(program.kernel, program.launch) for program in (source, target))
    if one == other or not other.said:
        return source, target, one
    if not one.said:
        return source, target, other
    return replace(source, local_bytes=one.most), replace(target, local_bytes=other.most), one
