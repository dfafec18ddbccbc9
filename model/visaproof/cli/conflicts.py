"""`visaproof conflicts`: can two lanes of one scatter write the same byte?"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.many.asking import error_record
from visaproof.cli.many.config import add_config
from visaproof.cli.many.files import Task
from visaproof.cli.many.options import add_many
from visaproof.cli.many.run import Command, ask_each, counted
from visaproof.cli.options.arguments import add_assume
from visaproof.cli.options.errors import show_read_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.findings import KINDS_OF_ONE_KERNEL, allows, codes_of_uses
from visaproof.cli.options.kernel_files import milliseconds, read_with_launch
from visaproof.cli.options.kernel_questions import add_kernel_options, nothing_asked, show_stop
from visaproof.cli.options.run_command import run_command
from visaproof.isa.errors import LimitReached, ReadError

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

    from visaproof.analysis.conflicts.kernel import KernelAnswers
    from visaproof.analysis.conflicts.thread_states import Asked
    from visaproof.analysis.conflicts.verdicts import Finding
    from visaproof.analysis.conflicts.weakest import Weakest
    from visaproof.analysis.findings.kernel import Uses
    from visaproof.isa.errors import Position
    from visaproof.queries.kernels.undefined import UndefinedKind
    from visaproof.report.one_kernel.shown_launch import ShownLaunch
    from visaproof.report.records.conflicts import Scatter
    from visaproof.smt.limit import Limit

WEAKEST = "weakest"

WORDS = {
    ExitCode.OK: "free of conflicts",
    ExitCode.REFUTED: "with a conflict",
    ExitCode.USAGE: "not readable",
    ExitCode.UNKNOWN: "unknown",
    ExitCode.NOT_MODELLED: "not modelled",
    ExitCode.VACUOUS: "with a scatter that no defined run reaches",
    ExitCode.INTERRUPTED: "interrupted",
}
"""What the exit code of a file means, for the summary of several."""

EPILOG = """examples:
  visaproof conflicts kernel.visaasm --launch kernel.bin      inputs as the zebin lays them out
  visaproof conflicts kernel.visaasm --input V0038=local_id_x what one input means
  visaproof conflicts dumps/*.visaasm --launch manifest.json --assume none
  visaproof conflicts kernel.visaasm --launch kernel.bin --local-size 16,16 --host level-zero
  visaproof conflicts kernel.visaasm --launch kernel.bin --where 'pitch >= local_size_x' --where 'pitch < 0x10000'
  visaproof conflicts kernel.visaasm --launch kernel.bin --assume weakest
  visaproof conflicts kernel.visaasm --save counterexamples   keep each conflict as a file that replays

A scatter is free (no two lanes can write one byte, for all inputs under the printed assumptions), in conflict (with
two lanes, their addresses and the inputs, confirmed by running the kernel), or unknown.
--assume launch (the default) asks about launches that hosts make: groups of 1 to 1,024 work items, whose local ids are
laid out as the device does for any such size, or for the one that the kernel requires or --local-size says; no global
offset, global ids below 2^31.  none takes every input as arbitrary; ids has consecutive local_id_x in the lanes of a
thread, and equal y and z, which not every launch has; bounded has that, scalars and local sizes in 1..2^14, global
offsets of 0 and group ids below 2^16.

--where states a relation between arguments by value and the launch: numbers, names (arguments, argN, NAME.x or NAME.s0
of a vector, local_size_x, global_size_x, group_count_x, and NAME.width, height, depth, layers of an image), + - * and
parentheses, % by a number, and one of >= <= == != > <.  Integers are meant: nothing wraps, and an argument has a sign
where the zebin says that its type has one.

Where lanes meet because a pitch is too small or wraps, the answer begins with relations under which the scatter was
proved free (--assume launch): the first of n >= 1, multiples of local sizes, constants of the code and multiples of
global sizes, then the largest upper bound.  The exit code is 1 unless --where states them.
Loops whose number of iterations is not constant are unrolled; unless they provably end in time, a verdict "free" is
said to be bounded, which is no proof.

Undefined behaviour on the way is listed, and whether an address, a branch, a mask or an output depends on it; so are
writes that no lane reaches.

exit codes: 0 all free, 1 a conflict or undefined behaviour with an effect, 2 unreadable, 3 unknown or bounded,
4 not modelled, 5 a scatter that no defined run reaches, or none that obeys --where."""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "conflicts",
        help="can two lanes of one scatter write the same byte?",
        description="Asks of every scatter of a kernel whether two lanes can write the same byte.",
        epilog=f"{EPILOG}\n\n{KINDS_OF_ONE_KERNEL}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE|DIR", type=Path, help="a .visaasm file, or a folder of them")
    add_assume(parser, WEAKEST, what="; weakest: of none, ids, bounded the first under which a scatter is free")
    add_kernel_options(parser)
    parser.add_argument("--save", metavar="DIR", type=Path, help="write each conflict as a counterexample")
    add_config(parser)
    add_many(parser)


def run(arguments: Namespace) -> int:
    """Asks about each file in turn; what is computed is shown before the next one starts."""
    return ask_each(Command("conflicts", ask, partial(counted, words=WORDS)), arguments)


def ask(task: Task, arguments: Namespace) -> tuple[ExitCode, dict[str, Any]]:
    from visaproof.analysis.conflicts.ask import ask_kernel
    from visaproof.analysis.conflicts.verdicts import Conflict
    from visaproof.analysis.conflicts.weakest import under_one_set, weakest
    from visaproof.launch.assumptions import Assume
    from visaproof.launch.float_results import Floats
    from visaproof.report.one_kernel.parts import Parts
    from visaproof.report.records.conflicts import Refuted
    from visaproof.smt.limit import Limit

    limit = Limit(arguments.limit)
    timeout, tried = milliseconds(arguments.timeout), arguments.assume == WEAKEST
    assume = Assume.NONE if tried else Assume.of(arguments.assume)
    try:
        with limit.within():
            kernel, launch, device = read_with_launch(task.path, task.launch, arguments)

            def ask(assume: Assume) -> "KernelAnswers":
                floats = Floats(arguments.float)
                return ask_kernel(
                    kernel, device, launch, assume, timeout, arguments.unroll, floats, limit, arguments.where
                )

            answers = ask(assume)
    except ReadError as error:
        show_read_error(error)
        return ExitCode.USAGE, error_record(str(task.path), error)
    except LimitReached as reached:
        return nothing_asked(task.path, reached)
    _print_header(answers, tried)
    parts = Parts(answers.kernel)
    found: list[Weakest] = []
    scatters: list[tuple[Position, Scatter]] = []

    def show(one: "Weakest") -> None:
        example = _launch(one, task.path, arguments)
        instruction = one.finding.question.instruction
        shown = parts.noted(instruction, _scatter(one, tried, example))
        scatters.append((instruction.position, shown))
        _print_finding(one, tried, shown, example, arguments.verbose)
        if arguments.save:
            _save(one.answers, one.finding, arguments.save)

    for one in weakest(ask, answers) if tried else under_one_set(assume, answers):
        found.append(one)
        if not isinstance(one.finding.answer, Conflict):
            show(one)
    for one in found:
        if isinstance(one.finding.answer, Conflict):  # no answer waits for the launch of another one
            show(one)
    codes = [_code(one.finding, arguments) for one in found]
    shown_of = frozenset(at for at, shown in scatters if isinstance(shown, Refuted))
    uses = _uses(answers, dict(arguments.undefined), limit, shown_of)
    codes += codes_of_uses(uses, arguments)
    _print_uses(answers, uses)
    _print_footer(answers, [one.finding for one in found], tried, arguments.verbose)
    scatters.sort(key=lambda one: answers.positions.index(one[0]))
    record = _record(answers, uses, [one for _, one in scatters], tried)
    if answers.stopped is not None:
        codes.append(show_stop(answers.stopped, answers.not_asked))
    return worst(codes), record


def _uses(
    answers: "KernelAnswers", choices: "dict[UndefinedKind, bool]", limit: "Limit", reached: "frozenset[Position]"
) -> "Uses":
    from visaproof.analysis.findings.kernel import Uses, uses_in
    from visaproof.launch.ids.work_items import launched_lanes

    try:
        with limit.within():
            asked = _asked_of_uses(answers, choices)
    except LimitReached as stopped:
        return Uses(stopped=stopped)
    return uses_in(asked, asked.start.premises(launched_lanes(answers.kernel)), choices, limit, reached)


def _asked_of_uses(answers: "KernelAnswers", choices: "dict[UndefinedKind, bool]") -> "Asked":
    """The whole run, unless it can show no use of undefined values: of writes that no lane reaches either tells."""
    from visaproof.analysis.findings.kernel import nothing_undefined
    from visaproof.queries.kernels.full_sub_groups import assumes_full_sub_groups

    asked = answers.asked
    full = assumes_full_sub_groups(asked.start.assumed)
    if asked.trace.stopped is None and nothing_undefined(asked.kernel, asked.platform, choices, full):
        return asked
    return answers.with_data()


def _scatter(one: "Weakest", tried: bool, launch: "ShownLaunch | None") -> "Scatter":
    from visaproof.report.one_kernel.conflict_records import finding_record
    from visaproof.report.one_kernel.weakest import weakest_scatter

    return weakest_scatter(one, launch) if tried else finding_record(one.answers, one.finding, launch)


def _record(answers: "KernelAnswers", uses: "Uses", scatters: "list[Scatter]", tried: bool) -> dict[str, Any]:
    from visaproof.report.one_kernel.conflict_records import file_record
    from visaproof.report.one_kernel.weakest import weakest_premises

    return file_record(answers, scatters, uses, weakest_premises(answers) if tried else None)


def _launch(one: "Weakest", path: Path, arguments: Namespace) -> "ShownLaunch | None":
    """A launch with the conflict, where there is one."""
    from visaproof.analysis.conflicts.verdicts import Conflict

    if not isinstance(one.finding.answer, Conflict):
        return None
    from visaproof.report.one_kernel.launch_search import LaunchSearch  # launches load where one is shown

    return LaunchSearch(one.answers, run_command(path, arguments), arguments.where).of_conflict(one.finding)


def _code(finding: "Finding", arguments: Namespace) -> ExitCode:
    from visaproof.analysis.conflicts.verdicts import Conflict, Free
    from visaproof.queries.kernels.undefined import UndefinedKind

    match finding.answer:
        case Free() as free if free.vacuous:
            return ExitCode.VACUOUS
        case Free(bounded=()):
            return ExitCode.OK
        case Conflict():
            return ExitCode.OK if allows(arguments, UndefinedKind.COLLISION) else ExitCode.REFUTED
        case _:
            return ExitCode.UNKNOWN


def _print_header(answers: "KernelAnswers", tried: bool) -> None:
    from visaproof.report.one_kernel.conflicts import header
    from visaproof.report.one_kernel.weakest import weakest_header

    for line in weakest_header(answers) if tried else header(answers):
        print(line)
    sys.stdout.flush()


def _print_finding(one: "Weakest", tried: bool, record: "Scatter", launch: "ShownLaunch | None", verbose: bool) -> None:
    from visaproof.report.one_kernel.conflicts import finding_lines
    from visaproof.report.one_kernel.weakest import weakest_lines

    if tried:
        lines = weakest_lines(one, record, launch, verbose)
    else:
        lines = finding_lines(one.answers, one.finding, record, launch, verbose)
    for line in lines:
        print(line)
    sys.stdout.flush()


def _print_uses(answers: "KernelAnswers", uses: "Uses") -> None:
    from visaproof.report.one_kernel.findings import lines_of

    for line in lines_of(answers.kernel, uses, answers):
        print(line)


def _print_footer(answers: "KernelAnswers", findings: "list[Finding]", tried: bool, verbose: bool) -> None:
    from visaproof.report.one_kernel.conflicts import footer

    if not findings and answers.stopped is None:
        print("\n  no scatter: nothing to collide")
    for line in footer(answers, findings, not tried, verbose):
        print(line)


def _save(answers: "KernelAnswers", finding: "Finding", folder: Path) -> None:
    from visaproof.analysis.conflicts.records import conflict_record
    from visaproof.analysis.conflicts.verdicts import Conflict
    from visaproof.checking.counterexample import write_counterexample
    from visaproof.program.file_names import place_name

    if isinstance(finding.answer, Conflict) and finding.answer.after is not None:
        print(f"not saved: a run that replays ends in line {finding.answer.after.line} before", file=sys.stderr)
    elif isinstance(finding.answer, Conflict) and answers.asked.trace.beyond:
        print("not saved: a run that replays ends at the registers beyond a variable before", file=sys.stderr)
    elif isinstance(finding.answer, Conflict) and answers.kernel.of_several_files:
        print("not saved: a counterexample holds one file, and this kernel calls functions of others", file=sys.stderr)
    elif isinstance(finding.answer, Conflict):
        position = finding.question.instruction.position
        path = folder / f"{place_name(answers.kernel.name, position)}.json"
        write_counterexample(conflict_record(answers, finding.question, finding.answer), path)
        print(f"saved {path}", file=sys.stderr)
