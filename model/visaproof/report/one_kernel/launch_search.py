"""A launch for each counterexample about one kernel, or why none is shown."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from time import process_time

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.kernel import BoundsFinding
from visaproof.analysis.bounds.verdicts import Meaningless, Outside
from visaproof.analysis.conflicts.verdicts import Conflict, Finding
from visaproof.analysis.surface_sizes import argument_of
from visaproof.execution.example_launch import Event, ExampleLaunch, NoLaunch
from visaproof.execution.payload import Program
from visaproof.execution.too_small import TooSmall
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.operands import SLM
from visaproof.launch.input_meaning import Argument
from visaproof.launch.matching import is_linked
from visaproof.launch.relations.expressions import Disjoint, Expression, Relation
from visaproof.report.one_kernel.conflicts import surface_name
from visaproof.report.one_kernel.kernel_runs import AskedKernel, ShownRun
from visaproof.report.one_kernel.launches import launch_in, launch_of, too_small_in
from visaproof.report.one_kernel.shown_launch import ShownLaunch

SHARE = 0.2
"""Of the time that is left, for one, and for all before all messages are answered: these wait for it."""

MOST_ALIKE = 4
"""Launches for messages that need as many bytes of one surface: a kernel may have hundreds of these."""

ACCESSES_OUTSIDE = "launches are searched for accesses outside alone"
"""Of what else is undefined a thread is shown."""


class LaunchSearch(Struct, frozen=True, dict=True):
    """Looks for launches within what is stated."""

    answers: AskedKernel
    command: tuple[str, ...]
    """`visaproof run` with what says which kernel and device it is."""
    where: Sequence[Relation | Disjoint] = ()
    sizes: Sequence[tuple[str, Expression]] = ()
    """Bytes of buffers, by name."""
    global_size: Sequence[Expression] = ()
    """Work items by dimension."""
    alike: dict[Hashable, list[Position]] = field(default_factory=dict[Hashable, list[Position]])
    """The messages that have a launch, by their surface and what would be enough."""

    def of_conflict(self, finding: Finding) -> ShownLaunch | None:
        """One in which two lanes write one byte; or why none is shown."""
        if not isinstance(finding.answer, Conflict):
            return None
        if (before := finding.answer.after) is not None and self.answers.launch.meanings:
            return ShownLaunch(NoLaunch(f"a run of one ends at the conflict of line {before.line}"), self.command, 1)
        return self._with_event(finding.answer, finding.question.instruction.position, Event.COLLISION)

    def of_all(self, findings: Iterable[BoundsFinding]) -> Iterator[tuple[BoundsFinding, ShownLaunch | None]]:
        """Each with its launch, as it comes; once launches have had their share, others wait until all are answered."""
        left, later = SHARE * self.answers.limit.left, list[BoundsFinding]()
        for finding in findings:
            if left <= 0 and isinstance(finding.bounds, Outside):
                later.append(finding)
                continue
            before = process_time()
            launch = self.of_outside(finding)
            left -= process_time() - before
            yield finding, launch
        for finding in later:
            yield finding, self.of_outside(finding)

    def of_outside(self, finding: BoundsFinding) -> ShownLaunch | None:
        """One in which an access leaves its surface, or in which the surface is too small; or why none is shown."""
        if not isinstance(finding.bounds, Outside):
            undefined = isinstance(finding.meaning, Meaningless) and self.answers.launch.meanings
            return ShownLaunch(NoLaunch(ACCESSES_OUTSIDE), self.command, 1) if undefined else None
        position, shown, surface = finding.question.instruction.position, finding.bounds.shown, finding.bounds.surface
        if not finding.free_size:
            return self._with_event(shown, position, Event.OUTSIDE)
        argument = argument_of(self.answers.kernel, self.answers.launch, surface)
        if not self.answers.launch.meanings:
            return None
        if argument is None and surface != SLM:
            return self._of_no_argument(surface)
        if finding.enough is None:
            return self._of_too_small(position, argument, shown)
        alike = self.alike.setdefault((surface, finding.enough.size, finding.enough.relations), [])
        first = next(iter(alike), None)
        if first is not None and len(alike) == MOST_ALIKE:
            needed = f"line {first.line}, which needs as many bytes of {surface_name(self.answers, surface)}, has one"
            return ShownLaunch(NoLaunch(needed), self.command, 1, first)
        found = self._of_too_small(position, argument, shown)
        alike += [position] if found.is_shown else []
        return replace(found, like=first)

    def _of_too_small(self, position: Position, argument: Argument | None, shown: ShownRun) -> ShownLaunch:
        example = launch_in(self.answers, shown)
        return self._shown(lambda: self._too_small.find(position, argument and argument.index, example))

    def _with_event(self, shown: ShownRun, position: Position, event: Event) -> ShownLaunch | None:
        """None where no launch information says what a launch is."""
        answers = self.answers
        if not answers.launch.meanings:
            return None
        stated = self.where, self.sizes, self.global_size
        return self._shown(lambda: launch_of(answers, shown, position, event, *stated))

    def _shown(self, find: Callable[[], ExampleLaunch | NoLaunch]) -> ShownLaunch:
        """What is found in time."""
        answers = self.answers
        try:
            with answers.limit.within(SHARE):
                found = find()
        except LimitReached:
            found = NoLaunch(f"none was found in {SHARE:.0%} of the time that was left (--limit)")
        simd = Program(answers.kernel, answers.launch, answers.platform).simd
        return ShownLaunch(found, self.command, simd)

    def _of_no_argument(self, surface: str) -> ShownLaunch:
        """Why no launch has a smaller surface of a name that no host passes."""
        what = f"{surface_name(self.answers, surface)} is no argument, whose size a host would choose"
        if is_linked(surface):
            what += "; the zebin of the program, or --size, says how large it is"
        return ShownLaunch(NoLaunch(what), self.command, 1)

    @cached_property
    def _too_small(self) -> TooSmall:
        return too_small_in(self.answers, self.where, self.sizes, self.global_size)
