"""What a thread starts with, whatever its kernel: how floats are rounded, and its number in its group."""

from collections.abc import Iterator, Mapping, Sequence

from visaproof.isa.float_modes import CONTROL
from visaproof.isa.platform import Platform
from visaproof.launch.float_results import MODES_AT_START
from visaproof.launch.ids.work_items import Group
from visaproof.refinement.widths.thread_group import AnyRunner, ThreadGroup
from visaproof.refinement.widths.wide_thread import NUMBER_BYTE, number_symbol
from visaproof.smt import BitVec, Term, symbol

MODES = symbol(f"{CONTROL}.0", 32)
HANDED = symbol(f"%r0.{NUMBER_BYTE}", 32)
"""The word of r0 whose lowest byte is the number of the thread, on devices that have it there."""


def as_started(group: Group, programs: Sequence[AnyRunner], values: Mapping[Term, int]) -> dict[Term, int]:
    """The values as a launch has them, where launches that exist are asked about.

    Drivers start kernels that round to nearest even, in IEEE mode.  The number of a thread follows from its local ids,
    where these tell it: one kernel may read the number, and the other one the ids.
    """
    found = dict(values)
    if group.launched is None:
        return found
    if MODES in found:
        found[MODES] &= ~MODES_AT_START
    numbers = group.launched.numbers(found)
    for one in _numbers_of(programs) if numbers else ():
        digits = (1 << min(one.width, 8)) - 1
        before = found.get(one, 0)
        if all(before & digits != number & digits for number in numbers):
            found[one] = before & ~digits | numbers[0] & digits
    return found


def _numbers_of(programs: Sequence[AnyRunner]) -> Iterator[BitVec]:
    """The words that hold the number of a thread; of a wide one with narrow ones beside it both may be read."""
    if any(one.platform >= Platform.XeHP_SDV for one in programs):
        yield HANDED
    yield from (number_symbol(one.split) for one in programs if isinstance(one, ThreadGroup))
