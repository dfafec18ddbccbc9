"""Questions about whole kernels, by one call each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import HasMeaning, Holds, InBounds, Meaningless, Outside, Unbounded
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Answer as ScatterVerdict
from visaproof.analysis.conflicts.verdicts import Conflict, Finding, Free
from visaproof.analysis.global_size import parse_global_size
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.api.answers import Answer, Answers, Word
from visaproof.isa.errors import LimitReached
from visaproof.isa.platform import Platform
from visaproof.launch.assume import ADDRESS_UNIT
from visaproof.launch.assumptions import Assume
from visaproof.launch.beside import launch_for
from visaproof.launch.matching import Program
from visaproof.launch.relations.expression_reader import parse_relation
from visaproof.launch.relations.expressions import Disjoint, Relation
from visaproof.machine.symbolic.run import DEFAULT_UNROLL
from visaproof.refinement.refines import Programs, refines
from visaproof.report.one_kernel import bounds as bounds_report
from visaproof.report.one_kernel import conflicts as conflicts_report
from visaproof.report.one_kernel.bounds_records import finding_record as message_record
from visaproof.report.one_kernel.conflict_records import finding_record as scatter_record
from visaproof.report.one_kernel.launch_search import LaunchSearch
from visaproof.smt.limit import Limit

if TYPE_CHECKING:
    from visaproof.checking.limited import Stop

__all__ = ["Program", "bounds", "conflicts", "read_kernel", "refines"]

TIMEOUT_S = 20.0
File = str | Path


class KernelOptions(TypedDict, total=False):
    """What `conflicts` and `bounds` take by name: see there."""

    assume: Assume | str
    where: Iterable[str]
    unroll: int
    timeout_s: float
    limit_s: float


class BoundsOptions(KernelOptions, total=False):
    """What `bounds` takes by name."""

    size: Mapping[str, str | int] | None
    global_size: str


def read_kernel(path: File, launch: File | None = None, platform: Platform | str | None = None) -> Program:
    """A kernel in a `.visaasm` file with what its launch is known to do.

    `launch` is a zebin, its `.ze_info`, or a manifest: by default the one beside the file that tells of the kernel, and
    "none" is no such file.  `platform` is the device where neither names it ("dg2").
    Raises ReadError, and ValueError for a platform that there is not.
    """
    return Programs().read(path, launch_for(None if launch is None else Path(launch), Path(path)), platform)


def conflicts(
    kernel: Program | File,
    launch: File | None = None,
    *,
    assume: Assume | str = Assume.LAUNCH,
    where: Iterable[str] = (),
    unroll: int = DEFAULT_UNROLL,
    timeout_s: float = TIMEOUT_S,
    limit_s: float = inf,
) -> Answers[ScatterVerdict]:
    """Whether two lanes of one scatter can write the same byte: one answer for each scatter.

    `where` states relations ("pitch >= local_size_x"); `timeout_s` is for one question to a solver, `limit_s` the
    processor time for all.  A verdict is Free, Conflict (with the lanes and the state, confirmed by a run), or
    Undecided.  Raises ReadError.
    """
    program, limit = _program(kernel, launch), Limit(limit_s)
    try:
        with limit.within():
            answers = ask_kernel(
                program.kernel, program.platform, program.launch, _assumed(assume), _ms(timeout_s), unroll,
                limit=limit, where=_relations(where),
            )  # fmt: skip
    except LimitReached as reached:
        return Answers(program.kernel.name, (), _stopped(reached))
    findings = list(answers.answers())
    found = tuple(_of_scatters(answers, findings, LaunchSearch(answers, _run_command(program), _relations(where))))
    header = _text(conflicts_report.header(answers))
    footer = _text(conflicts_report.footer(answers, findings, premises=True, verbose=False))
    premises = tuple(answers.start.assumed)
    return Answers(program.kernel.name, found, _stopped(answers.stopped), header, premises, footer if found else "")


def _of_scatters(
    answers: KernelAnswers, findings: Sequence[Finding], launches: LaunchSearch
) -> Iterator[Answer[ScatterVerdict]]:
    for finding in findings:
        word: Word
        match finding.answer:
            case Free() as free:
                word = "vacuous" if free.vacuous else "bounded" if free.bounded else "proved"
            case Conflict():
                word = "refuted"
            case _:
                word = "unknown"
        launch = launches.of_conflict(finding)
        record = scatter_record(answers, finding, launch)
        lines = _text(conflicts_report.finding_lines(answers, finding, record, launch))
        instruction = finding.question.instruction
        shown = launch and launch.record(instruction.first_lane)
        yield Answer("no two lanes write the same byte", word, finding.answer, instruction.position, lines, shown)


def bounds(
    kernel: Program | File,
    launch: File | None = None,
    *,
    size: Mapping[str, str | int] | None = None,
    global_size: str = "",
    assume: Assume | str = Assume.LAUNCH,
    where: Iterable[str] = (),
    unroll: int = DEFAULT_UNROLL,
    timeout_s: float = TIMEOUT_S,
    limit_s: float = inf,
) -> Answers[InBounds | HasMeaning]:
    """Whether each message stays inside of its surface, and whether it is aligned: two answers for each message.

    `size` says how many bytes there are ({"out": "4*n"}), `global_size` how many work items ("n,64").  A verdict is
    Holds, Outside or Meaningless (with a state, confirmed by a run), Unbounded, or Undecided.  Raises ReadError.
    """
    program, limit, assumed = _program(kernel, launch), Limit(limit_s), _assumed(assume)
    stated = StatedLaunch(
        surfaces=tuple(parse_size_option(f"{name}={amount}") for name, amount in (size or {}).items()),
        global_size=parse_global_size(global_size) if global_size else (),
        where=_relations(where),
        align=1 if assumed == Assume.NONE else ADDRESS_UNIT,
        of_elements=assumed != Assume.NONE,
    )
    try:
        with limit.within():
            answers = ask_bounds(
                program.kernel, program.platform, program.launch, assumed, stated, _ms(timeout_s), unroll, limit=limit
            )
    except LimitReached as reached:
        return Answers(program.kernel.name, (), _stopped(reached))
    search = LaunchSearch(answers, _run_command(program), stated.where, stated.surfaces, stated.global_size)
    findings = list(answers.answers())
    found = tuple(_of_messages(answers, findings, search))
    vacuous = "no launch with an enabled lane is as assumed: nothing was asked" if answers.vacuous else ""
    header = _text(conflicts_report.header(answers))
    stopped = vacuous or _stopped(answers.stopped)
    footer = _text(bounds_report.footer(answers, findings, verbose=False)) if found else ""
    return Answers(program.kernel.name, found, stopped, header, tuple(answers.start.assumed), footer)


def _of_messages(
    answers: BoundsAnswers, findings: Sequence[BoundsFinding], launches: LaunchSearch
) -> Iterator[Answer[InBounds | HasMeaning]]:
    for finding in findings:
        launch = launches.of_outside(finding)
        record = message_record(answers, finding, launch)
        lines = _text(bounds_report.finding_lines(answers, finding, record, launch))
        instruction = finding.question.instruction
        shown = launch and launch.record(instruction.first_lane)
        yield Answer(
            "every access stays inside", _word(finding.bounds), finding.bounds, instruction.position, lines, shown
        )
        yield Answer("the access is defined", _word(finding.meaning), finding.meaning, instruction.position, lines)


def _word(verdict: InBounds | HasMeaning) -> Word:
    match verdict:
        case Holds():
            return "bounded" if verdict.bounded else "proved"
        case Outside() | Meaningless():
            return "refuted"
        case Unbounded():
            return "not modelled"
        case _:
            return "unknown"


def _run_command(program: Program) -> tuple[str, ...]:
    """`visaproof run` with the kernel, its launch information and its device."""
    launch = () if program.launch.file is None else ("--launch", str(program.launch.file))
    return ("visaproof", "run", program.kernel.path, *launch, "--platform", program.platform.name)


def _program(kernel: Program | File, launch: File | None) -> Program:
    return kernel if isinstance(kernel, Program) else read_kernel(kernel, launch)


def _assumed(assume: Assume | str) -> Assume:
    return assume if isinstance(assume, Assume) else Assume.of(assume)


def _relations(where: Iterable[str]) -> tuple[Relation, ...]:
    found = [parse_relation(text, "where") for text in where]
    if any(isinstance(one, Disjoint) for one in found):
        raise ValueError("disjoint(a, b) is for two kernels: refines(…, disjoint=[(a, b)])")
    return tuple(one for one in found if isinstance(one, Relation))


def _ms(timeout_s: float) -> int:
    if not 0 < timeout_s < inf:
        raise ValueError(f"{timeout_s} s: a positive number of seconds")
    return max(1, round(1000 * timeout_s))


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines).strip("\n")


def _stopped(stopped: "Stop | None") -> str:
    return "" if stopped is None else f"not everything was asked: {stopped}"
