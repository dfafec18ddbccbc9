"""The rules for words of `w` bits that were computed in halves."""

from visaproof.queries.identities import Rule, rules
from visaproof.smt import BitVec, Bool, Term, symbol
from visaproof.smt.halves.sums import as_order, recombined
from visaproof.smt.written import Words

from .words import c, kept, p, x, y, z


def _joined(term: Term) -> Term:
    assert isinstance(term, BitVec)
    return recombined(term)


def _ordered(term: Term) -> Term:
    assert isinstance(term, Bool)
    return as_order(term)


def pointer(b: Words, width: int) -> BitVec:
    """A pointer that arrives in two halves."""
    return b.concat(symbol(f"high{width}", width // 2), symbol(f"low{width}", width // 2))


def pointer_as_sum(b: Words, width: int) -> BitVec:
    high, low = (b.zero_extend(symbol(f"{name}{width}", width // 2), width) for name in ("high", "low"))
    return b.add(b.scale(high, 1 << width // 2), low)


def carried(b: Words, low: BitVec, high: BitVec, base: BitVec) -> BitVec:
    """Low and high halves plus a base, half by half: add, carry, add, add."""
    half, width = low.width, base.width
    base_low, base_high = b.extract(base, half - 1, 0), b.extract(base, width - 1, half)
    carry = b.extract(b.add(b.zero_extend(low, width), b.zero_extend(base_low, width)), width - 1, half)
    return b.concat(b.add(carry, b.add(high, base_high)), b.add(low, base_low))


def _offset(b: Words, width: int, left: int, right: int, arithmetic: bool, plus: int = 0) -> BitVec:
    """The pointer plus a word shifted left, whose upper half is the word shifted right."""
    half = width // 2
    word = b.add(x(half), c(plus, half)) if plus else x(half)
    shifted = (b.ashr if arithmetic else b.lshr)(word, c(right, half))
    return carried(b, b.shl(word, c(left, half)), shifted, pointer(b, width))


def _top_byte(b: Words, width: int) -> BitVec:
    return b.extract(x(width // 2), width // 2 - 1, width // 2 - 8)


HALVES: tuple[Rule, ...] = rules(
    "word-in-halves",
    {
        "halves side by side": lambda b, w: (
            b.concat(b.add(x(w // 2), y(w // 2)), z(w // 2)),
            b.add(
                b.scale(b.zero_extend(x(w // 2), w), 1 << w // 2),
                b.scale(b.zero_extend(y(w // 2), w), 1 << w // 2),
                b.zero_extend(z(w // 2), w),
            ),
        ),
        "a multiple of halves": lambda b, w: (
            b.scale(b.concat(b.add(b.scale(x(w // 2), 4), c(5, w // 2)), z(w // 2)), 2),
            b.add(
                c(10 << w // 2, w),
                b.scale(b.zero_extend(x(w // 2), w), 8 << w // 2),
                b.scale(b.zero_extend(z(w // 2), w), 2),
            ),
        ),
        "a sum by halves with a carry": lambda b, w: (
            carried(b, x(w // 2), y(w // 2), pointer(b, w)),
            b.add(pointer(b, w), b.scale(b.zero_extend(y(w // 2), w), 1 << w // 2), b.zero_extend(x(w // 2), w)),
        ),
        "a pointer is the sum of its halves": lambda b, w: (pointer(b, w), pointer_as_sum(b, w)),
        "shifted left, and right for the upper half": lambda b, w: (
            _offset(b, w, 2, w // 2 - 2, arithmetic=False),
            b.add(pointer(b, w), b.scale(b.zero_extend(x(w // 2), w), 4)),
        ),
        "shifted left, and right with its sign": lambda b, w: (
            _offset(b, w, 2, w // 2 - 2, arithmetic=True),
            b.add(pointer(b, w), b.scale(b.sign_extend(x(w // 2), w), 4)),
        ),
        "doubled, with its sign": lambda b, w: (
            _offset(b, w, 1, w // 2 - 1, arithmetic=True),
            b.add(pointer(b, w), b.scale(b.sign_extend(x(w // 2), w), 2)),
        ),
        "as it is, with its sign": lambda b, w: (
            _offset(b, w, 0, w // 2 - 1, arithmetic=True),
            b.add(pointer(b, w), b.sign_extend(x(w // 2), w)),
        ),
        "a multiple, with its sign": lambda b, w: (
            carried(b, b.scale(x(w // 2), 4), b.ashr(b.scale(x(w // 2), 4), c(w // 2 - 1, w // 2)), pointer(b, w)),
            b.add(pointer(b, w), b.sign_extend(b.scale(x(w // 2), 4), w)),
        ),
        "a sum shifted left, and right for the upper half": lambda b, w: (
            _offset(b, w, 2, w // 2 - 2, arithmetic=False, plus=3),
            b.add(pointer(b, w), b.scale(b.zero_extend(b.add(x(w // 2), c(3, w // 2)), w), 4)),
        ),
        "halves of one word, each extended": lambda b, w: (
            b.add(
                b.scale(b.zero_extend(b.extract(z(w), w - 1, w // 2), w), 1 << w // 2),
                b.zero_extend(b.truncate(z(w), w // 2), w),
            ),
            z(w),
        ),
        "halves of one word, three times each": lambda b, w: (
            b.add(
                b.scale(b.zero_extend(b.extract(z(w), w - 1, w // 2), w), 3 << w // 2),
                b.scale(b.zero_extend(b.truncate(z(w), w // 2), w), 3),
            ),
            b.scale(z(w), 3),
        ),
        "both halves of a word that has others in it": lambda b, w: (
            b.concat(*halves_of(b, b.add(x(w), b.concat(*halves_of(b, b.add(y(w), z(w))))))),
            b.add(x(w), y(w), z(w)),
        ),
        "both halves of one word": lambda b, w: (
            b.concat(b.add(b.extract(z(w), w - 1, w // 2), x(w // 2)), b.truncate(z(w), w // 2)),
            b.add(z(w), b.scale(b.zero_extend(x(w // 2), w), 1 << w // 2)),
        ),
    },
    widths=(64,),
    after=_joined,
)


APART: tuple[Rule, ...] = rules(
    "word-in-halves-that-no-rule-fits",
    {
        "halves of two words": lambda b, w: kept(
            b.concat(b.add(b.extract(z(w), w - 1, w // 2), x(w // 2)), b.truncate(y(w), w // 2))
        ),
        "a slice that is no half": lambda b, w: kept(
            b.concat(b.add(b.extract(z(w), w - 2, w // 2 - 1), x(w // 2)), b.truncate(z(w), w // 2))
        ),
        "shifted right by one less": lambda b, w: kept(_offset(b, w, 2, w // 2 - 3, arithmetic=False)),
        "shifted right by one more": lambda b, w: kept(_offset(b, w, 2, w // 2 - 1, arithmetic=True)),
        "as it is, without its sign": lambda b, w: kept(_offset(b, w, 0, w // 2 - 1, arithmetic=False)),
        "another multiple of the upper half": lambda b, w: kept(
            b.add(
                b.scale(b.concat(b.extract(z(w), w - 1, w // 2), x(w // 2)), 2),
                b.zero_extend(b.truncate(z(w), w // 2), w),
            )
        ),
        "shifted right without the highest bit": lambda b, w: kept(
            b.concat(
                b.sign_extend(b.extract(x(w // 2), w // 2 - 2, w // 2 - 3), w // 2), b.shl(x(w // 2), c(3, w // 2))
            )
        ),
        "three parts": lambda b, w: kept(b.concat(x(w // 4), y(w // 4), z(w // 2))),
        "two parts that are no halves": lambda b, w: kept(b.concat(x(w - w // 4), y(w // 4))),
        "a sum that wraps below the upper half": lambda b, w: kept(
            b.scale(b.zero_extend(b.add(x(w // 4), y(w // 4)), w), 1 << w // 2)
        ),
        "a sign that ends below the upper half": lambda b, w: kept(
            b.add(
                b.scale(b.zero_extend(b.sign_extend(_top_byte(b, w), w // 4), w), 1 << w // 2),
                b.zero_extend(b.shl(x(w // 2), c(8, w // 2)), w),
            )
        ),
        "the upper byte for the upper half": lambda b, w: kept(
            b.add(
                b.scale(b.zero_extend(b.extract(z(w), w - 1, w - 8), w), 1 << w // 2),
                b.zero_extend(b.truncate(z(w), w // 2), w),
            )
        ),
        "as it is, with two bits of its sign": lambda b, w: kept(_offset(b, w, 0, w // 2 - 2, arithmetic=True)),
    },
    widths=(64,),
    after=_joined,
)


def halves_of(b: Words, word: BitVec) -> tuple[BitVec, BitVec]:
    """The high and the low one."""
    return b.extract(word, word.width - 1, word.width // 2), b.truncate(word, word.width // 2)


def _parts(width: int, name: str) -> tuple[BitVec, BitVec]:
    """Two halves that come from anywhere."""
    return symbol(f"high-{name}{width}", width // 2), symbol(f"low-{name}{width}", width // 2)


def in_split_words(
    b: Words,
    one: tuple[BitVec, BitVec],
    other: tuple[BitVec, BitVec],
    less: Bool | None = None,
    lower: Bool | None = None,
) -> Bool:
    """`less`, or high halves that are equal and `lower`; both are orders of the halves."""
    less = b.ult(one[0], other[0]) if less is None else less
    lower = b.ult(one[1], other[1]) if lower is None else lower
    return b.disj(less, b.conj(b.eq(one[0], other[0]), lower))


def two_words(w: int) -> tuple[tuple[BitVec, BitVec], tuple[BitVec, BitVec]]:
    """The halves of two words."""
    return _parts(w, "one"), _parts(w, "other")


def _five(w: int) -> tuple[BitVec, BitVec]:
    return c(0, w // 2), c(5, w // 2)


ORDERS: tuple[Rule, ...] = rules(
    "order-in-halves",
    {
        "less, by halves of two words": lambda b, w: (
            in_split_words(b, halves_of(b, y(w)), halves_of(b, z(w))),
            b.ult(y(w), z(w)),
        ),
        "less, by other halves": lambda b, w: (
            in_split_words(b, *two_words(w)),
            b.ult(*(b.concat(*one) for one in two_words(w))),
        ),
        "less, with signs": lambda b, w: (
            in_split_words(b, *two_words(w), less=b.slt(*(high for high, _ in two_words(w)))),
            b.slt(*(b.concat(*one) for one in two_words(w))),
        ),
        "at most, by halves": lambda b, w: (
            in_split_words(b, *two_words(w), lower=b.neg(b.ult(*(low for _, low in reversed(two_words(w)))))),
            b.neg(b.ult(*(b.concat(*one) for one in reversed(two_words(w))))),
        ),
        "more than a number without a high half": lambda b, w: (
            in_split_words(b, _five(w), two_words(w)[0], less=b.neg(b.eq(c(0, w // 2), two_words(w)[0][0]))),
            b.ult(c(5, w), b.concat(*two_words(w)[0])),
        ),
    },
    widths=(64,),
    after=_ordered,
)

ORDERS_APART: tuple[Rule, ...] = rules(
    "order-in-halves-that-no-rule-fits",
    {
        "less in the low halves with signs": lambda b, w: kept(
            in_split_words(b, *two_words(w), lower=b.slt(*(low for _, low in two_words(w))))
        ),
        "equal where another half is": lambda b, w: kept(
            in_split_words(
                b,
                two_words(w)[0],
                (_parts(w, "third")[0], two_words(w)[1][1]),
                less=b.ult(*(h for h, _ in two_words(w))),
            )
        ),
        "less or less": lambda b, w: kept(b.disj(*(b.ult(*halves) for halves in zip(*two_words(w), strict=True)))),
        "unequal, or equal and one more": lambda b, w: kept(
            b.disj(
                b.neg(b.eq(c(1, w // 2), two_words(w)[0][0])),
                b.conj(b.eq(c(1, w // 2), two_words(w)[0][0]), b.ult(c(5, w // 2), two_words(w)[0][1])),
            )
        ),
        "with a third case": lambda b, w: kept(b.disj(p, in_split_words(b, *two_words(w)))),
    },
    widths=(64,),
    after=_ordered,
)
