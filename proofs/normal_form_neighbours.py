"""Tempting rules that are wrong: for each family of rules of the normal form its neighbours, refuted by numbers."""

from visaproof.engine.catalogue import for_each
from visaproof.queries.identities import neighbour
from visaproof.queries.query import Query
from visaproof.smt import BitVec, Bool, false, true
from visaproof.smt.written import Words

from .second_form_rules import pointer
from .truth_rules import nibble
from .word_rules import SMALL, c, p, q, signed, wide, x, y, z


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


def refute_the_complement_is_the_negation() -> Query:
    return neighbour("sum", "the complement", "the negation", lambda b, w: (b.bit_not(x(w)), b.negate(x(w))))


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


def refute_an_even_multiple_equals_a_number_only_if_it_is_a_multiple_of_it() -> Query:
    return neighbour("equality", "6x = 4", "never", lambda b, w: (b.eq(b.scale(x(w), 6), c(4, w)), false()))


def refute_a_mask_with_a_hole_is_a_slice() -> Query:
    return neighbour(
        "equality",
        "bits under a mask with a hole",
        "the slice",
        lambda b, w: (b.eq(b.bit_and(c(5, w), x(w)), c(1, w)), b.eq(b.truncate(x(w), 3), c(1, 3))),
    )


def refute_different_flips_cancel() -> Query:
    return neighbour(
        "equality",
        "flips that differ",
        "the words",
        lambda b, w: (b.eq(b.bit_xor(c(6, w), x(w)), b.bit_xor(c(5, w), y(w))), b.eq(x(w), y(w))),
    )


def refute_a_choice_that_equals_a_branch_is_its_condition() -> Query:
    return neighbour(
        "equality", "a choice that equals a branch", "its condition", lambda b, w: (b.eq(b.ite(p, x(w), y(w)), x(w)), p)
    )


def refute_extended_words_at_a_distance_are_never_equal_to_an_extended_sum() -> Query:
    return neighbour(
        "comparison-of-extended-words",
        "an equation that holds unless the sum wraps",
        "never",
        lambda b, w: (b.eq(b.add(wide(b, x(w)), c(4, 2 * w)), wide(b, b.add(x(w), c(4, w)))), false()),
    )


def refute_equal_multiples_that_wrap_are_equal_words() -> Query:
    return neighbour(
        "comparison-of-extended-words",
        "multiples of extended words that may wrap",
        "the words",
        lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 3 << (w + 1)), b.scale(wide(b, y(w)), 3 << (w + 1))),
            b.eq(x(w), y(w)),
        ),
    )


def refute_a_multiple_that_wraps_is_a_number_only_for_the_quotient() -> Query:
    return neighbour(
        "comparison-of-extended-words",
        "a multiple of an extended word that may wrap and is a number",
        "the word is the quotient",
        lambda b, w: (b.eq(b.scale(wide(b, x(w)), 3 << (w + 1)), c(3 << (w + 1), 2 * w)), b.eq(x(w), c(1, w))),
    )


def refute_an_extended_word_and_a_signed_one_are_equal_where_the_words_are() -> Query:
    return neighbour(
        "comparison-of-extended-words",
        "zeros above one and signs above the other",
        "the words",
        lambda b, w: (b.eq(wide(b, x(w)), signed(b, y(w))), b.eq(x(w), y(w))),
    )


def refute_a_sum_that_can_reach_the_modulus_is_never_zero() -> Query:
    return neighbour(
        "comparison-of-extended-words",
        "a sum that can reach the modulus",
        "never",
        lambda b, w: (b.eq(b.add(wide(b, x(w)), c(1 - (1 << w), 2 * w)), c(0, 2 * w)), false()),
    )


def refute_at_most_is_below_with_one_less() -> Query:
    return neighbour(
        "order", "at most", "below with one less", lambda b, w: (b.ule(x(w), y(w)), b.ult(b.sub(x(w), c(1, w)), y(w)))
    )


def refute_signed_order_is_unsigned() -> Query:
    return neighbour("order", "signed order", "unsigned order", lambda b, w: (b.slt(x(w), y(w)), b.ult(x(w), y(w))))


def refute_a_common_summand_leaves_the_order() -> Query:
    return neighbour(
        "order",
        "below behind a common summand",
        "below",
        lambda b, w: (b.ult(b.add(x(w), c(4, w)), b.add(y(w), c(4, w))), b.ult(x(w), y(w))),
    )


def refute_a_denied_conjunction_contradicts_one_of_its_parts() -> Query:
    return neighbour(
        "connective",
        "a part beside the denied conjunction",
        "never",
        lambda b, _: (b.conj(p, b.neg(b.conj(p, q))), false()),
    )


def refute_all_values_of_a_word_but_one_are_all() -> Query:
    return neighbour(
        "connective",
        "or of all values of a word but one",
        "always",
        lambda b, _: (b.disj(*(b.eq(nibble, c(value, SMALL)) for value in range(15))), true()),
    )


def refute_an_implication_goes_both_ways() -> Query:
    return neighbour("connective", "an implication", "its converse", lambda b, _: (b.implies(p, q), b.implies(q, p)))


def refute_a_denied_condition_leaves_the_branches() -> Query:
    return neighbour(
        "choice",
        "a denied condition",
        "the same branches",
        lambda b, w: (b.ite(b.neg(p), x(w), y(w)), b.ite(p, x(w), y(w))),
    )


def refute_a_branch_of_another_condition_is_the_choice() -> Query:
    return neighbour(
        "choice",
        "another condition inside",
        "its first branch",
        lambda b, w: (b.ite(p, b.ite(q, x(w), y(w)), z(w)), b.ite(p, x(w), z(w))),
    )


def refute_a_condition_beside_another_is_one_inside_of_it() -> Query:
    return neighbour(
        "choice",
        "a condition beside that of the choice inside",
        "the choice inside",
        lambda b, w: (b.ite(p, x(w), b.ite(b.conj(p, q), x(w), y(w))), b.ite(b.conj(p, q), x(w), y(w))),
    )


def refute_another_word_under_a_condition_inside_is_the_choice() -> Query:
    return neighbour(
        "choice",
        "another word under a condition inside of that of the choice inside",
        "the choice inside",
        lambda b, w: (b.ite(b.conj(p, q), z(w), b.ite(q, x(w), y(w))), b.ite(q, x(w), y(w))),
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


def refute_slices_in_the_wrong_order_are_the_word() -> Query:
    return neighbour(
        "word-that-no-rule-fits",
        "slices in the wrong order",
        "the word",
        lambda b, w: (b.concat(b.extract(x(w), 3, 0), b.extract(x(w), w - 1, 4)), x(w)),
    )
