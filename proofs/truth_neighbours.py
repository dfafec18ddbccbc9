"""Tempting rules for truth values and choices that are wrong: each is refuted by numbers."""

from visaproof.queries.identities import neighbour
from visaproof.queries.query import Query
from visaproof.smt import false, true

from .truth_rules import nibble
from .words import SMALL, c, choice, p, q, r, signed, small, wide, x, y, z


def refute_an_even_multiple_equals_a_number_only_if_it_is_a_multiple_of_it() -> Query:
    return neighbour("equality", "6x = 4", "never", lambda b, w: (b.eq(b.scale(x(w), 6), c(4, w)), false()))


def refute_a_mask_with_a_hole_is_a_slice() -> Query:
    return neighbour(
        "equality",
        "bits under a mask with a hole",
        "the slice",
        lambda b, w: (b.eq(b.bit_and(c(5, w), x(w)), c(1, w)), b.eq(b.truncate(x(w), 3), c(1, 3))),
    )


def refute_a_negative_word_is_its_low_half_with_signs() -> Query:
    return neighbour(
        "equality",
        "a word with signs before it is no half with zeros",
        "the half",
        lambda b, w: (b.eq(signed(b, x(w)), c((1 << w) - 3, 2 * w)), b.eq(x(w), c(-3, w))),
    )


def refute_above_0_is_not_negative() -> Query:
    return neighbour(
        "equality", "unsigned above 0", "signed above 0", lambda b, w: (b.ult(c(0, w), x(w)), b.slt(c(0, w), x(w)))
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


def refute_a_part_shows_a_way_that_has_another_part() -> Query:
    return neighbour(
        "connective",
        "a part beside ways of which one has it",
        "the part",
        lambda b, _: (b.conj(p, b.disj(b.conj(p, q), r)), p),
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


def refute_both_cases_of_a_condition_leave_out_the_one_they_are_under() -> Query:
    return neighbour(
        "choice",
        "both cases of a condition under another",
        "the cases alone",
        lambda b, w: (
            b.ite(b.conj(p, q), x(w), b.ite(b.conj(p, b.neg(q)), y(w), z(w))),
            b.ite(q, x(w), y(w)),
        ),
    )


def refute_after_both_cases_a_third_condition_never_holds() -> Query:
    return neighbour(
        "choice",
        "a third condition after both cases",
        "what is after it",
        lambda b, w: (
            b.ite(b.conj(p, q), x(w), b.ite(b.conj(p, b.neg(q)), y(w), b.ite(r, y(w), z(w)))),
            b.ite(p, b.ite(q, x(w), y(w)), z(w)),
        ),
    )


def refute_the_smaller_word_is_the_larger_one() -> Query:
    return neighbour(
        "choice",
        "the smaller word",
        "the larger word",
        lambda b, w: (b.ite(b.slt(x(w), y(w)), x(w), y(w)), b.ite(b.slt(x(w), y(w)), y(w), x(w))),
    )


def refute_a_constant_goes_to_the_other_side_as_it_is() -> Query:
    return neighbour(
        "equality", "x + 3 = 5", "x = 8", lambda b, w: (b.eq(b.add(x(w), c(3, w)), c(5, w)), b.eq(x(w), c(8, w)))
    )


def refute_multiples_that_differ_by_their_step_are_never_equal() -> Query:
    return neighbour(
        "equality",
        "multiples of 4 that are 4 apart",
        "never",
        lambda b, w: (b.eq(b.scale(x(w), 4), b.add(b.scale(y(w), 4), c(4, w))), false()),
    )


def refute_a_choice_that_is_its_second_constant_is_its_condition() -> Query:
    return neighbour(
        "equality",
        "a choice of constants that is the second",
        "its condition",
        lambda b, w: (b.eq(choice(b, 1, 4, w), c(4, w)), p),
    )


def refute_multiples_at_the_distance_of_their_words_are_never_equal() -> Query:
    return neighbour(
        "comparison-of-extended-words",
        "multiples of extended words as far apart as the words",
        "never",
        lambda b, w: (
            b.eq(b.scale(wide(b, b.add(x(w), c(2, w))), 4), b.add(b.scale(wide(b, x(w)), 4), c(8, 2 * w))),
            false(),
        ),
    )


def refute_a_word_is_always_below_a_bound_that_it_may_meet() -> Query:
    return neighbour(
        "order", "below a bound that may be met", "always", lambda b, w: (b.ult(small(b, "s", w), c(15, w)), true())
    )


def refute_a_word_is_always_above_a_bound_that_it_may_meet() -> Query:
    return neighbour(
        "order",
        "above a bound that may be met",
        "always",
        lambda b, w: (b.ult(c(3, w), b.bit_or(small(b, "s", w), c(3, w))), true()),
    )


def refute_signed_order_is_unsigned_where_one_is_not_negative() -> Query:
    return neighbour(
        "order",
        "signed order of which one has no sign",
        "unsigned order",
        lambda b, w: (b.slt(x(w), b.lshr(y(w), c(1, w))), b.ult(x(w), b.lshr(y(w), c(1, w)))),
    )


def refute_a_denied_disjunction_completes_one_of_its_parts() -> Query:
    return neighbour(
        "connective",
        "a part or the denied disjunction",
        "always",
        lambda b, _: (b.disj(p, b.neg(b.disj(p, q))), true()),
    )


def refute_a_choice_of_truths_takes_the_other_where_its_condition_holds() -> Query:
    return neighbour(
        "connective",
        "a choice of two truths",
        "the other one where the condition holds",
        lambda b, _: (b.ite_bool(p, q, r), b.conj(b.disj(b.neg(p), r), b.disj(p, q))),
    )


def refute_two_bits_that_are_a_number_are_one_bit_of_it() -> Query:
    return neighbour(
        "truth-that-no-rule-fits",
        "a slice of one bit more",
        "the bit that the number has",
        lambda b, w: (b.eq(b.bit_and(c(6, w), x(w)), c(2, w)), b.bit(x(w), 1)),
    )


def refute_flipped_bits_of_one_side_flip_nothing() -> Query:
    return neighbour(
        "truth-that-no-rule-fits",
        "a flip of one side",
        "the words",
        lambda b, w: (b.eq(b.bit_xor(c(6, w), x(w)), y(w)), b.eq(x(w), y(w))),
    )


def refute_different_multiples_are_equal_only_at_zero() -> Query:
    return neighbour(
        "truth-that-no-rule-fits",
        "different multiples of extended words",
        "both are 0",
        lambda b, w: (
            b.eq(b.scale(wide(b, x(w)), 3), b.scale(wide(b, y(w)), 5)),
            b.conj(b.eq(x(w), c(0, w)), b.eq(y(w), c(0, w))),
        ),
    )
