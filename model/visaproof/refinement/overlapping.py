"""The question about two kernels where their buffers may overlap, and which of them have to be apart."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.sharing import Pair, Sharing
from visaproof.refinement.inputs.overlap import with_sharing
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.questions import questions

MOST_PAIRS = 15
"""Of buffers, of which each alone is tried."""

Way = Callable[[Comparison], object | None]
"""How a comparison may be shown to be a refinement; None where it is not."""


def overlapping(comparison: Comparison, sharing: Sharing) -> Comparison | None:
    """The question where these buffers may overlap; None where it cannot be asked."""
    runners, asked = with_sharing(comparison.runners, sharing), comparison.question
    if comparison.open is not None:
        stepped = comparison.stepped and in_step(runners, asked.launched, comparison.scope, comparison.split)
        return stepped and replace(comparison, runners=runners, stepped=stepped, sharing=sharing)
    try:
        exact, question = questions(runners, asked.launched, asked.forbidden)
    except NotModelled:
        return None
    return replace(comparison, runners=runners, exact=exact, question=question, sharing=sharing)


def proved_together(comparison: Comparison, sharing: Sharing) -> Comparison | None:
    """The same for proofs in one memory: of loops these ask about one iteration, so that unrolled ones are left out.

    With an address for each lane and iteration, each load of them would be compared with each store before.
    """
    if not comparison.question.bounded:
        return overlapping(comparison, sharing)
    return replace(comparison, runners=with_sharing(comparison.runners, sharing), sharing=sharing)


def needed_apart(comparison: Comparison, ways: Sequence[Way]) -> tuple[Pair, ...]:
    """The pairs of buffers of which it is not shown that they may overlap, left out one after another.

    All of them are tried in the first way that shows it where all pairs are apart.
    """
    needed = list(comparison.sharing.pairs)
    way = next((one for one in ways if _is_shown(comparison, needed, one)), None)
    if len(needed) > MOST_PAIRS or way is None:
        return tuple(needed)
    for pair in comparison.sharing.pairs:
        others = [one for one in needed if one != pair]
        if _is_shown(comparison, others, way):
            needed = others
    return tuple(needed)


def _is_shown(comparison: Comparison, pairs: Sequence[Pair], way: Way) -> bool:
    """Whether the target is shown to refine the source where these pairs are apart."""
    together = proved_together(comparison, comparison.sharing.without(pairs))
    return together is not None and way(together) is not None
