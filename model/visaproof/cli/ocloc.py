"""`visaproof ocloc`: compiles a file twice, and asks whether both results do the same."""

import os
import sys
from argparse import ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.checking.termination import interrupted_by_signals
from visaproof.cli import refine
from visaproof.cli.options.arguments import Subparsers, seconds
from visaproof.cli.options.errors import UsageError, make_folder
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.two_kernels import add_question

if TYPE_CHECKING:
    from visaproof.launch.matching import Program
    from visaproof.pairs.compilation import Compilation, Compiled

SIDES = ("source", "target")
WIDTHS = (8, 16, 32)
DEVICE = "tgllp"

EPILOG = """examples:
  visaproof ocloc kernel.cl --source-options -cl-opt-disable
  visaproof ocloc kernel.cl --target-options '-cl-intel-greater-than-4GB-buffer-required -I include' --device dg2
  visaproof ocloc before.cl after.cl --simd 16                 the same kernels, written in another way
  visaproof ocloc kernel.cl --device dg2 --target-env IGC_EnableLSC=1 --keep dumps

Needs Intel's ocloc.  Each kernel of the file is asked about by its name; what its inputs hold is read from the zebin.
SOURCE is FILE compiled with the options for the source, TARGET is FILE, or the other file, with those for the target.
Where the compiler chooses another SIMD width for the target, the wider one is compiled again with the narrower width.
The questions and their options are those of `visaproof refine`.

exit codes: 0 all refine, 1 one does not, 2 it does not compile, only one of both has a kernel, or inputs do not match,
3 unknown, 4 not modelled, 5 vacuous (SOURCE is never defined)."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "ocloc",
        help="compiled twice, does a kernel do the same?",
        description="Compiles a file with ocloc twice, and asks whether the second result refines the first.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    what = "OpenCL C (.cl), SPIR-V (.spv) or LLVM (.bc); a second file is the target"
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=what)
    parser.add_argument("--device", default=DEVICE, metavar="NAME", help=f"as ocloc names it (default: {DEVICE})")
    for side in SIDES:
        parser.add_argument(f"--{side}-options", default="", metavar="OPTIONS", help=f"compiler options, {side}")
        parser.add_argument(f"--{side}-internal-options", default="", metavar="OPTIONS", help="internal options")
        parser.add_argument(
            f"--{side}-env", action="append", default=[], type=_variable, metavar="NAME=VALUE", help="(repeatable)"
        )
    parser.add_argument("--simd", type=int, choices=WIDTHS, help="the SIMD width of both")
    parser.add_argument("--ocloc", default="ocloc", metavar="PATH", help="the compiler (default: the one in PATH)")
    parser.add_argument(
        "--compile-timeout", type=seconds, default=120.0, metavar="SECONDS", help="for one compilation (default: 120)"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep dumps and binaries there")
    add_question(parser)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


@interrupted_by_signals()
def run(arguments: Namespace) -> int:
    """Compiles, and asks about each kernel."""
    files: list[Path] = arguments.files
    if len(files) > 2:
        raise UsageError(
            "one file, or one for the source and one for the target", "visaproof ocloc --help has examples"
        )
    with _folder(arguments.keep) as folder:
        compilations = [
            _compilation(arguments, side, file) for side, file in zip(SIDES, (files[0], files[-1]), strict=True)
        ]
        found = _both(compilations, folder)
        pairs, lone = _pairs(found)
        code, records = refine.judge(pairs, arguments)
        for name, side in lone:
            print(f"error: kernel {name} is only in the {side}", file=sys.stderr)
            records.append({"kernel": name, "verdict": "unmatched", "reason": f"only in the {side}"})
    code = worst([code, ExitCode.USAGE] if lone else [code])
    return refine.concluded("ocloc", records, code, arguments, compiled=_commands(compilations))


@contextmanager
def _folder(keep: Path | None) -> Generator[Path]:
    """Where the compiler writes: removed in the end, unless it is to be kept."""
    if keep is None:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="visaproof-ocloc-") as folder:
            yield Path(folder)
        return
    make_folder(keep)
    if any((keep / side).exists() for side in SIDES):
        raise UsageError(f"{keep} holds an earlier compilation", "name a new folder")
    yield keep.absolute()


def _compilation(arguments: Namespace, side: str, file: Path) -> "Compilation":
    from shutil import which

    from visaproof.pairs.compilation import Compilation

    named: str = arguments.ocloc
    compiler = which(named)
    if compiler is None:
        raise UsageError(f"{named} is not installed", "Debian: apt install intel-opencl-icd; or --ocloc PATH")
    options = vars(arguments)
    compiler = os.path.abspath(compiler)  # a relative path is one from here, and the compiler runs in another folder
    return Compilation(
        compiler, file, arguments.device, options[f"{side}_options"], options[f"{side}_internal_options"],
        dict(options[f"{side}_env"]), arguments.simd, arguments.compile_timeout,
    )  # fmt: skip


def _both(compilations: "list[Compilation]", folder: Path) -> "list[Compiled]":
    """Both results, of one SIMD width where the compiler can be told so."""
    from msgspec.structs import replace

    found = [_compiled(one, folder / side) for one, side in zip(compilations, SIDES, strict=True)]
    widths = [max(kernel.width for kernel in one.kernels.values()) for one in found]
    if widths[0] != widths[1]:
        wider = 0 if widths[0] > widths[1] else 1
        narrow = min(widths)
        said = f"the compiler chooses SIMD{widths[0]} for the source and SIMD{widths[1]} for the target"
        print(f"note: {said}; the {SIDES[wider]} is compiled again with SIMD{narrow}", file=sys.stderr)
        compilations[wider] = replace(compilations[wider], width=narrow)
        found[wider] = _compiled(compilations[wider], folder / f"{SIDES[wider]}-simd{narrow}")
    return found


def _compiled(compilation: "Compilation", folder: Path) -> "Compiled":
    from visaproof.pairs.compilation import CompilerFailed, compiled
    from visaproof.report.text.excerpt import printable

    try:
        return compiled(compilation, folder)
    except CompilerFailed as failed:
        said = "".join(f"\n    {printable(line)}" for line in failed.output.splitlines())
        raise UsageError(f"{compilation.file}: {failed.message}{said}", failed.hint) from None


def _pairs(found: "list[Compiled]") -> "tuple[list[tuple[Program, Program]], list[tuple[str, str]]]":
    """The kernels of both, and those of one with its name."""
    from visaproof.refinement.refines import Programs

    programs = Programs()
    source, target = (
        {name: programs.read(kernel.path, one.zebin) for name, kernel in one.kernels.items()} for one in found
    )
    lone = [(name, "source") for name in source if name not in target]
    lone += [(name, "target") for name in target if name not in source]
    return [(source[name], target[name]) for name in source if name in target], lone


def _commands(compilations: "list[Compilation]") -> list[dict[str, Any]]:
    return [
        {"command": one.command(Path("DIR")), "environment": dict(one.environment), "simd": one.width}
        for one in compilations
    ]
