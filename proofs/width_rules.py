"""The rules of the normal form for words of another width: extensions, slices and concatenations."""

from visaproof.queries.identities import Rule, rules
from visaproof.smt import BitVec
from visaproof.smt.written import Words

from .words import NARROW, c, choice, kept, p, q, signed, small, wide, x, y, z


def bytes_of(b: Words, word: BitVec) -> list[BitVec]:
    """Most significant first."""
    return [b.extract(word, low + 7, low) for low in reversed(range(0, word.width, 8))]


WIDENED: tuple[Rule, ...] = rules(
    "extension",
    {
        "zeros above zeros": lambda b, w: (b.zero_extend(wide(b, x(w)), 4 * w), b.zero_extend(x(w), 4 * w)),
        "no zeros above": lambda b, w: (b.zero_extend(x(w), w), x(w)),
        "zeros above a constant": lambda b, w: (wide(b, c(-2, w)), c((1 << w) - 2, 2 * w)),
        "zeros above a choice of constants": lambda b, w: (
            wide(b, choice(b, 1, -1, w)),
            choice(b, 1, (1 << w) - 1, 2 * w),
        ),
        "signs above signs": lambda b, w: (b.sign_extend(signed(b, x(w)), 4 * w), b.sign_extend(x(w), 4 * w)),
        "no signs above": lambda b, w: (b.sign_extend(x(w), w), x(w)),
        "signs above a constant": lambda b, w: (signed(b, c(-2, w)), c(-2, 2 * w)),
        "the sign of a word that cannot be negative": lambda b, w: (
            signed(b, b.lshr(x(w), c(1, w))),
            wide(b, b.lshr(x(w), c(1, w))),
        ),
        "an extension keeps the trailing zeros": lambda b, w: (
            signed(b, b.scale(x(w), 4)),
            signed(b, b.scale(b.scale(x(w), 2), 2)),
        ),
    },
)

WIDENED_SUMS: tuple[Rule, ...] = rules(
    "extension",
    {
        "zeros above a sum that does not wrap": lambda b, w: (
            b.zero_extend(b.add(b.scale(small(b, "s", w), 8), b.scale(small(b, "t", w), 5), c(30, w)), 2 * w),
            b.add(b.scale(small(b, "s", 2 * w), 8), b.scale(small(b, "t", 2 * w), 5), c(30, 2 * w)),
        ),
    },
    widths=NARROW,
)

