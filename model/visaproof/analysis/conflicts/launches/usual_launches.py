"""The first groups of launches as hosts make them: there no products of unknown sizes are left."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import prod

from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES, likely_size
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.launch.ids.work_items import GROUP_IDS, launched_lanes
from visaproof.smt import BitVec, Bool, Term, bool_const, const, substitute, symbols_of
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import evaluate_all

USUAL_LAUNCHES = 18
"""In which something is looked for first."""
FIRST_GROUP: dict[Term, int] = dict.fromkeys(GROUP_IDS, 0)
SIMPLE = (64, 8, 1, 0, 1024)
"""Of all words at once: where products and quotients of arguments decide, a solver is slow."""
HALF = 32
"""Bits of half an argument of 64 bits."""
MOST_SMALL = 50
"""Among which those of small groups are looked for."""


def usual_launches(asked: Asked, most: int = USUAL_LAUNCHES) -> Iterator[dict[Term, int]]:
    """What they decide: ids, sizes, which lanes are on."""
    launched = asked.start.group.launched
    for values in islice(launched.launches(launched_lanes(asked.kernel)), most) if launched else ():
        yield {**FIRST_GROUP, **values}


def launches_by_place(asked: Asked, symbols: Sequence[Term], most: int) -> list[dict[int, int]]:
    """What they decide, by the places of these symbols; one that decides nothing if no launch is known."""
    launched, places = asked.start.group.launched, {one: place for place, one in enumerate(symbols)}
    if launched is None:
        return [{}]
    usual = islice(launched.launches(launched_lanes(asked.kernel)), most)
    return [{places[one]: value for one, value in values.items() if one in places} for values in usual]


def smallest_first(asked: Asked) -> list[dict[Term, int]]:
    """Those with threads of several lanes, small groups first: few lanes are on, and soon in different rows."""
    launched, lanes = asked.start.group.launched, launched_lanes(asked.kernel)
    if launched is None:
        return []

    def items(launch: Mapping[Term, int]) -> int:
        return prod(evaluate_all(launched.sizes, launch))

    several = (one for one in usual_launches(asked, MOST_SMALL) if sum(one.get(lane, 1) for lane in lanes) > 1)
    return sorted(several, key=items)


def widest_first(asked: Asked) -> list[dict[Term, int]]:
    """Those with more than one work item in most dimensions first: there most differ in what tells them apart."""
    launched = asked.start.group.launched
    if launched is None:
        return []

    def flat(launch: Mapping[Term, int]) -> int:
        return sum(size == 1 for size in evaluate_all(launched.sizes, launch))

    return sorted(usual_launches(asked), key=flat)


def in_launch(formula: Bool, launch: Mapping[Term, int]) -> Bool:
    """The formula of one of them."""
    return substitute(formula, constants_of(launch))


def constants_of(launch: Mapping[Term, int]) -> dict[Term, Term]:
    """What one of them decides, as terms."""
    return {one: const(value, one.width) if one.width else bool_const(bool(value)) for one, value in launch.items()}


def in_usual_launches(asked: Asked, formula: Bool) -> Iterator[Bool]:
    """The formula of each of them."""
    yield from (in_launch(formula, launch) for launch in usual_launches(asked))


def holds_of_simple_words(asked: Asked, formula: Bool) -> bool:
    """Whether it does in a usual launch in which all else is one simple number."""
    return simple_words_for(asked, formula) is not None


def simple_words_for(asked: Asked, formula: Bool) -> Values | None:
    """Values of a usual launch in which all else is one simple number, if the formula holds of some."""
    symbols = symbols_of(formula)
    holds = compiled((formula,), symbols)
    sizes = {one: size for one in symbols if (size := likely_size(one, SURFACE_BYTES, asked.local)) is not None}
    zeros = dict.fromkeys(high_dwords(asked), 0)
    for launch in widest_first(asked):
        known = {**sizes, **zeros, **launch}
        for simple in SIMPLE:
            values = [known.get(one, simple if one.width else 1) for one in symbols]
            if holds(values)[0]:
                return dict(zip(symbols, values, strict=True))
    return None


def high_dwords(asked: Asked) -> Iterator[BitVec]:
    """Those of arguments of 64 bits: of simple words and small numbers they are 0."""
    kernel = asked.kernel
    for one in kernel.inputs:
        declared = kernel.registers.get(one.variable)
        if declared is not None and declared.type.bits == 2 * HALF:
            halves = (asked.start.initial(one.variable, at + HALF // 8) for at in range(0, one.size, HALF // 4))
            yield from (word for word, byte in halves if (word.width, byte) == (HALF, 0))
