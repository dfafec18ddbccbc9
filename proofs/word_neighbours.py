"""Tempting rules for sums, products, bits and shifts that are wrong: each is refuted by numbers."""

from visaproof.queries.identities import neighbour
from visaproof.queries.query import Query
from visaproof.smt import false

from .words import c, copied_sign, of_words, p, wide, x, y


def refute_a_shift_by_the_width_is_no_shift() -> Query:
    return neighbour(
        "shift", "a shift by the width", "the amount taken modulo the width", lambda b, w: (b.shl(x(w), c(w, w)), x(w))
    )


def refute_an_arithmetic_shift_is_a_logical_one() -> Query:
    return neighbour(
        "shift", "an arithmetic shift", "the logical one", lambda b, w: (b.ashr(x(w), c(3, w)), b.lshr(x(w), c(3, w)))
    )


def refute_a_right_shift_distributes_over_a_sum() -> Query:
    return neighbour(
        "shift",
        "a right shift of a sum",
        "the sum of the shifted words",
        lambda b, w: (b.lshr(b.add(x(w), y(w)), c(4, w)), b.add(b.lshr(x(w), c(4, w)), b.lshr(y(w), c(4, w)))),
    )


def refute_a_multiple_of_a_shifted_word_is_the_word_though_bits_were_lost() -> Query:
    return neighbour(
        "shift",
        "a multiple of a shifted word that lost a bit",
        "the word",
        lambda b, w: (b.scale(b.lshr(b.scale(x(w), 4), c(3, w)), 8), b.scale(x(w), 4)),
    )


def refute_a_multiple_of_a_slice_is_the_word_though_the_top_bit_is_missing() -> Query:
    return neighbour(
        "shift",
        "a multiple of a slice without the top bit",
        "the word",
        lambda b, w: (b.scale(b.zero_extend(b.extract(b.scale(x(w), 8), w - 2, 3), w), 8), b.scale(x(w), 8)),
    )


def refute_a_quotient_by_zero_is_zero() -> Query:
    return neighbour("division", "a quotient by 0", "0", lambda b, w: (b.udiv(x(w), c(0, w)), c(0, w)))


def refute_a_quotient_times_the_divisor_is_the_word() -> Query:
    return neighbour("division", "a quotient times y", "x", lambda b, w: (b.mul(b.udiv(x(w), y(w)), y(w)), x(w)))


def refute_a_word_flipped_by_a_sign_is_negated() -> Query:
    return neighbour(
        "bits",
        "x ^ the sign of y",
        "-x where y is negative",
        lambda b, w: (b.bit_xor(x(w), copied_sign(b, y(w))), b.ite(b.slt(y(w), c(0, w)), b.negate(x(w)), x(w))),
    )


def refute_a_remainder_by_a_power_of_two_is_as_many_bits_and_one() -> Query:
    return neighbour(
        "division",
        "a remainder by 8",
        "its four low bits",
        lambda b, w: (b.urem(x(w), c(8, w)), b.bit_and(x(w), c(15, w))),
    )


def refute_a_quotient_of_a_sum_is_the_sum_of_the_quotients() -> Query:
    return neighbour(
        "division",
        "a quotient of a sum",
        "the sum of the quotients",
        lambda b, w: (b.udiv(b.add(x(w), y(w)), c(3, w)), b.add(b.udiv(x(w), c(3, w)), b.udiv(y(w), c(3, w)))),
    )


def refute_the_complement_is_the_negation() -> Query:
    return neighbour("sum", "the complement", "the negation", lambda b, w: (b.bit_not(x(w)), b.negate(x(w))))


def refute_a_function_of_a_choice_is_its_value_at_one_word() -> Query:
    return neighbour(
        "function-of-a-choice",
        "a function of a choice",
        "its value at one of the words",
        lambda b, w: (of_words(b, b.ite(p, x(w), y(w))), of_words(b, x(w))),
    )


