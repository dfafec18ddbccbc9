"""Choices in an address that the guard of its access decides.

    i1 = y < n ? y + 1 : y,    made where i1 < n        y < n, since i1 is y otherwise: i1 is y + 1

So it is with rows that are left out at the edge: each is counted on only if the one before was one.  A solver is asked
whether the guard lets a condition be false, or true.  Products and quotients stand for any number there, as for words
that are ranged: what is shown holds of each lane alike.
"""

from collections.abc import Collection, Iterable
from typing import cast

from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.analysis.bounds.sizes.words.never_together import NeverTogether
from visaproof.analysis.bounds.sizes.words.ranged_words import MOST_TERMS
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.smt import BitVec, Bool, Op, Term, conj, false, neg, subterms, true
from visaproof.smt.substitution import substitute_all

MOST_CHOICES = 24
"""Of one access."""


def decided_choices(address: BitVec, guard: Bool, asked: AnyNumbers, never: NeverTogether) -> tuple[BitVec, Bool]:
    """The address and the guard without the choices that the guard decides; those in ids are left.

    The guard is false where it never holds: then the access is not made.
    """
    said = literals_of(guard)
    short = short_conditions(said)
    if never.are(short, asked):
        return address, false()
    known = dict[Term, Term]()
    for one in _conditions((address, *said), asked.ids):
        if asked.never(*short, neg(one)):
            known[one] = true()
        elif asked.never(*short, one):
            known[one] = false()
    (decided,) = substitute_all([address], known)
    return decided, conj(*substitute_all([*said], known))


def short_conditions(said: Literals) -> list[Bool]:
    """Those of a guard that a solver is asked about."""
    return [one for one in said if one.args and len(subterms(one)) <= MOST_TERMS]


def _conditions(terms: Iterable[Term], ids: Collection[Term]) -> list[Bool]:
    """What the choices in these terms depend on, the shortest conditions first."""
    found, left, seen = list[Bool](), list(terms), set[Term]()
    while left:
        one = left.pop()
        if one in seen or one in ids:
            continue
        seen.add(one)
        left += one.args
        if one.op is Op.ITE and len(subterms(one.args[0])) <= MOST_TERMS:
            found.append(cast(Bool, one.args[0]))
    return sorted(dict.fromkeys(found), key=lambda one: len(subterms(one)))[:MOST_CHOICES]
