"""The rules of what comes after the normal form: the second normal form, the common form, and one-bit data."""

from visaproof.queries.identities import Copies, Rule, rules
from visaproof.refinement.effects.common_form import in_common_form
from visaproof.smt import BitVec, Bool, symbol, true
from visaproof.smt.expanded import expanded
from visaproof.smt.terms import T
from visaproof.smt.written import Words

from .words import NARROW, c, kept, p, q, r, signed, x, y, z


def _second(term: T) -> T:
    return expanded([term])[0]


# ---------------------------------------------------------------- the second normal form


SECOND_WIDTHS = (32, 34, 40, 64)
"""Of data, of element offsets in bytes, of addresses of surfaces, and of pointers."""


def _sum(b: Words, width: int) -> BitVec:
    return b.add(b.scale(x(width), 4), y(width))


SECOND: tuple[Rule, ...] = rules(
    "second-form",
    {
        "a mask is a slice": lambda b, w: (
            b.bit_and(c(0x3C, w), _sum(b, w)),
            b.scale(b.zero_extend(b.extract(_sum(b, w), 5, 2), w), 4),
        ),
        "a high mask takes the low bits away": lambda b, w: (
            b.bit_and(c(-8, w), _sum(b, w)),
            b.sub(_sum(b, w), b.zero_extend(b.truncate(_sum(b, w), 3), w)),
        ),
        "a mask of the top bit": lambda b, w: (
            b.bit_and(c(1 << (w - 1), w), y(w)),
            b.sub(y(w), b.zero_extend(b.truncate(y(w), w - 1), w)),
        ),
        "a mask of all other bits": lambda b, w: (
            b.bit_and(c((1 << (w - 1)) - 1, w), y(w)),
            b.zero_extend(b.truncate(y(w), w - 1), w),
        ),
        "a mask in several runs": lambda b, w: (
            b.bit_and(c(0xF0F0_0003, w), _sum(b, w)),
            b.add(
                b.zero_extend(b.truncate(_sum(b, w), 2), w),
                b.scale(b.zero_extend(b.extract(_sum(b, w), 23, 20), w), 1 << 20),
                b.bit_and(c(0xF000_0000, w), _sum(b, w)),
            ),
        ),
        "or is the sum without what both have": lambda b, w: (
            b.bit_or(c(0x3C, w), _sum(b, w)),
            b.sub(b.add(c(0x3C, w), _sum(b, w)), b.bit_and(c(0x3C, w), _sum(b, w))),
        ),
        "xor is the sum without twice what both have": lambda b, w: (
            b.bit_xor(c(0x18, w), y(w)),
            b.sub(b.add(c(0x18, w), y(w)), b.scale(b.bit_and(c(0x18, w), y(w)), 2)),
        ),
        "a mask of a multiple is a multiple of a mask": lambda b, w: (
            b.bit_and(c(-8, w), b.scale(b.add(x(w), y(w)), 4)),
            b.scale(b.bit_and(c(-2, w), b.add(x(w), y(w))), 4),
        ),
        "a concatenation is a sum": lambda b, w: (
            b.concat(b.add(x(w), y(w)), symbol("t", 16), z(w)),
            b.add(
                b.scale(b.zero_extend(b.add(x(w), y(w)), 2 * w + 16), 1 << (w + 16)),
                b.scale(b.zero_extend(symbol("t", 16), 2 * w + 16), 1 << w),
                b.zero_extend(z(w), 2 * w + 16),
            ),
        ),
        "a slice of a sum, of which one part is above": lambda b, w: (
            b.extract(b.add(b.scale(x(w), 48), y(w)), 8, 4),
            b.add(b.scale(b.truncate(x(w), 5), 3), b.extract(y(w), 8, 4)),
        ),
        "a slice of a sum with a constant": lambda b, w: (
            b.extract(b.add(b.scale(x(w), 16), y(w), c(0x35, w)), 6, 4),
            b.add(b.truncate(x(w), 3), c(3, 3), b.extract(b.add(y(w), c(5, w)), 6, 4)),
        ),
        "a slice of a multiple": lambda b, w: (
            b.extract(b.add(b.scale(x(w), 4), b.scale(y(w), 8)), 12, 5),
            b.extract(b.add(x(w), b.scale(y(w), 2)), 10, 3),
        ),
        "the upper half of a sum of halves": lambda b, w: (
            b.extract(b.add(b.concat(x(w), y(w)), b.scale(b.zero_extend(z(w), 2 * w), 2 << w)), 2 * w - 1, w),
            b.add(x(w), b.scale(z(w), 2)),
        ),
        "a middle slice of multiples": lambda b, w: kept(
            b.extract(b.add(b.scale(x(w), 96), b.scale(b.bit_xor(x(w), y(w)), 32), c(64, w)), 8, 5)
        ),
        "zeros above a multiple": lambda b, w: (
            b.zero_extend(b.add(b.scale(x(w), 4), b.scale(y(w), 8)), w + 8),
            b.scale(b.zero_extend(b.truncate(b.add(x(w), b.scale(y(w), 2)), w - 2), w + 8), 4),
        ),
        "owords of bytes": lambda b, w: (
            b.scale(b.zero_extend(b.lshr(b.add(b.scale(x(w), 32), c(16, w)), c(4, w)), w + 8), 16),
            b.zero_extend(b.add(b.scale(x(w), 32), c(16, w)), w + 8),
        ),
        "zeros above a sum with an odd part": lambda b, w: kept(b.zero_extend(b.add(_sum(b, w), c(21, w)), w + 8)),
        "a sum under a choice": lambda b, w: (
            b.ite(p, b.bit_or(c(4, w), b.scale(x(w), 4)), z(w)),
            b.ite(p, b.scale(b.bit_or(c(1, w), x(w)), 4), z(w)),
        ),
    },
    widths=SECOND_WIDTHS,
    after=_second,
)

