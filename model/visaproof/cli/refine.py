"""`visaproof refine`: does one kernel do the same as another wherever that one is defined?"""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.many.cache import add_cache, cache_of
from visaproof.cli.many.config import add_config, entries_of, with_stated_of_pair
from visaproof.cli.many.files import one_kernel
from visaproof.cli.options.arguments import Subparsers, add_platform, disjoint_in, groups_of, relations_in
from visaproof.cli.options.errors import make_folder, show_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.launch_files import add_launch
from visaproof.cli.options.two_kernels import add_question
from visaproof.isa.errors import LimitReached, NotModelled, ReadError, SolversDisagree
from visaproof.launch.beside import launches_for

if TYPE_CHECKING:
    from visaproof.launch.matching import Program
    from visaproof.refinement.comparison import Comparison
    from visaproof.refinement.record import RefinementExample
    from visaproof.refinement.verdicts import Verdict

EPILOG = """examples:
  visaproof refine before.visaasm after.visaasm --launch manifest.json
  visaproof refine before.visaasm after.visaasm --launch before.bin --launch-target after.bin
  visaproof refine before.visaasm after.visaasm --bidirectional --assume none
  visaproof refine before.visaasm after.visaasm --launch manifest.json --local-size 8,8 --host opencl
  visaproof refine both.visaasm --platform dg2     one file with two kernels, .kernel "src" and .kernel "tgt"
  visaproof refine before.visaasm after.visaasm --platform dg2   inputs by their place in the payload
  visaproof refine before.visaasm after.visaasm --observe V32,P1=P2   registers also, by their names in both
  visaproof refine before.visaasm after.visaasm --save found     keep a difference for `visaproof replay found`
  visaproof refine before.visaasm after.visaasm --launch k.bin --where 'disjoint(a, b)'   two buffers share no byte
  visaproof refine before.visaasm after.visaasm --platform dg2   a dropped barrier or a weaker fence is no refinement
  visaproof refine before.visaasm after.visaasm --stats          which strategy decided, and in what time
  visaproof refine before.visaasm after.visaasm --float ieee     x · 2 is x + x, (a + b) + c is not a + (b + c)

TARGET refines SOURCE if, for every input under the printed assumptions, SOURCE is undefined, or TARGET is defined
and leaves the same memory.  Which lanes run is arbitrary.  A difference is a run of both
kernels on the same inputs, shown side by side from where they part.

Loops whose length is not constant are proved by induction where both kernels go through them in step.  Else
they are unrolled, and of longer runs only differences are found: such a verdict is said to be bounded, no proof.
Kernels of different SIMD widths (with --launch): one thread of the wide one is compared with the threads of the other
that run its lanes, in any order and at once; a thread of which no lane is on is not launched.
Loops are proved where all take their iterations in step; one that has left does nothing in those of others.
Atomics of narrower threads of TARGET are compared where nobody sees their order: they bring nothing back and commute,
or reach other cells, and no other thread reaches what they do.

Another thread may use atomics on what both kernels reach by atomics alone: it may come between two atomics of TARGET.
Other threads see barriers, fences and atomics: TARGET has SOURCE's barriers in kind, number and order (a barrier is a
signal and a wait with nothing between), for each fence of SOURCE that orders anything one at least as strong between
the same accesses, and no load or store that is cached more.  It may have further fences.  What both access stays on its
side of each, but for private memory and what nobody writes.  Where barriers differ in number or kind the answer shows
both sequences and no run.  Nor does a plain access cross an atomic; where atomics are compared lane by lane, a load may
(`visaproof premises atomics-relaxed`).

Registers count only with --observe: at the end each of their bytes (or bits of a predicate) must be the same in both
wherever SOURCE defines it.  What SOURCE did not write, as in lanes that are off, or computed from uninitialised values,
may be anything in TARGET; an input that nothing overwrites is defined.

Binding table, bindless, LSC and 64-bit addresses of one argument are one buffer (with --launch); where addresses are
used, the verdict lists the weakest conditions that were shown to suffice.  Private memory cannot be seen.
Buffers of different arguments may be one buffer, or overlap, unless the source says restrict or constant of one of them
(with --launch of a zebin or its .ze_info).  A change that is right only if some are apart does not refine: the answer
names the pairs, and shows a run on buffers that overlap if one was found (else it is unknown).  Images may be one image
where their types and access qualifiers allow it; of these no run is shown.  --where 'disjoint(A, B)' states that two
arguments share no byte, --alias none that no two do.  --where 'n % 16 == 0' bounds the question to launches of which it
holds: integers are meant, and nothing wraps (`visaproof conflicts --help`).

Where SOURCE does what is forbidden, it is undefined; TARGET may do it only there.  What is allowed is defined, the
same in both kernels, and neither excuses SOURCE nor counts against TARGET (--undefined KIND=allow or KIND=forbid):
  collision        lanes of one message write one byte; allowed: one after another, the last stays     default: forbid
  misaligned       an address not aligned as the page demands; allowed: the bytes from there on        default: forbid
  beyond-variable  registers beyond a variable; allowed: 0 is read, and what is written is lost        default: forbid
  slm-outside      an access outside of shared local memory; allowed: 0 is read, no byte is written    default: allow
  uninitialised    a store that depends on uninitialised values; allowed: each kernel finds any values   default: allow
  race             of several threads that run the lanes of a wider one, two access a byte that one of them writes,
                   with no barrier between; allowed: one after another, the first lanes first        default: forbid
  outside          an access of SOURCE outside of a buffer, or of an image if what is left depends on it, as in the
                   source language; TARGET's, and where it is allowed: 0 is read, no byte is written  default: allow

exit codes: 0 refines, 1 does not, 2 unreadable or inputs that do not match, 3 unknown or bounded, 4 not modelled,
5 vacuous (SOURCE is never defined)."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "refine",
        help="does one kernel do the same as another?",
        description="Asks whether TARGET does what SOURCE does wherever SOURCE is defined.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="SOURCE", type=Path, help="a .visaasm file, or a folder with one kernel")
    several = "the same; without it, SOURCE has two kernels, src and tgt"
    parser.add_argument("target", metavar="TARGET", type=Path, nargs="?", help=several)
    add_launch(parser)
    parser.add_argument("--launch-target", metavar="FILE", type=Path, help="the same for TARGET (default: --launch)")
    add_platform(parser)
    parser.add_argument(
        "--observe", action="append", default=[], metavar="NAME[=NAME][,…]",
        help="registers of SOURCE, and their names in TARGET, that must be equal at the end (repeatable)",
    )  # fmt: skip
    add_question(parser)
    add_config(parser)
    add_cache(parser)


def run(arguments: Namespace) -> int:
    """Asks in one direction, or in both; what an earlier run answered is shown again."""
    from visaproof.cli.many.kept_pair import answered

    arguments.source = one_kernel(arguments.source)
    arguments.target = None if arguments.target is None else one_kernel(arguments.target)
    arguments = with_stated_of_pair(arguments, entries_of(arguments), arguments.source, arguments.target)
    launch, launch_target = launches_for(arguments.launch, arguments.launch_target, arguments.source, arguments.target)
    arguments = Namespace(**(vars(arguments) | {"launch": launch, "launch_target": launch_target}))
    with cache_of(arguments, "refine") as cache:
        code, records = answered(cache, arguments, lambda examples: _asked(arguments, examples))
    return concluded("refine", records, code, arguments)


def _asked(arguments: Namespace, examples: "list[RefinementExample] | None") -> tuple[ExitCode, list[dict[str, Any]]]:
    from visaproof.refinement.refines import Programs, read_two

    if arguments.target is None:
        source, target = read_two(arguments.source, arguments.launch, arguments.platform)
    else:
        read, launch = Programs().read, arguments.launch
        source = read(arguments.source, launch, arguments.platform)
        target = read(arguments.target, arguments.launch_target or launch, arguments.platform)
    return judge([(source, target)], arguments, examples)


def judge(
    pairs: "Sequence[tuple[Program, Program]]",
    arguments: Namespace,
    examples: "list[RefinementExample] | None" = None,
) -> tuple[ExitCode, list[dict[str, Any]]]:
    """Asks of each source and target, by the options of `add_question`; the records are for JSON.

    `examples` takes each difference as a record that replays, where somebody keeps the answer.
    """
    from visaproof.refinement.same_program import asks_about_itself

    if arguments.save:
        make_folder(arguments.save)
    codes: list[ExitCode] = []
    records: list[dict[str, Any]] = []
    for source, target in pairs:
        for back in (False, True) if arguments.bidirectional else (False,):
            one, other = (target, source) if back else (source, target)
            if codes and arguments.format == "text":
                print()
            observed = _observed(arguments, back)
            itself = asks_about_itself(one, other, observed)
            try:
                codes.append(_ask(one, other, arguments, records, examples, observed, itself))
            except (ReadError, NotModelled, SolversDisagree) as error:
                if isinstance(error, NotModelled) and itself and _is_itself(one, records, arguments.format == "text"):
                    codes.append(ExitCode.OK)
                    continue
                codes.append(show_error(error))
                verdict = _NO_VERDICT[type(error)]
                files = {"source": one.kernel.path, "target": other.kernel.path}
                records.append(files | {"verdict": verdict, "reason": str(error)})
            except LimitReached as reached:
                if itself and _is_itself(one, records, arguments.format == "text"):
                    codes.append(ExitCode.OK)
                    continue
                codes.append(ExitCode.UNKNOWN)
                why = f"not asked: {'whether one program is ever defined: ' if itself else ''}{reached}"
                records.append(_not_asked(one, other, why, arguments.format == "text"))
    return worst(codes), records


_NO_VERDICT = {NotModelled: "not modelled", ReadError: "unmatched", SolversDisagree: "solvers disagree"}


def _not_asked(source: "Program", target: "Program", why: str, text: bool) -> dict[str, Any]:
    """The limit was reached before the question was there."""
    if text:
        print(f"{source.kernel.path} → {target.kernel.path}\n  UNKNOWN: {why}", flush=True)
    return {"source": source.kernel.path, "target": target.kernel.path, "verdict": "unknown", "reason": why}


def _is_itself(program: "Program", records: list[dict[str, Any]], text: bool) -> bool:
    """Says that a program refines itself, where it cannot be run symbolically; False where it may never be defined."""
    from visaproof.refinement.same_program import DEFINED_BY_A_RUN, has_defined_run

    if not has_defined_run(program):
        return False
    path = program.kernel.path
    if text:
        print(f"{path} → {path}\n\n  REFINES: the target does what the source does ({DEFINED_BY_A_RUN})", flush=True)
    found: dict[str, Any] = {"verdict": "refines", "by": DEFINED_BY_A_RUN, "conditions": [], "excused": []}
    records.append({"source": path, "target": path} | found)
    return True


def _ask(
    source: "Program",
    target: "Program",
    arguments: Namespace,
    records: list[dict[str, Any]],
    examples: "list[RefinementExample] | None",
    observe: list[tuple[str, str]],
    itself: bool,
) -> ExitCode:
    from visaproof.launch.assumptions import Assume
    from visaproof.launch.float_results import Floats
    from visaproof.queries.kernels.undefined import forbidden_by
    from visaproof.refinement.comparison import compare
    from visaproof.refinement.decision import decide_within
    from visaproof.refinement.same_program import DEFINED_BY_A_RUN, LOOKED_AT_S, has_defined_run
    from visaproof.refinement.scope import Alias, Scope
    from visaproof.refinement.strategies.strategy import Stages
    from visaproof.refinement.verdicts import Refines, Unknown
    from visaproof.report.two_kernels.answer import (
        answer_record,
        basis_lines,
        header,
        shown_by,
        verdict_lines,
        with_launch,
    )
    from visaproof.report.two_kernels.refinement_file import replayed_record
    from visaproof.report.two_kernels.stages import stage_lines, stages_json
    from visaproof.smt.limit import Limit

    forbidden, floats = forbidden_by(arguments.undefined), Floats(arguments.float)
    timeout_ms, groups = round(1000 * arguments.timeout), groups_of(arguments)
    scope = Scope(
        Assume.of(arguments.assume), forbidden, arguments.unroll, floats, tuple(observe), Alias(arguments.alias),
        disjoint_in(arguments.where), relations_in(arguments.where), timeout_ms, groups,
    )  # fmt: skip
    limit = Limit(min(arguments.limit, LOOKED_AT_S) if itself else arguments.limit)
    with limit.within():
        comparison = compare(source, target, scope)
    if arguments.format == "text":
        for line in header(comparison):
            print(line)
        sys.stdout.flush()
    stages = Stages()
    verdict = decide_within(limit, comparison, timeout_ms, stages)
    if itself and isinstance(verdict, Unknown) and has_defined_run(source):
        verdict = Refines(DEFINED_BY_A_RUN)
    record: RefinementExample | None = None
    commands = _commands(comparison, arguments)
    verdict, example = (verdict, None) if commands is None else with_launch(comparison, verdict, commands, limit)
    shown = shown_by(comparison, verdict)
    if (arguments.save or examples is not None) and shown is not None:
        record = replayed_record(*shown)
        if examples is not None:
            examples.append(record)
    if arguments.format == "json" or arguments.output or examples is not None:
        stats = {"stages": stages_json(stages.tried)} if arguments.stats else {}
        launch = {} if example is None else {"launch": example.record()}
        records.append(answer_record(comparison, verdict, **launch, **stats))
    if arguments.format == "text":
        stats = ("", *stage_lines(stages)) if arguments.stats else ()
        basis = basis_lines(comparison, arguments.verbose)
        for line in (*verdict_lines(comparison, verdict, example), *basis, *stats):
            print(line)
        sys.stdout.flush()
    written = ExitCode.OK if record is None or not arguments.save else _write(comparison, record, arguments.save)
    return worst((_code(verdict), written))


def _commands(comparison: "Comparison", arguments: Namespace) -> "tuple[tuple[str, ...], ...] | None":
    """What runs both kernels; None of those of one file, and nothing of what `ocloc` compiled and that is gone then."""
    from visaproof.report.two_kernels.launches import run_commands

    compiled = hasattr(arguments, "keep")
    if getattr(arguments, "target", None) is None and not compiled:
        return None
    return () if compiled and arguments.keep is None else run_commands(comparison)


def _write(comparison: "Comparison", record: "RefinementExample", folder: Path) -> ExitCode:
    """Keeps a difference that is shown; it is shown as well where it cannot be kept."""
    from visaproof.report.two_kernels.refinement_file import write_difference

    try:
        print(f"saved {write_difference(comparison, record, folder)}", file=sys.stderr)
    except OSError as error:
        return show_error(error)
    return ExitCode.OK


def _observed(arguments: Namespace, back: bool) -> list[tuple[str, str]]:
    """The registers to compare, by their names in the source and in the target of a direction."""
    from visaproof.refinement.observed import names_from

    names = [pair for text in getattr(arguments, "observe", ()) for pair in names_from(text)]
    return [(target, source) for source, target in names] if back else names


def _code(verdict: "Verdict") -> ExitCode:
    from visaproof.refinement.verdicts import Apart, Bounded, Refines, Unknown, Vacuous

    match verdict:
        case Refines():
            return ExitCode.OK
        case Vacuous():
            return ExitCode.VACUOUS
        case Unknown() | Bounded() | Apart(difference=None):
            return ExitCode.UNKNOWN
        case _:
            return ExitCode.REFUTED


NOT_DONE = ("not modelled", "unmatched", "solvers disagree")


def concluded(
    command: str, records: list[dict[str, Any]], code: ExitCode, arguments: Namespace, **more: Any
) -> ExitCode:
    """Prints one document for all questions of a command, if that is asked for, and writes the pictures."""
    from visaproof.cli.many.run import conclude
    from visaproof.report.results.outputs import Report
    from visaproof.report.text.documents import document

    missing = [f"{one.get('source', '')}: {one['reason']}" for one in records if one["verdict"] in NOT_DONE]
    report = Report(command, [], lambda: "", lambda: document(command, code, missing, **more, asked=records))
    return conclude(report, arguments, code)
