"""`visaproof rules`: are rewrite rules of vISA instructions right?"""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING

from visaproof.cli.many.cache import add_cache, cache_of
from visaproof.cli.options.arguments import Subparsers, add_cross_check, add_format, add_limit, seconds
from visaproof.cli.options.errors import UsageError, proposal, show_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.isa.errors import LimitReached, NotModelled, Position, ReadError, SolversDisagree

if TYPE_CHECKING:
    from pathlib import Path

    from visaproof.checking.kept.verdict_cache import VerdictCache
    from visaproof.report.rules.rewrite import Checked
    from visaproof.report.text.progress import Progress
    from visaproof.rules.kept import KeptRule

EPILOG = """examples:
  visaproof rules                              every rule of the shipped library
  visaproof rules reorder-scatters             one of them, by its name
  visaproof rules my.rule other.rule DIR       files and folders
  visaproof rules my.rule --suggest            conditions under which a refuted rule is right
  visaproof rules --json                       for programs
  visaproof rules --list                       names and what the rules are about

a rule file (what is behind # is for readers; instructions are indented):
  # Two scatters in the other order.
  rule: other-order
  expect: refuted                              # stated right unless this says otherwise
  right if: disjoint(off, next, 4)             # what makes a refuted rule right
  for: channel in R G                          # holes: {channel}; also  for: mask, upper in (M1, M3) (M5, M7)
  let: bytes = 4 * grf                         # a hole; {grf} is 32 or 64, the bytes of a register
  platform: dg2, pvc                           # the default
  var: off ud[8], next ud[8], data ud[8], more ud[8]   # registers with arbitrary contents; temp: the target's own
  pred: p[32]                                  # predicates
  surface: S, T bti 1                          # memory: by name, and for LSC by its place in the binding table
  pre: aligned(off, 4) and mask within 0xff    # what may be taken for granted
  observe: data                                # registers that have to be the same after; memory always has
    scatter4_scaled.{channel} (M1, 8) S 0x0:ud off.0 data.0
    scatter4_scaled.{channel} (M1, 8) S 0x0:ud next.0 more.0
  =>
    scatter4_scaled.{channel} (M1, 8) S 0x0:ud next.0 more.0
    scatter4_scaled.{channel} (M1, 8) S 0x0:ud off.0 data.0

Register contents, execution mask, predicates, memory and sizes are arbitrary; holes take each of their values.

conditions: a register is all of its elements, off[0:4] some of them, off[M1] and off[M5, !p] those whose lanes run;
aligned(x, n), no_wrap(a + b), disjoint(x, y, n), distinct(x, n), uniform(x), consecutive(x, n), inside(S, x, n),
nonneg(x), == != < <= > >= on whole numbers that never wrap, size(S), memory(S) for every dword of S;
apart(S, T), by itself or beside others with `and`: the surfaces share no byte, which nothing says of two names;
mask and predicates, or lanes of them (mask[0:8]): within, includes, == with a number, all, none or another; and, or,
not.

--suggest decides the conditions of a grammar about the rule's own registers, constants and lanes, one or two at a time,
and says of a stated `right if` whether one of them is weaker.

exit codes: 0 all as stated, 1 a rule stated right is refuted or the other way round, 2 unreadable, 3 unknown,
4 not modelled, 5 vacuous."""


