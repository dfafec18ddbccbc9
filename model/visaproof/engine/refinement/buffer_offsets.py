"""Where a surface begins before its buffer: the launch hands the distance to the kernel.  Source: corpus README.

A runtime that makes a surface for a whole buffer hands 0.  Beside addresses, and beside a kernel that is handed no such
distance, a surface is placed only so.
"""

from collections.abc import Callable, Iterator, Sequence

from visaproof.engine.refinement.thread_group import AnyRunner
from visaproof.kernel.launch import BufferOffset
from visaproof.kernel.matching import Program
from visaproof.kernel.meaning import Piece
from visaproof.kernel.premises import premise
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import const

NO_BUFFER_OFFSET = premise("no-buffer-offset")


def places_a_surface(programs: Sequence[Program], runners: Sequence[AnyRunner], by_address: bool) -> bool:
    """Whether the kernels can only be compared where such inputs are 0."""
    read = [set(_read(program, runner)) for program, runner in zip(programs, runners, strict=True)]
    if by_address:
        return any(read)
    handed = [set(_handed(program)) for program in programs]
    return bool((read[0] ^ read[1]) & (handed[0] ^ handed[1]))


def _read(program: Program, runner: AnyRunner) -> Iterator[int]:
    """The arguments of whose distances the kernel makes use."""
    for variable, byte in runner.reads:
        if (piece := _piece(program, variable, byte)) is not None:
            yield _argument(piece)


def _handed(program: Program) -> Iterator[int]:
    """The arguments of whose distances the launch hands to the kernel."""
    for item in program.kernel.inputs:
        for piece in program.launch.pieces(item.variable):
            if isinstance(piece.meaning, BufferOffset):
                yield piece.meaning.argument.index


def _argument(piece: Piece) -> int:
    assert isinstance(piece.meaning, BufferOffset)
    return piece.meaning.argument.index


def without_buffer_offset(program: Program, initial: Callable[[str, int], Byte]) -> Callable[[str, int], Byte]:
    """The initial registers where these inputs are 0."""

    def start(variable: str, byte: int) -> Byte:
        piece = _piece(program, variable, byte)
        return initial(variable, byte) if piece is None else (const(0, 8 * piece.size), byte - piece.offset)

    return start


def _piece(program: Program, variable: str, byte: int) -> Piece | None:
    pieces = (piece for piece in program.launch.pieces(variable) if piece.offset <= byte < piece.offset + piece.size)
    return next((piece for piece in pieces if isinstance(piece.meaning, BufferOffset)), None)
