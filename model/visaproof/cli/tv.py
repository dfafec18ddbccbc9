"""`visaproof tv`: does each target refine its source, for folders of dumps or a list of pairs?"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec.structs import replace

from visaproof.cli.many.baseline import known_findings, without_known
from visaproof.cli.many.cache import cache_of
from visaproof.cli.many.config import add_config, entries_of, with_stated_of_pair
from visaproof.cli.many.files import called_by, chosen_of
from visaproof.cli.many.options import add_many, jobs_of
from visaproof.cli.many.run import codes_of, conclude
from visaproof.cli.options.arguments import (
    Subparsers,
    add_assume,
    add_float,
    add_groups,
    add_limit,
    add_platform,
    disjoint_in,
    groups_of,
    relations_in,
    seconds,
)
from visaproof.cli.options.errors import UsageError, make_folder
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.launch_files import add_launch
from visaproof.cli.options.tv_pairs import Asked, pairs_asked_for
from visaproof.cli.options.two_kernels import add_undefined
from visaproof.launch.beside import NO_LAUNCH

if TYPE_CHECKING:
    from visaproof.checking.kept.verdict_cache import VerdictCache
    from visaproof.pairs.lists import Pair
    from visaproof.report.results.finding import Result
    from visaproof.report.two_kernels.pair_cache import Open
    from visaproof.report.two_kernels.pair_rows import Answer, Row

GRACE_S = 60.0

EPILOG = """examples:
  visaproof tv dumps                                  kernels of one name in a folder, one against the others
  visaproof tv dumps --source '*O0*' --jobs 2         the source of each kernel is the file named so
  visaproof tv before after --launch before/k.bin     files of the same path in two folders
  visaproof tv pairs.json --class rewrite             pairs that a list names
  visaproof tv dumps --cache answers.sqlite           goes on where an interrupted run stopped

Each pair is asked what `visaproof refine SOURCE TARGET` asks.  A list is JSON:
  [{"source": "a.visaasm", "target": "b.visaasm", "class": "mine", "launch": "a.bin", "launch_target": "b.bin"}, …]
with paths from the list's own folder, or {"kernel": K, "a": VARIANT, "b": VARIANT} for visaasm/K/VARIANT.visaasm.
Without --launch the manifest.json of the folder, or beside the list, says what the inputs hold; in a folder without it
the only zebin (.bin) does.

One folder and a list have variants of one source program: an access of SOURCE outside of a buffer or an image is
undefined there, as in the source language; of two folders, as before and after a pass, it reads 0 or is dropped, as the
pages say (--undefined outside=allow or forbid).

An answer of the cache counts as long as the contents of both files, the launch information, the options and visaproof
are the same.

exit codes: 0 all refine, 1 one does not, 2 unreadable, without counterpart, or inputs that do not match, 3 unknown,
4 not modelled, 5 vacuous, 6 solvers disagree, 130 interrupted; of several, the first of 70, 6, 130, 2, 1, 5, 4, 3."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "tv",
        help="does each target refine its source, for many pairs?",
        description="Translation validation: asks of many pairs of kernels whether the target refines the source.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    what = "a folder of dumps, two folders (sources, targets), or a JSON list of pairs"
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR|PAIRS.json", help=what)
    parser.add_argument(
        "--class", dest="classes", action="append", default=[], metavar="NAME", help="of a list (repeatable)"
    )
    parser.add_argument("--source", default="", metavar="PATTERN", help="in one folder: the file name of the sources")
    parser.add_argument("--bidirectional", action="store_true", help="ask also whether each source refines its target")
    add_assume(parser)
    add_launch(parser)
    parser.add_argument("--launch-target", metavar="FILE", type=Path, help="the same for targets (default: --launch)")
    parser.add_argument("--list", action="store_true", help="name the pairs, and ask nothing")
    add_config(parser)
    add_platform(parser)
    add_groups(parser)
    add_undefined(parser)
    add_float(parser)
    _add_limits(parser)
    add_many(parser, old_cache="--state")


