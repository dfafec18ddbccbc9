"""What loads of a program's tables return, as facts: a table holds what the data section of its zebin says.

offset = k  ⇒  value = bytes k … k + width of the table
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.symbolic.trace import Trace
from visaproof.queries.kernels.buffer_places import behind_pointer
from visaproof.queries.kernels.surface_names import itself
from visaproof.smt import BitVec, Bool, Term, const, eq, implies, is_true, known_trailing_zeros
from visaproof.smt.evaluate import symbols_of


class Tables(Struct, frozen=True):
    """The tables of known contents: by the name of their buffer, and the words that are their address."""

    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    pointers: Mapping[BitVec, str] = field(default_factory=dict[BitVec, str])

    def facts(self, surface: str, cell: BitVec, value: BitVec) -> Iterator[Bool]:
        """What the table of this name holds at a cell; in the 64-bit address space, that in which the address lies."""
        surface, offset = itself(surface), cell
        if surface == FLAT and (found := behind_pointer(cell, self.pointers)) is not None:
            surface, offset = self.pointers[found[0]], found[1]
        if surface in self.contents:
            yield from held(self.contents[surface], offset, value)

    def initial(self, surface: str, values: Mapping[Term, int]) -> dict[int, int]:
        """The bytes of a surface that are those of tables; in the 64-bit address space, where the values have them."""
        if surface != FLAT:
            return dict(enumerate(self.contents.get(itself(surface), b"")))
        placed = ((values.get(word, 0), self.contents[name]) for word, name in self.pointers.items())
        return {base + place: byte for base, content in placed for place, byte in enumerate(content)}


NO_TABLES = Tables()


def held(content: bytes, offset: BitVec, value: BitVec) -> Iterator[Bool]:
    """That the value at this offset is that of the table."""
    width = value.width // 8
    step = 1 << min(known_trailing_zeros(offset), len(content).bit_length())
    for place in range(0, len(content) - width + 1, step):
        there = eq(offset, const(place, offset.width))
        number = int.from_bytes(content[place : place + width], "little")
        fact = implies(there, eq(value, const(number, value.width)))
        if not is_true(fact):
            yield fact


def loads_of_tables(trace: Trace, tables: Tables) -> tuple[Bool, ...]:
    """What the loads of a run return, as far as they are of a table and decide where or whether an access happens.

    A value that is only stored decides no question, and a premise less proves less and refutes nothing that a replay
    does not confirm.  The tables of `pow` and `sin` would be hundreds of thousands of facts.
    """
    if not tables.contents:
        return ()
    found = trace.performed
    deciding = [term for one in found for access in one.accesses for term in (access.guard, *access.cell)]
    used = set(symbols_of(*deciding, *(condition for condition, _ in (*trace.conditions, *trace.bounded))))
    return tuple(
        fact
        for performed in found
        for access, value in performed.loaded
        if len(access.cell) == 1 and value in used
        for fact in tables.facts(performed.surface, access.cell[0], value)
    )
