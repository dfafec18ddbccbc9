"""Runs Intel's offline compiler on a file, and finds the vISA of each kernel that it dumps.

Source: docs/pages/payload.md §1.
"""

import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from visaproof.isa.errors import Position, ReadError
from visaproof.launch.zebin import read_zebin
from visaproof.pairs.dumps import Dump, dumps_in
from visaproof.program.file_names import file_name

DUMPING = {"IGC_ShaderDumpEnable": "1", "IGC_ShaderDumpPidDisable": "1"}
WIDTH = "IGC_ForceOCLSIMDWidth"
INPUT_KINDS = {".spv": ("-spirv_input",), ".bc": ("-llvm_input",)}
"""What the compiler has to be told of a file that is no OpenCL C, by its suffix."""

MAX_OUTPUT = 20_000
"""Characters of the compiler's output that are kept."""


class CompilerFailed(Exception):
    """The compiler did not do what it was asked for; `output` is what it says."""

    def __init__(self, message: str, output: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.output = output
        self.hint = hint


class Compilation(Struct, frozen=True):
    """One run of the compiler."""

    compiler: str
    file: Path
    device: str
    options: str = ""
    internal_options: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    width: int | None = None
    """The SIMD width that it is told to use; its own choice where there is none."""
    timeout_s: float = 120.0

    def command(self, into: Path) -> list[str]:
        """The command line."""
        return [
            self.compiler, "compile", "-file", str(self.file.absolute()), "-device", self.device,
            "-out_dir", str(into), "--format", "zebin",
            *INPUT_KINDS.get(self.file.suffix, ()),
            *(["-options", self.options] if self.options else []),
            *(["-internal_options", self.internal_options] if self.internal_options else []),
        ]  # fmt: skip


class Compiled(Struct, frozen=True):
    """What the compiler made of a file."""

    zebin: Path
    kernels: Mapping[str, Dump]
    """By name."""


def compiled(compilation: Compilation, folder: Path) -> Compiled:
    """Compiles into an empty folder.  Raises CompilerFailed, and ReadError where there is no such file."""
    if not compilation.file.is_file():
        reason = "not a file" if compilation.file.exists() else "no such file"
        raise ReadError(reason, Position(str(compilation.file), 1, 1), "a file with OpenCL C, SPIR-V or LLVM")
    dump, out = (folder / name for name in ("dump", "out"))
    for each in (dump, out):
        each.mkdir(parents=True)
    output = _ran(compilation, dump, out)
    zebins = sorted(out.glob("*.bin"))
    if len(zebins) != 1:
        raise CompilerFailed(f"the compiler wrote {len(zebins)} binaries, not one", output, "name one device")
    kernels = {each.kernel: each for each in _named(dump, folder, zebins[0])}
    if not kernels:
        hint = "it needs an IGC that knows IGC_ShaderDumpEnable, and a file with a kernel"
        raise CompilerFailed("the compiler dumped no kernel", output, hint)
    return Compiled(zebins[0], kernels)


def _ran(compilation: Compilation, dump: Path, out: Path) -> str:
    """The compiler's output.  The compiler and what it started end with this call."""
    width = {} if compilation.width is None else {WIDTH: str(compilation.width)}
    own = {**DUMPING, "IGC_DumpToCustomDir": str(dump), **width, **compilation.environment}
    try:
        process = subprocess.Popen(
            compilation.command(out), env={**os.environ, **own}, cwd=compilation.file.absolute().parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise CompilerFailed(f"{compilation.compiler} cannot be run: {error}") from error
    try:
        said, _ = process.communicate(timeout=compilation.timeout_s)
    except subprocess.TimeoutExpired:
        raise CompilerFailed(f"the compiler did not end within {compilation.timeout_s:g} s") from None
    finally:
        _end(process)
    output = said.decode(errors="replace")[:MAX_OUTPUT].strip()
    if process.returncode:
        raise CompilerFailed(f"the compiler ended with {process.returncode}", output)
    return output


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # as on Windows: what the compiler itself has started is not ended
            process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _named(dump: Path, folder: Path, zebin: Path) -> Iterator[Dump]:
    """The dumps of the kernels, moved to files that have the kernels' names, with the functions that they call."""
    found, unreadable = dumps_in(dump)
    for name, reason in unreadable:
        raise CompilerFailed(f"the compiler's dump {name} cannot be read: {reason}")
    for each in _in_binary(found, zebin):
        name = file_name(each.kernel)
        path = folder / f"{name}.visaasm"
        each.path.rename(path)
        for function in each.path.parent.glob(f"{each.path.stem}_f*.visaasm"):
            number = function.stem.rpartition("_f")[2]
            function.rename(folder / f"{name}.f{number}.visaasm")
        yield Dump(path, name, each.kernel, each.width, each.device)


def _in_binary(found: Sequence[Dump], zebin: Path) -> Iterator[Dump]:
    """The dumps of what is in the binary: a width that the compiler tried and gave up is dumped as well.

    So is a kernel that spilled and was compiled again; seen: IGC 2.40 keeps the last attempt.
    """
    tried = Counter(each.kernel for each in found)
    kept: dict[str, Dump] = {}
    for each in sorted(found, key=_attempt):
        if tried[each.kernel] == 1 or each.width == read_zebin(zebin.read_bytes(), str(zebin), each.kernel).simd:
            kept[each.kernel] = each
    return (each for each in found if kept.get(each.kernel) is each)


def _attempt(dump: Dump) -> int:
    """How often the compiler had tried the kernel before: `…_1_simd8_entry_0001` is the second attempt."""
    named = re.search(r"_(\d+)_simd\d+_entry_\d+$", dump.path.stem)
    return int(named[1]) if named else 0
