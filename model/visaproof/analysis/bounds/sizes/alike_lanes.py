"""Accesses of lanes that differ in their ids alone: what holds of an access with any ids holds of each of them.

    guard(id), id < local size   =>   address(id) <= most        for every word id, so for the ids of each lane

That the ids are below the local size is shown of each lane.  Nothing else of a lane is used: who asks solvers about one
lane must not answer for the others.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace as with_fields
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.launch_integers import LaunchIntegers
from visaproof.analysis.bounds.sizes.reached import Accessed
from visaproof.analysis.conflicts.any_lane import any_id, is_in_group, symbols_in, with_any_ids
from visaproof.checking.stages import literals
from visaproof.isa.identity import Same
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.symbolic.loops.came_back import CountedLoop
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import BitVec, Bool, Op, Term, conj, substitute, symbols_of


class AnyIds(Struct, frozen=True):
    """An access with any ids, in the place of those of the first of its lanes."""

    access: Accessed
    integers: LaunchIntegers
    own: Mapping[Term, Term]
    """The ids of that lane."""


class Alike(Struct):
    """Accesses that are one with any ids, with the lanes that make them."""

    cut: tuple[BitVec, Bool] | None
    accesses: list[Accessed] = field(default_factory=list[Accessed])
    lanes: list[int] = field(default_factory=list[int])


class AlikeLanes(Struct):
    """Of one kernel."""

    integers: LaunchIntegers
    of_any: dict[Hashable, LaunchIntegers] = field(default_factory=dict[Hashable, LaunchIntegers])
    cuts: dict[tuple[Same[Doubt], BitVec], tuple[BitVec, Bool] | None] = field(
        default_factory=dict[tuple[Same[Doubt], BitVec], "tuple[BitVec, Bool] | None"]
    )
    """Kept where the time for a message ends: it is asked again."""

    def groups(self, accesses: Sequence[Accessed]) -> Iterator[Alike]:
        """All accesses, in their order: nothing is done before the first is asked for."""
        found: dict[Hashable, Alike] = {}
        for place, access in enumerate(accesses):
            question, doubt, _ = access
            lane, own = question.lane(doubt.access), (Same(doubt), access[2])
            if own not in self.cuts:
                self.cuts[own] = self._cut(access)
            cut = self.cuts[own]
            key: Hashable = place
            if cut is not None and lane is not None:
                numbers = tuple(word if word.op is Op.CONST else None for word in self.integers.launched.ids[lane])
                key = Same(question), doubt.access.width, cut, numbers
            group = found.setdefault(key, Alike(cut))
            group.accesses.append(access)
            group.lanes += [] if lane is None else [lane]
        yield from found.values()

    def _cut(self, access: Accessed) -> tuple[BitVec, Bool] | None:
        """The address and the guard with any ids, and not that the lane is on; None where more depends on the lane."""
        question, doubt, address = access
        launched, lane = self.integers.launched, question.lane(doubt.access)
        if lane is None or lane >= len(launched.ids):
            return None
        on, ids = launched_lanes(self.integers.names.kernel)[lane], launched.ids[lane]
        said = [*literals(doubt.access.guard)]
        if on not in said or any(_is_of_loop(one) for part in (address, *said) for one in symbols_in(part)):
            return None
        words = {dimension for dimension, word in enumerate(ids) if word.op is not Op.CONST}
        where, *more = (with_any_ids(part, ids) for part in (address, *said) if part is not on)
        own = {*symbols_of(*ids)} - {*symbols_of(*launched.sizes)}
        is_alike = all(own.isdisjoint(symbols_in(part)) for part in (where, *more))
        is_alike = is_alike and words <= self.integers.atoms(lane)[1].keys()
        return (cast(BitVec, where), conj(*cast(list[Bool], more))) if is_alike else None

    def any_ids(self, group: Alike) -> AnyIds | None:
        """One access for all of several."""
        if group.cut is None or len(group.accesses) == 1:
            return None
        (question, doubt, _), lane, (address, guard) = group.accesses[0], group.lanes[0], group.cut
        launched, names, used = self.integers.launched, self.integers.names, {*symbols_of(*group.cut)}
        own: dict[Term, Term] = {
            any_id(word, d): word for d, word in enumerate(launched.ids[lane]) if word.op is not Op.CONST
        }
        dimensions = range(len(launched.ids[lane]))
        within = tuple(
            any_id(launched.ids[lane][d], d) in used and all(is_in_group(launched, each, d) for each in group.lanes)
            for d in dimensions
        )
        if (lane, within) not in self.of_any:
            x, y, z = (word if word.op is Op.CONST else any_id(word, d) for d, word in enumerate(launched.ids[lane]))
            of_any = with_fields(launched, ids=(*launched.ids[:lane], (x, y, z), *launched.ids[lane + 1 :]))
            of_any.in_group.update({(lane, d): within[d] for d in dimensions})
            self.of_any[lane, within] = LaunchIntegers(names, of_any, self.integers.shown)
        on = launched_lanes(names.kernel)[lane]
        access = replace(doubt, access=replace(doubt.access, guard=conj(on, guard)))
        return AnyIds((question, access, address), self.of_any[lane, within], own)


def _is_of_loop(symbol: Term) -> bool:
    return isinstance(symbol.payload, OfLoop)


class OfLanes(Struct):
    """What is known of the accesses of one message."""

    integers: LaunchIntegers
    lanes: AlikeLanes
    excluded: Callable[[BoundsQuestion, Bool], bool]
    """Whether a condition cannot hold in the launches of a question."""
    arguments: tuple[str, ...]
    """They may bound ids."""
    zeros: tuple[BitVec, ...]
    """Words that are 0."""
    counted: tuple[CountedLoop, ...]
    bounds: dict[int, str | None] = field(default_factory=dict[int, str | None])
    """The argument that bounds the global ids of a dimension, as the guard of the first access says."""
    own: Mapping[Term, Term] = field(default_factory=dict[Term, Term])
    """The ids of a lane, where any ids stand for them."""
    rests_on_solver: bool = False
    """Whether a condition was excluded."""

    def is_excluded(self, question: BoundsQuestion, condition: Bool) -> bool:
        found = self.excluded(question, substitute(condition, self.own))
        self.rests_on_solver |= found
        return found