# ---------------------------------------------------------------- the common form


def _common(term: T) -> T:
    return in_common_form([term])[0]


def _least(width: int) -> BitVec:
    return c(1 << (width - 1), width)


COMMON: tuple[Rule, ...] = (
    *rules(
        "common-form",
        {
            "not below a number is above the one before it": lambda b, w: (
                b.neg(b.slt(x(w), c(1, w))),
                b.slt(c(0, w), x(w)),
            ),
            "not above a number is below the next one": lambda b, w: (
                b.neg(b.slt(c(4, w), x(w))),
                b.slt(x(w), c(5, w)),
            ),
            "nothing is below the least number": lambda b, w: (b.slt(x(w), _least(w)), b.neg(true())),
            "at least the greatest number is not below it": lambda b, w: (
                b.neg(b.slt(x(w), b.sub(_least(w), c(1, w)))),
                b.slt(b.sub(_least(w), c(2, w)), x(w)),
            ),
            "the same without signs": lambda b, w: (b.neg(b.ult(x(w), c(8, w))), b.ult(c(7, w), x(w))),
            "of the greatest number without signs": lambda b, w: (b.neg(b.ult(x(w), c(-1, w))), b.ult(c(-2, w), x(w))),
            "the highest bit is the sign": lambda b, w: (b.bit(x(w), w - 1), b.slt(x(w), c(0, w))),
            "another bit is no sign": lambda b, w: kept(b.bit(x(w), w - 2)),
            "highest bits that are 0": lambda b, w: (
                b.eq(b.extract(x(w), w - 1, 3), c(0, w - 3)),
                b.ult(x(w), c(8, w)),
            ),
            "highest bits that are a number": lambda b, w: kept(b.eq(b.extract(x(w), w - 1, 3), c(1, w - 3))),
            "bits below the highest that are 0": lambda b, w: kept(b.eq(b.extract(x(w), w - 2, 3), c(0, w - 4))),
            "a denial of both": lambda b, w: (
                b.neg(b.disj(p, b.eq(x(w), y(w)))),
                b.conj(b.neg(p), b.neg(b.eq(x(w), y(w)))),
            ),
            "a denial of a denial within": lambda b, w: (
                b.neg(b.conj(p, b.neg(b.conj(q, b.slt(x(w), y(w)))))),
                b.disj(b.neg(p), b.conj(q, b.slt(x(w), y(w)))),
            ),
            "one holds, and so not what denies it": lambda b, w: (
                b.conj(p, b.disj(b.neg(p), b.eq(x(w), y(w)))),
                b.conj(p, b.eq(x(w), y(w))),
            ),
            "one holds, and need not be asked again": lambda b, w: (
                b.conj(p, b.disj(b.conj(p, q), b.conj(r, b.eq(x(w), y(w))))),
                b.conj(p, b.disj(q, b.conj(r, b.eq(x(w), y(w))))),
            ),
            "one holds, and so no case without it": lambda b, w: (
                b.conj(p, b.disj(b.conj(b.neg(p), q), b.eq(x(w), y(w)))),
                b.conj(p, b.eq(x(w), y(w))),
            ),
            "a case of each lane, and more of it": lambda b, w: (
                b.conj(
                    b.disj(p, b.eq(x(w), y(w))),
                    b.disj(b.conj(p, q), b.conj(b.eq(x(w), y(w)), r)),
                ),
                b.disj(b.conj(p, q), b.conj(b.eq(x(w), y(w)), r)),
            ),
            "cases that are not all there": lambda b, w: kept(
                b.conj(b.disj(p, b.eq(x(w), y(w))), b.disj(b.conj(p, q), b.conj(b.eq(x(w), z(w)), r)))
            ),
            "without one the other way round": lambda b, w: (
                b.disj(b.neg(p), b.conj(p, b.eq(x(w), y(w)))),
                b.disj(b.neg(p), b.eq(x(w), y(w))),
            ),
            "a choice in the first branch that shares the second": lambda b, w: (
                b.ite(p, b.ite(q, x(w), y(w)), y(w)),
                b.ite(b.conj(p, q), x(w), y(w)),
            ),
            "or shares it where it fails": lambda b, w: (
                b.ite(p, b.ite(q, y(w), x(w)), y(w)),
                b.ite(b.conj(p, b.neg(q)), x(w), y(w)),
            ),
            "a choice in the second branch that shares the first": lambda b, w: (
                b.ite(p, x(w), b.ite(q, x(w), y(w))),
                b.ite(b.disj(p, q), x(w), y(w)),
            ),
            "or shares it where that one fails": lambda b, w: (
                b.ite(p, x(w), b.ite(q, y(w), x(w))),
                b.ite(b.disj(p, b.neg(q)), x(w), y(w)),
            ),
            "a chain of choices whose last one it shares": lambda b, w: (
                b.ite(p, b.ite(q, x(w), b.ite(r, y(w), z(w))), z(w)),
                b.ite(b.conj(p, q), x(w), b.ite(b.conj(p, r), y(w), z(w))),
            ),
            "or shares it where it holds": lambda b, w: (
                b.ite(p, z(w), b.ite(q, x(w), b.ite(r, y(w), z(w)))),
                b.ite(b.conj(b.neg(p), q), x(w), b.ite(b.conj(b.neg(p), r), y(w), z(w))),
            ),
            "a chain that ends in another word": lambda b, w: kept(
                b.ite(p, b.ite(q, x(w), b.ite(r, y(w), z(w))), y(w))
            ),
            "a choice by one of two denials": lambda b, w: (
                b.ite(b.disj(b.neg(p), b.neg(q)), x(w), y(w)),
                b.ite(b.conj(p, q), y(w), x(w)),
            ),
            "a branch that asks again": lambda b, w: (
                b.ite(b.conj(p, q), b.ite(p, x(w), y(w)), z(w)),
                b.ite(b.conj(p, q), x(w), z(w)),
            ),
            "a branch that asks again for a part": lambda b, w: (
                b.ite(p, b.ite(b.conj(p, q), x(w), y(w)), z(w)),
                b.ite(p, b.ite(q, x(w), y(w)), z(w)),
            ),
            "or denies it where it fails": lambda b, w: (
                b.ite(p, z(w), b.ite(b.conj(b.neg(p), q), x(w), y(w))),
                b.ite(p, z(w), b.ite(q, x(w), y(w))),
            ),
            "a branch that asks for the contrary": lambda b, w: (
                b.ite(b.conj(p, q), b.ite(b.conj(r, b.neg(p)), x(w), y(w)), z(w)),
                b.ite(b.conj(p, q), y(w), z(w)),
            ),
        },
        after=_common,
    ),
    *rules(
        "common-form",
        {
            "signs above a choice with a number": lambda b, w: (
                signed(b, b.ite(p, c(-1, w), b.ite(q, y(w), c(7, w)))),
                b.ite(p, c(-1, 2 * w), b.ite(q, signed(b, y(w)), c(7, 2 * w))),
            ),
            "signs above a choice of words": lambda b, w: kept(signed(b, b.ite(p, x(w), y(w)))),
            "signs above a word beside a number": lambda b, w: (
                b.slt(c(-5, 2 * w), signed(b, x(w))),
                b.slt(c(-5, w), x(w)),
            ),
            "signs above both words": lambda b, w: (b.slt(signed(b, x(w)), signed(b, y(w))), b.slt(x(w), y(w))),
            "signs above a word beside a number that it cannot be": lambda b, w: kept(
                b.slt(c(1 << (w - 1), 2 * w), signed(b, x(w)))
            ),
        },
        NARROW,
        after=_common,
    ),
)

