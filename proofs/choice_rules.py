"""The rules of the normal form for choices of constants, and their tempting neighbours.

`w` is the width of the words; `wide` is twice that.
"""

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries.identities import Rule, neighbour, rule_holds, rules
from visaproof.queries.query import Query
from visaproof.smt import BitVec
from visaproof.smt.written import Words

from .words import NARROW, c, choice, p, q, signed, wide, x, y

CHOICES: tuple[Rule, ...] = rules(
    "choice-of-constants",
    {
        "a multiple": lambda b, w: (b.add(b.scale(choice(b, 1, 4, w), 12), c(3, w)), choice(b, 15, 51, w)),
        "a negative multiple": lambda b, w: (b.sub(c(2, w), choice(b, 4, 1, w)), choice(b, -2, 1, w)),
        "the complement": lambda b, w: (b.bit_not(choice(b, -1, 0, w)), choice(b, 0, -1, w)),
        "a sum of two by one condition": lambda b, w: (
            b.add(choice(b, 5, 1, w), choice(b, 9, 3, w)),
            choice(b, 14, 4, w),
        ),
        "a sum of two and a word": lambda b, w: (
            b.add(choice(b, 9, 1, w), x(w), choice(b, 5, 2, w)),
            b.add(x(w), choice(b, 14, 3, w)),
        ),
        "a multiple of a sum with one": lambda b, w: (
            b.scale(b.add(choice(b, 1, 0, w), x(w)), 4),
            b.add(b.scale(x(w), 4), choice(b, 4, 0, w)),
        ),
        "and with a word, where all bits are alike": lambda b, w: (
            b.bit_and(choice(b, -1, 0, w), x(w)),
            b.ite(p, x(w), c(0, w)),
        ),
        "or with a word, where all bits are alike": lambda b, w: (
            b.bit_or(x(w), choice(b, 0, -1, w)),
            b.ite(p, x(w), c(-1, w)),
        ),
        "and with a constant": lambda b, w: (b.bit_and(choice(b, 0x0F, 0x55, w), c(0x3C, w)), choice(b, 0x0C, 0x14, w)),
        "or with a constant": lambda b, w: (b.bit_or(c(0x30, w), choice(b, 0x0F, 0x55, w)), choice(b, 0x3F, 0x75, w)),
        "and of two by other conditions": lambda b, w: (
            b.bit_and(choice(b, -1, 0, w), b.ite(q, c(6, w), c(3, w))),
            b.ite(p, b.ite(q, c(6, w), c(3, w)), c(0, w)),
        ),
    },
)  # fmt: skip

WIDENED: tuple[Rule, ...] = rules(
    "choice-of-constants",
    {"with signs above": lambda b, w: (signed(b, choice(b, 1, -1, w)), choice(b, 1, -1, 2 * w))},
    widths=NARROW,
)


def selected(b: Words, w: int) -> BitVec:
    """The word x where all bits of a choice are set, else y: as it is written without a choice."""
    mask = choice(b, -1, 0, w)
    return b.bit_or(b.bit_and(mask, x(w)), b.bit_and(b.bit_not(mask), y(w)))


@for_each((*CHOICES, *WIDENED))
def prove_a_rewritten_choice_of_constants_means_what_was_written(rule: Rule) -> Query:
    return rule_holds(rule)


def refute_a_choice_of_some_bits_is_all_or_nothing() -> Query:
    return neighbour(
        "choice-of-constants",
        "and with a word, where all bits but one are alike",
        "the word or 0",
        lambda b, w: (b.bit_and(choice(b, -2, 0, w), x(w)), b.ite(p, x(w), c(0, w))),
    )


def refute_or_with_a_choice_gives_the_word_where_all_bits_are_set() -> Query:
    return neighbour(
        "choice-of-constants",
        "or with a word, where all bits are alike",
        "the branches exchanged",
        lambda b, w: (b.bit_or(choice(b, 0, -1, w), x(w)), b.ite(p, c(-1, w), x(w))),
    )


def refute_choices_by_two_conditions_are_counted_as_one() -> Query:
    return neighbour(
        "choice-of-constants",
        "a sum of two by two conditions",
        "both counted by the first",
        lambda b, w: (b.add(choice(b, 1, 0, w), b.ite(q, c(1, w), c(0, w))), choice(b, 2, 0, w)),
    )


def refute_a_multiple_of_a_choice_keeps_the_smaller_constant() -> Query:
    return neighbour(
        "choice-of-constants",
        "a multiple",
        "the larger constant alone times the factor",
        lambda b, w: (b.scale(choice(b, 1, 4, w), 12), choice(b, 1, 48, w)),
    )


def refute_signs_above_a_choice_are_zeros() -> Query:
    return neighbour(
        "choice-of-constants",
        "signs above",
        "zeros above each constant",
        lambda b, w: (signed(b, choice(b, 1, -1, w)), wide(b, choice(b, 1, -1, w))),
        16,
    )


def refute_a_selection_without_a_choice_is_the_other_way_round() -> Query:
    return neighbour(
        "choice-of-constants",
        "a word or another by a mask",
        "exchanged",
        lambda b, w: (selected(b, w), b.ite(p, y(w), x(w))),
    )