def _add_limits(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question to a solver (default: 20)"
    )
    add_limit(parser, "one pair")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write each difference as a file that replays")
    parser.add_argument("--stats", action="store_true", help="show what each strategy decided, and its time in all")


def run(arguments: Namespace) -> int:
    """Finds the pairs, asks them, and shows what came of it, also after Ctrl-C."""
    from visaproof.report.results.from_pairs import result_of
    from visaproof.report.results.outputs import Report

    if arguments.list and arguments.format != "text":
        raise UsageError("--list names the pairs as text", "leave out --format")
    if arguments.save:
        make_folder(arguments.save)
    known = known_findings(arguments)
    asked = pairs_asked_for(arguments)
    asked = replace(asked, pairs=tuple(chosen_of(asked.pairs, _inputs, arguments)))
    asked, owns = _stated(asked, arguments)
    text = arguments.format == "text"
    head = [] if arguments.quiet else _head(asked, arguments)
    for line in head if text else ():
        print(line)
    sys.stdout.flush()
    if arguments.list:
        for pair in asked.pairs:
            print(f"{pair.label}  (launch: {pair.launch or 'not known'})")
        for name in asked.alone:
            print(f"in no pair: {name}")
        return ExitCode.OK
    until = inf if arguments.budget is None else monotonic() + arguments.budget
    rows, interrupted = _rows_of_groups(asked, owns, until)
    files = {(pair.source_name, pair.target_name): str(pair.target) for pair in asked.pairs}
    results = [result_of(row, int(_code(row.answer)), files.get((row.source, row.target), row.source)) for row in rows]
    results = without_known(results, known, arguments, ended=not interrupted)
    codes = codes_of(results, arguments.fail_on)
    code = worst([*([ExitCode.INTERRUPTED] if interrupted else []), *codes])
    last = list(_lines(asked, arguments, rows, interrupted))
    for line in last if text else ():
        print(line)

    def as_text() -> str:
        return "".join(f"{line}\n" for line in (*head, *last))

    report = Report("tv", results, as_text, lambda: _json(asked, arguments, rows, results, code))
    return conclude(report, arguments, code)


def _inputs(pair: "Pair") -> list[Path]:
    """The files on which the answer about a pair depends."""
    launches = [path for path in (pair.launch, pair.launch_target) if path is not None]
    return [pair.source, pair.target, *called_by(pair.source), *called_by(pair.target), *launches]


# ---------------------------------------------------------------- answers


def _rows_of_groups(asked: Asked, owns: "Sequence[Namespace]", until: float) -> "tuple[list[Row], bool]":
    """The rows in the order of the pairs, and whether Ctrl-C ended the run; those with the same options together."""
    groups: dict[str, list[int]] = {}
    for number, own in enumerate(owns):
        groups.setdefault(repr(own), []).append(number)
    rows: dict[int, Row] = {}
    interrupted = False
    for numbers in groups.values():
        if not interrupted:
            pairs = [asked.pairs[one] for one in numbers]
            some, interrupted = _rows(asked, pairs, owns[numbers[0]], until)
            rows |= {numbers[index]: row for index, row in some.items()}
    return [*asked.others, *(rows[index] for index in sorted(rows))], interrupted


def _stated(asked: Asked, arguments: Namespace) -> "tuple[Asked, list[Namespace]]":
    """With the launches that the configuration states, and the options of each pair.  Raises ReadError, UsageError."""
    entries = entries_of(arguments)
    if not entries:
        return asked, [arguments] * len(asked.pairs)
    owns = [with_stated_of_pair(arguments, entries, pair.source, pair.target) for pair in asked.pairs]
    launches = ("launch", "launch_target")
    pairs = tuple(
        replace(
            pair,
            launch=_own(own.launch, pair.launch),
            launch_target=_own(own.launch_target or own.launch, pair.launch_target),
        )
        for pair, own in zip(asked.pairs, owns, strict=True)
    )
    return replace(asked, pairs=pairs), [Namespace(**(vars(one) | dict.fromkeys(launches))) for one in owns]


