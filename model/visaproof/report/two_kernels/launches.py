"""A difference of two kernels as a launch that a host makes, with the commands that run both."""

import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct

from visaproof.execution.differing_launch import DifferingLaunch, find_differing
from visaproof.execution.example_launch import NoLaunch
from visaproof.execution.payload import Program
from visaproof.execution.usual_launches import Stated
from visaproof.launch.relations.expressions import Relation
from visaproof.refinement.comparison import Comparison
from visaproof.report.records.refine import DifferingLaunch as DifferingRecord


class ShownDifference(Struct, frozen=True):
    """What was found, and how to run both kernels."""

    found: DifferingLaunch | NoLaunch
    commands: tuple[tuple[str, ...], ...]
    """`visaproof run` with the source and with the target, and their launch information; none if these are not kept."""

    def lines(self) -> Iterator[str]:
        """What differs in the launch, and both commands."""
        match self.found:
            case NoLaunch(reason):
                yield f"no launch is shown: {reason}"
            case DifferingLaunch() as one:
                items = one.shape.items
                yield f"launch: {items} work item{'s' * (items > 1)}: {one.what}"
                yield from (f"  {shlex.join(command)}" for command in self._commands(one))
                if not self.commands:
                    yield "  --keep DIR keeps both kernels, and says how to run them"

    def record(self) -> DifferingRecord:
        """The same for programs."""
        match self.found:
            case NoLaunch(reason):
                return DifferingRecord(found=False, reason=reason)
            case DifferingLaunch() as one:
                return DifferingRecord(found=True, what=one.what, commands=self._commands(one))

    def _commands(self, one: DifferingLaunch) -> list[list[str]]:
        return [[*command, *(word for pair in one.options() for word in pair)] for command in self.commands]


def shown_difference(
    comparison: Comparison, where: Sequence[Relation], commands: tuple[tuple[str, ...], ...]
) -> ShownDifference | None:
    """A launch with a difference, or why none is shown; None where no launch information says what a launch is."""
    source, target = (Program(one.kernel, one.launch, one.platform) for one in (comparison.source, comparison.target))
    if not (source.launch.meanings and target.launch.meanings):
        return None

    def allows(numbers: dict[str, int]) -> bool:
        try:
            return all(one.holds(numbers) for one in where)
        except KeyError:
            return False

    return ShownDifference(find_differing(source, target, Stated(allows=lambda named: allows(dict(named)))), commands)
