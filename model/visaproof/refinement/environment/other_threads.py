"""What other threads may tell of a target that leaves the same memory as its source."""

from collections.abc import Iterator
from itertools import islice
from math import prod

from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.touched import crossings, weakened

MOST_NAMED = 3
"""Accesses of which a reason tells."""


def crossing(comparison: Comparison) -> Iterator[str]:
    """The accesses that cross a barrier, a fence or an atomic: there others may change memory or look at it."""
    question = comparison.question
    atomics = question.source.atomics and question.target.atomics
    found = crossings(question.source.touched, question.target.touched) if question.cut or atomics else ()
    for one, other in islice(found, MOST_NAMED):
        yield f"{other} is between other barriers, fences or atomics than {one}"


def weaker(comparison: Comparison) -> str:
    """Which accesses of the target pass by fewer caches than those of the source; empty if none do."""
    if comparison.itself:
        return ""
    source, target = comparison.of_both.source.touched, comparison.of_both.target.touched
    found = list(islice(weakened(source, target, is_one_device(comparison)), MOST_NAMED))
    told = ", ".join(f"{other}, beside {one} of the source" for one, other in found)
    return f"weaker cache options: {told}" if found else ""


def is_one_device(comparison: Comparison) -> bool:
    """Whether both kernels are for one device."""
    return comparison.source.platform is comparison.target.platform


def is_one_thread(comparison: Comparison) -> bool:
    """Whether a group is known to be one thread, for which a barrier waits for nobody."""
    size = comparison.source.launch.group_size
    return size is not None and prod(size) <= len(comparison.question.lanes)
