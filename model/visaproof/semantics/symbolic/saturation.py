"""Results of integer opcodes as the integers that they are, for `.sat` to clamp.  Page: 2_datatypes.md, "Saturation".

Each is computed in a signed word that holds it for all operands, so nothing wraps before it is clamped.
"""

from collections.abc import Callable, Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.alu import average, multiply_add, shift_amount
from visaproof.semantics.symbolic.bit_counts import products_of_bytes
from visaproof.semantics.symbolic.division import divided
from visaproof.semantics.symbolic.elements import Integer, Meaning, Source
from visaproof.semantics.symbolic.pairs import sum_of_differences
from visaproof.smt import (
    BitVec,
    add,
    eq,
    false,
    ite,
    lshr,
    mul,
    neg,
    shl,
    sign_extend,
    slt,
    truncate,
    zero_extend,
)

SHIFTED_BITS = 33
"""Page SHL: "If saturation is enabled, the shifted result must be within 33 bits or the result is undefined"."""

_Exact = Callable[[Sequence[Source], DataType], Integer]


def saturated(opcode: str, sources: Sequence[Source], result: DataType) -> Meaning | None:
    """The result of the opcode with `.sat`; None where that is not interpreted."""
    if opcode not in _EXACT:
        return None
    value = _EXACT[opcode](sources, result)
    undefined = false()
    if opcode == "shl" and value.bits.width > SHIFTED_BITS:
        kept = sign_extend(truncate(value.bits, SHIFTED_BITS), value.bits.width)
        undefined = neg(eq(kept, value.bits))
    return Meaning(value.saturated(result), undefined)


def _in(room: Callable[[list[int]], int], operation: Callable[[list[BitVec]], BitVec]) -> _Exact:
    """The operation on signed words in which there is `room` for its result."""

    def apply(sources: Sequence[Source], _: DataType) -> Integer:
        width = room([source.held for source in sources])
        return Integer(operation([source.modulo(width) for source in sources]))

    return apply


def _shifted_left(sources: Sequence[Source], result: DataType) -> Integer:
    width = sources[0].held + (63 if result.size == 8 else 31)
    return Integer(shl(sources[0].modulo(width), shift_amount(sources[1], result, width)))


def _shifted_right(sources: Sequence[Source], result: DataType) -> Integer:
    """Page SHR: the source as an unsigned word of its own width."""
    width = sources[0].type.bits
    shifted = lshr(sources[0].modulo(width), shift_amount(sources[1], result, width))
    return Integer(zero_extend(shifted, width + 1))


def _dot_product(sources: Sequence[Source], _: DataType) -> Integer:
    width = max(sources[0].held, 20) + 1  # four products of bytes need 20 bits
    return Integer(add(sources[0].modulo(width), *products_of_bytes(sources[1:], width)))


def _differences(sources: Sequence[Source], _: DataType) -> Integer:
    return sum_of_differences(sources)


_EXACT: dict[str, _Exact] = {
    "mov": _in(max, lambda words: words[0]),
    "add": _in(lambda room: max(room) + 1, lambda words: add(*words)),
    "add3": _in(lambda room: max(room) + 2, lambda words: add(*words)),
    "mul": _in(sum, lambda words: mul(*words)),
    "mad": _in(lambda room: max(room[0] + room[1], room[2]) + 1, lambda words: multiply_add(*words)),
    "avg": _in(lambda room: max(room) + 1, lambda words: average(*words, signed=True)),
    "min": _in(max, lambda words: ite(slt(words[1], words[0]), words[1], words[0])),
    "max": _in(max, lambda words: ite(slt(words[0], words[1]), words[1], words[0])),
    "shl": _shifted_left,
    "shr": _shifted_right,
    "dp4a": _dot_product,
    "sad2": _differences,
    "sad2add": _differences,
}


def of_integers(function: tuple[str, ...], sources: Sequence[Source], result: DataType) -> Meaning | None:
    """A quotient, or what saturates; None where it is not interpreted."""
    opcode, saturates = function[0], function[-1] == "sat"
    if opcode in ("div", "mod"):
        return divided(opcode, sources, result, saturates)
    return saturated(opcode, sources, result) if saturates else None
