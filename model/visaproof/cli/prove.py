"""`visaproof prove`: decide the claims of a proofs folder."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from visaproof.cli.many.cache import add_cache, cache_of
from visaproof.cli.options.arguments import Subparsers, add_cross_check, add_format, add_limit, count, seconds
from visaproof.cli.options.errors import UsageError, make_folder, proposal
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.readings import chosen_readings
from visaproof.isa.readings import DEFAULT, Readings

if TYPE_CHECKING:
    from visaproof.checking.claims.catalogue import Claim
    from visaproof.checking.claims.workers import Decided, Limits

EPILOG = """examples:
  visaproof prove                                every claim of ./proofs, counted by obligation
  visaproof prove -v bounds --timeout 60         each claim with "bounds" in its id
  visaproof prove oword_ld/                      obligations on one instruction
  visaproof prove atomics                        the claims of a module
  visaproof prove 'refute_*' --save findings     write each counterexample to a file
  visaproof prove --reading dword-misaligned=floor     the proofs, read another way
  visaproof prove --readings all --jobs 0        the proofs under every reading: on which does each depend?
  visaproof prove --emit smt2 questions frame    the questions of a module as SMT-LIB files
  visaproof prove --format json --jobs 4 > run.json
  visaproof prove --cache answers.sqlite         claims of files that did not change are not asked again
  visaproof prove --enumerate --jobs 2           every legal fixed shape of the four instructions
  visaproof prove --enumerate --limit 5 add      … for at most 5 s a batch: what is left is unknown

exit codes:
  0    every claim has the verdict that it says: prove_* proved, refute_* refuted
       (with --readings all: every question under another reading was decided, one way or the other)
  1    a prove_* was refuted, or a refute_* was proved
  5    else, the assumptions of a claim never hold
  3    else, a claim was not decided in time
  2    no such claim or folder, or a folder that cannot be loaded
  130  interrupted; what had been decided is summarised
