"""Addresses behind aligned pointers: a small number that is added to the low half does not carry into the high one."""

from functools import partial

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries.identities import Rule, neighbour, rule_holds, rules
from visaproof.queries.kernels.aligned_pointers import without_small_carry
from visaproof.queries.query import Query
from visaproof.smt import BitVec, Bool, Term, symbol
from visaproof.smt.halves.sums import recombined
from visaproof.smt.written import Words

from .words import c, kept, x

FAMILY = "behind-an-aligned-pointer"
POINTER = symbol("pointer64", 64)
ALIGNMENT = 16
"""Of the pointer here.  The rule holds for every power of two."""


def _aligned(b: Words, width: int, alignment: int = ALIGNMENT) -> Bool:
    return b.eq(b.bit_and(POINTER, c(alignment - 1, width)), c(0, width))


def _uncarried(b: Words, width: int, *behind: BitVec) -> BitVec:
    """The pointer with this added to its low half alone."""
    half = width // 2
    low = b.add(b.truncate(POINTER, half), *behind)
    return b.add(
        b.scale(b.zero_extend(b.extract(POINTER, width - 1, half), width), 1 << half), b.zero_extend(low, width)
    )


def _behind(term: Term) -> Term:
    assert isinstance(term, BitVec)
    return recombined(without_small_carry(term, {POINTER: ALIGNMENT}))


RULES: tuple[Rule, ...] = rules(
    FAMILY,
    {
        "less than the alignment": lambda b, w: (_uncarried(b, w, c(12, w // 2)), b.add(POINTER, c(12, w))),
        "one less than the alignment": lambda b, w: (
            _uncarried(b, w, c(ALIGNMENT - 1, w // 2)),
            b.add(POINTER, c(ALIGNMENT - 1, w)),
        ),
        "the alignment": lambda b, w: kept(_uncarried(b, w, c(ALIGNMENT, w // 2))),
        "less behind a multiple": lambda b, w: (
            _uncarried(b, w, b.scale(x(w // 2), 8), c(4, w // 2)),
            b.add(_uncarried(b, w, b.scale(x(w // 2), 8)), c(4, w)),
        ),
        "more behind a multiple": lambda b, w: (
            _uncarried(b, w, b.scale(x(w // 2), 8), c(12, w // 2)),
            b.add(_uncarried(b, w, b.scale(x(w // 2), 8), c(8, w // 2)), c(4, w)),
        ),
        "behind a multiple of twelve": lambda b, w: kept(_uncarried(b, w, b.scale(x(w // 2), 12), c(4, w // 2))),
        "behind any word": lambda b, w: kept(_uncarried(b, w, x(w // 2), c(4, w // 2))),
    },
    widths=(64,),
    after=_behind,
    given=_aligned,
)


@for_each(RULES)
def prove_a_small_number_behind_an_aligned_pointer_does_not_carry(rule: Rule) -> Query:
    return rule_holds(rule)


def refute_the_alignment_behind_an_aligned_pointer_does_not_carry() -> Query:
    return neighbour(
        FAMILY,
        "the alignment in the low half of a pointer",
        "the pointer and the alignment",
        lambda b, w: (_uncarried(b, w, c(ALIGNMENT, w // 2)), b.add(POINTER, c(ALIGNMENT, w))),
        64,
        _aligned,
    )


def refute_a_small_number_behind_a_pointer_of_less_alignment_does_not_carry() -> Query:
    return neighbour(
        FAMILY,
        "12 in the low half of a multiple of 8",
        "the pointer and 12",
        lambda b, w: (_uncarried(b, w, c(12, w // 2)), b.add(POINTER, c(12, w))),
        64,
        partial(_aligned, alignment=8),
    )


def refute_a_small_number_behind_any_word_does_not_carry() -> Query:
    return neighbour(
        FAMILY,
        "a word and 4 in the low half of a pointer",
        "the word in the low half, and 4 behind",
        lambda b, w: (_uncarried(b, w, x(w // 2), c(4, w // 2)), b.add(_uncarried(b, w, x(w // 2)), c(4, w))),
        64,
        _aligned,
    )
