"""`visaproof doctor`: what is installed, and whether it answers."""

import os
import platform
import shutil
import sys
from argparse import Namespace, RawDescriptionHelpFormatter

from msgspec import Struct

from visaproof import __version__
from visaproof.cli.options.arguments import Subparsers, add_format
from visaproof.cli.options.exit_codes import ExitCode

EPILOG = """examples:
  visaproof doctor                 what is installed, and one proof and one refutation
  visaproof doctor --format json   for a bug report

exit codes: 0 all that is needed is there and answers, 1 something is wrong; what is optional never fails."""

OPTIONAL = (
    ("ocloc", "compiles OpenCL C: `visaproof dump` and `visaproof ocloc` need it (package intel-opencl-icd)"),
    ("GenX_IR", "Intel's own reader of vISA: only tests need it (package libigc-tools)"),
)
NEEDED = ("z3-solver", "msgspec", "lark", "numpy", "rich", "pyyaml", "pyelftools")


class Line(Struct, frozen=True):
    """One thing that was looked at."""

    what: str
    found: str
    good: bool
    needed: bool = True


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "doctor",
        help="is everything there that is needed?",
        description="Shows versions and paths, and decides one claim that holds and one that does not.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add_format(parser)


def run(arguments: Namespace) -> int:
    """Looks at everything."""
    lines = [*_versions(), *_tools(), *_answers()]
    code = ExitCode.OK if all(line.good or not line.needed for line in lines) else ExitCode.REFUTED
    if arguments.format == "json":
        from visaproof.report.text.documents import document

        shown = [{"what": one.what, "found": one.found, "good": one.good, "needed": one.needed} for one in lines]
        print(document("doctor", code, checks=shown))
        return code
    for one in lines:
        print(f"{'ok  ' if one.good else 'BAD ' if one.needed else '-   '} {one.what:<14} {one.found}")
    return code


def _versions() -> list[Line]:
    from importlib.metadata import PackageNotFoundError, version

    from visaproof.checking.claims.model_version import model_version

    lines = [
        Line("visaproof", f"{__version__}, model {model_version()}", True),
        Line("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}", True),
    ]
    for package in (*NEEDED, "bitwuzla"):
        needed = package != "bitwuzla" or sys.platform == "linux"
        try:
            lines.append(Line(package, version(package), True, needed))
        except PackageNotFoundError:
            lines.append(Line(package, "not installed", False, needed))
    return lines


def _tools() -> list[Line]:
    lines: list[Line] = []
    for name, purpose in OPTIONAL:
        path = shutil.which(name)
        lines.append(Line(name, path or f"not in PATH; {purpose}", path is not None, False))
    cache = os.environ.get("VISAPROOF_CACHE")
    lines.append(Line("cache", cache or "none (VISAPROOF_CACHE is not set)", cache is not None, False))
    return lines


def _answers() -> list[Line]:
    """A claim that holds, and the same without the bounds check of the page."""
    from time import perf_counter

    from msgspec.structs import replace

    from visaproof.checking.decide import decide
    from visaproof.checking.verdict import Proved, Refuted
    from visaproof.isa.platform import Platform
    from visaproof.queries import bounds, subject
    from visaproof.smt import true

    right = subject.qw_scatter(1, Platform.DG2, False)
    wrong = right.with_variant("without-bounds", tuple(replace(one, inside=true()) for one in right.accesses))
    lines: list[Line] = []
    for what, asked, expected in (("a proof", right, Proved), ("a refutation", wrong, Refuted)):
        start = perf_counter()
        verdict = decide(bounds.out_of_bounds_write_is_dropped(asked))
        found = f"{type(verdict).__name__.lower()} in {perf_counter() - start:.2f} s"
        lines.append(Line(what, found, isinstance(verdict, expected)))
    return lines