class _NotThere(Exception):
    """Nothing may be asked, and nothing is known."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "rules",
        help="is a rewrite of instructions right?",
        description="Decides rewrite rules: does the target do what the source does wherever that is defined?",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("rules", nargs="*", metavar="FILE|DIR|NAME", help="default: the shipped library")
    parser.add_argument("--suggest", action="store_true", help="weakest conditions that make a refuted rule right")
    parser.add_argument("--brief", action="store_true", help="only the table: no counterexamples")
    parser.add_argument("--list", action="store_true", help="name the rules, decide nothing")
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question (default: 20)"
    )
    add_limit(parser, "one rule")
    add_cross_check(parser)
    add_cache(parser)
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    add_format(parser)


def run(arguments: Namespace) -> int:
    """Decides the rules that were asked for."""
    as_json = arguments.json or arguments.format == "json"
    files = _files(arguments.rules)
    if arguments.list:
        return _list(files)
    from visaproof.report.text.progress import Progress

    codes: list[ExitCode] = []
    checked: list[Checked] = []
    names: dict[str, Path] = {}
    with Progress(len(files), sys.stderr) as progress, cache_of(arguments, "rules") as cache:
        for path in files:
            progress.starting(path.stem)
            try:
                one = _check_or_recall(path, arguments, progress, names, cache)
            except (ReadError, NotModelled, SolversDisagree) as error:
                with progress.hidden():
                    codes.append(show_error(error))
                continue
            except (LimitReached, _NotThere) as reached:
                with progress.hidden():
                    print(f"{path}: not asked: {reached}", file=sys.stderr)
                codes.append(ExitCode.UNKNOWN)
                continue
            except KeyboardInterrupt:
                codes.append(ExitCode.INTERRUPTED)
                break
            checked.append(one)
            codes.append(_code(one))
    code = worst(codes)
    _print_json(checked, code) if as_json else _print(checked, arguments.brief)
    return code


def _files(asked: list[str]) -> "list[Path]":
    from visaproof.rules.language.reader import NoSuchRule, rule_files

    try:
        return rule_files(asked)
    except NoSuchRule as missing:
        hint = proposal(missing.name, list(missing.known)) or "`visaproof rules --list` names those of the library"
        raise UsageError(f"no rule, file or folder with rules: {missing.name}", hint) from None


def _list(files: "list[Path]") -> ExitCode:
    from visaproof.rules.language.reader import read_rule_file

    for path in files:
        rule = read_rule_file(path)
        about = rule.about.split("\n")[0]
        print(f"{rule.name:<36} {about}")
    return ExitCode.OK


def _check_or_recall(
    path: "Path",
    arguments: Namespace,
    progress: "Progress",
    names: "dict[str, Path]",
    cache: "VerdictCache | None",
) -> "Checked":
    """What is said of a rule.  Raises ReadError, NotModelled, LimitReached, and _NotThere."""
    from visaproof.rules.kept import KeptRule, kept_rule

    key = None if cache is None else _key(path, arguments)
    row = None if cache is None or key is None else cache.get_as(key, KeptRule)
    if row is not None:
        known = _recalled(path, row, arguments)
        if known is not None:
            _first_of_its_name(known.rule.name, path, names)
            return known
        with progress.hidden():
            print(f"note: {path}: the counterexample in the cache does not replay: it is asked again", file=sys.stderr)
    if cache is not None and cache.enforced:
        raise _NotThere("no answer is in the cache")
    one = _check(path, arguments, progress, names)
    found = kept_rule(one.verdict, one.when_right, one.suggestions, one.seconds)
    if cache is not None and key is not None and found is not None:
        cache.add(key, found)
    return one


def _recalled(path: "Path", row: "KeptRule", arguments: Namespace) -> "Checked | None":
    """What an earlier run found, its counterexamples run again.  Raises ReadError, NotModelled and LimitReached."""
    from visaproof.report.rules.rewrite import Checked
    from visaproof.rules.kept import recalled
    from visaproof.rules.language.reader import read_rule_file
    from visaproof.smt.limit import Limit

    with Limit(arguments.limit).within():
        rule = read_rule_file(path)
        verdicts = recalled(row, rule)
    return None if verdicts is None else Checked(rule, *verdicts, row.seconds, row.suggestions)


def _key(path: "Path", arguments: Namespace) -> str:
    """Of everything on which the answer depends: a rule is a file of its own.  Raises ReadError."""
    from hashlib import sha256

    from visaproof.checking.claims.model_version import model_version
    from visaproof.cli.many.keys import options_text
    from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of

    read = sha256(content_of(path, LAUNCH_LIMIT)).hexdigest()
    asked = Namespace(**{name: vars(arguments)[name] for name in ("suggest", "timeout", "limit", "cross_check")})
    parts = (model_version(), "rules", options_text(asked), str(path), read)
    return sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()[:40]


def _first_of_its_name(name: str, path: "Path", names: "dict[str, Path]") -> None:
    if names.setdefault(name, path) != path:
        raise ReadError(f"a second rule {name}", Position(str(path), 1, 1), f"the first is in {names[name]}")


def _check(path: "Path", arguments: Namespace, progress: "Progress", names: "dict[str, Path]") -> "Checked":
    from time import perf_counter

    from visaproof.report.rules.rewrite import Checked
    from visaproof.rules.decision import check_within
    from visaproof.rules.language.reader import read_rule_file
    from visaproof.rules.suggest import suggest
    from visaproof.rules.verdicts import Refuted
    from visaproof.smt.limit import Limit

    start = perf_counter()
    limit = Limit(arguments.limit)
    with limit.within():
        rule = read_rule_file(path)
    _first_of_its_name(rule.name, path, names)
    verdict = check_within(limit, rule, arguments.timeout)
    right = check_within(limit, rule, arguments.timeout, when_right=True) if rule.right_if else None
    suggestions = None
    if arguments.suggest and isinstance(verdict, Refuted):
        try:
            with limit.within():
                suggestions = suggest(
                    rule, verdict, arguments.timeout, lambda what: progress.doing(f"{path.stem}: {what}")
                )
        except LimitReached as reached:
            with progress.hidden():
                print(f"note: {rule.name}: nothing is suggested: {reached}", file=sys.stderr)
    return Checked(rule, verdict, right, perf_counter() - start, suggestions)


def _code(one: "Checked") -> ExitCode:
    from visaproof.refinement.verdicts import Unknown, Vacuous

    if one.as_stated:
        return ExitCode.OK
    for verdict in (one.verdict, one.when_right):
        if isinstance(verdict, Unknown):
            return ExitCode.UNKNOWN
        if isinstance(verdict, Vacuous):
            return ExitCode.VACUOUS
    return ExitCode.REFUTED


def _print(checked: "list[Checked]", brief: bool) -> None:
    from visaproof.report.rules.rewrite import details, rows

    if not checked:
        return
    for line in rows(checked):
        print(line)
    for one in checked if not brief else ():
        for line in details(one):
            print(line)
    wrong = [one for one in checked if not one.as_stated]
    print()
    print(f"{len(checked)} rule{'s' * (len(checked) != 1)}: {len(checked) - len(wrong)} as stated, {len(wrong)} not")
    for one in wrong:
        print(f"  not as stated: {one.rule.name}")
    sys.stdout.flush()


def _print_json(checked: "list[Checked]", code: ExitCode) -> None:
    from visaproof.report.rules.rewrite import record
    from visaproof.report.text.documents import document

    print(document("rules", code, rules=[record(one) for one in checked]))
