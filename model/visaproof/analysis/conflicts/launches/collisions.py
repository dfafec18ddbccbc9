"""Lanes that write one byte or texel, in a run."""

from visaproof.isa.errors import Position
from visaproof.machine.concrete.run import Outcome
from visaproof.semantics.concrete.surface import Place, Write


def colliding(writes: tuple[Write, ...]) -> tuple[Write, Write] | None:
    """Two writes of different lanes to one place."""
    owner: dict[Place, Write] = {}
    for write in writes:
        for place in write.places:
            first = owner.setdefault(place, write)
            if first.lane != write.lane:
                return first, write
    return None


def collisions(outcome: Outcome) -> tuple[Position, ...]:
    """The scatters whose lanes collided, in the order of a run past collisions."""
    return tuple(dict.fromkeys(outcome.performed[place].instruction.position for place in outcome.collided))
