"""`visaproof refine`: does one kernel do the same as another wherever that one has a meaning?"""

import sys
from argparse import ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.arguments import ASSUMPTIONS, Subparsers, add_format, platform, seconds
from visaproof.cli.errors import show_error
from visaproof.cli.exit_codes import ExitCode, worst
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform

if TYPE_CHECKING:
    from visaproof.engine.refinement import Verdict
    from visaproof.kernel.matching import Program
    from visaproof.queries.refinement_undefined import UndefinedKind

DEFAULT_PLATFORM = Platform.DG2
"""For a file of which neither `--platform` nor `--launch` names the device."""

EPILOG = """examples:
  visaproof refine before.visaasm after.visaasm --launch manifest.json
  visaproof refine before.visaasm after.visaasm --launch before.bin --launch-target after.bin
  visaproof refine before.visaasm after.visaasm --bidirectional --assume none
  visaproof refine before.visaasm after.visaasm --platform dg2   inputs by their place in the payload

TARGET refines SOURCE if, for every input under the printed assumptions, either the pages give SOURCE no meaning, or
they give one to TARGET and it leaves the same memory.  Which lanes run is arbitrary.  A difference is a run of both
kernels on the same inputs.  Kernels have one SIMD width, and loops only where their rounds are constant.
Binding table, bindless, LSC and 64-bit addresses of one argument are one buffer (with --launch); where addresses are
used, the verdict lists the weakest conditions that were shown to suffice.  Private memory cannot be seen.
Where SOURCE does what is forbidden, it has no meaning; TARGET may do it only there.  What is allowed has a meaning, the
same in both kernels, and neither excuses SOURCE nor counts against TARGET (--undefined KIND=allow or KIND=forbid):
  collision        lanes of one message write one byte; allowed: one after another, the last stays     default: forbid
  misaligned       an address not aligned as the page demands; allowed: the bytes from there on        default: forbid
  beyond-variable  registers beyond a variable; allowed: 0 is read, and what is written is lost        default: forbid
  slm-outside      an access outside of shared local memory; allowed: 0 is read, no byte is written    default: allow
  uninitialised    a store that depends on what nothing wrote; allowed: each kernel finds any values   default: allow
exit codes: 0 refines, 1 does not, 2 unreadable or inputs that do not match, 3 unknown, 4 not modelled,
5 vacuous (SOURCE never has a meaning)."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "refine",
        help="does one kernel do the same as another?",
        description="Asks whether TARGET does what SOURCE does wherever SOURCE has a meaning.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="SOURCE", type=Path, help="a .visaasm file")
    parser.add_argument("target", metavar="TARGET", type=Path, help="a .visaasm file")
    parser.add_argument("--bidirectional", action="store_true", help="ask also whether SOURCE refines TARGET")
    parser.add_argument("--assume", choices=ASSUMPTIONS, default="ids", help="of the launch (default: ids)")
    parser.add_argument("--launch", metavar="FILE", type=Path, help="a zebin, its .ze_info, or a manifest.json")
    parser.add_argument("--launch-target", metavar="FILE", type=Path, help="the same for TARGET (default: --launch)")
    parser.add_argument("--platform", type=platform, metavar="NAME", help="the device, where --launch does not say it")
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question to a solver (default: 20)"
    )
    parser.add_argument(
        "--undefined", type=undefined, action="append", default=[], metavar="KIND=allow|forbid",
        help="whether something undefined has a meaning, see below; may be repeated",
    )  # fmt: skip
    add_format(parser)


def undefined(text: str) -> "tuple[UndefinedKind, bool]":
    """A kind of undefined behaviour, and whether it is forbidden."""
    from visaproof.queries.refinement_undefined import UndefinedKind

    name, _, answer = text.partition("=")
    known = [kind.value for kind in UndefinedKind]
    if name not in known or answer not in ("allow", "forbid"):
        raise ArgumentTypeError(f"{text!r} is not KIND=allow or KIND=forbid; the kinds are {', '.join(known)}")
    return UndefinedKind(name), answer == "forbid"


def run(arguments: Namespace) -> int:
    """Asks in one direction, or in both."""
    source = _read(arguments.source, arguments.launch, arguments.platform)
    target = _read(arguments.target, arguments.launch_target or arguments.launch, arguments.platform)
    pairs = [(source, target), (target, source)] if arguments.bidirectional else [(source, target)]
    codes: list[ExitCode] = []
    records: list[dict[str, Any]] = []
    for one, other in pairs:
        try:
            codes.append(_ask(one, other, arguments, records))
        except (ReadError, NotModelled) as error:
            codes.append(show_error(error))
            verdict = "not modelled" if isinstance(error, NotModelled) else "unmatched"
            files = {"source": one.kernel.path, "target": other.kernel.path}
            records.append(files | {"verdict": verdict, "reason": str(error)})
    code = worst(codes)
    if arguments.format == "json":
        _print_json(records, code)
    return code


def _read(path: Path, launch_file: Path | None, device: Platform | None) -> "Program":
    from visaproof.kernel.launch import NOTHING_KNOWN, read_launch
    from visaproof.kernel.linking import read_program
    from visaproof.kernel.matching import Program

    kernel = read_program(path, grf_bytes=None if device is None else device.grf_bytes)
    launch = read_launch(launch_file, kernel, device) if launch_file else NOTHING_KNOWN
    return Program(kernel, launch, device or launch.platform or DEFAULT_PLATFORM)


def _ask(source: "Program", target: "Program", arguments: Namespace, records: list[dict[str, Any]]) -> ExitCode:
    from visaproof.engine.refinement import decide
    from visaproof.engine.refinement_comparison import compare
    from visaproof.kernel.assumptions import Assume
    from visaproof.queries.refinement_undefined import forbidden_by
    from visaproof.report.refinement import comparison_json, header, verdict_json, verdict_lines

    comparison = compare(source, target, Assume(arguments.assume), forbidden_by(arguments.undefined))
    if arguments.format == "text":
        for line in header(comparison):
            print(line)
        sys.stdout.flush()
    verdict = decide(comparison, round(1000 * arguments.timeout))
    if arguments.format == "json":
        records.append(comparison_json(comparison) | verdict_json(comparison, verdict))
    else:
        for line in verdict_lines(comparison, verdict):
            print(line)
    return _code(verdict)


def _code(verdict: "Verdict") -> ExitCode:
    from visaproof.engine.refinement import Refines, Unknown, Vacuous

    match verdict:
        case Refines():
            return ExitCode.OK
        case Vacuous():
            return ExitCode.VACUOUS
        case Unknown():
            return ExitCode.UNKNOWN
        case _:
            return ExitCode.REFUTED


def _print_json(records: list[dict[str, Any]], code: ExitCode) -> None:
    import json

    from visaproof import __version__

    document = {"visaproof": __version__, "schema": 1, "command": "refine", "exit_code": int(code), "asked": records}
    print(json.dumps(document, indent=2))
