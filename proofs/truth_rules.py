"""The rules of the normal form for truth values and choices, each as written and as it becomes."""

from visaproof.queries.identities import Rule, rules
from visaproof.smt import Bool, false, symbol, true
from visaproof.smt.solvers import Preparation
from visaproof.smt.written import Words

from .words import NARROW, SMALL, c, choice, kept, p, q, r, signed, small, wide, x, y, z

nibble = symbol("nibble", SMALL)

EQUALITIES: tuple[Rule, ...] = rules(
    "equality",
    {
        "a word equals itself": lambda b, w: (b.eq(b.add(x(w), y(w)), b.add(y(w), x(w))), true()),
        "a word differs from itself and a constant": lambda b, w: (b.eq(b.add(x(w), c(1, w)), x(w)), false()),
        "constants are equal or not": lambda b, w: (b.neg(b.eq(c(3, w), c(-3, w))), b.eq(c(3, w), c(3, w))),
        "constants move to one side": lambda b, w: (b.eq(b.add(x(w), c(3, w)), c(5, w)), b.eq(x(w), c(2, w))),
        "equal constants of both sides vanish": lambda b, w: (
            b.eq(b.add(x(w), y(w), c(3, w)), b.add(b.scale(x(w), 5), c(3, w))),
            b.eq(b.add(x(w), y(w)), b.scale(x(w), 5)),
        ),
        "both orders of an equation are one": lambda b, w: (b.eq(x(w), y(w)), b.eq(y(w), x(w))),
        "an even number is not odd": lambda b, w: (b.eq(b.scale(x(w), 4), c(2, w)), false()),
        "multiples that differ by less than their step": lambda b, w: (
            b.eq(b.scale(x(w), 4), b.add(b.scale(y(w), 4), c(2, w))),
            false(),
        ),
        "a bit that is zero is not set": lambda b, w: (b.eq(b.bit_and(x(w), c(0x70, w)), c(0x0F, w)), false()),
        "a value above the bounds": lambda b, w: (b.eq(wide(b, x(w)), c((1 << w) + 44, 2 * w)), false()),
        "a value below the bounds": lambda b, w: (b.eq(b.bit_or(small(b, "s", w), c(9, w)), c(8, w)), false()),
        "a multiple above the bounds of a sum": lambda b, w: (
            b.eq(b.add(b.scale(b.bit_or(small(b, "s", w), c(9, w)), 3), small(b, "t", w)), c(26, w)),
            false(),
        ),
        "equal flips of both sides": lambda b, w: (
            b.eq(b.bit_xor(c(6, w), x(w)), b.bit_xor(c(6, w), y(w))),
            b.eq(x(w), y(w)),
        ),
        "low bits under a mask are a slice": lambda b, w: (
            b.eq(b.bit_and(c(3, w), b.add(x(w), b.scale(y(w), 4))), c(1, w)),
            b.eq(b.truncate(x(w), 2), c(1, 2)),
        ),
        "a bit is 0 where it is not 1": lambda b, w: (b.eq(b.extract(x(w), 3, 3), c(0, 1)), b.neg(b.bit(x(w), 3))),
        "a bit is a slice of one": lambda b, w: (b.bit(x(w), 3), b.eq(b.extract(x(w), 3, 3), c(1, 1))),
        "a sign is 0 where its word is not negative": lambda b, w: (
            b.eq(signed(b, x(w)), c(3, 2 * w)),
            b.eq(x(w), c(3, w)),
        ),
        "or all ones where it is": lambda b, w: (b.eq(signed(b, x(w)), c(-3, 2 * w)), b.eq(x(w), c(-3, w))),
        "or the words differ": lambda b, w: (b.eq(signed(b, x(w)), c(1 << w, 2 * w)), false()),
        "above 0 is not 0": lambda b, w: (b.ult(c(0, w), x(w)), b.neg(b.eq(x(w), c(0, w)))),
        "below 1 is 0": lambda b, w: (b.ult(x(w), c(1, w)), b.eq(x(w), c(0, w))),
        "a choice of constants is its condition": lambda b, w: (b.eq(choice(b, 1, 0, w), c(1, w)), p),
        "or its denial": lambda b, w: (b.eq(choice(b, 1, 0, w), c(0, w)), b.neg(p)),
        "or fails": lambda b, w: (b.eq(choice(b, 1, 4, w), c(2, w)), false()),
        "a choice that equals its first branch": lambda b, w: (
            b.eq(b.ite(p, x(w), y(w)), x(w)),
            b.disj(p, b.eq(x(w), y(w))),
        ),
        "a choice that equals its second branch": lambda b, w: (
            b.eq(b.ite(p, x(w), y(w)), y(w)),
            b.disj(b.neg(p), b.eq(x(w), y(w))),
        ),
        "a word or its negative is 0 where the word is": lambda b, w: (
            b.eq(b.ite(p, b.negate(x(w)), x(w)), c(0, w)),
            b.eq(x(w), c(0, w)),
        ),
        "a number that is the first branch": lambda b, w: (
            b.eq(c(0, w), b.ite(p, c(0, w), x(w))),
            b.disj(p, b.eq(x(w), c(0, w))),
        ),
        "a number that is the second branch": lambda b, w: (
            b.eq(b.ite(p, x(w), c(6, w)), c(6, w)),
            b.disj(b.neg(p), b.eq(x(w), c(6, w))),
        ),
    },
)