def _own(stated: Path | None, found: Path | None) -> Path | None:
    """The launch file that is stated, none if that is what is said, or what was found."""
    return None if stated == NO_LAUNCH else stated or found


def _rows(asked: Asked, pairs: "Sequence[Pair]", arguments: Namespace, until: float) -> "tuple[dict[int, Row], bool]":
    """The rows by the number of the pair, and whether Ctrl-C ended the run.  Nothing heavy loads if all are known."""
    from visaproof.cli.many.keys import options_text
    from visaproof.pairs.keys import PairKeys
    from visaproof.report.text.progress import Progress
    from visaproof.report.two_kernels.pair_cache import KIND, not_in_cache, recalled

    keys = PairKeys(f"{options_text(arguments)} {asked.one_source}")
    interrupted = False
    with cache_of(arguments, KIND) as cache:
        fresh = arguments.save is not None and cache is not None and not cache.enforced
        rows, left = recalled(pairs, keys, cache, fresh=fresh)
        if cache is not None and cache.enforced:
            rows |= not_in_cache(pairs, left)
            left = []
        with Progress(len(pairs) if left else 0, sys.stderr) as progress:
            first = pairs[left[0][0]] if left else None
            for _ in range(len(rows) + 1):
                progress.starting(first.label if first else "")
            try:
                with closing(_answers(asked, pairs, arguments, left, cache, until)) as answers:
                    for index, row in answers:
                        rows[index] = row
                        progress.starting(f"{pairs[index].label}: {row.answer.value}")
            except KeyboardInterrupt:
                interrupted = True
    return rows, interrupted


def _answers(
    asked: Asked,
    pairs: "Sequence[Pair]",
    arguments: Namespace,
    left: "list[Open]",
    cache: "VerdictCache | None",
    until: float,
) -> "Generator[tuple[int, Row]]":
    """The pairs that are open, as they are answered."""
    if not left:
        return
    from visaproof.cli.options.kernel_files import milliseconds
    from visaproof.launch.assumptions import Assume
    from visaproof.launch.float_results import Floats
    from visaproof.queries.kernels.undefined import FORBIDDEN, OF_THE_SOURCE, forbidden_by
    from visaproof.refinement.scope import Alias, Scope
    from visaproof.report.two_kernels.pair_answers import Asker
    from visaproof.report.two_kernels.pair_run import ask_open

    forbidden = forbidden_by(arguments.undefined, FORBIDDEN | OF_THE_SOURCE if asked.one_source else FORBIDDEN)
    floats, timeout_ms, groups = Floats(arguments.float), milliseconds(arguments.timeout), groups_of(arguments)
    scope = Scope(
        Assume.of(arguments.assume), forbidden, arguments.unroll, floats, alias=Alias(arguments.alias),
        disjoint=disjoint_in(arguments.where), where=relations_in(arguments.where),
        timeout_ms=timeout_ms, groups=groups,
    )  # fmt: skip
    asker = Asker(scope, timeout_ms, arguments.platform, arguments.save, arguments.limit, until)
    jobs, by_clock = jobs_of(arguments), 2 * arguments.limit + GRACE_S
    with closing(ask_open(pairs, left, asker, jobs, by_clock, cache, arguments.scheduler, _inputs)) as answers:
        yield from answers


