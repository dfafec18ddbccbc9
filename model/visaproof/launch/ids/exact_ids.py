"""The local ids of a thread of groups of one size: sums over the digits of the thread's number, else a table.

32 × 4 at 16 lanes:  x = 16 · a + lane, y = b      of thread a + 2 · b
"""

from collections.abc import Sequence
from math import prod

from visaproof.launch.ids.group_shape import GroupShape, Row, rows_of
from visaproof.launch.ids.launched_words import (
    BITS,
    THREAD,
    TILES,
    LaunchedIds,
    known_sizes,
)
from visaproof.launch.ids.local_ids import Triple
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    ite,
    neg,
    scale,
    symbol,
    true,
    ule,
    zero_extend,
)


def exact_ids(shape: GroupShape, size: Triple) -> LaunchedIds:
    layouts = list(dict.fromkeys(rows_of(way, size) for way in shape.ways()))
    threads = len(layouts[0])
    radices = _radices(layouts[0], shape.simd) if len(layouts) == 1 else (threads,)
    symbols = _digits(radices)
    chosen = [bool_symbol(f"{TILES}.{k}") for k in range(len(layouts) - 1)]
    ids = [
        [_chosen(chosen, [_word(_column(rows, lane, d), symbols, radices) for rows in layouts]) for d in range(3)]
        for lane in range(shape.simd)
    ]
    last = conj(*(eq(one, const(radix - 1, one.width)) for one, radix in zip(symbols, radices, strict=True)))
    left = prod(size) - (threads - 1) * shape.simd
    words = {place: ids[lane][d] for place, d, lane in shape.local_ids()}
    open_digits = [(one, radix) for one, radix in zip(symbols, radices, strict=True) if radix > 1]
    what = "number of the thread in its group" + (", in parts" if len(open_digits) > 1 else "")
    return LaunchedIds(
        words=words | known_sizes(shape, {d: const(size[d], 32) for d in range(3)}),
        ids=tuple((x, y, z) for x, y, z in ids),
        sizes=(const(size[0], BITS), const(size[1], BITS), const(size[2], BITS)),
        on=tuple(true() if lane < left else neg(last) for lane in range(shape.simd)),
        facts=tuple(ule(one, const(radix - 1, one.width)) for one, radix in open_digits),
        digits=tuple((one, prod(radices[:place])) for place, one in enumerate(symbols)),
        meanings={str(one.payload): what for one, _ in open_digits},
        usual=({one: 0 for one, _ in open_digits}, {one: radix - 1 for one, radix in open_digits}),
    )


Column = Sequence[int | None]


def _word(column: Column, symbols: Sequence[BitVec], radices: tuple[int, ...]) -> BitVec:
    """The id of a lane by the digits of its thread's number."""
    weights = _weights(column, radices)
    if weights is not None:
        parts = zip(symbols, weights, strict=True)
        terms = [scale(zero_extend(one, BITS), weight) for one, weight in parts if weight]
        return add(const(column[0] or 0, BITS), *terms)
    (number,) = symbols
    word = const(0, BITS)
    for thread, value in enumerate(column):
        if value is not None:
            word = ite(eq(number, const(thread, number.width)), const(value, BITS), word)
    return word


def _column(rows: tuple[Row, ...], lane: int, dimension: int) -> Column:
    """The id of a lane in each thread; None where it is off."""
    return [None if (ids := row[lane]) is None else ids[dimension] for row in rows]


def _weights(column: Column, radices: tuple[int, ...]) -> list[int] | None:
    """What each digit counts in a column; None where it is no such sum."""
    places = [prod(radices[:k]) for k in range(len(radices))]
    first = column[0] or 0
    found = [column[place] if radix > 1 else None for place, radix in zip(places, radices, strict=True)]
    weights = [0 if one is None else one - first for one in found]
    for thread, value in enumerate(column):
        digits = (thread // place % radix for place, radix in zip(places, radices, strict=True))
        expected = first + sum(weight * digit for weight, digit in zip(weights, digits, strict=True))
        if value is not None and value != expected:
            return None
    return weights


def _radices(rows: tuple[Row, ...], simd: int) -> tuple[int, ...]:
    """The fewest radices in which all ids are sums over the digits of the thread's number; else one, for a table."""
    threads = len(rows)
    factors = [k for k in range(2, threads) if threads % k == 0]
    splits = [(threads,), *((k, threads // k) for k in factors)]
    splits += [(k, m, threads // (k * m)) for k in factors for m in factors if not threads % (k * m)]
    columns = [_column(rows, lane, dimension) for lane in range(simd) for dimension in range(3)]
    fits = (radices for radices in splits if all(_weights(column, radices) is not None for column in columns))
    return next(fits, (threads,))


def _digits(radices: tuple[int, ...]) -> list[BitVec]:
    names = [THREAD] if len(radices) == 1 else [f"{THREAD}.{k}" for k in range(len(radices))]
    widths = [(radix - 1).bit_length() for radix in radices]
    return [symbol(name, bits) if bits else const(0, 1) for name, bits in zip(names, widths, strict=True)]


def _chosen(chosen: Sequence[Bool], words: Sequence[BitVec]) -> BitVec:
    word = words[-1]
    for one, other in zip(chosen, words, strict=False):
        word = ite(one, other, word)
    return word
