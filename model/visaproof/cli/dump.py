"""`visaproof dump`: compiles a source with Intel's compiler, and keeps what the other commands read."""

import sys
from argparse import ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.checking.termination import interrupted_by_signals
from visaproof.cli.options.arguments import Subparsers, add_format, seconds
from visaproof.cli.options.errors import UsageError, make_folder
from visaproof.cli.options.exit_codes import ExitCode

if TYPE_CHECKING:
    from visaproof.pairs.compilation import Compiled

EPILOG = """examples:
  visaproof dump kernel.cl                       kernel.dump/NAME.visaasm for each kernel, and kernel.dump/kernel.bin
  visaproof dump kernel.cl --device dg2 --options '-g -cl-std=CL3.0' --into dumps
  visaproof dump kernel.spv --env IGC_EnableLSC=1 --simd 16

Needs Intel's ocloc (package intel-opencl-icd, or --ocloc PATH).  A width that the compiler tried and gave up is left
out.

With -g answers show lines of the source; the compiler may then make other code.

exit codes: 0 done, 2 there is no compiler, or it fails."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "dump",
        help="compile a source to vISA and a zebin",
        description="Compiles a source with ocloc, and keeps the vISA of each kernel beside the zebin.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="OpenCL C (.cl), SPIR-V (.spv) or LLVM (.bc)")
    parser.add_argument("--device", default="tgllp", metavar="NAME", help="as ocloc names it (default: tgllp)")
    parser.add_argument("--options", default="", metavar="OPTIONS", help="of the program, as in -cl-std=CL3.0")
    parser.add_argument("--internal-options", default="", metavar="OPTIONS", help="of the compiler")
    parser.add_argument(
        "--env", action="append", default=[], type=_variable, metavar="NAME=VALUE", help="a variable (repeatable)"
    )
    parser.add_argument("--simd", type=int, choices=(8, 16, 32), help="the SIMD width (default: the compiler's)")
    parser.add_argument("--into", type=Path, metavar="DIR", help="the folder for the files (default: FILE's name)")
    parser.add_argument("--ocloc", default="ocloc", metavar="PATH", help="the compiler (default: the one in PATH)")
    parser.add_argument(
        "--compile-timeout", type=seconds, default=120.0, metavar="SECONDS", help="for the compiler (default: 120)"
    )
    add_format(parser)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


@interrupted_by_signals()
def run(arguments: Namespace) -> int:
    """Compiles in a scratch folder, and keeps what matters."""
    from tempfile import TemporaryDirectory

    from visaproof.pairs.compilation import Compilation, CompilerFailed, compiled

    file: Path = arguments.file
    into: Path = arguments.into or file.with_suffix(".dump")
    compilation = Compilation(
        arguments.ocloc, file, arguments.device, arguments.options, arguments.internal_options, dict(arguments.env),
        arguments.simd, arguments.compile_timeout,
    )  # fmt: skip
    with TemporaryDirectory() as scratch:
        try:
            found = compiled(compilation, Path(scratch))
        except CompilerFailed as failed:
            said = "".join(f"\n    {line}" for line in failed.output.splitlines())
            raise UsageError(f"{file}: {failed.message}{said}", failed.hint or "`visaproof doctor`") from None
        make_folder(into)
        kernels, zebin = _kept(found, Path(scratch), into, file.stem)
    _show(arguments, kernels, zebin)
    return ExitCode.OK


def _kept(found: "Compiled", scratch: Path, into: Path, stem: str) -> tuple[list[Path], Path]:
    """Moves the files; those of an earlier dump with the same names are replaced."""
    import shutil

    kernels = [into / one.path.name for one in found.kernels.values()]
    for path in sorted(scratch.glob("*.visaasm")):
        shutil.move(path, into / path.name)
    zebin = into / f"{stem}.bin"
    shutil.move(found.zebin, zebin)
    return kernels, zebin


def _show(arguments: Namespace, kernels: list[Path], zebin: Path) -> None:
    if arguments.format == "json":
        from visaproof.report.text.documents import document, shown_path

        listed = [shown_path(path) for path in kernels]
        print(document("dump", ExitCode.OK, kernels=listed, launch=shown_path(zebin)))
        return
    for path in (*kernels, zebin):
        print(path)
    sys.stdout.flush()
    print(f"next: visaproof conflicts {kernels[0]} --launch {zebin}", file=sys.stderr)
