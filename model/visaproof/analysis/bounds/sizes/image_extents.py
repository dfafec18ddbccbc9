"""How large an image has to be: each coordinate at its largest, as a relation to arguments and the launch.

write_imagef(out, (int2)(x, y), …)      inside if out.width >= global_size_x and out.height >= global_size_y

First what the coordinates are as sums of integers, which needs no solver; else what a solver shows each of them to be
below: a global size, or an argument.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from visaproof.analysis.bounds.outside_search import search_for
from visaproof.analysis.bounds.sizes.by_ends import STAGE, are_stated, sufficient, weakest
from visaproof.analysis.bounds.sizes.elements import symbols_used
from visaproof.analysis.bounds.sizes.enough_bytes import SLOW_MS, OfMessage, SizeFinder
from visaproof.analysis.bounds.sizes.inside_if import InsideIf
from visaproof.analysis.bounds.sizes.launch_integers import wide
from visaproof.analysis.surface_sizes import argument_of
from visaproof.isa.errors import LimitReached
from visaproof.launch.input_meaning import DIMENSIONS, Argument
from visaproof.launch.relations.expressions import Name, Number, Relation
from visaproof.launch.relations.image_names import EXTENTS, axes_of, extent_name
from visaproof.launch.relations.launch_names import GLOBAL
from visaproof.launch.relations.polynomials import Polynomial, at_least, difference, plus
from visaproof.launch.relations.relations import stated_relation
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import BitVec, Bool, conj, neg, ult, value_of

MOST_EXTENT = 1 << 32
"""Above every extent: coordinates are words of 32 bits."""
AXES, LEVEL = 3, 3
"""Coordinates of a texel, and which of the parts of a cell is its level."""


def as_large(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str) -> InsideIf | None:
    """Extents with which every access is inside, if some launch obeys the relations."""
    try:
        relations, by = _relations(finder, rounds, key)
    except LimitReached:  # the answer is there without it
        return None
    argument = argument_of(finder.names.kernel, finder.launch, key)
    if not relations or argument is None:
        return None
    asked = OfMessage(finder, rounds, key, "", symbols_used(rounds))
    own = tuple(one for one in relations if _is_of_image(one, argument, finder))
    if own != relations and (by_solver := _proved(finder, rounds, own)):
        relations, by = own, by_solver
    relations = weakest(relations, finder.names)
    terms = [term for one in relations for term in _facts(finder, one)]
    return InsideIf(relations, by) if asked.is_reached_under(terms) else None


def is_as_large(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str) -> str:
    """By what it is shown that the extents are enough that are stated; empty where it is not."""
    stated = (name.text.rpartition(".") for one in finder.names.start.where for name in one.relation.names())
    if not any(image and extent in EXTENTS for image, _, extent in stated):
        return ""
    relations, by = _relations(finder, rounds, key)
    return by if relations and are_stated(relations, finder.names) else ""


def _relations(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str) -> tuple[tuple[Relation, ...], str]:
    """Under which every access is inside, and by what that is proved; none where that is not known."""
    argument = argument_of(finder.names.kernel, finder.launch, key)
    surface = finder.asked.trace.surfaces.get(key)
    accesses = [(each, doubt.access) for each in rounds for doubt in each.outside]
    if (
        argument is None
        or not isinstance(surface, SymbolicImage)
        or not all(_is_at_the_first_level(access, surface) for _, access in accesses)
    ):
        return (), ""
    found: dict[Relation, None] = {}
    stages: dict[str, None] = {}
    for axis in range(AXES):
        if all(value_of(access.cell[axis]) == 0 for _, access in accesses):
            continue  # no extent is 0
        if not axes_of(argument, finder.launch)[axis]:
            return (), ""
        extent = Name(extent_name(argument, finder.launch, axis))
        needed = _by_ends(finder, rounds, key, axis)
        if needed is None:
            below = _below(finder, rounds, key, axis)
            if below is None:
                return (), ""
            found[Relation(">=", extent, Name(below[0]))] = None
            stages[below[1]] = None
            continue
        amount, others = needed
        one = at_least({(extent.text,): 1}, amount)
        if one is False:
            return (), ""
        found |= dict.fromkeys((*((one,) if isinstance(one, Relation) else ()), *others))
        stages[STAGE] = None
    return tuple(found), ", ".join(stages)


def _is_at_the_first_level(access: Access, image: SymbolicImage) -> bool:
    u, v, r, level = access.cell[: LEVEL + 1]
    return value_of(level) == 0 and access.inside is image.contains(u, v, r, level)


def _by_ends(
    finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str, axis: int
) -> tuple[Polynomial, tuple[Relation, ...]] | None:
    """How large the extent has to be, by what the coordinate is as an integer, with what has to hold for that."""
    accesses = [(each, doubt, doubt.access.cell[axis]) for each in rounds for doubt in each.outside]
    reached = finder.ends.reached(accesses, OfMessage(finder, rounds, key, "", symbols_used(rounds)).arguments(), ())
    if reached is None:
        return None
    ends = [
        replace(one, end=plus(one.end, {(): 1 - doubt.access.width}))
        for one, (_, doubt, _) in zip(reached, accesses, strict=True)
    ]
    enough = sufficient(ends, finder.names, whole=False)
    if enough is None:
        return None
    own = difference(enough.amount)  # what is at most an extent is below 2^32
    others = (one for one in enough.relations if one != Relation("<=", own, Number(MOST_EXTENT)))
    return enough.amount, tuple(others)


def _below(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str, axis: int) -> tuple[str, str] | None:
    """What a solver shows the coordinate to be below, and which."""
    asked = OfMessage(finder, rounds, key, "", symbols_used(rounds))
    for name in (*asked.arguments(), *(f"{GLOBAL}_{dimension}" for dimension in DIMENSIONS)):
        number = finder.names.found(name)
        stages: dict[str, None] = {}
        for question in rounds:
            reaching = [conj(doubt.access.guard, neg(_is_below(doubt.access.cell[axis], number.word.term)))
                        for doubt in question.outside]  # fmt: skip
            by = asked.excluded(question, reaching, number.facts)
            if not by:
                break
            stages[by] = None
        else:
            return name, ", ".join(stages)
    return None


def _is_below(coordinate: BitVec, number: BitVec) -> Bool:
    width = max(coordinate.width, number.width)
    return ult(wide(coordinate, width), wide(number, width))


def _is_of_image(relation: Relation, argument: Argument, finder: SizeFinder) -> bool:
    names = {extent_name(argument, finder.launch, axis) for axis in range(AXES)}
    return any(name.text in names for name in relation.names())


def _proved(finder: SizeFinder, rounds: Sequence[BoundsQuestion], relations: Sequence[Relation]) -> str:
    """By which solver, where it needs no other relations."""
    terms = [term for one in relations for term in _facts(finder, one)]
    asked = replace(finder.asked, timeout_ms=min(SLOW_MS, finder.asked.timeout_ms))
    stages: dict[str, None] = {}
    for question in rounds:
        by = search_for(question, [doubt.condition for doubt in question.outside], terms).excluded(asked)
        if not by:
            return ""
        stages[by] = None
    return ", ".join(stages)


def _facts(finder: SizeFinder, relation: Relation) -> Iterator[Bool]:
    own = stated_relation(finder.names, relation)
    yield from own.facts
    yield own.term
