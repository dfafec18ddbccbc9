"""With which relations accesses stay inside of a surface whose size is known, by the program or by `--size`.

s[t] of 512 floats under t = local_id_x      inside if local_size_x <= 512
"""

from collections.abc import Sequence

from visaproof.analysis.bounds.sizes.by_ends import STAGE, are_stated
from visaproof.analysis.bounds.sizes.elements import symbols_used
from visaproof.analysis.bounds.sizes.enough_bytes import SLOW_MS, OfMessage, SizeFinder
from visaproof.analysis.bounds.sizes.inside_if import InsideIf
from visaproof.analysis.bounds.sizes.sums import has_factors
from visaproof.launch.relations.expressions import Number, Relation
from visaproof.launch.relations.polynomials import Polynomial, at_least, constant_of, difference
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import value_of


def where_it_fits(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str) -> InsideIf | None:
    """That what the accesses reach at most is no more than there is, if some launch obeys that."""
    surface, size = finder.surface(key), _size(finder, key)
    if surface is None or size is None:
        return None
    asked = OfMessage(finder, rounds, key, surface, symbols_used(rounds))
    enough = asked.sufficient(whole=False)
    fits = False if enough is None else at_least(size, enough.amount)
    if enough is None or fits is False:
        return None
    own = (fits,) if isinstance(fits, Relation) else ()
    others = tuple(one for one in enough.relations if not _follows(one, enough.amount, size))
    needed = dict.fromkeys((*own, *others))
    amount, relations, by = difference(size), tuple(one for one in needed if not _are_stated([one], finder)), STAGE
    if not relations or not asked.is_reached(amount, relations):
        return None
    asked.most_ms = SLOW_MS
    if own and others and (by_solver := asked.proved(amount, own)):
        relations, by = own, by_solver
    return InsideIf(relations, by)


def fits_in(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str) -> str:
    """By what it is shown that the accesses reach no more than there is; empty where it is not.

    Of loops a solver knows only the iterations that were unrolled.
    """
    surface, size = finder.surface(key), _size(finder, key)
    if surface is None or size is None:
        return ""
    enough = OfMessage(finder, rounds, key, surface, symbols_used(rounds)).sufficient(whole=False)
    fits = False if enough is None else at_least(size, enough.amount)
    if enough is None or fits is False:
        return ""
    own = [fits] if isinstance(fits, Relation) else []
    needed = [*own, *(one for one in enough.relations if not _follows(one, enough.amount, size))]
    return STAGE if _are_stated(needed, finder) else ""


def _are_stated(relations: Sequence[Relation], finder: SizeFinder) -> bool:
    return are_stated(relations, finder.names, finder.amounts.values())


def has_product(finder: SizeFinder, key: str) -> bool:
    """Whether the size that is stated is a product of unknowns, or has one."""
    return has_factors(finder.amounts.get(finder.surface(key) or "", {}))


def _size(finder: SizeFinder, key: str) -> Polynomial | None:
    """Bytes that are stated, or that the program has."""
    surface = finder.asked.trace.surfaces.get(key)
    known = value_of(surface.size) if isinstance(surface, SymbolicBuffer) else None
    return finder.amounts.get(finder.surface(key) or "", None if known is None else {(): known})


def _follows(one: Relation, amount: Polynomial, size: Polynomial) -> bool:
    """Whether it says that the amount is at most a number that is not below the size."""
    most = constant_of(size)
    below = isinstance(one.right, Number) and most is not None and one.sign == "<=" and one.left == difference(amount)
    return below and isinstance(one.right, Number) and most is not None and most <= one.right.value
