"""The memory around a difference: before, after the source and after the target."""

from collections.abc import Iterator, Mapping

from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.sharing import SHARED
from visaproof.refinement.testing.memory import IMAGE_SIZE
from visaproof.refinement.verdicts import ByteDiffers, Difference
from visaproof.report.records.refine import Dword
from visaproof.report.two_kernels.overlap import buffer_at

DWORD = 4
BEFORE, SHOWN = 2, 4
"""Dwords before that of the difference, and in all."""


def dwords(comparison: Comparison, found: Difference, one: ByteDiffers) -> list[Dword]:
    """Those around a byte of a buffer that differs; none of an image."""
    size, _ = found.memory.get(one.surface, (0, {}))
    if not size or size == IMAGE_SIZE:
        return []
    before, source, target = contents(comparison, found, one.surface)
    offset = buffer_at(comparison, found, one.address)[1] if one.surface == SHARED else one.address
    base = one.address - offset
    first = max(0, offset // DWORD - BEFORE)
    places = [DWORD * (first + step) for step in range(SHOWN)]
    return [
        Dword(
            address=place,
            before=_hex(before, base + place),
            source=_hex(source, base + place),
            target=_hex(target, base + place),
        )
        for place in places
        if base + place < size
    ]


def contents(comparison: Comparison, found: Difference, surface: str) -> Iterator[Mapping[int, int]]:
    """What the surface holds before, after the source and after the target, which are run again."""
    yield found.memory.get(surface, (0, {}))[1]
    source, target = comparison.runners
    for side, runner in enumerate((source, tuple(target.orders())[found.order])):
        backwards = found.backwards and side == 1
        ran = runner.run(found.memory, comparison.question.lanes, found.values, backwards)
        yield ran.memory.get(surface, (0, {}))[1]


def _hex(contents: Mapping[int, int], address: int) -> str:
    """A dword as a number: the byte at the highest address first."""
    return "".join(f"{contents.get(address + step, 0):02x}" for step in reversed(range(DWORD)))