EXTENDED: tuple[Rule, ...] = rules(
    "comparison-of-extended-words",
    {
        "extensions are equal where the words are": lambda b, w: (b.eq(wide(b, x(w)), wide(b, y(w))), b.eq(x(w), y(w))),
        "an extension is a small constant": lambda b, w: (b.eq(wide(b, x(w)), c(7, 2 * w)), b.eq(x(w), c(7, w))),
        "words that differ in their own width differ extended": lambda b, w: (
            b.eq(wide(b, x(w)), wide(b, b.add(x(w), c(4, w)))),
            false(),
        ),
        "and after another constant is added": lambda b, w: (
            b.eq(b.add(wide(b, x(w)), c(8, 2 * w)), wide(b, b.add(x(w), c(4, w)))),
            false(),
        ),
        "equal multiples of extended words are equal words": lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 4), b.scale(wide(b, y(w)), 4)),
            b.eq(x(w), y(w)),
        ),
        "and up to half the range": lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 1 << (w - 1)), b.scale(wide(b, y(w)), 1 << (w - 1))),
            b.eq(x(w), y(w)),
        ),
        "and behind a common summand, with signs": lambda b, w: (
            b.eq(b.add(z(2 * w), b.scale(signed(b, x(w)), 4)), b.add(z(2 * w), b.scale(signed(b, y(w)), 4))),
            b.eq(x(w), y(w)),
        ),
        "extended flips of words that differ": lambda b, w: (
            b.eq(
                b.scale(wide(b, b.bit_xor(c(1, w), x(w))), 4),
                b.scale(wide(b, b.bit_xor(c(1, w), b.add(x(w), c(2, w)))), 4),
            ),
            false(),
        ),
        "a sum that is above 0 and below the modulus": lambda b, w: (
            b.eq(b.add(wide(b, x(w)), c(1, 2 * w)), b.negate(wide(b, y(w)))),
            false(),
        ),
        "a difference between two multiples of the modulus": lambda b, w: (
            b.eq(b.add(wide(b, x(w)), c((1 << w) + 44, 2 * w)), wide(b, y(w))),
            false(),
        ),
        "extended words whose own difference is in a range": lambda b, w: (
            b.eq(b.scale(wide(b, b.add(x(w), choice(b, 1, 3, w))), 4), b.scale(wide(b, x(w)), 4)),
            false(),
        ),
        "one form for one bound": lambda b, w: (
            b.ule(b.add(wide(b, x(w)), c(4, 2 * w)), z(2 * w)),
            b.ult(b.add(wide(b, x(w)), c(3, 2 * w)), z(2 * w)),
        ),
    },
    widths=NARROW,
)

EXTENDED_MULTIPLES: tuple[Rule, ...] = rules(
    "comparison-of-extended-words",
    {
        "multiples of extended words that differ by no multiple": lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 3), b.add(b.scale(wide(b, y(w)), 3), c(4, 2 * w))),
            false(),
        ),
        "a multiple of an extended word that is a number": lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 12), c(48, 2 * w)),
            b.eq(x(w), c(4, w)),
        ),
        "a multiple of an extended word that is no number between": lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 3), c(4, 2 * w)),
            false(),
        ),
        "multiples at another distance than their words": lambda b, w: (
            b.eq(b.scale(signed(b, b.add(x(w), c(2, w))), 12), b.add(b.scale(signed(b, x(w)), 12), c(12, 2 * w))),
            false(),
        ),
    },
    widths=NARROW,
    preparation=Preparation.MULTIPLIED_OUT,
)

