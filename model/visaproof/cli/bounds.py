"""`visaproof bounds`: does every access stay inside its surface?"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.many.asking import error_record
from visaproof.cli.many.config import add_config
from visaproof.cli.many.files import Task
from visaproof.cli.many.options import add_many
from visaproof.cli.many.run import Command, ask_each, counted
from visaproof.cli.options.arguments import add_assume, positive
from visaproof.cli.options.errors import show_read_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.findings import KINDS_OF_ONE_KERNEL, allows, codes_of_uses
from visaproof.cli.options.kernel_files import milliseconds, read_with_launch
from visaproof.cli.options.kernel_questions import add_kernel_options, nothing_asked, show_stop
from visaproof.cli.options.run_command import run_command
from visaproof.isa.errors import LimitReached, ReadError
from visaproof.launch.assume import ADDRESS_UNIT

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

    from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
    from visaproof.analysis.bounds.stated_launch import StatedLaunch
    from visaproof.analysis.bounds.verdicts import Meaningless, Outside
    from visaproof.analysis.findings.kernel import Uses
    from visaproof.isa.errors import Position
    from visaproof.report.one_kernel.launch_search import LaunchSearch
    from visaproof.report.one_kernel.shown_launch import ShownLaunch
    from visaproof.report.records.bounds import Message
    from visaproof.smt.limit import Limit

WORDS = {
    ExitCode.OK: "in bounds",
    ExitCode.REFUTED: "with a finding",
    ExitCode.USAGE: "not readable",
    ExitCode.UNKNOWN: "unknown",
    ExitCode.NOT_MODELLED: "not modelled",
    ExitCode.VACUOUS: "with contradictory assumptions",
    ExitCode.INTERRUPTED: "interrupted",
}
"""What the exit code of a file means, for the summary of several."""

EPILOG = """examples:
  visaproof bounds kernel.visaasm --launch manifest.json              the size of each surface is arbitrary
  visaproof bounds kernel.visaasm --launch kernel.bin --size src=4*n --size dst=4*n
  visaproof bounds kernel.visaasm --launch kernel.bin --size a=4096 --global-size 1024 --local-size 64
  visaproof bounds kernel.visaasm --size 0=0x1000 --size slm=1024     by binding table index; shared local memory
  visaproof bounds kernel.visaasm --input V0034=buffer_address:arg0 --size arg0=4096

A message is in bounds for all inputs under the printed assumptions, or outside for an input that is shown with what
then happens (the write is dropped, the read gives 0), or undefined (misaligned, or an operand or predicate that is too
short), both confirmed by running the kernel.  A size is a number of bytes, or made of numbers, arguments by value and
values of the launch with +, -, * and %, as in 4*(w*h + 16), and nothing of it wraps; of launches in which it would be
negative nothing is asked.  The surface is an argument by name or argN, a binding table index, slm, or a table that the
program names.  The kernel's own SLMSize is the size of slm.
--where states a relation between arguments and the launch, as in 'n % 16 == 0' or 'pitch >= global_size_x'.
max(A) and min(A) are numbers that no element which the kernel loads of buffer A, or an atomic returns, is above, or
below: 'max(col) < n'.
A global size bounds the ids of the enabled lanes: group id · local size + local id.

Registers beyond a variable, and registers and predicate bits that are read uninitialised, are listed, and whether an
address, a branch, a mask or an output depends on them; so are writes that no lane reaches.
Loops whose length is not constant are unrolled; unless they provably end in time, what holds is said to be
bounded, which is no proof.

A 64-bit address lies in the buffer whose address the launch hands over, at what the kernel adds to it.  Outside nothing
is dropped: the pages have no bounds check there.  Private memory is the thread's part of it, as large as the launch
information says.  An address that is not one buffer's plus an offset is not modelled.

