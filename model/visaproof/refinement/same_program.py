"""Two programs that are one text: what the source does on an input, and what the target does, is one set of behaviours.

Refinement says that on every input on which the source is defined, the target is, too, and does only what the source
may do.  That is inclusion of one set in another, so it holds of a set and itself, whatever the program does: in loops
of any length, with uninitialised values (each run may find others, but what the target finds the source may find,
too), in whatever order lanes of an atomic and other threads take their turns, and under every choice of what is
forbidden or allowed.  For this both have to be asked about the same: one device, as the pages differ by device; one
launch, so that inputs are matched with themselves; the same registers observed; and one text for every function called.
It does not say that the source is defined.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.program.kernel import Kernel
from visaproof.refinement.observed import Observed
from visaproof.visaasm.source import logical_lines

SAME_PROGRAM = "the same program"
DEFINED_BY_A_RUN = "the same program, of which a run on zeros is defined"
"""Where it was not run symbolically: that is not needed but for the question whether it is ever defined."""
LOOKED_AT_S = 10
"""Processor time in which a program that is compared with itself is run symbolically."""


def is_itself(source: Program, target: Program, observed: Iterable[Observed]) -> bool:
    """Whether a program is compared with itself, in the same registers where these are observed."""
    return same_program(source, target) and all(one.source == one.target for one in observed)


def asks_about_itself(source: Program, target: Program, observed: Iterable[tuple[str, str]]) -> bool:
    """Whether a program is compared with itself in the same registers, by their names in both."""
    return same_program(source, target) and all(one == other for one, other in observed)


def same_program(source: Program, target: Program) -> bool:
    """Whether both are the same text, but for blanks and comments, for the same device and launch."""
    device = source.platform is target.platform
    return device and _known(source.launch) == _known(target.launch) and _same_text(source.kernel, target.kernel)


def _known(launch: Launch) -> Launch:
    """Without where it is known from."""
    return replace(launch, source="", file=None)


def _same_text(source: Kernel, target: Kernel) -> bool:
    if source.of_several_files or target.of_several_files:
        return source is target
    return _statements(source) == _statements(target)


def _statements(kernel: Kernel) -> list[str]:
    """Without comments, some of which go on over lines, and with one blank where there are several but in strings."""
    texts = (line.text for line in logical_lines(kernel.source_lines, kernel.path))
    return [text if '"' in text else " ".join(text.split()) for text in texts]
