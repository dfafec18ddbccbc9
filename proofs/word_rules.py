"""The rules of the normal form for words: sums, products, bits and widths, each as written and as it becomes.

`w` is the width of the words x, y and z; `wide` is twice that.
"""

from visaproof.queries.identities import Rule, rules
from visaproof.smt import BitVec, Bool, bool_symbol, const, symbol
from visaproof.smt.solvers import Preparation
from visaproof.smt.written import Words

p, q, r = bool_symbol("p"), bool_symbol("q"), bool_symbol("r")
NARROW = (8, 16, 32)
"""Widths of words that are extended: to twice as much, as far as words go."""

SMALL = 4
"""Bits of words that are known to be small."""


def x(width: int) -> BitVec:
    return symbol(f"x{width}", width)


def y(width: int) -> BitVec:
    return symbol(f"y{width}", width)


def z(width: int) -> BitVec:
    return symbol(f"z{width}", width)


def c(value: int, width: int) -> BitVec:
    return const(value, width)


def wide(b: Words, word: BitVec) -> BitVec:
    """The word with as many zeros above."""
    return b.zero_extend(word, 2 * word.width)


def signed(b: Words, word: BitVec) -> BitVec:
    """The word with as many copies of its sign above."""
    return b.sign_extend(word, 2 * word.width)


def small(b: Words, name: str, width: int) -> BitVec:
    """A word below 16."""
    return b.zero_extend(symbol(name, SMALL), width)


def bytes_of(b: Words, word: BitVec) -> list[BitVec]:
    """Most significant first."""
    return [b.extract(word, low + 7, low) for low in reversed(range(0, word.width, 8))]


def choice(b: Words, then: int, otherwise: int, width: int) -> BitVec:
    return b.ite(p, c(then, width), c(otherwise, width))


