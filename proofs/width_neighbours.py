"""Tempting rules for words of another width that are wrong: each is refuted by numbers."""

from visaproof.queries.identities import neighbour
from visaproof.queries.query import Query
from visaproof.smt import false

from .words import c, p, q, signed, wide, x, y


def refute_zeros_go_above_the_parts_of_a_sum_that_may_wrap() -> Query:
    return neighbour(
        "extension",
        "zeros above a sum",
        "the sum of extended words",
        lambda b, w: (wide(b, b.add(x(w), c(3, w))), b.add(wide(b, x(w)), c(3, 2 * w))),
    )


def refute_signs_are_zeros() -> Query:
    return neighbour("extension", "signs above a word", "zeros above it", lambda b, w: (signed(b, x(w)), wide(b, x(w))))


def refute_signs_above_zeros_are_signs() -> Query:
    return neighbour(
        "extension",
        "signs above zeros",
        "signs above the word",
        lambda b, w: (b.sign_extend(wide(b, x(w)), 4 * w), b.sign_extend(x(w), 4 * w)),
        16,
    )


def refute_the_high_bits_of_a_sum_are_the_sum_of_the_high_bits() -> Query:
    return neighbour(
        "slice",
        "the high bits of a sum",
        "the sum of the high bits",
        lambda b, w: (
            b.extract(b.add(x(w), y(w)), w - 1, 4),
            b.add(b.extract(x(w), w - 1, 4), b.extract(y(w), w - 1, 4)),
        ),
    )


def refute_the_low_bits_of_a_sum_are_those_without_a_multiple_of_the_highest_of_them() -> Query:
    return neighbour(
        "slice",
        "the low bits of a sum",
        "those without a multiple of the highest of them",
        lambda b, w: (b.truncate(b.add(b.scale(y(w), 4), x(w)), 3), b.truncate(x(w), 3)),
    )


def refute_a_slice_across_the_sign_has_zeros_above() -> Query:
    return neighbour(
        "slice",
        "a slice across the sign",
        "zeros above the upper bits",
        lambda b, w: (b.extract(signed(b, x(w)), w + 1, 4), b.zero_extend(b.extract(x(w), w - 1, 4), w - 2)),
    )


def refute_slices_with_a_gap_are_one() -> Query:
    return neighbour(
        "concatenation",
        "slices with a gap",
        "one slice of as many bits",
        lambda b, w: (b.concat(b.extract(x(w), w - 1, 5), b.extract(x(w), 3, 0)), b.extract(x(w), w - 1, 1)),
    )


def refute_halves_in_the_other_order_are_the_word() -> Query:
    return neighbour(
        "concatenation",
        "halves in the other order",
        "the word",
        lambda b, w: (b.concat(b.extract(x(w), w // 2 - 1, 0), b.extract(x(w), w - 1, w // 2)), x(w)),
    )


def refute_slices_in_the_wrong_order_are_the_word() -> Query:
    return neighbour(
        "word-that-no-rule-fits",
        "slices in the wrong order",
        "the word",
        lambda b, w: (b.concat(b.extract(x(w), 3, 0), b.extract(x(w), w - 1, 4)), x(w)),
    )


def refute_a_slice_of_a_slice_begins_with_the_word() -> Query:
    return neighbour(
        "slice",
        "a slice of a slice",
        "that slice of the word",
        lambda b, w: (b.extract(b.extract(x(w), w - 1, 2), 4, 3), b.extract(x(w), 4, 3)),
    )


def refute_a_slice_above_the_sign_is_0() -> Query:
    return neighbour(
        "slice", "the bits above a sign", "0", lambda b, w: (b.extract(signed(b, x(w)), 2 * w - 1, w), c(0, w))
    )


def refute_a_slice_that_loses_bits_keeps_the_lower_bound() -> Query:
    return neighbour(
        "slice",
        "the low bits of a word of at least 16 are 0",
        "never",
        lambda b, w: (b.eq(b.truncate(b.bit_or(x(w), c(16, w)), 4), c(0, 4)), false()),
    )


def refute_the_low_bits_of_a_right_shift_are_the_shifted_low_bits() -> Query:
    return neighbour(
        "slice",
        "the low bits of a right shift",
        "the low bits, shifted right",
        lambda b, w: (b.truncate(b.lshr(x(w), c(4, w)), 8), b.lshr(b.truncate(x(w), 8), c(4, 8))),
    )


def refute_zeros_below_a_word_are_zeros_above_it() -> Query:
    return neighbour(
        "concatenation", "zeros below a word", "zeros above it", lambda b, w: (b.concat(x(w), c(0, w)), wide(b, x(w)))
    )


def refute_slices_that_overlap_are_the_word() -> Query:
    return neighbour(
        "concatenation",
        "slices that share a bit",
        "the word, extended by a bit",
        lambda b, w: (b.concat(b.extract(x(w), w - 1, 3), b.extract(x(w), 3, 0)), b.zero_extend(x(w), w + 1)),
    )


def refute_choices_by_two_conditions_are_one_choice() -> Query:
    return neighbour(
        "concatenation",
        "choices by two conditions side by side",
        "a choice by the first",
        lambda b, w: (
            b.concat(b.ite(p, x(w), y(w)), b.ite(q, x(w), y(w))),
            b.ite(p, b.concat(x(w), x(w)), b.concat(y(w), y(w))),
        ),
        16,
    )
