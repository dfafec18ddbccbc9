"""Where a surface begins before its buffer: the launch hands the distance to the kernel.

    surface   0        distance           A kernel that is handed no distance gets a surface that begins where its
              |--------|-- buffer --      buffer does.  Source: compute-runtime, `KernelArgBuffer`: pointer minus
                                          allocation, where the kernel has a place for it in the payload.

Beside addresses, and beside a kernel that is handed no such distance, accesses are compared by their place in the
buffer.  Runs have distances of 0.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from visaproof.checking.stages import Values
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.surface_keys import OfArgument
from visaproof.launch.launch import BufferOffset
from visaproof.launch.matching import Program, surface_of
from visaproof.launch.premises import premise
from visaproof.program.statements import MemoryMessage
from visaproof.refinement.effects.sharing import ALIGNMENT
from visaproof.refinement.testing.runner import Runner
from visaproof.semantics.symbolic import names
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, scale, symbol, symbols_of, zero_extend

BUFFER_OFFSETS = premise("buffer-offsets")


def needs_buffers(programs: Sequence[Program], by_address: bool) -> bool:
    """Whether the kernels can only be compared by places in buffers: their surfaces may begin at different places."""
    handed = [set(_handed(program)) for program in programs]
    return any(handed) if by_address else handed[0] != handed[1]


def has_addresses(program: Program) -> bool:
    """Whether it has statements that reach memory by addresses, if only private memory."""
    return any(isinstance(one, MemoryMessage) and one.message.surface == FLAT for one in program.code.statements)


def _handed(program: Program) -> Iterator[int]:
    """The arguments of whose distances the launch hands to the kernel."""
    for item in program.kernel.inputs:
        for piece in program.launch.pieces(item.variable):
            if isinstance(piece.meaning, BufferOffset):
                yield piece.meaning.argument.index


class Begins(Struct, frozen=True):
    """Where buffers begin, in the terms of a comparison."""

    elements: Mapping[str, int]
    """As `Sharing.elements`."""
    at_distances: bool
    """Whether surfaces begin at distances before them."""

    def distance(self, index: int) -> BitVec:
        """How far the surface of an argument begins before its buffer."""
        buffer = str(OfArgument(index))
        unit = min(self.elements.get(buffer, ALIGNMENT), ALIGNMENT)
        return scale(zero_extend(symbol(names.BufferOffset(buffer, unit), 32 - unit.bit_length() + 1), 32), unit)


def distances(program: Program, begins: Begins, keys: Iterable[str]) -> dict[str, BitVec]:
    """The distance of each surface of which the launch hands it over, by the kernel's own name of the surface."""
    words = {str(OfArgument(index)): begins.distance(index) for index in _handed(program)}
    named = {key: surface_of(program, key, by_meaning=True) for key in keys}
    return {key: words[name] for key, name in named.items() if name in words}


def with_distances(program: Program, begins: Begins, initial: Callable[[str, int], Byte]) -> Callable[[str, int], Byte]:
    """The initial registers, in which the distances that the launch hands over are multiples of elements."""

    def start(variable: str, byte: int) -> Byte:
        pieces = (piece for piece in program.launch.pieces(variable) if 0 <= byte - piece.offset < piece.size)
        for piece in pieces:
            if isinstance(piece.meaning, BufferOffset):
                return begins.distance(piece.meaning.argument.index), piece.first_byte + byte - piece.offset
        return initial(variable, byte)

    return start


def without_distances(runners: Sequence[Runner], values: Values) -> Values:
    """The values of a run, in which every surface begins where its buffer does."""
    words = (word for runner in runners for word in runner.distances.values())
    return dict(values) | dict.fromkeys(symbols_of(*words), 0)
