"""What runs of two kernels leave, by elements of buffers: `out[2]` rather than bytes of a surface."""

from collections.abc import Iterator, Mapping

from msgspec import UNSET

from visaproof.execution.elements import DWORD, Element, element_at
from visaproof.isa.surface_keys import argument_number
from visaproof.launch.input_meaning import Argument
from visaproof.launch.overlap import NOTHING_SAID
from visaproof.queries.kernels.surface_names import itself, like_then
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.sharing import SHARED
from visaproof.refinement.testing.lane_runs import Stored
from visaproof.refinement.testing.memory import IMAGE_SIZE
from visaproof.refinement.verdicts import ByteDiffers, Difference
from visaproof.report.records.refine import Dword
from visaproof.report.text.surface_words import surface_words
from visaproof.report.two_kernels.overlap import buffer_at
from visaproof.report.two_kernels.texels import channel_text

BEFORE, SHOWN = 2, 4
"""Dwords before that of the difference, and in all."""


def argument_at(comparison: Comparison, surface: str) -> Argument | None:
    """The argument whose surface it is."""
    number = argument_number(itself(surface))
    return None if number is None else comparison.source.launch.argument(number)


def surface_name(comparison: Comparison, surface: str) -> str:
    """A surface by its argument's name."""
    return like_then(surface_words(itself(surface), argument_at(comparison, surface)), surface)


def left(comparison: Comparison, found: Difference, one: ByteDiffers) -> tuple[str, Iterator[str]] | None:
    """The element of a buffer that differs, and what it is before, after the source and after the target.

    None of an image.
    """
    size, _ = found.memory.get(one.surface, (0, {}))
    if not size or size == IMAGE_SIZE:
        return None
    surface, address = (
        buffer_at(comparison, found, one.address) if one.surface == SHARED else (one.surface, one.address)
    )
    element = element_of(comparison, surface, address)
    first = one.address - address + element.first
    whole = range(first, first + element.size)
    if whole.stop > size:
        return None
    held = contents(comparison, found, one.surface)
    return element.place, (element.value(bytes(bytes_of.get(at, 0) for at in whole)) for bytes_of in held)


def element_of(comparison: Comparison, surface: str, address: int) -> Element:
    """The element that a byte of a surface belongs to."""
    argument, name = argument_at(comparison, surface), surface_name(comparison, surface)
    info = NOTHING_SAID if argument is None else comparison.source.launch.info(argument.index)
    return element_at(info, name, address)


def stored_text(comparison: Comparison, stored: Stored) -> str:
    """What a lane put into memory."""
    name = surface_name(comparison, stored.surface)
    if not stored.width:
        return f"{channel_text(stored.place)} of {name} = {stored.value:#x}"
    element = element_of(comparison, stored.surface, stored.place)
    if element.scalar and (element.first, element.size) == (stored.place, stored.width):
        return f"{element.place} = {element.value(stored.value.to_bytes(stored.width, 'little'))}"
    return f"{name} [{stored.place:#x}] = {stored.value:#0{2 * stored.width + 2}x}"


def dwords(comparison: Comparison, found: Difference, one: ByteDiffers) -> list[Dword]:
    """Those around a byte of a buffer that differs; none of an image."""
    size, _ = found.memory.get(one.surface, (0, {}))
    if not size or size == IMAGE_SIZE:
        return []
    before, source, target = contents(comparison, found, one.surface)
    surface, offset = buffer_at(comparison, found, one.address) if one.surface == SHARED else (one.surface, one.address)
    base = one.address - offset
    first = max(0, offset // DWORD - BEFORE)
    places = [DWORD * (first + step) for step in range(SHOWN)]
    elements = {place: element_of(comparison, surface, place) for place in places}
    return [
        Dword(
            address=place,
            place=elements[place].place if elements[place].scalar and elements[place].size == DWORD else UNSET,
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
