"""What the user states of a launch, and the names and premises that come of it."""

from collections.abc import Iterator

from msgspec import Struct

from visaproof.analysis.global_size import bounded_ids, global_sizes
from visaproof.analysis.surface_sizes import aligned_addresses
from visaproof.launch.assumptions import Assume, Start
from visaproof.launch.ids.launched_words import FIRST_LANES, first_lanes
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.launch import Launch
from visaproof.launch.premises import Premise, premise
from visaproof.launch.relations.element_names import NOTHING_LOADED, Loaded
from visaproof.launch.relations.expressions import Expression, Name, Relation, names_in
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, polynomial
from visaproof.launch.relations.relations import stated_relation, with_relations
from visaproof.program.kernel import Kernel
from visaproof.smt import Bool


class StatedLaunch(Struct, frozen=True):
    """What the user states of a launch."""

    surfaces: tuple[tuple[str, Expression], ...] = ()
    global_size: tuple[Expression, ...] = ()
    where: tuple[Relation, ...] = ()
    align: int = 1
    """Every address in the payload is a multiple of this power of two,"""
    of_elements: bool = False
    """or of the size of the element that the argument points to, where that is known."""

    @property
    def names(self) -> tuple[Name, ...]:
        """Those in sizes of buffers and in relations."""
        return tuple(name for _, one in self.surfaces for name in names_in(one)) + tuple(
            name for one in self.where for name in one.names()
        )

    def amounts(self) -> dict[str, Polynomial]:
        """The sizes that are sums of products, by their surfaces."""
        found = {surface: polynomial(amount) for surface, amount in self.surfaces}
        return {surface: one for surface, one in found.items() if one is not None}


def names_of(
    kernel: Kernel, launch: Launch, start: Start, stated: StatedLaunch, loaded: Loaded = NOTHING_LOADED
) -> LaunchNames:
    """With the global size that is stated."""
    sizes = global_sizes(LaunchNames(kernel, launch, start), stated.global_size)
    return LaunchNames(kernel, launch, start, tuple(size for size, _ in sizes), loaded)


def stated_start(kernel: Kernel, launch: Launch, start: Start, stated: StatedLaunch) -> Start:
    """The start of the launches that obey what is stated of arguments and the launch."""
    return with_relations(names_of(kernel, launch, start, stated), stated.where) if stated.where else start


def launch_premises(
    names: LaunchNames, assume: Assume, stated: StatedLaunch
) -> Iterator[tuple[tuple[Bool, ...], Premise]]:
    """What else is assumed of the launch, with its premise."""
    kernel, launch, start = names.kernel, names.launch, names.start
    if not assume.of_launches and "first-lanes" in assume and FIRST_LANES not in start.assumed:
        yield tuple(first_lanes(launched_lanes(kernel))), FIRST_LANES
    if stated.global_size:
        yield bounded_ids(kernel, launch, start, stated.global_size, len(launched_lanes(kernel)))
    aligned = aligned_addresses(kernel, launch, start, stated.align, stated.of_elements)
    if aligned.conditions:
        yield aligned.conditions, premise("align", align=aligned.described(stated.align))


def facts_of_elements(names: LaunchNames, stated: StatedLaunch) -> Iterator[Bool]:
    """That no element is beyond those which relations name: before the run none was known."""
    for one in stated.where:
        yield from stated_relation(names, one).facts
