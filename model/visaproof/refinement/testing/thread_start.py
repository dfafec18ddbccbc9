"""What a thread starts with, whatever its kernel: how floats are rounded, and its number in its group."""

from collections.abc import Mapping

from visaproof.isa.float_modes import CONTROL
from visaproof.launch.float_results import MODES_AT_START
from visaproof.launch.ids.work_items import Group
from visaproof.refinement.widths.wide_thread import NUMBER_BYTE, THREAD_NUMBER
from visaproof.smt import Term, symbol

MODES = symbol(f"{CONTROL}.0", 32)
HANDED = symbol(f"%r0.{NUMBER_BYTE}", 32)
"""The word of r0 whose lowest byte is the number of the thread, on devices that have it there."""
NUMBERS = tuple(symbol(THREAD_NUMBER, bits) for bits in range(4, 8))
"""The number of a thread of which another kernel has several, which are numbered as well."""


def as_started(group: Group, values: Mapping[Term, int]) -> dict[Term, int]:
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
    for one in (HANDED, *NUMBERS) if numbers else ():
        digits = (1 << min(one.width, 8)) - 1
        before = found.get(one, 0)
        if all(before & digits != number & digits for number in numbers):
            found[one] = before & ~digits | numbers[0] & digits
    return found
