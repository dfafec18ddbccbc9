"""`visaproof triage`: asks everything that can be asked of a folder that Intel's compiler dumped into."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from visaproof.cli.many.asking import Asker, Kept, answered
from visaproof.cli.many.baseline import known_findings, without_known
from visaproof.cli.many.cache import cache_of
from visaproof.cli.many.config import add_config
from visaproof.cli.many.files import Task, chosen_of, inputs_of, with_stated
from visaproof.cli.many.options import add_many
from visaproof.cli.many.run import codes_of, conclude
from visaproof.cli.options.arguments import Subparsers, add_limit, add_platform
from visaproof.cli.options.errors import UsageError
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.launch_files import add_launch
from visaproof.launch.beside import launch_for

if TYPE_CHECKING:
    from visaproof.pairs.triage import Sorted
    from visaproof.report.results.finding import Finding, Result

ASKED = ("check", "conflicts", "bounds")

EPILOG = """examples:
  visaproof triage dump      of a program that ran with IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=dump
  visaproof triage dump --jobs 0 --output sarif:found.sarif --cache answers.sqlite

Each kernel of the folder is asked what `visaproof check`, `conflicts` and `bounds` ask, with their defaults.  Its
launch is the zebin (.progbin, .bin) or launch information (.zeinfo) of the same compilation.  A width that the compiler
tried and gave up, and an attempt before a spill, are set aside: the width in the zebin tells them from the kernel.
Sizes of buffers are stated in visaproof.toml (--config); of others `bounds` says how large each has to be.  Of a folder
with several compilations of one kernel, `visaproof tv` asks whether they do the same.

exit codes: 0 nothing found, 1 something is refuted, 2 unreadable, 3 unknown or bounded, 4 not modelled, 5 vacuous."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "triage",
        help="everything that can be asked of a folder of dumps",
        description="Sorts a folder that Intel's compiler dumped into, and asks every question about each kernel.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="where the compiler dumped")
    add_launch(parser)
    add_platform(parser)
    add_limit(parser, "one question about one kernel")
    add_config(parser)
    add_many(parser)


def run(arguments: Namespace) -> int:
    """Sorts, asks, and shows kernel by kernel."""
    from visaproof.pairs.triage import sorted_dumps
    from visaproof.report.results.outputs import Report

    if not arguments.folder.is_dir():
        raise UsageError(f"{arguments.folder}: no such folder", "a folder in which Intel's compiler has dumped")
    known = known_findings(arguments)
    found = sorted_dumps(arguments.folder, partial(launch_for, arguments.launch, root=arguments.folder))
    if not found.kernels:
        raise UsageError(f"no kernel in {arguments.folder}", "IGC_ShaderDumpEnable=1 makes the compiler dump them")
    tasks = chosen_of([Task(one.dump.path, one.launch) for one in found.kernels], inputs_of, arguments)
    asked, codes = _asked(tasks, arguments)
    results = without_known([one for _, one in asked], known, arguments, ended=not codes)
    by_file: dict[str, list[tuple[str, Result]]] = {}
    for (command, _), result in zip(asked, results, strict=True):
        by_file.setdefault(result.subject, []).append((command, result))
    code = worst([*codes, *codes_of(results, arguments.fail_on)])
    lines = list(_lines(found, by_file, arguments.quiet))
    for line in lines if arguments.format == "text" else ():
        print(line)
    report = Report("triage", results, lambda: "\n".join(lines), lambda: _json(found, by_file, results, code))
    return conclude(report, arguments, code)


