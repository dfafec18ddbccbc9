"""Loads from the thread's own row of the local ids, which a launch keeps in memory for functions.

address − table − n·ROW = c, a constant inside of the row    ⇒    it brings byte c of the row, and those behind it
"""

from collections.abc import Iterable, Iterator

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.identity import Same
from visaproof.isa.implicit_arguments import IDS, TABLE
from visaproof.isa.platform import THREAD_NUMBER_BYTE
from visaproof.semantics.symbolic.accesses import Access, Load
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.smt import BitVec, add, bit_and, const, scale, zero_extend
from visaproof.smt.arithmetic import difference
from visaproof.smt.halves.sums import recombined


def own_ids(registers: GuardedRegisters, accesses: Iterable[Access]) -> Iterator[tuple[Same[Access], BitVec]]:
    """What these accesses bring, as far as they read the row of the thread."""
    row = registers.sizes.get(IDS)
    if row is None:
        return
    number = zero_extend(bit_and(registers.read("%r0", THREAD_NUMBER_BYTE, 4), const(0xFF, 32)), 64)  # as IGC has it
    begin = recombined(add(registers.read(TABLE, 0, 8), scale(number, row)))
    for one in accesses:
        if isinstance(one, Load) and one.surface == FLAT:
            place, unknown = difference(recombined(one.cell[0]), begin)
            if not unknown and place + one.width <= row:
                yield Same(one), registers.read(IDS, place, one.width)
