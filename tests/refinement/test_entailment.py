"""What follows from conditions by their connectives alone."""

from random import Random

import pytest

from visaproof.refinement.entailment import not_covered
from visaproof.smt import Bool, Term, bool_symbol, conj, disj, evaluate, neg

NAMES = tuple(bool_symbol(name) for name in "abcdef")
A, B, C, D, E, F = NAMES


def truth(random: Random, depth: int) -> Bool:
    if not depth or random.random() < 0.2:
        one = random.choice(NAMES)
        return neg(one) if random.getrandbits(1) else one
    parts = [truth(random, depth - 1) for _ in range(random.randint(2, 3))]
    return random.choice((conj, disj))(*parts)


@pytest.mark.parametrize("seed", range(200))
def test_what_is_covered_holds_only_where_one_of_the_others_does(seed: int) -> None:
    random = Random(seed)
    by = [truth(random, 3) for _ in range(random.randint(1, 5))]
    conditions = [truth(random, 3) for _ in range(5)]
    left = set(not_covered(conditions, by))
    for bits in range(1 << len(NAMES)):
        values: dict[Term, int] = {one: bits >> place & 1 for place, one in enumerate(NAMES)}
        if not any(evaluate(one, values) for one in by):
            assert not any(evaluate(one, values) for one in conditions if one not in left)


def test_a_condition_with_two_choices_covers_what_is_in_a_case_of_each() -> None:
    """One choice is multiplied out: of the other one a case may be known."""
    by = [conj(A, disj(B, C), disj(conj(D, E), F))]
    case = conj(A, disj(B, C), D, E)
    assert list(not_covered([case], by)) == []
    half = conj(A, disj(B, C), D)
    assert list(not_covered([half], by)) == [half]
