"""Every rule of the normal form is true, and is carried out right: nothing here is decided by the normal form itself.

A case is one rule, asked at 8, 16, 32 and 64 bits; rules on extended words at 8, 16 and 32, for words go up to 64;
words in halves at 64; quotients times the divisor at 8; copied data at 8, 16 and 32; and the second normal form at
32, 34, 40 and 64 bits.  Terms are taken as they are written.
"""

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries.identities import Copies, Rule, follows, one_bit_stands_for_all, rule_holds
from visaproof.queries.query import Query
from visaproof.smt import true

from . import expanded_rules, split_word_rules, truth_rules, width_rules, word_rules
from .words import NARROW, c, of_words, p, signed, wide, x, y


@for_each((*word_rules.SUMS, *word_rules.PRODUCTS))
def prove_a_rewritten_sum_or_product_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each((*word_rules.BITS, *word_rules.SHIFTS))
def prove_rewritten_bits_mean_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each((*word_rules.DIVISION, *word_rules.QUOTIENTS))
def prove_a_rewritten_quotient_or_remainder_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each((*width_rules.WIDENED, *width_rules.WIDENED_SUMS, *width_rules.SLICES, *width_rules.CONCATENATIONS))
def prove_a_word_of_another_width_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each((*truth_rules.EQUALITIES, *truth_rules.EXTENDED, *truth_rules.EXTENDED_MULTIPLES, *truth_rules.ORDERS))
def prove_a_rewritten_comparison_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each((*truth_rules.CONNECTIVES, *truth_rules.CHOICES))
def prove_a_rewritten_connective_or_choice_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


def prove_a_function_of_a_choice_is_the_choice_between_its_values() -> Query:
    return follows(
        "function-of-a-choice",
        "any function, which has some values at both words",
        lambda b, w: true(),
        lambda b, w: (of_words(b, b.ite(p, x(w), y(w))), b.ite(p, of_words(b, x(w)), of_words(b, y(w)))),
    )


@for_each(
    (*word_rules.KEPT, *width_rules.KEPT, *truth_rules.KEPT, *split_word_rules.APART, *split_word_rules.ORDERS_APART)
)
def prove_what_no_rule_fits_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each(split_word_rules.HALVES)
def prove_a_word_in_halves_is_the_sum_that_is_made_of_it(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each(split_word_rules.ORDERS)
def prove_an_order_in_halves_is_the_order_of_the_words(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each(expanded_rules.SECOND)
def prove_the_second_normal_form_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each(expanded_rules.COMMON)
def prove_the_common_form_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


@for_each(expanded_rules.COPIES)
def prove_one_bit_stands_for_all_bits_of_copied_words(case: Copies) -> Query:
    return one_bit_stands_for_all(case)


# ---------------------------------------------------------------- what the conditions of rules rest on


def prove_or_is_a_sum_where_no_bit_is_in_both() -> Query:
    return follows(
        "bits",
        "or is the sum where no bit is in both",
        lambda b, w: b.eq(b.bit_and(x(w), y(w)), c(0, w)),
        lambda b, w: (b.bit_or(x(w), y(w)), b.add(x(w), y(w))),
    )


def prove_xor_is_a_sum_where_no_bit_is_in_both() -> Query:
    return follows(
        "bits",
        "xor is the sum where no bit is in both",
        lambda b, w: b.eq(b.bit_and(x(w), y(w)), c(0, w)),
        lambda b, w: (b.bit_xor(x(w), y(w)), b.add(x(w), y(w))),
    )


def prove_zeros_go_above_the_parts_of_a_sum_that_does_not_wrap() -> Query:
    return follows(
        "extension",
        "zeros above a sum where it does not wrap",
        lambda b, w: b.ult(b.add(wide(b, x(w)), wide(b, y(w))), c(1 << w, 2 * w)),
        lambda b, w: (wide(b, b.add(x(w), y(w))), b.add(wide(b, x(w)), wide(b, y(w)))),
        NARROW,
    )


def prove_signs_are_zeros_above_a_word_that_is_not_negative() -> Query:
    return follows(
        "extension",
        "signs above a word that is not negative",
        lambda b, w: b.ult(x(w), c(1 << (w - 1), w)),
        lambda b, w: (signed(b, x(w)), wide(b, x(w))),
    )


def prove_at_most_is_below_with_one_less_where_that_does_not_wrap() -> Query:
    return follows(
        "order",
        "at most is below with one less",
        lambda b, w: b.neg(b.eq(x(w), c(0, w))),
        lambda b, w: (b.ule(x(w), y(w)), b.ult(b.sub(x(w), c(1, w)), y(w))),
    )


def prove_signed_order_is_unsigned_where_neither_is_negative() -> Query:
    return follows(
        "order",
        "signed order where neither is negative",
        lambda b, w: b.conj(b.ult(x(w), c(1 << (w - 1), w)), b.ult(y(w), c(1 << (w - 1), w))),
        lambda b, w: (b.slt(x(w), y(w)), b.ult(x(w), y(w))),
    )