exit codes: 0 all in bounds, 1 an access outside, or undefined behaviour with an effect, 2 unreadable, 3 unknown or
bounded, 4 not modelled, 5 the assumptions contradict each other."""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "bounds",
        help="does every access stay inside its surface?",
        description="Asks of every memory message of a kernel whether it stays in bounds and is defined.",
        epilog=f"{EPILOG}\n\n{KINDS_OF_ONE_KERNEL}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE|DIR", type=Path, help="a .visaasm file, or a folder of them")
    parser.add_argument(
        "--size", action="append", default=[], metavar="SURFACE=BYTES", help="how large a surface is, e.g. dst=4*n"
    )
    parser.add_argument("--global-size", metavar="X[,Y[,Z]]", help="work items of the launch, numbers or arguments")
    add_assume(parser)
    parser.add_argument(
        "--align", type=_power_of_two, metavar="BYTES",
        help="of all addresses in the payload (default: that of the element an argument points to, or "
        f"{ADDRESS_UNIT} where that is not known; 1 with --assume none)",
    )  # fmt: skip
    add_kernel_options(parser)
    parser.add_argument("--save", metavar="DIR", type=Path, help="write each counterexample as a file that replays")
    add_config(parser)
    add_many(parser)


def _power_of_two(text: str) -> int:
    number = positive(text)
    if number & (number - 1):
        raise ArgumentTypeError(f"{text} is not a power of two")
    return number


def run(arguments: Namespace) -> int:
    """Asks about each file in turn; what is computed is shown before the next one starts."""
    return ask_each(Command("bounds", ask, partial(counted, words=WORDS)), arguments)


def ask(task: Task, arguments: Namespace) -> tuple[ExitCode, dict[str, Any]]:
    from visaproof.report.one_kernel.bounds_records import file_record, finding_record
    from visaproof.report.one_kernel.parts import Parts
    from visaproof.smt.limit import Limit

    limit = Limit(arguments.limit)
    try:
        with limit.within():
            answers = _asked(task, arguments, limit)
    except ReadError as error:
        show_read_error(error)
        return ExitCode.USAGE, error_record(str(task.path), error)
    except LimitReached as reached:
        return nothing_asked(task.path, reached)
    _print_header(answers)
    parts = Parts(answers.kernel)
    codes: list[ExitCode] = []
    findings: list[BoundsFinding] = []
    messages: list[tuple[Position, Message]] = []
    launches = _launches(answers, task.path, arguments)
    for finding, launch in launches.of_all(answers.answers()):
        findings.append(finding)
        codes += _codes(finding, arguments)
        instruction = finding.question.instruction
        shown = parts.noted(instruction, finding_record(answers, finding, launch))
        messages.append((instruction.position, shown))
        _print_finding(answers, finding, shown, launch, arguments.verbose)
        if arguments.save:
            _save(answers, finding, arguments.save)
    uses = _listed(answers, arguments)
    codes += codes_of_uses(uses, arguments)
    if arguments.save:
        _save_uninitialised(answers, arguments.save)
    if answers.vacuous:
        codes.append(ExitCode.VACUOUS)
    _print_footer(answers, findings, uses, arguments.verbose)
    order = list(dict.fromkeys(one.instruction.position for one in answers.questions))
    messages.sort(key=lambda one: order.index(one[0]))
    record = file_record(answers, [one for _, one in messages], uses)
    if answers.stopped is not None:
        codes.append(show_stop(answers.stopped, answers.not_asked))
    return worst(codes), record


def _listed(answers: "BoundsAnswers", arguments: Namespace) -> "Uses":
    """Uses of undefined values, and writes that no lane reaches."""
    from visaproof.analysis.findings.kernel import Uses, uses_in

    if answers.vacuous:
        return Uses()
    return uses_in(answers.asked, answers.premises, dict(arguments.undefined), answers.limit)


def _asked(task: Task, arguments: Namespace, limit: "Limit") -> "BoundsAnswers":
    """The questions of a file."""
    from visaproof.analysis.bounds.ask import ask_bounds
    from visaproof.analysis.findings.kernel import FOLLOWED
    from visaproof.launch.assumptions import Assume
    from visaproof.launch.float_results import Floats

    kernel, launch, device = read_with_launch(task.path, task.launch, arguments)
    assume, stated = Assume.of(arguments.assume), _stated(arguments)
    timeout, floats = milliseconds(arguments.timeout), Floats(arguments.float)
    with_data = any(dict(arguments.undefined).get(kind) for kind in FOLLOWED)
    return ask_bounds(
        kernel, device, launch, assume, stated, timeout, arguments.unroll, floats, limit, with_data=with_data
    )


def _stated(arguments: Namespace) -> "StatedLaunch":
    from visaproof.analysis.bounds.stated_launch import StatedLaunch
    from visaproof.analysis.global_size import parse_global_size
    from visaproof.analysis.surface_sizes import parse_size_option

    return StatedLaunch(
        surfaces=tuple(parse_size_option(option) for option in arguments.size),
        global_size=parse_global_size(arguments.global_size) if arguments.global_size else (),
        where=tuple(arguments.where),
        align=arguments.align or (1 if arguments.assume.startswith("none") else ADDRESS_UNIT),
        of_elements=not arguments.align and not arguments.assume.startswith("none"),
    )


def _codes(finding: "BoundsFinding", arguments: Namespace) -> list[ExitCode]:
    from visaproof.analysis.bounds.verdicts import Holds, Meaningless, Outside, Unbounded

    codes: list[ExitCode] = []
    for answer in (finding.bounds, finding.meaning):
        match answer:
            case Holds(bounded=()):
                codes.append(ExitCode.OK)
            case Outside() | Meaningless() if _is_allowed(answer, arguments):
                codes.append(ExitCode.OK)
            case Outside() | Meaningless():
                codes.append(ExitCode.REFUTED)
            case Unbounded():
                codes.append(ExitCode.NOT_MODELLED)
            case _:
                codes.append(ExitCode.UNKNOWN)
    return codes


def _is_allowed(answer: "Outside | Meaningless", arguments: Namespace) -> bool:
    """Whether what is shown is of a kind that the user has allowed."""
    from visaproof.analysis.bounds.verdicts import Outside
    from visaproof.isa.operands import SLM
    from visaproof.queries.kernels.undefined import UndefinedKind

    if isinstance(answer, Outside):
        return answer.surface == SLM and allows(arguments, UndefinedKind.SLM_OUTSIDE)
    short = bool(answer.question.performed.short)
    return allows(arguments, UndefinedKind.BEYOND_VARIABLE if short else UndefinedKind.MISALIGNED)


def _print_header(answers: "BoundsAnswers") -> None:
    from visaproof.report.one_kernel.conflicts import header

    for line in header(answers):
        print(line)
    if answers.vacuous:
        print("  VACUOUS: no launch with an enabled lane is as assumed: nothing is asked")
    sys.stdout.flush()


def _launches(answers: "BoundsAnswers", path: Path, arguments: Namespace) -> "LaunchSearch":
    """Finds launches with accesses outside."""
    from visaproof.report.one_kernel.launch_search import LaunchSearch

    stated = _stated(arguments)
    command = run_command(path, arguments)
    return LaunchSearch(answers, command, arguments.where, stated.surfaces, stated.global_size)


def _print_finding(
    answers: "BoundsAnswers", finding: "BoundsFinding", record: "Message", launch: "ShownLaunch | None", verbose: bool
) -> None:
    from visaproof.report.one_kernel.bounds import finding_lines

    for line in finding_lines(answers, finding, record, launch, verbose):
        print(line)
    sys.stdout.flush()


def _print_footer(answers: "BoundsAnswers", findings: "list[BoundsFinding]", uses: "Uses", verbose: bool) -> None:
    from visaproof.report.one_kernel.bounds import footer, uninitialised_lines
    from visaproof.report.one_kernel.findings import lines_of

    if not findings and answers.stopped is None and not answers.vacuous:
        print("\n  no memory message: nothing to leave its bounds")
    for line in (*uninitialised_lines(answers), *lines_of(answers.kernel, uses, answers)):
        print(line)
    for line in footer(answers, findings, verbose):
        print(line)


def _save(answers: "BoundsAnswers", finding: "BoundsFinding", folder: Path) -> None:
    from visaproof.analysis.bounds.records import bounds_records
    from visaproof.checking.counterexample import write_counterexample
    from visaproof.program.file_names import place_name

    position = finding.question.instruction.position
    if answers.asked.trace.beyond and not finding.question.performed.short:
        print("not saved: a run that replays ends at the registers beyond a variable before", file=sys.stderr)
        return
    for kind, record in bounds_records(answers, finding):
        path = folder / f"{place_name(answers.kernel.name, position)}-{kind}.json"
        write_counterexample(record, path)
        print(f"saved {path}", file=sys.stderr)


def _save_uninitialised(answers: "BoundsAnswers", folder: Path) -> None:
    """Of each variable, the first read for which two runs show that it matters uninitialised values."""
    from visaproof.analysis.bounds.uninitialised_runs import dependence, uninitialised_record
    from visaproof.checking.counterexample import write_counterexample
    from visaproof.program.file_names import file_name, place_name

    shown: set[str] = set()
    for entry in answers.uninitialised:
        if entry.harmless or entry.variable in shown:
            continue
        try:
            with answers.limit.within():
                found = dependence(answers, entry)
        except LimitReached as reached:
            print(f"not saved: whether more depends on uninitialised values: {reached}", file=sys.stderr)
            return
        if found is not None:
            shown.add(entry.variable)
            position = entry.reader.position
            name = f"{place_name(answers.kernel.name, position)}-unwritten-{file_name(entry.variable, 40)}"
            path = folder / f"{name}.json"
            write_counterexample(uninitialised_record(answers, entry, found), path)
            print(f"saved {path}", file=sys.stderr)
