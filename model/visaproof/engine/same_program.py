"""Two programs that are one text: both do the same on the same inputs, also in loops of any length.

Nothing follows from it for what a program does with values that nothing wrote: each run may find others.
"""

from dataclasses import replace

from visaproof.kernel.launch import Launch
from visaproof.kernel.matching import Program
from visaproof.kernel.syntax import Kernel

SAME_PROGRAM = "the same program"


def same_program(source: Program, target: Program) -> bool:
    """Whether both are the same text, but for blanks and comment lines, for the same device and launch."""
    device = source.platform is target.platform
    return device and _known(source.launch) == _known(target.launch) and _same_text(source.kernel, target.kernel)


def _known(launch: Launch) -> Launch:
    """Without where it is known from."""
    return replace(launch, source="")


def _same_text(source: Kernel, target: Kernel) -> bool:
    if source.of_several_files or target.of_several_files:
        return source is target
    return _lines(source) == _lines(target)


def _lines(kernel: Kernel) -> list[str]:
    words = (line.split() for line in kernel.source_lines)
    return [" ".join(line) for line in words if line and not line[0].startswith("//")]