ORDERS: tuple[Rule, ...] = rules(
    "order",
    {
        "nothing is below 0": lambda b, w: (b.ult(x(w), c(0, w)), false()),
        "nothing is below itself": lambda b, w: (b.disj(b.ult(x(w), x(w)), b.slt(x(w), x(w))), false()),
        "an extension is below what it cannot reach": lambda b, w: (b.ult(wide(b, x(w)), c(1 << w, 2 * w)), true()),
        "and not below what it always reaches": lambda b, w: (
            b.ult(b.add(small(b, "s", w), c(8, w)), b.bit_and(x(w), c(8, w))),
            false(),
        ),
        "words that fit are compared in 16 bits": lambda b, w: (
            b.ult(small(b, "s", 4 * w), small(b, "t", 4 * w)),
            b.ult(small(b, "s", min(4 * w, 16)), small(b, "t", min(4 * w, 16))),
        ),
        "at most all ones": lambda b, w: (b.ule(x(w), c(-1, w)), true()),
        "at most is not above": lambda b, w: (b.ule(x(w), y(w)), b.neg(b.ult(y(w), x(w)))),
        "signed is unsigned without signs": lambda b, w: (
            b.slt(b.lshr(x(w), c(1, w)), b.lshr(y(w), c(1, w))),
            b.ult(b.lshr(x(w), c(1, w)), b.lshr(y(w), c(1, w))),
        ),
        "signed at most is not signed above": lambda b, w: (b.sle(x(w), y(w)), b.neg(b.slt(y(w), x(w)))),
        "the least number is less than the greatest": lambda b, w: (
            b.slt(c(1 << (w - 1), w), c((1 << (w - 1)) - 1, w)),
            true(),
        ),
        "-1 is not less than -2": lambda b, w: (b.slt(c(-1, w), c(-2, w)), false()),
    },
)

CONNECTIVES: tuple[Rule, ...] = rules(
    "connective",
    {
        "not not": lambda b, _: (b.neg(b.neg(p)), p),
        "not of a constant": lambda b, _: (b.neg(false()), true()),
        "and is a set": lambda b, _: (b.conj(p, q, p), b.conj(q, p)),
        "and is flat": lambda b, _: (b.conj(p, b.conj(q, r)), b.conj(b.conj(p, q), r)),
        "or is a set": lambda b, _: (b.disj(p, q, p), b.disj(q, p)),
        "or is flat": lambda b, _: (b.disj(p, b.disj(q, r)), b.disj(b.disj(p, q), r)),
        "or of all values of a word": lambda b, _: (
            b.disj(p, *(b.eq(nibble, c(value, SMALL)) for value in range(16))),
            true(),
        ),
        "and of none of its values": lambda b, _: (
            b.conj(p, *(b.neg(b.eq(nibble, c(value, SMALL))) for value in range(16))),
            false(),
        ),
        "and with true": lambda b, _: (b.conj(p, true()), p),
        "and with false": lambda b, _: (b.conj(p, false(), q), false()),
        "or with false": lambda b, _: (b.disj(false(), p), p),
        "or with true": lambda b, _: (b.disj(p, true(), q), true()),
        "a contradiction": lambda b, _: (b.conj(p, q, b.neg(p)), false()),
        "the excluded middle": lambda b, _: (b.disj(p, q, b.neg(p)), true()),
        "a denied conjunction of what is asserted": lambda b, _: (b.conj(p, q, b.neg(b.conj(p, q))), false()),
        "a denied disjunction beside its parts": lambda b, _: (b.disj(p, q, b.neg(b.disj(p, q))), true()),
        "and with what one of its parts shows": lambda b, _: (b.conj(p, b.disj(p, q)), p),
        "or with what shows one of its parts": lambda b, _: (b.disj(p, b.conj(q, p), r), b.disj(p, r)),
        "and with what several of its parts show": lambda b, _: (
            b.conj(p, q, b.disj(b.conj(q, p), r)),
            b.conj(p, q),
        ),
        "or with what shows several of its parts": lambda b, _: (
            b.disj(p, q, b.conj(b.disj(q, p), r)),
            b.disj(p, q),
        ),
        "what implies itself": lambda b, _: (b.implies(p, p), true()),
        "what is equivalent to itself": lambda b, _: (b.iff(p, p), true()),
        "equivalent to true": lambda b, _: (b.iff(p, true()), p),
        "a choice between equal truths": lambda b, _: (b.ite_bool(p, q, q), q),
        "a choice of true and false is its condition": lambda b, _: (b.ite_bool(p, true(), false()), p),
        "a choice of two truths": lambda b, _: (
            b.ite_bool(p, q, r),
            b.conj(b.disj(b.neg(p), q), b.disj(p, r)),
        ),
    },
    widths=(0,),
)

