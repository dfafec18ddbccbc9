"""Lanes of one atomic that meet on a cell: their order is left open, and mostly it shows."""

from collections.abc import Callable

from msgspec import Struct, field

from visaproof.instructions import TypedAtomic
from visaproof.isa.identity import Same
from visaproof.machine.concrete.run import Observer
from visaproof.program.statements import MemoryMessage, Run
from visaproof.queries.kernels.atomic_order import lanes_commute
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Texel

_Place = tuple[Same[Buffer], int]


class Modified(Struct):
    """What the atomics of one statement have changed, and whether it shows in any in which order its lanes come."""

    bytes: dict[_Place, tuple[int, int]] = field(default_factory=dict[_Place, tuple[int, int]])
    """Surface and address: address and width of the cell of which the byte was changed."""
    met: bool = False
    """Whether lanes met in some statement so that their order may show."""
    on_one_cell: bool = False
    """Whether lanes of the statement met on one cell."""
    texels: list[tuple[Same[Image], Texel]] = field(default_factory=list[tuple[Same[Image], Texel]])
    """Those that the statement has reached: surface and texel."""

    def changes(self, surface: Same[Buffer], address: int, width: int) -> None:
        """Takes in a lane of an atomic."""
        cells = {self.bytes.get((surface, address + k)) for k in range(width)} - {None}
        self.on_one_cell |= bool(cells)
        self.met |= not cells <= {(address, width)}
        self.bytes |= {(surface, address + k): (address, width) for k in range(width)}

    def end_statement(self, is_typed_atomic: bool, order_shows: Callable[[], bool]) -> None:
        """Whether the order shows of lanes on one cell is asked where lanes met on one."""
        met = self.on_one_cell or (is_typed_atomic and len(set(self.texels)) < len(self.texels))
        self.met |= met and order_shows()
        self.on_one_cell = False
        self.texels.clear()
        self.bytes.clear()


def end_of_statement(modified: Modified) -> Observer:
    """What takes in, after each statement of a run, whether lanes of an atomic met and their order may show."""

    def ended(statement: Run, _: ConcreteState) -> None:
        message = statement.message if isinstance(statement, MemoryMessage) else None
        modified.end_statement(
            isinstance(message, TypedAtomic), lambda: message is not None and not lanes_commute(message)
        )

    return ended
