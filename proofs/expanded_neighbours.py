"""Tempting rules for halves, the second normal form and one-bit data that are wrong: each is refuted by numbers."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries.identities import neighbour
from visaproof.queries.query import Query
from visaproof.smt import BitVec, Bool
from visaproof.smt.written import Words

from .split_word_rules import in_split_words, pointer, two_words
from .words import c, p, q, r, signed, wide, x, y, z


def refute_halves_are_added_without_a_carry() -> Query:
    return neighbour(
        "word-in-halves",
        "halves added one by one, without a carry",
        "the sum of the words",
        lambda b, w: (
            b.concat(b.add(x(w // 2), b.extract(z(w), w - 1, w // 2)), b.add(y(w // 2), b.truncate(z(w), w // 2))),
            b.add(b.concat(x(w // 2), y(w // 2)), z(w)),
        ),
        64,
    )


def refute_the_carry_comes_from_the_upper_half() -> Query:
    def by_halves(b: Words, w: int) -> tuple[BitVec, BitVec]:
        base = pointer(b, w)
        low, high = b.truncate(base, w // 2), b.extract(base, w - 1, w // 2)
        carry = b.extract(b.add(b.zero_extend(x(w // 2), w), b.zero_extend(high, w)), w - 1, w // 2)
        return b.concat(b.add(carry, high), b.add(x(w // 2), low)), b.add(base, b.zero_extend(x(w // 2), w))

    return neighbour("word-in-halves", "a carry of the upper halves", "the sum of the words", by_halves, 64)


def refute_words_are_ordered_by_low_halves_with_signs() -> Query:
    return neighbour(
        "order-in-halves-that-no-rule-fits",
        "less in the low halves with signs",
        "the order of the words",
        lambda b, w: (
            in_split_words(b, *two_words(w), lower=b.slt(*(low for _, low in two_words(w)))),
            b.ult(*(b.concat(*one) for one in two_words(w))),
        ),
        64,
    )


def refute_words_are_ordered_by_each_of_their_halves() -> Query:
    return neighbour(
        "order-in-halves",
        "less or less",
        "the order of the words",
        lambda b, w: (
            b.disj(*(b.ult(*halves) for halves in zip(*two_words(w), strict=True))),
            b.ult(*(b.concat(*one) for one in two_words(w))),
        ),
        64,
    )


def refute_halves_of_two_words_are_those_of_one() -> Query:
    return neighbour(
        "word-in-halves-that-no-rule-fits",
        "halves of two words",
        "the first word, and what was added above",
        lambda b, w: (
            b.concat(b.add(b.extract(z(w), w - 1, w // 2), x(w // 2)), b.truncate(y(w), w // 2)),
            b.add(z(w), b.scale(b.zero_extend(x(w // 2), w), 1 << w // 2)),
        ),
        64,
    )


def refute_a_sum_above_the_lower_half_may_be_extended_first() -> Query:
    return neighbour(
        "word-in-halves-that-no-rule-fits",
        "a sum that wraps below the upper half",
        "the sum of the extended words",
        lambda b, w: (
            b.scale(b.zero_extend(b.add(x(w // 4), y(w // 4)), w), 1 << w // 2),
            b.scale(b.add(b.zero_extend(x(w // 4), w), b.zero_extend(y(w // 4), w)), 1 << w // 2),
        ),
        64,
    )


@for_each(((2, 29), (2, 31), (3, 30)))
def refute_another_shift_of_the_upper_half_is_a_multiple(shifts: tuple[int, int]) -> Query:
    left, right = shifts
    return neighbour(
        "word-in-halves",
        f"shifted left by {left}, and right by {right} for the upper half",
        "a multiple of the word",
        lambda b, w: (
            b.concat(b.lshr(x(w // 2), c(right, w // 2)), b.shl(x(w // 2), c(left, w // 2))),
            b.scale(b.zero_extend(x(w // 2), w), 1 << left),
        ),
        64,
    )


def refute_an_upper_half_without_its_sign_is_that_of_a_signed_word() -> Query:
    return neighbour(
        "word-in-halves",
        "an upper half shifted right without its sign",
        "a multiple of the signed word",
        lambda b, w: (
            b.concat(b.lshr(x(w // 2), c(30, w // 2)), b.shl(x(w // 2), c(2, w // 2))),
            b.scale(b.sign_extend(x(w // 2), w), 4),
        ),
        64,
    )


def refute_halves_of_two_words_are_one_word() -> Query:
    return neighbour(
        "word-in-halves",
        "halves of two words",
        "the first",
        lambda b, w: (b.concat(b.extract(x(w), w - 1, w // 2), b.truncate(y(w), w // 2)), x(w)),
        64,
    )


def refute_or_is_the_sum_with_what_both_have() -> Query:
    return neighbour(
        "second-form", "or with a number", "the sum", lambda b, w: (b.bit_or(c(0x3C, w), x(w)), b.add(c(0x3C, w), x(w)))
    )


def refute_xor_is_the_sum_without_what_both_have() -> Query:
    return neighbour(
        "second-form",
        "xor with a number",
        "the sum without once what both have",
        lambda b, w: (
            b.bit_xor(c(0x3C, w), x(w)),
            b.sub(b.add(c(0x3C, w), x(w)), b.bit_and(c(0x3C, w), x(w))),
        ),
    )


def refute_a_slice_of_a_sum_is_the_sum_of_slices() -> Query:
    return neighbour(
        "second-form",
        "a slice of a sum",
        "the sum of slices, where no part is above",
        lambda b, w: (
            b.extract(b.add(b.scale(x(w), 8), y(w)), 20, 4),
            b.add(b.extract(b.scale(x(w), 8), 20, 4), b.extract(y(w), 20, 4)),
        ),
    )


def refute_zeros_above_a_multiple_are_zeros_above_the_whole_word() -> Query:
    return neighbour(
        "second-form",
        "zeros above a multiple",
        "the multiple of the extended word",
        lambda b, w: (wide(b, b.scale(x(w), 4)), b.scale(wide(b, x(w)), 4)),
    )


def refute_a_high_mask_is_the_word_without_more_bits() -> Query:
    return neighbour(
        "second-form",
        "a high mask",
        "the word without one bit more",
        lambda b, w: (b.bit_and(c(-8, w), x(w)), b.sub(x(w), b.zero_extend(b.truncate(x(w), 4), w))),
    )


def refute_one_bit_stands_for_all_bits_of_a_sum() -> Query:
    """If words that are added counted as copied."""

    def sides(b: Words, w: int) -> tuple[Bool, Bool]:
        at_each = [
            b.eq(b.bit_xor(b.extract(x(w), k, k), b.extract(y(w), k, k)), b.extract(z(w), k, k)) for k in range(w)
        ]
        return b.eq(b.add(x(w), y(w)), z(w)), b.conj(*at_each)

    return neighbour("one-bit-data", "a sum of two words", "the sum of their bits", sides, 8)


def refute_the_lower_half_counts_as_often_as_the_upper() -> Query:
    return neighbour(
        "word-in-halves",
        "twice the upper half and the lower half",
        "twice the word",
        lambda b, w: (
            b.add(
                b.scale(b.zero_extend(b.extract(z(w), w - 1, w // 2), w), 2 << w // 2),
                b.zero_extend(b.truncate(z(w), w // 2), w),
            ),
            b.scale(z(w), 2),
        ),
        64,
    )


def refute_a_mask_is_the_slice_shifted_by_less() -> Query:
    return neighbour(
        "second-form",
        "a mask",
        "the slice, shifted by less",
        lambda b, w: (b.bit_and(c(0x3C, w), x(w)), b.scale(b.zero_extend(b.extract(x(w), 5, 2), w), 2)),
    )


def refute_a_concatenation_is_a_sum_in_which_a_part_is_passed_over() -> Query:
    return neighbour(
        "second-form",
        "three parts side by side",
        "a sum in which the first is shifted by the last alone",
        lambda b, w: (
            b.concat(x(w), y(8), z(w)),
            b.add(
                b.scale(b.zero_extend(x(w), 2 * w + 8), 1 << w),
                b.scale(b.zero_extend(y(8), 2 * w + 8), 1 << w),
                b.zero_extend(z(w), 2 * w + 8),
            ),
        ),
    )


def refute_a_slice_of_a_multiple_is_a_slice_of_the_word_one_bit_lower() -> Query:
    return neighbour(
        "second-form",
        "a slice of four times a word",
        "the slice of the word three bits below",
        lambda b, w: (b.extract(b.scale(x(w), 4), 12, 5), b.extract(x(w), 9, 2)),
    )


def refute_one_bit_stands_for_all_bits_of_a_number() -> Query:
    """If words that are compared with a number counted as copied: at each bit it would be its lowest."""
    return neighbour(
        "one-bit-data",
        "a word that is 1",
        "each of its bits is 1",
        lambda b, w: (b.eq(x(w), c(1, w)), b.conj(*(b.bit(x(w), k) for k in range(w)))),
        8,
    )


def refute_one_bit_stands_for_all_bits_of_two_equations_in_one_clause() -> Query:
    """If a clause might have two: one may fail at one bit, and the other at another."""

    def sides(b: Words, w: int) -> tuple[Bool, Bool]:
        at_each = [
            b.disj(
                b.eq(b.extract(x(w), k, k), b.extract(y(w), k, k)), b.eq(b.extract(x(w), k, k), b.extract(z(w), k, k))
            )
            for k in range(w)
        ]
        return b.disj(b.eq(x(w), y(w)), b.eq(x(w), z(w))), b.conj(*at_each)

    return neighbour("one-bit-data", "one of two equations", "one of them at each bit", sides, 8)


# ---------------------------------------------------------------- the common form


def refute_not_below_a_number_is_above_it() -> Query:
    return neighbour(
        "common-form",
        "not below a number",
        "above it",
        lambda b, w: (b.neg(b.slt(x(w), c(1, w))), b.slt(c(1, w), x(w))),
    )


def refute_the_least_number_has_one_before_it() -> Query:
    return neighbour(
        "common-form",
        "below the least number",
        "not above the greatest",
        lambda b, w: (b.slt(x(w), c(1 << (w - 1), w)), b.neg(b.slt(c((1 << (w - 1)) - 1, w), x(w)))),
    )


def refute_bits_below_the_highest_that_are_0_are_an_order() -> Query:
    return neighbour(
        "common-form",
        "bits below the highest that are 0",
        "below a power of two",
        lambda b, w: (b.eq(b.extract(x(w), w - 2, 3), c(0, w - 4)), b.ult(x(w), c(8, w))),
    )


def refute_the_highest_bit_is_the_order_without_signs() -> Query:
    return neighbour(
        "common-form",
        "the highest bit",
        "below 0 without signs",
        lambda b, w: (b.bit(x(w), w - 1), b.ult(x(w), c(0, w))),
    )


def refute_a_denial_of_one_or_the_other_denies_one() -> Query:
    return neighbour(
        "common-form",
        "a denial of a disjunction",
        "one denial",
        lambda b, _: (b.neg(b.disj(p, q)), b.disj(b.neg(p), b.neg(q))),
    )


def refute_a_case_that_is_known_is_nothing() -> Query:
    return neighbour(
        "common-form", "one holds, and may be a case", "the other case", lambda b, w: (
            b.conj(p, b.disj(p, b.eq(x(w), y(w)))), b.conj(p, b.eq(x(w), y(w)))
        )
    )  # fmt: skip


def refute_one_case_with_more_says_all_cases() -> Query:
    return neighbour(
        "common-form",
        "two cases, and more of one of them",
        "that one",
        lambda b, w: (b.conj(b.disj(p, b.eq(x(w), y(w))), b.disj(b.conj(p, q), r)), b.disj(b.conj(p, q), r)),
    )


def refute_what_one_branch_asks_again_is_known_in_the_other() -> Query:
    return neighbour(
        "common-form",
        "a second branch that asks for the condition",
        "that holds",
        lambda b, w: (
            b.ite(p, x(w), b.ite(b.conj(p, q), x(w), y(w))),
            b.ite(p, x(w), b.ite(q, x(w), y(w))),
        ),
    )


def refute_a_choice_within_a_choice_is_either() -> Query:
    return neighbour(
        "common-form",
        "a choice in the first branch that shares the second",
        "a choice by either condition",
        lambda b, w: (b.ite(p, b.ite(q, x(w), y(w)), y(w)), b.ite(b.disj(p, q), x(w), y(w))),
    )


def refute_signs_go_above_a_number_as_zeros() -> Query:
    return neighbour(
        "common-form",
        "signs above a choice with a number",
        "zeros above the number",
        lambda b, w: (signed(b, b.ite(p, c(-1, w), y(w))), b.ite(p, c((1 << w) - 1, 2 * w), signed(b, y(w)))),
    )
