"""A difference of two kernels as a launch that a host makes, with the commands that run both."""

import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from visaproof.execution.arguments import PartOf
from visaproof.execution.differing_launch import BUFFER_BYTES, DifferingLaunch, Left, TargetStops, find_differing
from visaproof.execution.example_launch import NoLaunch
from visaproof.execution.payload import Program
from visaproof.execution.usual_launches import Stated
from visaproof.isa.errors import LimitReached
from visaproof.isa.surface_keys import argument_number
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.launched import thread_of
from visaproof.refinement.verdicts import Difference
from visaproof.report.records.refine import DifferingLaunch as DifferingRecord
from visaproof.report.two_kernels.overlap import layout
from visaproof.smt.limit import Limit


class ShownDifference(Struct, frozen=True):
    """What was found, and how to run both kernels."""

    found: DifferingLaunch | NoLaunch
    commands: tuple[tuple[str, ...], ...]
    """`visaproof run` with the source and with the target, and their launch information; none if these are not kept."""

    thread: Difference | None = None
    """One thread of the launch that shows it alone, if there is one."""

    @property
    def is_found(self) -> bool:
        return isinstance(self.found, DifferingLaunch)

    def headline(self) -> Iterator[str]:
        """The verdict with what differs in the launch, and both commands; nothing where none was found."""
        match self.found:
            case NoLaunch():
                return
            case DifferingLaunch() as one:
                yield f"DOES NOT REFINE: in a launch of {one.named}, {one.left}"
                yield from (f"  {shlex.join(command)}" for command in self._commands(one))
                if not self.commands:
                    yield "  --keep DIR keeps both kernels, and says how to run them"

    def lines(self) -> Iterator[str]:
        """Why no launch is shown."""
        if isinstance(self.found, NoLaunch):
            yield f"no launch is shown: {self.found.reason}"

    def record(self) -> DifferingRecord:
        """The same for programs."""
        match self.found:
            case NoLaunch(reason):
                return DifferingRecord(found=False, reason=reason)
            case DifferingLaunch() as one:
                return DifferingRecord(found=True, what=f"{one.left}", commands=self._commands(one), **_left(one))

    def _commands(self, one: DifferingLaunch) -> list[list[str]]:
        return [[*command, *(word for pair in one.options() for word in pair)] for command in self.commands]


def run_commands(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """`visaproof run` with each kernel and its launch file."""
    return tuple(
        ("visaproof", "run", one.kernel.path, *(() if one.launch.file is None else ("--launch", str(one.launch.file))))
        for one in (comparison.source, comparison.target)
    )


def _left(one: DifferingLaunch) -> dict[str, Any]:
    launched = {"work_items": one.shape.items, "arguments": {one.takes.shown(k): v for k, v in one.arguments.items()}}
    match one.left:
        case Left(_, _, element, source, target):
            return launched | {"place": element.place, "after_source": source, "after_target": target}
        case TargetStops():
            return launched


def _parts(comparison: Comparison, shown: Difference) -> Iterator[tuple[int, PartOf]]:
    """The arguments that point into others in a run."""
    for buffer, other, offset in layout(comparison, shown):
        one, whole = argument_number(buffer), argument_number(other)
        if one is not None and whole is not None and offset < BUFFER_BYTES:
            yield one, PartOf(whole, offset)


def shown_difference(
    comparison: Comparison, shown: Difference, commands: tuple[tuple[str, ...], ...], limit: Limit
) -> ShownDifference | None:
    """A launch with a difference, or why none is shown; None where no launch information says what a launch is.

    It is looked for while the limit lasts, and for a quarter of it at least.

    Its buffers overlap as in the run that is `shown`.
    """
    source, target = (Program(one.kernel, one.launch, one.platform) for one in (comparison.source, comparison.target))
    if not (source.launch.meanings and target.launch.meanings):
        return None

    def allows(numbers: dict[str, int]) -> bool:
        try:
            return all(one.holds(numbers) for one in comparison.scope.where)
        except KeyError:
            return False

    stated, parts = Stated(allows=lambda named: allows(dict(named))), dict(_parts(comparison, shown))
    seconds = max(limit.left, limit.seconds / 4)
    try:
        with Limit(seconds).within():
            found = find_differing(source, target, stated, parts)
    except LimitReached:
        found = NoLaunch(f"none was found in {seconds:.2g} s (--limit)")
    return ShownDifference(
        found, commands, thread_of(comparison, found) if isinstance(found, DifferingLaunch) else None
    )
