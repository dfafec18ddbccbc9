"""Inputs of which ze_info says what they hold, in a word that is not modelled here: nobody may compute with them."""

from collections.abc import Iterable, Iterator

from visaproof.isa.errors import NotModelled
from visaproof.isa.registers import Input
from visaproof.launch.input_meaning import Piece
from visaproof.launch.launch import Launch, Unknown
from visaproof.program.kernel import Kernel


def unmodelled_read(kernel: Kernel, launch: Launch, read: Iterable[tuple[str, int]]) -> NotModelled | None:
    """Why the kernel cannot be followed if it reads these bytes of registers before anything wrote them."""
    unmodelled = {
        (item.variable, byte): (item, piece)
        for item, piece in _unmodelled(kernel, launch)
        for byte in range(piece.offset, piece.offset + piece.size)
    }
    found = next((unmodelled[place] for place in read if place in unmodelled), None) if unmodelled else None
    return None if found is None else input_not_modelled(*found)


def unmodelled_named(kernel: Kernel, launch: Launch, spans: Iterable[tuple[str, int, int]]) -> NotModelled | None:
    """The same, if statements that are not run name these bytes, each from one to before another, to read them."""
    return first_named(_unmodelled(kernel, launch), spans)


def first_named(pieces: Iterable[tuple[Input, Piece]], spans: Iterable[tuple[str, int, int]]) -> NotModelled | None:
    """Why a kernel that reads these spans cannot be followed, if nothing is known of these pieces of inputs."""
    unknown = list(pieces)
    for root, first, end in spans if unknown else ():
        for item, piece in unknown:
            if root == item.variable and first < piece.offset + piece.size and piece.offset < end:
                return input_not_modelled(item, piece)
    return None


def _unmodelled(kernel: Kernel, launch: Launch) -> Iterator[tuple[Input, Piece]]:
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if isinstance(piece.meaning, Unknown) and not piece.meaning.modelled:
                yield item, piece


def input_not_modelled(item: Input, piece: Piece) -> NotModelled:
    return NotModelled(f"what input {item.variable} holds ({piece})", item.position)
