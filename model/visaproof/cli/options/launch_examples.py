"""A launch for each counterexample about one kernel, with the command that runs it."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from visaproof.execution.example_launch import Event
    from visaproof.execution.shape import Shape
    from visaproof.execution.too_small import TooSmall
    from visaproof.isa.errors import Position
    from visaproof.launch.relations.expressions import Expression
    from visaproof.report.one_kernel.kernel_runs import AskedKernel, ShownRun
    from visaproof.report.one_kernel.launches import ShownLaunch

SHARE = 0.2
"""Of the time that is left: other messages wait for their answers."""


def shown_launch(
    answers: "AskedKernel",
    shown: "ShownRun",
    position: "Position",
    event: "Event",
    path: Path,
    arguments: Namespace,
    sizes: "tuple[tuple[str, Expression], ...]" = (),
    global_size: "tuple[Expression, ...]" = (),
) -> "ShownLaunch | None":
    """A launch with the event, or why none is shown; None where no launch information says what a launch is."""
    from visaproof.execution.example_launch import NoLaunch
    from visaproof.execution.payload import Program
    from visaproof.isa.errors import LimitReached
    from visaproof.report.one_kernel.launches import ShownLaunch, launch_of

    if not answers.launch.meanings:
        return None
    try:
        with answers.limit.within(SHARE):
            found = launch_of(answers, shown, position, event, arguments.where, sizes, global_size)
    except LimitReached as reached:
        found = NoLaunch(str(reached))
    simd = Program(answers.kernel, answers.launch, answers.platform).simd
    return ShownLaunch(found, tuple(_command(path, arguments)), simd)


def shown_where_too_small(
    finder: "TooSmall",
    position: "Position",
    argument: int | None,
    path: Path,
    arguments: Namespace,
    example: "tuple[Shape, Mapping[int, int]] | None" = None,
) -> "ShownLaunch":
    """A launch in which the buffer of an argument, or shared local memory, is too small; or why none is shown.

    `example` is that of which the analysis shows a thread.
    """
    from visaproof.report.one_kernel.launches import ShownLaunch

    return ShownLaunch(finder.find(position, argument, example), tuple(_command(path, arguments)), finder.program.simd)


def of_no_argument(answers: "AskedKernel", surface: str, path: Path, arguments: Namespace) -> "ShownLaunch":
    """Why no launch has a smaller surface of a name that no host passes."""
    from visaproof.execution.example_launch import NoLaunch
    from visaproof.launch.matching import is_linked
    from visaproof.report.one_kernel.conflicts import surface_name
    from visaproof.report.one_kernel.launches import ShownLaunch

    what = f"{surface_name(answers, surface)} is no argument, whose size a host would choose"
    if is_linked(surface):
        what += "; the zebin of the program, or --size, says how large it is"
    return ShownLaunch(NoLaunch(what), tuple(_command(path, arguments)), 1)


def _command(path: Path, arguments: Namespace) -> list[str]:
    """`visaproof run` with what says which kernel and device it is."""
    words = ["visaproof", "run", str(path)]
    if arguments.launch is not None:
        words += ["--launch", str(arguments.launch)]
    for option in arguments.input:
        words += ["--input", option]
    if arguments.platform is not None:
        words += ["--platform", arguments.platform.name]
    if arguments.host is not None:
        words += ["--host", arguments.host]
    return words
