"""What bounded scalars look like in the payload (`--assume bounded`): words that range over what is assumed, no more.

Each word is built so that every value of its symbol obeys the assumption, and each value that obeys it is reached: the
assumption cannot contradict itself.
"""

from collections.abc import Iterator

from msgspec import Struct

from visaproof.isa.registers import Input
from visaproof.launch.ids.work_items import LOCAL_SIZES
from visaproof.launch.input_meaning import GROUP_ID_BYTES
from visaproof.launch.launch import ArgumentValue, Launch, LaunchValue, Piece
from visaproof.launch.premises import premise
from visaproof.program.kernel import Kernel
from visaproof.smt import BitVec, add, const, symbol, zero_extend

SCALAR_BITS = 14
GROUP_ID_BITS = 16
GROUP_IDS = {"%r0": GROUP_ID_BYTES, "%group_id_x": (0,), "%group_id_y": (0,), "%group_id_z": (0,)}

BOUNDED = premise("bounded", most=2**SCALAR_BITS, groups=2**GROUP_ID_BITS)


class BoundedWord(Struct, frozen=True):
    """A word of the payload, and the least value that it can have."""

    variable: str
    byte: int
    word: BitVec
    least: int

    @property
    def name(self) -> str:
        """Of its symbol, which counts from `least` on."""
        return f"{self.variable}.{self.byte}"


def bounded_words(kernel: Kernel, launch: Launch) -> Iterator[BoundedWord]:
    """The words of which the assumption says something; group ids need no launch information."""
    for variable, places in GROUP_IDS.items():
        for byte in places:
            yield BoundedWord(variable, byte, zero_extend(symbol(f"{variable}.{byte}", GROUP_ID_BITS), 32), 0)
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if piece.meaning is LaunchValue.GLOBAL_ID_OFFSET:
                yield from (BoundedWord(item.variable, byte, const(0, 32), 0) for byte in _dwords(piece))
            elif piece.meaning in LOCAL_SIZES:
                yield from (_scalar(item, byte, 4) for byte in _dwords(piece))
            elif _is_scalar(kernel, item, piece):
                yield _scalar(item, 0, piece.size)


def _scalar(item: Input, byte: int, size: int) -> BoundedWord:
    width = 8 * size
    from_zero = zero_extend(symbol(f"{item.variable}.{byte}", SCALAR_BITS), width)
    return BoundedWord(item.variable, byte, add(from_zero, const(1, width)), 1)


def _dwords(piece: Piece) -> Iterator[int]:
    """Where the whole dwords of a vector stand."""
    skipped = -piece.first_byte % 4
    yield from range(piece.offset + skipped, piece.offset + piece.size - 3, 4)


def _is_scalar(kernel: Kernel, item: Input, piece: Piece) -> bool:
    """Whether the input is one integer of two bytes or more that is passed by value."""
    register = kernel.registers.get(item.variable)
    if register is None or not isinstance(piece.meaning, ArgumentValue):
        return False
    whole = piece.offset == piece.meaning.offset == 0 and piece.size == item.size == register.type.size
    return whole and piece.size > 1 and not register.type.floating and not register.type.packed
