"""The launches in which the source is defined whatever it finds in uninitialised registers.

The source finds what it chooses.  Where one choice leaves it undefined, any target refines it: then only the
launches with a lane on are left to compare, if without that lane there is such a choice, or with it off, if with it.
"""

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.launch.matching import own_predicates
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.effects.uninitialised_words import is_unwritten
from visaproof.refinement.scope import Granted
from visaproof.refinement.testing.guesses import settled
from visaproof.refinement.testing.runs import again
from visaproof.refinement.verdicts import Difference
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.symbolic.value_names import Owner
from visaproof.smt import Bool, Term, const, false, is_true, substitute, symbols_of, true

CHOICES = tuple(product((0, 1), (true(), false())))
"""A word and a predicate uninitialised bit: no other alignment is needed to be out of step."""


def where_meant(comparison: Comparison) -> Comparison | None:
    """The question about those launches alone; None where it is the same one, or is not known."""
    if comparison.split is not None or comparison.granted.on:
        return None
    if UndefinedKind.UNINITIALISED in comparison.question.forbidden:
        return None
    granted = _meant(comparison)
    if granted == comparison.granted:
        return None
    try:
        return compare(comparison.source, comparison.target, comparison.scope, granted)
    except NotModelled:
        return None


def in_all_launches(comparison: Comparison, meant: Comparison, found: Difference) -> Difference | None:
    """A difference in those launches, as one of all."""
    lanes = dict.fromkeys(meant.granted.on, 1) | dict.fromkeys(meant.granted.off, 0)
    if found.memory.keys() != set(comparison.question.surfaces):
        return None
    try:
        shown = again(*comparison.runners, comparison.question, replace(found, values=found.values | lanes))
        return shown and settled(comparison, shown)
    except NotModelled:
        return None


def _meant(comparison: Comparison) -> Granted:
    """Without the lanes that some choice leaves undefined, and with those without which one does."""
    lanes: dict[Bool, set[Bool]] = {true(): set(), false(): set()}
    question, unwritten = comparison.question, set(_unwritten(comparison.runners[0]))
    for condition in question.source.undefined:
        symbols = set(symbols_of(condition))
        own = symbols & unwritten
        for lane in (one for one in question.lanes if own and one in symbols):
            for word, bit in CHOICES:
                chosen: dict[Term, Term] = {one: const(word, one.width) if one.width else bit for one in own}
                for then, other in ((true(), false()), (false(), true())):
                    if is_true(substitute(condition, chosen | {lane: then})):
                        lanes[other].add(lane)
    on, off = lanes[true()], lanes[false()]
    return replace(comparison.granted, on=frozenset(on), off=frozenset(off - on))


def _unwritten(runner: AnyRunner) -> Iterator[Term]:
    """The words and the bits of uninitialised predicates before the source reads them."""
    yield from filter(is_unwritten, runner.start_words())
    bit = own_predicates(Owner(runner.name))
    yield from (bit(name, lane) for name, count in runner.kernel.predicates.items() for lane in range(count))