# ---------------------------------------------------------------- one-bit data


def _hit(b: Words, width: int) -> Bool:
    return b.eq(b.add(symbol(f"address{width}", 40), c(4, 40)), symbol(f"other{width}", 40))


COPIES: tuple[Copies, ...] = (
    Copies(
        "the same word chosen twice",
        lambda b, w: b.eq(b.ite(p, x(w), b.ite(q, x(w), y(w))), b.ite(q, x(w), b.ite(p, x(w), y(w)))),
    ),
    Copies("a word that was not chosen", lambda b, w: b.implies(p, b.eq(b.ite(p, x(w), y(w)), y(w)))),
    Copies(
        "what a store leaves where it hits",
        lambda b, w: b.implies(
            _hit(b, w), b.eq(b.ite(_hit(b, w), x(w), b.ite(q, y(w), z(w))), b.ite(_hit(b, w), x(w), y(w)))
        ),
    ),
    Copies(
        "what a store leaves elsewhere",
        lambda b, w: b.disj(
            _hit(b, w),
            b.eq(b.ite(_hit(b, w), x(w), b.ite(q, z(w), y(w))), b.ite(q, z(w), b.ite(_hit(b, w), x(w), y(w)))),
        ),
    ),
    Copies("a word or zero", lambda b, w: b.eq(b.ite(p, x(w), c(0, w)), b.ite(q, y(w), c(0, w)))),
    Copies(
        "several words at once",
        lambda b, w: b.conj(
            b.disj(q, b.eq(b.ite(p, x(w), y(w)), z(w))), b.disj(p, b.eq(b.ite(q, x(w), y(w)), z(w))), b.disj(p, q)
        ),
    ),
    Copies(
        "under an assumption",
        lambda b, w: b.implies(q, b.eq(b.ite(p, x(w), y(w)), x(w))),
        lambda b, w: b.disj(p, _hit(b, w)),
    ),
)