def _asked(tasks: Sequence[Task], arguments: Namespace) -> "tuple[list[tuple[str, Result]], list[ExitCode]]":
    """The results of every question, kernel by kernel, and the code of Ctrl-C if it came."""
    from visaproof.report.text.progress import Progress

    until = None if arguments.budget is None else monotonic() + arguments.budget
    results: dict[tuple[int, int], Result] = {}
    codes: list[ExitCode] = []
    with Progress(len(tasks) * len(ASKED), sys.stderr) as progress:
        progress.starting("")
        try:
            for number, command in enumerate(ASKED):
                own = _arguments(command, arguments)
                stated = with_stated(list(tasks), own)
                asker = Asker(command, import_module(f"visaproof.cli.{command}").ask, own, until)
                with (
                    cache_of(arguments, command) as cache,
                    closing(answered(asker, stated, Kept.of(cache, command, own))) as found,
                ):
                    for index, result, _ in found:
                        results[index, number] = _with_stated_sizes(result) if command == "bounds" else result
                        progress.starting(f"{command} {result.subject}")
        except KeyboardInterrupt:
            codes.append(ExitCode.INTERRUPTED)
    return [(ASKED[number], results[index, number]) for index, number in sorted(results)], codes


def _arguments(command: str, arguments: Namespace) -> Namespace:
    """The defaults of a command, with what triage was told."""
    from visaproof.cli.parser import parsed

    own = parsed([command, "FILE"], [command])
    shared = ("platform", "limit", "jobs", "budget", "format", "cache", "cache_mode", "config", "launch")
    return Namespace(**(vars(own) | {name: getattr(arguments, name) for name in shared}))


def _with_stated_sizes(result: "Result") -> "Result":
    """Without accesses outside of buffers whose size nobody stated: those may have any size, none among them."""
    import msgspec

    from visaproof.report.results.finding import worst_code

    free = {one["line"] for one in result.record.get("messages", ()) if one["size_is_arbitrary"]}
    kept = tuple(one for one in result.findings if one.kind != "outside" or one.place.line not in free)
    if len(kept) == len(result.findings):
        return result
    return msgspec.structs.replace(result, findings=kept, code=worst_code(kept))


def _lines(found: "Sorted", by_file: "dict[str, list[tuple[str, Result]]]", quiet: bool) -> Iterator[str]:
    """A block for each kernel, then what was set aside."""
    kernels = {str(one.dump.path): one for one in found.kernels}
    for file, asked in by_file.items():
        if quiet and not any(result.findings for _, result in asked):
            continue
        one = kernels[file]
        yield f"{one.dump.kernel} (SIMD{one.dump.width}): {file}"
        yield f"  launch     {one.launch or 'not known: inputs may be anything'}"
        for command, result in asked:
            yield f"  {command:<10} {_said(result.findings) or 'nothing found'}"
            if needs := _needs(result):
                yield f"             sizes are not stated; in bounds if {needs}"
        yield ""
    for one in () if quiet else found.aside:
        yield f"set aside: {one.path.name}: {one.reason}"


def _said(findings: "Sequence[Finding]") -> str:
    """The first finding, and how many more there are."""
    if not findings:
        return ""
    first = findings[0]
    where = f"line {first.place.line}: " if first.place.line else ""
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return f"{first.level.value}: {where}{first.message}{more}"


def _needs(result: "Result") -> str:
    """The sizes that were found to suffice."""
    messages = [one for one in result.record.get("messages", ()) if one["size_is_arbitrary"] and one["inside_if"]]
    return "; ".join(dict.fromkeys(f"{one['surface']} has {one['inside_if']['bytes']} bytes" for one in messages))


def _json(
    found: "Sorted", by_file: "dict[str, list[tuple[str, Result]]]", results: "Sequence[Result]", code: ExitCode
) -> str:
    import msgspec

    from visaproof.report.records.completeness import ENDED, not_done
    from visaproof.report.text.documents import document

    kernels = [
        {
            "file": str(one.dump.path), "kernel": one.dump.kernel, "simd": one.dump.width,
            "launch": str(one.launch) if one.launch else None,
        }
        for one in found.kernels if str(one.dump.path) in by_file
    ]  # fmt: skip
    files = [
        result.record | {"command": command, "exit_code": result.code}
        for asked in by_file.values()
        for command, result in asked
    ]
    aside = [{"file": str(one.path), "reason": one.reason} for one in found.aside]
    findings = msgspec.to_builtins([finding for one in results for finding in one.findings])
    missing = [*((ENDED,) if code is ExitCode.INTERRUPTED else ()), *not_done(files)]
    return document("triage", code, missing, kernels=kernels, files=files, set_aside=aside, findings=findings)
