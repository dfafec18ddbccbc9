"""The launches in which the source has a meaning whatever it finds where nothing wrote.

The source finds what it chooses.  Where one choice leaves it without a meaning, any target refines it: then only the
launches with a lane on are left to compare, if without that lane there is such a choice.
"""

from collections.abc import Iterator
from dataclasses import replace

from visaproof.engine.refinement.comparison import Comparison, compare
from visaproof.isa.errors import NotModelled
from visaproof.queries.refinement.undefined import UndefinedKind
from visaproof.queries.refinement.witness import is_unwritten
from visaproof.smt import Bool, Term, const, false, is_true, substitute, symbols_of

CHOICES = (0, 1)
"""What nothing wrote: no other alignment is needed to be out of step."""


def where_meant(comparison: Comparison) -> Comparison | None:
    """The question about those launches alone; None where it is the same one, or is not known."""
    if comparison.split is not None or comparison.granted.on:
        return None
    if UndefinedKind.UNINITIALISED in comparison.question.forbidden:
        return None
    on = frozenset(_lanes_meant(comparison))
    if not on:
        return None
    granted = replace(comparison.granted, on=on)
    try:
        return compare(comparison.source, comparison.target, comparison.scope, granted)
    except NotModelled:
        return None


def _lanes_meant(comparison: Comparison) -> Iterator[Bool]:
    """The lanes without which some choice has no meaning, for any other input."""
    question, unwritten = comparison.question, set(filter(is_unwritten, comparison.runners[0].start_words()))
    for condition in question.source.undefined:
        symbols = set(symbols_of(condition))
        own = symbols & unwritten
        for lane in (one for one in question.lanes if one in symbols):
            for choice in CHOICES if own else ():
                chosen: dict[Term, Term] = {one: const(choice, one.width) for one in own}
                if is_true(substitute(condition, chosen | {lane: false()})):
                    yield lane