SLICES: tuple[Rule, ...] = rules(
    "slice",
    {
        "all bits": lambda b, w: (b.truncate(x(w), w), x(w)),
        "of a constant": lambda b, w: (b.extract(c(0x5A, w), 6, 3), c(0xB, 4)),
        "of a word with a least and a most value": lambda b, w: (
            b.extract(b.add(b.zero_extend(y(4), w), c(8, w)), 5, 2),
            b.truncate(b.lshr(b.add(b.zero_extend(y(4), w), c(8, w)), c(2, w)), 4),
        ),
        "above what a sum varies by": lambda b, w: (
            b.extract(b.add(b.scale(b.zero_extend(y(2), w), 5), c(0x50, w)), 6, 4),
            c(5, 3),
        ),
        "of bits that are zero": lambda b, w: (b.extract(b.scale(x(w), 8), 2, 1), c(0, 2)),
        "of a slice": lambda b, w: (b.extract(b.extract(x(w), w - 1, 2), 4, 3), b.extract(x(w), 6, 5)),
        "of a concatenation": lambda b, w: (
            b.extract(b.concat(x(w), y(w)), w + 3, 4),
            b.concat(b.extract(x(w), 3, 0), b.extract(y(w), w - 1, 4)),
        ),
        "of the upper part": lambda b, w: (b.extract(b.concat(x(w), y(w)), 2 * w - 1, w), x(w)),
        "of the lower part": lambda b, w: (b.extract(b.concat(x(w), y(w)), w - 1, 0), y(w)),
        "of a byte of a word in halves": lambda b, w: (
            b.extract(b.concat(x(w), y(w)), w + 7, w),
            b.truncate(x(w), 8),
        ),
        "of the added zeros": lambda b, w: (b.extract(wide(b, x(w)), 2 * w - 1, w), c(0, w)),
        "across the added zeros": lambda b, w: (
            b.extract(wide(b, x(w)), w + 1, 4),
            b.zero_extend(b.extract(x(w), w - 1, 4), w - 2),
        ),
        "below a sign extension": lambda b, w: (b.extract(signed(b, x(w)), 5, 1), b.extract(x(w), 5, 1)),
        "across the sign": lambda b, w: (
            b.extract(signed(b, x(w)), w + 1, 4),
            b.sign_extend(b.extract(x(w), w - 1, 4), w - 2),
        ),
        "above the sign": lambda b, w: (
            b.extract(b.concat(x(w), signed(b, y(w))), 2 * w - 1, w + 1),
            b.extract(signed(b, y(w)), 2 * w - 1, w + 1),
        ),
        "above low bits that a constant alone has": lambda b, w: (
            b.extract(b.add(b.scale(x(w), 8), b.scale(y(w), 4), c(0x17, w)), 6, 3),
            b.extract(b.add(b.scale(y(w), 4), b.scale(x(w), 8), c(0x14, w)), 6, 3),
        ),
        "the low bits of a sum are the sum of the low bits": lambda b, w: (
            b.truncate(b.add(b.scale(x(w), 5), c(0x73, w)), 5),
            b.add(b.scale(b.truncate(x(w), 5), 5), c(0x13, 5)),
        ),
        "the low bits of a sum without multiples of what is above them": lambda b, w: (
            b.truncate(b.add(b.scale(b.ite(p, x(w), y(w)), 8), b.scale(y(w), 4), b.scale(b.scale(x(w), 2), 12)), 3),
            b.scale(b.truncate(y(w), 3), 4),
        ),
        "the low bits of a product": lambda b, w: (
            b.truncate(b.mul(x(w), y(w)), 5),
            b.mul(b.truncate(x(w), 5), b.truncate(y(w), 5)),
        ),
        "the low bits of a multiple of their modulus": lambda b, w: (b.truncate(b.scale(x(w), 32), 5), c(0, 5)),
        "of and, or, xor": lambda b, w: (
            b.extract(b.bit_xor(b.bit_and(x(w), y(w)), b.bit_or(x(w), z(w))), 6, 2),
            b.bit_xor(
                b.bit_and(b.extract(x(w), 6, 2), b.extract(y(w), 6, 2)),
                b.bit_or(b.extract(x(w), 6, 2), b.extract(z(w), 6, 2)),
            ),
        ),
        "of a choice": lambda b, w: (
            b.extract(b.ite(p, x(w), c(0x34, w)), 7, 4),
            b.ite(p, b.extract(x(w), 7, 4), c(3, 4)),
        ),
        "a slice has the bounds and zeros of its word": lambda b, w: (
            b.extract(b.lshr(b.scale(small(b, "s", w), 4), z(w)), 5, 1),
            b.extract(b.lshr(b.scale(b.scale(small(b, "s", w), 2), 2), z(w)), 5, 1),
        ),
    },
)

