"""What answers rest on beside the kernel's text: a table of premises, each with who grants it and how it is lifted.

A premise that is in no row cannot be stated: `premise` raises KeyError.
"""

from msgspec import Struct

from visaproof.launch.premise_rows import PremiseRow
from visaproof.launch.premise_table import PREMISES


class Premise(Struct, frozen=True):
    """A premise as one answer rests on it."""

    name: str
    sentence: str
    """With what this kernel puts in."""

    @property
    def row(self) -> PremiseRow:
        return PREMISES[self.name]

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}"


def premise(name: str, **fields: object) -> Premise:
    """The premise of this name, with what this kernel puts in."""
    return Premise(name, PREMISES[name].sentence.format(**fields))
