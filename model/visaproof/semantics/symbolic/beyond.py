"""Registers and predicate bits that a variable does not have: who reads or writes them, and what is there.

Page 5_operands: "The behavior is undefined if an operand attempts to access an out-of-bound data element."  What is
written there is lost.  What is read there is 0, or else nondeterministic.
"""

from msgspec import Struct, field

from visaproof.isa.errors import Position
from visaproof.semantics.symbolic.value_names import BeyondVariable
from visaproof.smt import BitVec, Bool, const, is_false, symbol


class Excess(Struct, frozen=True):
    """A statement that reads or writes beyond a variable where the guard holds."""

    guard: Bool
    position: Position
    variable: str
    places: range
    """Bytes, or bits of a predicate."""
    written: bool = False
    of_bits: bool = False
    of_address: bool = False
    """Whether a register address leaves its variable, or its address register was never written."""
    value: BitVec | None = None
    """What is read at such an address."""

    @property
    def what(self) -> str:
        """What happens, for the reader."""
        verb, unit = "writes" if self.written else "reads", "bits" if self.of_bits else "bytes"
        if self.of_address:
            return f"{verb} at a register address that leaves {self.variable}"
        return f"{verb} {unit} {self.places.start}..{self.places.stop - 1}, which lie beyond {self.variable}"


class Beyond(Struct):
    """What is beyond the variables of a thread."""

    nondeterministic: bool = False
    """Whether it may be anything; else it is 0."""
    found: list[Excess] = field(default_factory=list[Excess])
    position: Position | None = None
    """The statement that runs now; None where nothing is noted."""
    tolerated: bool = False
    """Whether messages take variables to go on for ever."""

    def note(self, guard: Bool, variable: str, places: range, *, written: bool = False, of_bits: bool = False) -> None:
        """Notes an access of the statement that runs now."""
        if self.position is not None and not is_false(guard):
            excess = Excess(guard, self.position, variable, places, written, of_bits)
            if excess not in self.found[-64:]:
                self.found.append(excess)

    def byte(self, variable: str, byte: int) -> BitVec:
        """A byte that the variable does not have."""
        return byte_beyond(variable, byte) if self.nondeterministic else const(0, 8)


def byte_beyond(variable: str, byte: int) -> BitVec:
    """The symbol of a byte that the variable does not have."""
    return symbol(BeyondVariable(variable, byte), 8)