CONCATENATIONS: tuple[Rule, ...] = rules(
    "concatenation",
    {
        "neighbouring slices are one slice": lambda b, w: (
            b.concat(b.extract(x(w), 6, 4), b.extract(x(w), 3, 1)),
            b.extract(x(w), 6, 1),
        ),
        "all bytes are the word": lambda b, w: (b.concat(c(0, 8), *bytes_of(b, x(w))), b.zero_extend(x(w), w + 8)),
        "of concatenations is flat": lambda b, w: (
            b.concat(b.concat(x(w), y(w)), x(w)),
            b.concat(x(w), b.concat(y(w), x(w))),
        ),
        "of constants is a constant": lambda b, w: (b.concat(x(w), c(5, 4), c(3, 4)), b.concat(x(w), c(0x53, 8))),
        "of choices by one condition is a choice": lambda b, w: (
            b.concat(b.ite(p, x(w), y(w)), b.ite(p, y(w), x(w)), b.ite(p, c(3, 4), c(5, 4))),
            b.ite(p, b.concat(x(w), y(w), c(3, 4)), b.concat(y(w), x(w), c(5, 4))),
        ),
        "zeros above": lambda b, w: (b.concat(c(0, w), x(w)), wide(b, x(w))),
        "zeros below": lambda b, w: (b.concat(x(w), c(0, w)), b.scale(wide(b, x(w)), 1 << w)),
        "zeros of an extension inside": lambda b, w: (
            b.concat(x(w), wide(b, y(w))),
            b.concat(x(w), c(0, w), y(w)),
        ),
        "a slice has no zeros beyond its own bits": lambda b, w: (
            b.concat(y(w), b.extract(b.lshr(small(b, "s", w), z(w)), 3, 1)),
            b.concat(y(w), b.extract(b.lshr(b.bit_and(small(b, "s", w), c(15, w)), z(w)), 3, 1)),
        ),
        "a concatenation has the bounds and zeros of its parts": lambda b, w: (
            b.concat(
                b.add(b.scale(small(b, "s", w), 2), c(3, w)), b.bit_or(b.scale(small(b, "t", w), 4), c(9, w)), z(w)
            ),
            b.concat(
                b.add(c(3, w), b.scale(small(b, "s", w), 2)), b.bit_or(c(9, w), b.scale(small(b, "t", w), 4)), z(w)
            ),
        ),
    },
)

KEPT: tuple[Rule, ...] = rules(
    "word-that-no-rule-fits",
    {
        "choices by two conditions side by side": lambda b, w: kept(
            b.concat(b.ite(p, x(w), y(w)), b.ite(q, y(w), x(w)))
        ),
        "zeros above a sum that may wrap": lambda b, w: kept(wide(b, b.add(x(w), c(3, w)))),
        "zeros above a sum that just may wrap": lambda b, w: kept(
            wide(b, b.add(small(b, "s", w), c((1 << w) - 15, w)))
        ),
        "signs above a word that may be negative": lambda b, w: kept(
            signed(b, b.add(small(b, "s", w), c((1 << (w - 1)) - 15, w)))
        ),
        "a slice that loses the highest bit of a sum": lambda b, w: kept(
            b.extract(b.add(small(b, "s", w), c(24, w)), 4, 1)
        ),
        "a slice that loses it of the largest value alone": lambda b, w: kept(
            b.extract(b.add(small(b, "s", w), c(17, w)), 4, 1)
        ),
        "a slice of a sum that passes a power of two": lambda b, w: kept(
            b.extract(b.add(small(b, "s", w), c(56, w)), 4, 1)
        ),
        "slices in the wrong order": lambda b, w: kept(b.concat(b.extract(x(w), 3, 0), b.extract(x(w), w - 1, 4))),
        "slices with a gap": lambda b, w: kept(b.concat(b.extract(x(w), w - 1, 5), b.extract(x(w), 3, 0))),
        "slices that overlap": lambda b, w: kept(b.concat(b.extract(x(w), w - 1, 3), b.extract(x(w), 3, 0))),
        "slices of two words": lambda b, w: kept(b.concat(b.extract(x(w), w - 1, 4), b.extract(y(w), 3, 0))),
        "the high bits of a sum": lambda b, w: kept(b.extract(b.add(x(w), y(w)), 7, 4)),
        "the high bits of a product": lambda b, w: kept(b.extract(b.mul(small(b, "s", w), x(w)), 7, 4)),
    },
)