def _code(answer: "Answer") -> ExitCode:
    from visaproof.report.two_kernels.pair_rows import Answer

    match answer:
        case Answer.REFINES | Answer.CONDITIONAL:
            return ExitCode.OK
        case Answer.DIFFERS:
            return ExitCode.REFUTED
        case Answer.VACUOUS:
            return ExitCode.VACUOUS
        case Answer.UNKNOWN | Answer.BOUNDED:
            return ExitCode.UNKNOWN
        case Answer.NOT_MODELLED:
            return ExitCode.NOT_MODELLED
        case Answer.UNMATCHED | Answer.UNREADABLE | Answer.MISSING:
            return ExitCode.USAGE
        case Answer.FAILED:
            return ExitCode.INTERNAL
        case Answer.DISAGREED:
            return ExitCode.DISAGREEMENT


# ---------------------------------------------------------------- shown


def _head(asked: Asked, arguments: Namespace) -> list[str]:
    launches = sorted({str(pair.launch) for pair in asked.pairs if pair.launch})
    shown = ", ".join(launches[:3]) + (", …" if len(launches) > 3 else "")
    number = len(asked.pairs)
    lines = [f"{number} {'pair' if number == 1 else 'pairs'}: {asked.pairing}"]
    if asked.alone:
        lines.append(f"  {len(asked.alone)} files are the only ones of their kernel, width and device")
    lines.append(f"  launch: {shown or 'not known: inputs are matched by their place in the payload'}")
    lines.append(f"  assumed of the launch: {arguments.assume}")
    if arguments.float == "ieee":
        lines.append("  floats: IEEE 754's")
    return [*lines, ""]


def _foot(asked: Asked, arguments: Namespace, rows: "list[Row]", interrupted: bool) -> list[str]:
    from visaproof.report.two_kernels.pair_rows import Answer

    lines = [""] if interrupted else []
    if interrupted:
        answered = len(rows) - len(asked.others)
        lines.append(f"  interrupted: {answered} of {len(asked.pairs)} pairs are answered")
    named = {(pair.source_name, pair.target_name): pair for pair in asked.pairs}
    for row in rows:
        pair = named.get((row.source, row.target))
        if row.answer is Answer.DIFFERS and pair is not None:
            return [*lines, "", f"  the first in full: {_command(pair, asked, arguments)}"]
    return lines


def _command(pair: "Pair", asked: Asked, arguments: Namespace) -> str:
    """What asks about one pair."""
    import shlex

    other = pair.launch_target if pair.launch_target != pair.launch else None
    device = arguments.platform and arguments.platform.name.lower()
    options = {"--launch": pair.launch, "--launch-target": other, "--platform": device, "--assume": arguments.assume}
    options |= {"--float": "ieee"} if arguments.float == "ieee" else {}
    undefined = [("outside", "forbid")] if asked.one_source else []
    undefined += [(kind.value, "forbid" if forbidden else "allow") for kind, forbidden in arguments.undefined]
    words = [text for name, value in options.items() if value for text in (name, str(value))]
    for kind, setting in dict(undefined).items():
        words += ["--undefined", f"{kind}={setting}"]
    return shlex.join(["visaproof", "refine", str(pair.source), str(pair.target), *words])


def _lines(asked: Asked, arguments: Namespace, rows: "list[Row]", interrupted: bool) -> Iterator[str]:
    """What comes after the answers."""
    from visaproof.report.two_kernels.pairs import attention, summary, summary_of_stages

    yield from () if arguments.quiet else summary(rows)
    yield from summary_of_stages(rows) if arguments.stats else ()
    yield from attention(rows)
    yield from _foot(asked, arguments, rows, interrupted)


def _json(asked: Asked, arguments: Namespace, rows: "list[Row]", results: "Sequence[Result]", code: ExitCode) -> str:
    from visaproof.report.two_kernels.pairs import document

    launches = sorted({str(path) for pair in asked.pairs for path in (pair.launch, pair.launch_target) if path})
    found = {
        "command": "tv", "exit_code": int(code), "pairing": asked.pairing, "assume": arguments.assume,
        "launch": launches, "pairs": len(asked.pairs), "alone": list(asked.alone),
        "findings": [finding for one in results for finding in one.findings],
    }  # fmt: skip
    return document(found, rows)