CHOICES: tuple[Rule, ...] = rules(
    "choice",
    {
        "between a word and itself": lambda b, w: (b.ite(p, x(w), x(w)), x(w)),
        "by true": lambda b, w: (b.ite(true(), x(w), y(w)), x(w)),
        "by false": lambda b, w: (b.ite(false(), x(w), y(w)), y(w)),
        "by a denied condition": lambda b, w: (b.ite(b.neg(p), x(w), y(w)), b.ite(p, y(w), x(w))),
        "by a condition asked twice": lambda b, w: (b.ite(p, b.ite(p, x(w), y(w)), b.ite(p, y(w), x(w))), x(w)),
        "by a condition inside of another": lambda b, w: (
            b.ite(b.conj(p, q), x(w), b.ite(q, x(w), y(w))),
            b.ite(q, x(w), y(w)),
        ),
        "by conditions inside of others": lambda b, w: (
            b.ite(b.conj(p, q, r), x(w), b.ite(b.conj(p, r), x(w), y(w))),
            b.ite(b.conj(r, p), x(w), y(w)),
        ),
        "by one of several conditions": lambda b, w: (
            b.ite(p, x(w), b.ite(b.disj(p, q), x(w), y(w))),
            b.ite(b.disj(q, p), x(w), y(w)),
        ),
        "by both cases of a condition under another": lambda b, w: (
            b.ite(b.conj(p, q), x(w), b.ite(b.conj(p, b.neg(q)), y(w), z(w))),
            b.ite(p, b.ite(q, x(w), y(w)), z(w)),
        ),
        "and by the other one after both cases": lambda b, w: (
            b.ite(b.conj(p, b.neg(q)), x(w), b.ite(b.conj(p, q), y(w), b.ite(p, c(1, w), z(w)))),
            b.ite(p, b.ite(q, y(w), x(w)), z(w)),
        ),
        "of the smaller word": lambda b, w: (
            b.ite(b.ult(x(w), y(w)), x(w), y(w)),
            b.ite(b.ult(y(w), x(w)), y(w), x(w)),
        ),
        "of the larger word, with signs": lambda b, w: (
            b.ite(b.slt(x(w), y(w)), y(w), x(w)),
            b.ite(b.slt(y(w), x(w)), x(w), y(w)),
        ),
        "has the bounds and zeros of both": lambda b, w: (
            b.ite(p, b.add(b.scale(small(b, "s", w), 2), c(4, w)), b.scale(small(b, "t", w), 6)),
            b.ite(p, b.add(c(4, w), b.scale(small(b, "s", w), 2)), b.scale(b.scale(small(b, "t", w), 3), 2)),
        ),
        "has the higher upper bound": lambda b, w: (
            b.ite(p, b.add(small(b, "s", w), c(9, w)), b.add(small(b, "t", w), c(3, w))),
            b.ite(b.neg(p), b.add(small(b, "t", w), c(3, w)), b.add(small(b, "s", w), c(9, w))),
        ),
    },
)


def _u(b: Words, width: int) -> Bool:
    return b.ult(x(width), y(width))


