"""What a statement is turned into before many threads run it."""

from collections.abc import Callable

from msgspec import Struct

from visaproof.isa.operands import Execution
from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.batch import Batch, Enabled

Run = Callable[[Batch, Enabled], Bools | None]
"""Runs the statement for the threads of a batch but for those (threads,) that it returns: nothing of them has changed.

The machine for single threads runs them, and finds what is undefined or not modelled.
"""

Move = Callable[[Batch, Enabled, str], Bools | None]
"""The same of a message, for the surface of this key."""


class Step(Struct, frozen=True):
    """A statement that the arrays run."""

    execution: Execution | None
    """The lanes that it covers; None for a block message, which one writer sends for the thread."""
    run: Run