"""


PATTERN = (
    "a module, part of a claim's id, or a shell pattern; with a slash, of an obligation's: instruction/property, "
    "of which a part will do that no claim's id has"
)


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "prove",
        help="decide the claims of a proofs folder",
        description="Decides claims: prove_* must be proved, refute_* must be refuted by a counterexample.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help=PATTERN)
    parser.add_argument("--proofs", type=Path, metavar="DIR", help="where the claims are (default: ./proofs)")
    enumerate_help = "every legal fixed shape, beside the parametric footprints; PATTERN is part of a batch's name"
    parser.add_argument("--enumerate", action="store_true", help=enumerate_help)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="a line for each claim, not only for each obligation"
    )
    parser.add_argument("--list", action="store_true", help="name the selected claims; decide nothing")
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question to a solver (default: 20)"
    )
    add_limit(parser, "one claim, or one batch of shapes", default=600)
    add_cross_check(parser)
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="of the solver (default: 0)")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write each counterexample to a JSON file there")
    jobs = "processes (default: 1; 0: one per CPU); verdicts stay, but other counterexamples may be found"
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help=jobs)
    otherwise = parser.add_mutually_exclusive_group()
    reading = "answer an open question otherwise (repeatable): asks prove_* only; `visaproof readings` lists the names"
    otherwise.add_argument("--reading", action="append", default=[], metavar="NAME=VALUE", help=reading)
    every = "ask prove_* under each other reading on its own, and say which readings each verdict depends on"
    otherwise.add_argument("--readings", choices=("all",), help=every)
    emit = "write each question to DIR as an SMT-LIB file, by z3's printer, and decide nothing: unsat is a proof"
    parser.add_argument("--emit", nargs=2, metavar=("smt2", "DIR"), help=emit)
    add_cache(parser)
    add_format(parser)


def run(arguments: Namespace) -> int:
    if arguments.cache and (arguments.enumerate or arguments.readings):
        other = "--enumerate" if arguments.enumerate else "--readings all"
        raise UsageError(f"{other} keeps no answers", "leave out --cache")
    if arguments.enumerate:
        return _enumerate(arguments)
    readings = chosen_readings(arguments.reading)
    folder, claims = _selected(arguments.proofs, arguments.patterns)
    if arguments.readings or readings != DEFAULT:
        claims = [claim for claim in claims if claim.name.startswith("prove_")]
    if arguments.emit:
        return _emit(arguments.emit, claims, readings)
    if arguments.list:
        return _list(claims, arguments.format)
    if arguments.save:
        make_folder(arguments.save)
    return _matrix(arguments, folder, claims) if arguments.readings else _decide(arguments, folder, claims, readings)


def _enumerate(arguments: Namespace) -> int:
    from visaproof.cli.options import enumeration

    if arguments.save:
        make_folder(arguments.save)
    return enumeration.run(arguments, _limits(arguments), _jobs(arguments.jobs))


def _selected(given: Path | None, patterns: list[str]) -> "tuple[Path, list[Claim]]":
    """The proofs folder, and its claims that a pattern names.  A pattern that names none is an error."""
    from visaproof.checking.claims.catalogue import load_claims, of_obligations, proofs_folder, selected
    from visaproof.checking.claims.own_errors import told
    from visaproof.report.text.excerpt import printable

    try:
        folder = proofs_folder(given)
    except FileNotFoundError as error:
        raise UsageError(str(error), "name the folder with --proofs DIR; it holds an __init__.py") from None
    if given is None and not folder.is_absolute():
        said = f"note: runs the Python code of {printable(str(folder.absolute()))}; --proofs DIR names another folder"
        print(said, file=sys.stderr, flush=True)
    try:
        claims = load_claims(folder)
    except (Exception, SystemExit) as error:
        raise UsageError(f"cannot load the claims of {folder}: {told(error)}") from error
    if not patterns:
        return folder, claims
    named: set[str] = set()
    for pattern in patterns:
        found = selected(claims, [pattern]) or of_obligations(claims, pattern)
        if not found:
            raise UsageError(f"no claim matches {pattern!r}", _proposed(pattern, claims))
        named |= {claim.id for claim in found}
    return folder, [claim for claim in claims if claim.id in named]


def _proposed(pattern: str, claims: "list[Claim]") -> str:
    """A hint with ids like the pattern: of obligations if it has a slash, of claims with or without their cases."""
    if "/" in pattern:
        ids = {claim.query().id for claim in claims}
    else:
        ids = {claim.id if "[" in pattern else claim.name for claim in claims}
    return proposal(pattern, sorted(ids)) or "visaproof prove --list names every claim"


def _emit(asked: list[str], claims: "list[Claim]", readings: Readings) -> int:
    """Writes the question of each claim: assumptions, and that the goal fails."""
    from visaproof.checking.claims.question_files import write_question

    kind, directory = asked
    if kind != "smt2":
        raise UsageError(f"--emit {kind}: only smt2 is written", "--emit smt2 DIR")
    folder = Path(directory)
    make_folder(folder)
    for claim in claims:
        reread = (claim.under(readings) if readings != DEFAULT else None) or claim
        print(write_question(reread, folder))
    return ExitCode.OK


def _list(claims: "list[Claim]", output: str) -> int:
    if output == "json":
        from visaproof.report.claims.prove_json import claim_list

        print(claim_list(claims))
    else:
        for claim in claims:
            print(claim.id)
    return ExitCode.OK


def _decide(arguments: Namespace, folder: Path, claims: "list[Claim]", readings: Readings) -> int:
    from visaproof.checking.claims.kept_claims import KeptClaims, decided_or_kept
    from visaproof.checking.claims.workers import decided
    from visaproof.report.claims.prove import ProveReport
    from visaproof.report.text.progress import Progress

    limits = _limits(arguments)
    start, interrupted = perf_counter(), False

    def ask(some: "Sequence[Claim]") -> "Iterator[Decided]":
        return decided(some, folder, limits, _jobs(arguments.jobs), readings)

    with Progress(len(claims), sys.stderr) as progress, cache_of(arguments, "prove") as cache:

        def say(text: str) -> None:
            with progress.hidden():
                print(f"note: {text}", file=sys.stderr)

        kept = None if cache is None else KeptClaims.of(cache, folder, limits, readings, say)
        report = ProveReport(
            sys.stdout, progress, arguments.save, arguments.format == "text", readings, arguments.verbose
        )
        progress.starting(claims[0].id if claims else "")
        try:
            for done, record in enumerate(decided_or_kept(claims, ask, kept), 1):
                report.add(record)
                progress.starting(claims[done].id if done < len(claims) else "")
        except KeyboardInterrupt:
            interrupted = True
    elapsed = perf_counter() - start
    code = worst(([ExitCode.INTERRUPTED] if interrupted else []) + [_code(record) for record in report.records])
    if arguments.format == "json":
        from visaproof.report.claims.prove_json import prove_run

        print(prove_run(report, limits, arguments.patterns, len(claims), elapsed, code))
    else:
        report.summarise(len(claims), elapsed)
    return code


def _limits(arguments: Namespace) -> "Limits":
    from visaproof.checking.claims.workers import Limits

    return Limits(max(1, round(arguments.timeout * 1000)), arguments.seed, arguments.limit, arguments.cross_check)


def _matrix(arguments: Namespace, folder: Path, claims: "list[Claim]") -> int:
    """Every claim under every other reading."""
    from visaproof.checking.claims.reading_matrix import matrix
    from visaproof.report.claims.reading_matrix import MatrixReport
    from visaproof.report.text.progress import Progress

    limits = _limits(arguments)
    start, codes = perf_counter(), [ExitCode.OK]
    with Progress(len(claims), sys.stderr) as progress:
        report = MatrixReport(sys.stdout, progress, arguments.save, arguments.format == "text")
        progress.starting(claims[0].id if claims else "")
        try:
            for done, row in enumerate(matrix(claims, folder, limits, _jobs(arguments.jobs)), 1):
                report.add(row)
                undecided = {"unknown": ExitCode.UNKNOWN, "vacuous": ExitCode.VACUOUS}
                codes += [_code(row.default), *(undecided.get(one.answer, ExitCode.OK) for one in row.asked)]
                progress.starting(claims[done].id if done < len(claims) else "")
        except KeyboardInterrupt:
            codes.append(ExitCode.INTERRUPTED)
    code, elapsed = worst(codes), perf_counter() - start
    if arguments.format == "json":
        from visaproof.report.claims.reading_matrix_json import matrix_run

        print(matrix_run(report, limits, arguments.patterns, elapsed, code))
    else:
        report.summarise(len(claims), elapsed)
    return code


def _jobs(asked: int) -> int:
    from os import cpu_count

    return asked or cpu_count() or 1


def _code(record: "Decided") -> ExitCode:
    if record.as_expected:
        return ExitCode.OK
    return {"unknown": ExitCode.UNKNOWN, "vacuous": ExitCode.VACUOUS}.get(record.answer, ExitCode.REFUTED)