KEPT: tuple[Rule, ...] = rules(
    "truth-that-no-rule-fits",
    {
        "an equation that holds unless the sum wraps": lambda b, w: kept(
            b.eq(b.add(wide(b, x(w)), c(4, 2 * w)), wide(b, b.add(x(w), c(4, w))))
        ),
        "a number and a choice of two words": lambda b, w: kept(b.eq(c(5, w), b.ite(p, x(w), y(w)))),
        "words of different widths, extended": lambda b, w: kept(
            b.eq(b.zero_extend(x(w), 4 * w), b.zero_extend(z(2 * w), 4 * w))
        ),
        "multiples of extended words that may wrap": lambda b, w: kept(
            b.eq(b.scale(wide(b, x(w)), 3 << (w - 1)), b.scale(wide(b, y(w)), 3 << (w - 1)))
        ),
        "multiples of extended words that just may wrap": lambda b, w: kept(
            b.eq(b.scale(wide(b, x(w)), (1 << w) + 1), b.add(b.scale(wide(b, y(w)), (1 << w) + 1), c(1, 2 * w)))
        ),
        "multiples of extended words a quarter of the range apart": lambda b, w: kept(
            b.eq(
                b.add(b.scale(wide(b, x(w)), (1 << (w - 1)) - 1), c(((1 << (w - 1)) - 1) * ((1 << w) - 4), 2 * w)),
                b.scale(wide(b, y(w)), (1 << (w - 1)) - 1),
            )
        ),
        "different multiples of extended words": lambda b, w: kept(
            b.eq(b.scale(wide(b, x(w)), 3), b.scale(wide(b, y(w)), 5))
        ),
        "zeros above one word and signs above the other": lambda b, w: kept(b.eq(wide(b, x(w)), signed(b, y(w)))),
        "a multiple that just may wrap and is a number": lambda b, w: kept(
            b.eq(b.scale(wide(b, x(w)), (1 << w) + 2), c((1 << w) - 2, 2 * w))
        ),
        "a sum that reaches a number by its factors": lambda b, w: kept(
            b.eq(b.add(b.scale(small(b, "s", w), 5), small(b, "t", w)), c(60, w))
        ),
        "a difference that reaches a number by its factors": lambda b, w: kept(
            b.eq(b.scale(small(b, "s", w), 5), b.add(b.scale(small(b, "t", w), 3), c(30, w)))
        ),
        "a sum that can reach the modulus": lambda b, w: kept(
            b.eq(b.add(wide(b, x(w)), c(1 - (1 << w), 2 * w)), c(0, 2 * w))
        ),
        "a difference that can reach the modulus": lambda b, w: kept(
            b.eq(b.add(wide(b, x(w)), c((1 << w) - 1, 2 * w)), wide(b, y(w)))
        ),
        "an even product of odd things": lambda b, w: kept(b.eq(b.scale(x(w), 6), c(4, w))),
        "multiples that may differ by their step": lambda b, w: kept(
            b.eq(b.scale(x(w), 4), b.add(b.scale(y(w), 4), c(4, w)))
        ),
        "flips that differ": lambda b, w: kept(b.eq(b.bit_xor(c(6, w), x(w)), b.bit_xor(c(5, w), y(w)))),
        "a flip of one side": lambda b, w: kept(b.eq(b.bit_xor(c(6, w), x(w)), y(w))),
        "bits under a mask with a hole": lambda b, w: kept(b.eq(b.bit_and(c(5, w), x(w)), c(1, w))),
        "a slice of one bit more": lambda b, w: kept(b.eq(b.bit_and(c(6, w), x(w)), c(2, w))),
        "a bound that may be met": lambda b, w: kept(b.ult(b.add(small(b, "s", w), c(3, w)), c(18, w))),
        "a lower bound that may be met": lambda b, w: kept(b.ult(c(3, w), b.add(small(b, "s", w), c(3, w)))),
        "a bound that one value meets": lambda b, w: kept(b.ult(b.add(small(b, "s", w), c(3, w)), c(4, w))),
        "at most, where one less would wrap": lambda b, w: kept(b.ule(x(w), y(w))),
        "a signed order of words with signs": lambda b, w: kept(b.slt(x(w), y(w))),
        "a signed order of which one has no sign": lambda b, w: kept(b.slt(x(w), b.lshr(y(w), c(1, w)))),
        "a denied conjunction beside one of its parts": lambda b, w: kept(b.conj(p, b.neg(b.conj(p, _u(b, w))))),
        "a denied disjunction in a conjunction": lambda b, w: kept(b.conj(p, q, b.neg(b.disj(r, _u(b, w))))),
        "a part of one of several ways": lambda b, w: kept(b.conj(p, b.disj(b.conj(p, q), _u(b, w)))),
        "a way of which one part is shown": lambda b, w: kept(b.disj(p, b.conj(b.disj(p, q), _u(b, w)))),
        "all values of a word but one": lambda b, _: kept(
            b.disj(*(b.eq(nibble, c(value, SMALL)) for value in range(15)))
        ),
        "a choice by another condition inside": lambda b, w: kept(b.ite(p, b.ite(q, x(w), y(w)), z(w))),
        "and in the other branch": lambda b, w: kept(b.ite(p, z(w), b.ite(q, x(w), y(w)))),
        "a choice inside of another by a condition of its own": lambda b, w: kept(
            b.eq(b.ite(b.conj(p, q), x(w), b.ite(b.conj(q, r), x(w), y(w))), symbol(f"v{w}", w))
        ),
        "a choice by cases of a condition under two others": lambda b, w: kept(
            b.eq(b.ite(b.conj(p, q), x(w), b.ite(b.conj(r, b.neg(q)), y(w), x(w))), symbol(f"v{w}", w))
        ),
        "a choice of two words": lambda b, w: kept(b.eq(b.ite(p, x(w), y(w)), symbol(f"v{w}", w))),
    },
)
