"""The collisions of the pairs of lanes of a scatter, whatever work items these run."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from visaproof.checking.clauses import form_of
from visaproof.checking.stages import literals
from visaproof.isa.execution import THREAD_LANES
from visaproof.launch.ids.any_items import AnyItemsId, any_ids
from visaproof.queries.kernels.conflict import LanePair
from visaproof.queries.kernels.lane_accesses import LaneAccesses
from visaproof.semantics.symbolic.names import is_lane, lane_on
from visaproof.smt import Bool, Term, conj, substitute, symbols_of

ANY_LANES = THREAD_LANES, THREAD_LANES + 1
"""Numbers that no lane has."""


def is_of_a_lane(one: Term) -> bool:
    return is_lane(one) or isinstance(one.payload, AnyItemsId)


def stores_if_on(lane: LaneAccesses) -> bool:
    """Whether it is on wherever it stores."""
    return all(lane_on(lane.lane) in literals(store.guard) for _, store in lane.stores)


def any_two(lanes: Sequence[int], said: Collection[Term]) -> dict[Term, Term]:
    """Names for what two lanes run that are the same for any two: no other lane has them.

    Where no other condition has these symbols, one pair of lanes can collide iff another can.
    """
    places: dict[Term, Term] = {}
    for lane, name in zip(lanes, ANY_LANES, strict=True):
        own = zip((*any_ids(lane), lane_on(lane)), (*any_ids(name), lane_on(name)), strict=True)
        places.update((one, other) for one, other in own if one not in said)
    return places


class PairCollision(Struct, frozen=True, dict=True):
    """Of two lanes, that they write one byte."""

    pair: LanePair
    items: Bool
    """That they run different work items."""
    exactly: Bool
    """Both."""
    any_two: Mapping[Term, Term]
    """Names for what the lanes run: so parts of a wide scatter are one question."""

    @cached_property
    def meet(self) -> Bool:
        """Both, said of any two lanes."""
        return substitute(self.exactly, self.any_two)

    def overlap(self) -> Bool:
        """The same, inside of the surface or outside."""
        return substitute(conj(self.pair.overlap, self.items), self.any_two)


class PairCollisions(Struct, frozen=True):
    """The collisions of all pairs of lanes, and some that stand for them.

    Two that differ only in the names of symbols that not all of them have, as those of lanes, are one question,
    whatever else is assumed of the others.
    """

    all: tuple[PairCollision, ...]
    own: frozenset[Term]
    """The symbols that some have, and others have not."""
    some: tuple[PairCollision, ...]

    @staticmethod
    def of(premises: Sequence[Bool], collisions: Sequence[PairCollision]) -> "PairCollisions":
        symbols = [frozenset(symbols_of(one.exactly)) for one in collisions]
        shared = frozenset[Term].intersection(*symbols) if symbols else frozenset[Term]()
        kept = shared.union(symbols_of(*premises))
        forms = {form_of(one.exactly, kept=kept): one for one in reversed(collisions)}
        own = frozenset[Term]().union(*symbols) - kept
        return PairCollisions(tuple(collisions), own, tuple(reversed(forms.values())))

    def about(self, more: Sequence[Bool]) -> tuple[PairCollision, ...]:
        """Those that have to be asked where `more` is assumed."""
        return self.some if self.own.isdisjoint(symbols_of(*more)) else self.all