def refute_an_even_factor_cancels() -> Query:
    return neighbour(
        "sum",
        "a multiple of 2^w",
        "0 for half of it",
        lambda b, w: (b.scale(b.scale(x(w), 1 << w // 2), 1 << (w // 2 - 1)), c(0, w)),
    )


def refute_a_product_of_extended_words_is_the_extended_product() -> Query:
    return neighbour(
        "product",
        "an extended product",
        "the product of extended words",
        lambda b, w: (wide(b, b.mul(x(w), y(w))), b.mul(wide(b, x(w)), wide(b, y(w)))),
        16,
    )


def refute_a_square_of_a_sum_is_the_sum_of_squares() -> Query:
    return neighbour(
        "product",
        "the square of a sum",
        "the sum of the squares",
        lambda b, w: (b.mul(b.add(x(w), y(w)), b.add(x(w), y(w))), b.add(b.mul(x(w), x(w)), b.mul(y(w), y(w)))),
    )


def refute_or_is_a_sum_where_bits_meet() -> Query:
    return neighbour(
        "bits",
        "or with 3",
        "the sum with 3",
        lambda b, w: (b.bit_or(b.scale(x(w), 2), c(3, w)), b.add(b.scale(x(w), 2), c(3, w))),
    )


def refute_xor_is_a_sum_where_bits_meet() -> Query:
    return neighbour(
        "bits",
        "xor with 3",
        "the sum with 3",
        lambda b, w: (b.bit_xor(b.scale(x(w), 2), c(3, w)), b.add(b.scale(x(w), 2), c(3, w))),
    )


def refute_a_multiple_comes_out_of_a_mask_with_a_hole() -> Query:
    return neighbour(
        "bits",
        "a mask with a hole over a sum",
        "the multiple that it keeps, outside",
        lambda b, w: (
            b.bit_and(c(-12, w), b.add(x(w), b.scale(y(w), 4))),
            b.add(b.scale(y(w), 4), b.bit_and(c(-12, w), x(w))),
        ),
    )


def refute_what_a_high_mask_does_not_keep_comes_out_of_it() -> Query:
    return neighbour(
        "bits",
        "a high mask over a sum",
        "multiples of less, outside",
        lambda b, w: (
            b.bit_and(c(-8, w), b.add(x(w), b.scale(y(w), 4))),
            b.add(b.scale(y(w), 4), b.bit_and(c(-8, w), x(w))),
        ),
    )


def refute_a_low_mask_distributes_over_a_sum() -> Query:
    return neighbour(
        "bits",
        "a low mask over a sum",
        "the sum of the masked words",
        lambda b, w: (b.bit_and(c(3, w), b.add(x(w), y(w))), b.add(b.bit_and(c(3, w), x(w)), b.bit_and(c(3, w), y(w)))),
    )


def refute_a_sum_that_wraps_is_at_least_its_parts() -> Query:
    return neighbour(
        "sum", "a sum below one of its parts", "never", lambda b, w: (b.ult(b.add(x(w), c(3, w)), c(3, w)), false())
    )


def refute_a_sum_has_the_trailing_zeros_of_one_part() -> Query:
    return neighbour(
        "sum",
        "a multiple of 2 beside one of 4, with bit 1",
        "never",
        lambda b, w: (b.bit(b.add(b.scale(x(w), 4), b.scale(y(w), 2)), 1), false()),
    )


def refute_a_constant_comes_out_of_a_product() -> Query:
    return neighbour(
        "product",
        "a product with a sum",
        "the product, and the constant once",
        lambda b, w: (b.mul(x(w), b.add(y(w), c(3, w))), b.add(b.mul(x(w), y(w)), c(3, w))),
    )


def refute_a_product_has_more_trailing_zeros_than_both_factors_together() -> Query:
    return neighbour(
        "product",
        "a product of two even words, with bit 2",
        "never",
        lambda b, w: (b.bit(b.mul(b.scale(x(w), 2), b.scale(y(w), 2)), 2), false()),
    )


def refute_two_masks_are_all_their_bits() -> Query:
    return neighbour(
        "bits",
        "a mask of a masked word",
        "one mask with the bits of both",
        lambda b, w: (b.bit_and(c(0x3C, w), b.bit_and(x(w), c(0x0F, w))), b.bit_and(x(w), c(0x3F, w))),
    )


def refute_two_flips_flip_all_their_bits() -> Query:
    return neighbour(
        "bits",
        "a flip of a flipped word",
        "one flip of the bits of both",
        lambda b, w: (b.bit_xor(c(5, w), b.bit_xor(x(w), c(6, w))), b.bit_xor(x(w), c(7, w))),
    )


def refute_or_is_at_most_the_larger() -> Query:
    return neighbour(
        "bits", "8 below a word below 8, or 5", "never", lambda b, w: (b.ult(c(8, w), b.bit_or(x(w), c(5, w))), false())
    )


def refute_a_right_shift_keeps_the_lower_bound() -> Query:
    return neighbour(
        "shift",
        "a word of at least 8, shifted right, below 8",
        "never",
        lambda b, w: (b.ult(b.lshr(b.bit_or(x(w), c(8, w)), y(w)), c(8, w)), false()),
    )


def refute_an_arithmetic_shift_by_the_width_is_0() -> Query:
    return neighbour("shift", "an arithmetic shift by the width", "0", lambda b, w: (b.ashr(x(w), c(w, w)), c(0, w)))
