"""Opcodes that count, reverse, extract or insert bits of one element, and dot products of bytes, symbolically."""

from collections.abc import Callable, Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.elements import Operation, Source, resized
from visaproof.smt import (
    BitVec,
    add,
    ashr,
    bit,
    bit_and,
    bit_not,
    bit_or,
    concat,
    const,
    extract,
    ite,
    lshr,
    mul,
    shl,
    sub,
)


def _count_bits(sources: Sequence[Source], result: DataType) -> BitVec:
    value = sources[0].modulo(sources[0].type.bits)
    return add(*(resized(extract(value, k, k), result.bits, signed=False) for k in range(value.width)))


def _first_set(from_top: bool, none: Callable[[int], int]) -> Operation:
    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        value = sources[0].modulo(sources[0].type.bits)
        found = const(none(value.width), result.bits)
        for k in range(value.width):
            place, count = (k, value.width - 1 - k) if from_top else (value.width - 1 - k,) * 2
            found = ite(bit(value, place), const(count, result.bits), found)
        return found

    return apply


_first_from_top = _first_set(from_top=True, none=lambda _: 0xFFFF_FFFF)


def _first_unlike_the_sign(sources: Sequence[Source], result: DataType) -> BitVec:
    """Page FBH: leading ones of a negative source are counted as leading zeros of others; 0 and −1 give all ones."""
    (source,) = sources
    if not source.type.signed:
        return _first_from_top(sources, result)
    value = source.modulo(source.type.bits)
    unlike = ite(bit(value, value.width - 1), bit_not(value), value)
    return _first_from_top([Source(unlike, source.type)], result)


def _reversed(sources: Sequence[Source], result: DataType) -> BitVec:
    value = sources[0].modulo(sources[0].type.bits)
    return resized(concat(*(extract(value, k, k) for k in range(value.width))), result.bits, signed=False)


def _field(sources: Sequence[Source]) -> tuple[BitVec, BitVec]:
    """Pages BFE, BFI: ones in the low bits that the width names, and the offset, in 32 bits."""
    width, offset = (bit_and(source.modulo(32), const(31, 32)) for source in sources[:2])
    return sub(shl(const(1, 32), width), const(1, 32)), offset


def _extracted(sources: Sequence[Source], result: DataType) -> BitVec:
    """Page BFE: "If <dst> is type D, the results are sign-extended"."""
    ones, offset = _field(sources)
    source = sources[2]
    field = bit_and((ashr if source.type.signed else lshr)(source.modulo(32), offset), ones)
    if not result.signed:
        return resized(field, result.bits, signed=False)
    above = sub(const(32, 32), bit_and(sources[0].modulo(32), const(31, 32)))
    return resized(ashr(shl(field, above), above), result.bits, signed=True)


def _inserted(sources: Sequence[Source], result: DataType) -> BitVec:
    ones, offset = _field(sources)
    mask = shl(ones, offset)
    inserted = bit_and(shl(sources[2].modulo(32), offset), mask)
    return resized(bit_or(inserted, bit_and(sources[3].modulo(32), bit_not(mask))), result.bits, signed=False)


def products_of_bytes(sources: Sequence[Source], width: int) -> list[BitVec]:
    """Page DP4A: of two sources byte by byte, each signed as its source is, in `width` bits."""
    products: list[BitVec] = []
    for start in range(0, 32, 8):
        left, right = (
            resized(extract(source.modulo(32), start + 7, start), width, source.type.signed) for source in sources
        )
        products.append(mul(left, right))
    return products


def _dot_product(sources: Sequence[Source], result: DataType) -> BitVec:
    total = add(sources[0].modulo(32), *products_of_bytes(sources[1:], 32))
    return resized(total, result.bits, result.signed)


BIT_OPERATIONS: dict[str, Operation] = {
    "cbit": _count_bits,
    "fbl": _first_set(from_top=False, none=lambda _: 0xFFFF_FFFF),
    "fbh": _first_unlike_the_sign,
    "lzd": _first_set(from_top=True, none=lambda width: width),
    "bfrev": _reversed,
    "bfe": _extracted,
    "bfi": _inserted,
    "dp4a": _dot_product,
}