SUMS: tuple[Rule, ...] = rules(
    "sum",
    {
        "sums do not depend on the order": lambda b, w: (b.add(x(w), y(w)), b.add(y(w), x(w))),
        "sums are flat": lambda b, w: (
            b.add(b.add(x(w), c(3, w)), b.sub(y(w), c(1, w))),
            b.add(x(w), y(w), c(2, w)),
        ),
        "equal atoms are counted": lambda b, w: (b.add(x(w), y(w), x(w)), b.add(b.scale(x(w), 2), y(w))),
        "what is subtracted vanishes": lambda b, w: (b.sub(b.add(x(w), y(w)), x(w)), y(w)),
        "what is subtracted from both vanishes": lambda b, w: (
            b.sub(b.sub(x(w), y(w)), b.sub(x(w), z(w))),
            b.sub(z(w), y(w)),
        ),
        "a difference the other way round": lambda b, w: (b.negate(b.sub(x(w), y(w))), b.sub(y(w), x(w))),
        "a multiple of a sum": lambda b, w: (
            b.scale(b.add(x(w), b.scale(y(w), 3), c(5, w)), 7),
            b.add(b.scale(x(w), 7), b.scale(y(w), 21), c(35, w)),
        ),
        "a multiple of 2^w is 0": lambda b, w: (b.scale(b.scale(x(w), 1 << w // 2), 1 << w // 2), c(0, w)),
        "a sum of constants wraps": lambda b, w: (b.add(c(-1, w), c(3, w)), c(2, w)),
        "the complement is -1 - x": lambda b, w: (b.bit_not(x(w)), b.sub(c(-1, w), x(w))),
        "twice the complement is nothing": lambda b, w: (b.bit_not(b.bit_not(x(w))), x(w)),
        "a sum that cannot wrap has bounds": lambda b, w: (
            b.add(b.scale(small(b, "s", w), 8), b.scale(small(b, "t", w), 5), c(30, w)),
            b.add(c(30, w), b.scale(small(b, "t", w), 5), b.scale(small(b, "s", w), 8)),
        ),
        "a sum that may wrap has none": lambda b, w: (
            b.add(b.scale(small(b, "s", w), 12), b.negate(small(b, "t", w))),
            b.sub(b.scale(small(b, "s", w), 12), small(b, "t", w)),
        ),
        "a sum keeps common trailing zeros": lambda b, w: (
            b.add(b.scale(x(w), 12), b.scale(b.scale(y(w), 4), 2), c(20, w)),
            b.add(b.scale(y(w), 8), b.scale(x(w), 12), c(20, w)),
        ),
    },
    preparation=Preparation.SIMPLIFIED,
)

PRODUCTS: tuple[Rule, ...] = rules(
    "product",
    {
        "a product with a constant is a multiple": lambda b, w: (b.mul(x(w), c(12, w)), b.scale(x(w), 12)),
        "a constant times a word": lambda b, w: (b.mul(c(-3, w), x(w)), b.scale(x(w), -3)),
        "products do not depend on the order": lambda b, w: (b.mul(y(w), x(w)), b.mul(x(w), y(w))),
        "products distribute over sums": lambda b, w: (
            b.mul(b.add(x(w), y(w)), b.sub(x(w), y(w))),
            b.sub(b.mul(x(w), x(w)), b.mul(y(w), y(w))),
        ),
        "and over constants": lambda b, w: (
            b.mul(b.add(x(w), c(3, w)), b.add(y(w), c(5, w))),
            b.add(b.mul(x(w), y(w)), b.scale(x(w), 5), b.scale(y(w), 3), c(15, w)),
        ),
        "and over multiples and constants at once": lambda b, w: (
            b.mul(b.add(b.scale(x(w), 2), c(3, w)), b.add(b.scale(y(w), 5), c(7, w))),
            b.add(b.scale(b.mul(x(w), y(w)), 10), b.scale(x(w), 14), b.scale(y(w), 15), c(21, w)),
        ),
        "multiples come out of a product": lambda b, w: (
            b.mul(b.scale(x(w), 3), b.scale(y(w), 5)),
            b.scale(b.mul(x(w), y(w)), 15),
        ),
        "a product of products is flat": lambda b, w: (
            b.mul(b.mul(x(w), y(w)), x(w)),
            b.mul(x(w), b.mul(x(w), y(w))),
        ),
        "a product of small words has bounds": lambda b, w: (
            b.mul(b.bit_or(small(b, "s", w), c(5, w)), b.bit_or(small(b, "t", w), c(3, w))),
            b.mul(b.bit_or(c(3, w), small(b, "t", w)), b.bit_or(c(5, w), small(b, "s", w))),
        ),
    },
    preparation=Preparation.SIMPLIFIED,
)

BITS: tuple[Rule, ...] = rules(
    "bits",
    {
        "and with itself": lambda b, w: (b.bit_and(x(w), x(w)), x(w)),
        "and with ones": lambda b, w: (b.bit_and(x(w), c(-1, w)), x(w)),
        "and with zero": lambda b, w: (b.bit_and(c(0, w), x(w)), c(0, w)),
        "and of constants": lambda b, w: (b.bit_and(c(0x3C, w), c(0x0F, w)), c(0x0C, w)),
        "and of two masks is one mask": lambda b, w: (
            b.bit_and(c(0x3C, w), b.bit_and(x(w), c(0x0F, w))),
            b.bit_and(x(w), c(0x0C, w)),
        ),
        "a mask over bits that are zero anyway": lambda b, w: (
            b.bit_and(wide(b, x(w)), c((1 << w) - 1, 2 * w)),
            wide(b, x(w)),
        ),
        "a mask that keeps only zeros": lambda b, w: (b.bit_and(b.scale(x(w), 4), c(3, w)), c(0, w)),
        "a mask loses bits that are zero anyway": lambda b, w: (
            b.bit_and(c(0x1F, w), b.scale(x(w), 4)),
            b.bit_and(c(0x1C, w), b.scale(x(w), 4)),
        ),
        "what a high mask keeps whole comes out of it": lambda b, w: (
            b.bit_and(c(-8, w), b.add(x(w), b.scale(y(w), 8))),
            b.add(b.scale(y(w), 8), b.bit_and(c(-8, w), x(w))),
        ),
        "its constant alone comes out too": lambda b, w: (
            b.bit_and(c(-8, w), b.add(x(w), c(0x13, w))),
            b.add(c(0x10, w), b.bit_and(c(-8, w), b.add(x(w), c(3, w)))),
        ),
        "so a high mask of multiples is no mask": lambda b, w: (
            b.bit_and(c(-4, w), b.scale(x(w), 4)),
            b.scale(x(w), 4),
        ),
        "or with itself": lambda b, w: (b.bit_or(x(w), x(w)), x(w)),
        "or with zero": lambda b, w: (b.bit_or(x(w), c(0, w)), x(w)),
        "or with ones": lambda b, w: (b.bit_or(x(w), c(-1, w)), c(-1, w)),
        "or of constants": lambda b, w: (b.bit_or(c(0x35, w), c(0x1E, w)), c(0x3F, w)),
        "or of disjoint bits is their sum": lambda b, w: (
            b.bit_or(b.scale(x(w), 4), c(3, w)),
            b.add(b.scale(x(w), 4), c(3, w)),
        ),
        "xor with itself": lambda b, w: (b.bit_xor(x(w), x(w)), c(0, w)),
        "xor with zero": lambda b, w: (b.bit_xor(c(0, w), x(w)), x(w)),
        "xor with ones is the complement": lambda b, w: (b.bit_xor(x(w), c(-1, w)), b.bit_not(x(w))),
        "xor of constants": lambda b, w: (b.bit_xor(c(0x35, w), c(0x1E, w)), c(0x2B, w)),
        "two flips are one": lambda b, w: (
            b.bit_xor(c(5, w), b.bit_xor(x(w), c(6, w))),
            b.bit_xor(x(w), c(3, w)),
        ),
        "xor of disjoint bits is their sum": lambda b, w: (
            b.bit_xor(b.scale(x(w), 2), c(1, w)),
            b.add(b.scale(x(w), 2), c(1, w)),
        ),
        "and, or and xor do not depend on the order": lambda b, w: (
            b.bit_xor(b.bit_and(y(w), x(w)), b.bit_or(y(w), x(w))),
            b.bit_xor(b.bit_or(x(w), y(w)), b.bit_and(x(w), y(w))),
        ),
        "and has the zeros and the lower upper bound of both": lambda b, w: (
            b.bit_and(b.add(small(b, "s", w), small(b, "t", w), c(3, w)), b.scale(x(w), 2)),
            b.bit_and(b.scale(x(w), 2), b.add(c(3, w), small(b, "t", w), small(b, "s", w))),
        ),
        "or has the common zeros and the higher lower bound": lambda b, w: (
            b.bit_or(b.scale(small(b, "s", w), 4), b.add(b.scale(small(b, "t", w), 2), c(6, w))),
            b.bit_or(b.add(c(6, w), b.scale(small(b, "t", w), 2)), b.scale(small(b, "s", w), 4)),
        ),
        "xor has the common zeros": lambda b, w: (
            b.bit_xor(b.scale(small(b, "s", w), 4), b.add(b.scale(small(b, "t", w), 2), c(6, w))),
            b.bit_xor(b.add(c(6, w), b.scale(small(b, "t", w), 2)), b.scale(small(b, "s", w), 4)),
        ),
    },
)

SHIFTS: tuple[Rule, ...] = rules(
    "shift",
    {
        "a shift by a constant is a multiple": lambda b, w: (b.shl(x(w), c(3, w)), b.scale(x(w), 8)),
        "a shift by the width or more is 0": lambda b, w: (b.shl(x(w), c(w, w)), c(0, w)),
        "a logical shift is a slice": lambda b, w: (
            b.lshr(x(w), c(3, w)),
            b.zero_extend(b.extract(x(w), w - 1, 3), w),
        ),
        "a logical shift by the width or more is 0": lambda b, w: (b.lshr(x(w), c(w, w)), c(0, w)),
        "an arithmetic shift is a signed slice": lambda b, w: (
            b.ashr(x(w), c(3, w)),
            b.sign_extend(b.extract(x(w), w - 1, 3), w),
        ),
        "an arithmetic shift by the width or more": lambda b, w: (
            b.ashr(x(w), c(w, w)),
            b.sign_extend(b.extract(x(w), w - 1, w - 1), w),
        ),
        "a left shift keeps trailing zeros": lambda b, w: (
            b.shl(b.scale(x(w), 4), y(w)),
            b.shl(b.scale(b.scale(x(w), 2), 2), y(w)),
        ),
        "a right shift makes nothing larger": lambda b, w: (
            b.lshr(small(b, "s", w), y(w)),
            b.lshr(b.bit_and(small(b, "s", w), c(15, w)), y(w)),
        ),
    },
)

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
        "the low bits of a sum are the sum of the low bits": lambda b, w: (
            b.truncate(b.add(b.scale(x(w), 5), c(0x73, w)), 5),
            b.add(b.scale(b.truncate(x(w), 5), 5), c(0x13, 5)),
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


def _kept(expression: Bool | BitVec) -> tuple[Bool | BitVec, Bool | BitVec]:
    return expression, expression


KEPT: tuple[Rule, ...] = rules(
    "word-that-no-rule-fits",
    {
        "choices by two conditions side by side": lambda b, w: _kept(
            b.concat(b.ite(p, x(w), y(w)), b.ite(q, y(w), x(w)))
        ),
        "zeros above a sum that may wrap": lambda b, w: _kept(wide(b, b.add(x(w), c(3, w)))),
        "zeros above a sum that just may wrap": lambda b, w: _kept(
            wide(b, b.add(small(b, "s", w), c((1 << w) - 15, w)))
        ),
        "signs above a word that may be negative": lambda b, w: _kept(
            signed(b, b.add(small(b, "s", w), c((1 << (w - 1)) - 15, w)))
        ),
        "or of bits that meet": lambda b, w: _kept(b.bit_or(x(w), c(3, w))),
        "xor of bits that meet": lambda b, w: _kept(b.bit_xor(b.scale(x(w), 2), c(3, w))),
        "a mask with a hole": lambda b, w: _kept(b.bit_and(c(-12, w), b.add(x(w), b.scale(y(w), 4)))),
        "a low mask of a sum": lambda b, w: _kept(b.bit_and(c(7, w), b.add(x(w), b.scale(y(w), 4)))),
        "a high mask over multiples of less": lambda b, w: _kept(
            b.bit_and(c(-8, w), b.add(x(w), b.scale(y(w), 4), c(7, w)))
        ),
        "slices in the wrong order": lambda b, w: _kept(b.concat(b.extract(x(w), 3, 0), b.extract(x(w), w - 1, 4))),
        "slices with a gap": lambda b, w: _kept(b.concat(b.extract(x(w), w - 1, 5), b.extract(x(w), 3, 0))),
        "slices that overlap": lambda b, w: _kept(b.concat(b.extract(x(w), w - 1, 3), b.extract(x(w), 3, 0))),
        "slices of two words": lambda b, w: _kept(b.concat(b.extract(x(w), w - 1, 4), b.extract(y(w), 3, 0))),
        "the high bits of a sum": lambda b, w: _kept(b.extract(b.add(x(w), y(w)), 7, 4)),
        "the high bits of a product": lambda b, w: _kept(b.extract(b.mul(small(b, "s", w), x(w)), 7, 4)),
        "a shift by a word": lambda b, w: _kept(b.ashr(b.shl(x(w), y(w)), b.lshr(z(w), y(w)))),
    },
)
