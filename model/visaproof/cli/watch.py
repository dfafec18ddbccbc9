"""`visaproof watch`: asks again whenever a file of the question changes."""

import json
import shlex
import signal
import subprocess
import sys
from argparse import REMAINDER, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any, cast

from visaproof.checking.termination import interrupted_by_signals
from visaproof.cli.many.config import FILE as CONFIG
from visaproof.cli.many.files import SOURCES, called_by
from visaproof.cli.many.files import SUFFIX as KERNELS
from visaproof.cli.options.arguments import Subparsers
from visaproof.cli.options.errors import UsageError
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.launch.beside import NO_LAUNCH, launch_for

WATCHED = ("conflicts", "bounds", "check", "run", "triage", "refine", "tv", "ocloc", "rules", "prove", "replay")
DUMPED = ("conflicts", "bounds", "check", "run")
"""Commands that are asked about the dumps of a source; `ocloc` compiles by itself."""
WRITTEN = frozenset({"save", "keep", "write_baseline", "into", "output", "cache", "emit"})
"""What a run writes itself."""
IN_FOLDERS = frozenset({".visaasm", ".bin", ".progbin", ".zeinfo", ".ze_info", ".json", ".rule", ".py", *SOURCES})
POLL_S = 0.3
END_S = 10.0
"""A run that is out of date has so long to end by itself."""

EPILOG = """examples:
  visaproof watch conflicts kernel.visaasm --launch kernel.bin
  visaproof watch bounds kernel.cl --size in=4*n            compiles it first, as `visaproof dump kernel.cl` does
  visaproof watch --device dg2 --options -g conflicts kernel.cl
  visaproof watch --until-ok tv before after                ends once nothing is found

Options of watch come before the command.  Files and folders that the command reads are looked at several times a
second, visaproof.toml among them; where one changes, a run that is under way ends, and the next one begins.
Ctrl-C ends the watch.

exit codes: that of the last run, 2 where the command line is wrong, 130 where no run has ended."""

State = dict[Path, tuple[int, int, int]]


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "watch",
        help="ask again whenever a file changes",
        description="Runs a command, and runs it again whenever a file that it reads changes.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--until-ok", action="store_true", help="end with the first run whose exit code is 0")
    parser.add_argument("--device", default="tgllp", metavar="NAME", help="of a source, as ocloc names it: tgllp")
    parser.add_argument("--options", default="", metavar="OPTIONS", help="of a source, as in -cl-std=CL3.0")
    parser.add_argument("--ocloc", default="ocloc", metavar="PATH", help="the compiler (default: the one in PATH)")
    parser.add_argument("asked", choices=WATCHED, metavar="COMMAND", help=", ".join(WATCHED))
    parser.add_argument("words", nargs=REMAINDER, metavar="…", help="its arguments")


def run(arguments: Namespace) -> int:
    """Asks until Ctrl-C.  Raises UsageError."""
    from visaproof.cli.parser import UsageStop, parsed

    try:
        inner = cast(Namespace, parsed([arguments.asked, *arguments.words], [arguments.asked]))
    except UsageStop:  # as has been said
        return ExitCode.USAGE
    except SystemExit:  # help
        return ExitCode.OK
    inputs = [*_inputs(inner), *_launches(inner)]
    if not inputs:
        raise UsageError(f"{arguments.asked}: the command names no file to watch", "as in watch conflicts k.visaasm")
    sources = [path for path in inputs if path.suffix in SOURCES] if arguments.asked in DUMPED else []
    if len(sources) > 1:
        raise UsageError("only one source can be watched at a time", "`visaproof dump` compiles others")
    code, known = ExitCode.INTERRUPTED, _state(inputs)
    try:
        with interrupted_by_signals():
            while True:
                ended = _one_run(arguments, sources, inputs, known)
                code = code if ended is None else ExitCode(ended) if ended in set(ExitCode) else ExitCode.INTERNAL
                if arguments.until_ok and ended == 0:
                    return code
                if ended is not None:
                    _say(f"exit code {ended}; waiting for a change of {_named(inputs)} (Ctrl-C ends)")
                while (now := _state(inputs)) == known:
                    sleep(POLL_S)
                _say(f"changed: {_named(_changed(known, now))}")
                known = now
    except KeyboardInterrupt:
        return code


def _one_run(arguments: Namespace, sources: Sequence[Path], inputs: Sequence[Path], known: State) -> int | None:
    """The exit code; None where the run was out of date before it ended."""
    words = [arguments.asked, *arguments.words]
    for source in sources:
        dumped = _dumped(source, arguments)
        if dumped is None:
            return ExitCode.USAGE
        at = words.index(str(source))
        words[at : at + 1] = dumped["kernels"]
        if not any(word.partition("=")[0] == "--launch" for word in words):
            words += ["--launch", dumped["launch"]]
    process = subprocess.Popen([sys.executable, "-m", "visaproof", *words])
    try:
        while (code := process.poll()) is None:
            if _state(inputs) != known:
                return None
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL_S)
        return code
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """As Ctrl-C would, which the run may have heard already."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(END_S)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.wait()


def _dumped(source: Path, arguments: Namespace) -> dict[str, Any] | None:
    """What `visaproof dump` says of it; None where it does not compile, which is shown."""
    options = [f"--device={arguments.device}", f"--options={arguments.options}", f"--ocloc={arguments.ocloc}"]
    command = [sys.executable, "-m", "visaproof", "dump", str(source), *options, "--format", "json"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return json.loads(ran.stdout) if ran.returncode == 0 else None


# ---------------------------------------------------------------- what is watched


def _inputs(inner: Namespace) -> Iterator[Path]:
    """The files and folders that the command reads."""
    for name, value in vars(inner).items():
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        if name not in WRITTEN:
            yield from (one for one in values if isinstance(one, Path))


def _launches(inner: Namespace) -> Iterator[Path]:
    """What the command finds beside kernels that it names."""
    if getattr(inner, "launch", NO_LAUNCH) is None:
        kernels = [path for path in _inputs(inner) if path.suffix == KERNELS]
        yield from (found for path in kernels if (found := launch_for(None, path)) is not None)


def _state(inputs: Sequence[Path]) -> State:
    """Of each file there is: when it was written, how long it is, and which one it is."""
    found: State = {}
    for path in _files(inputs):
        with suppress(OSError):
            seen = path.stat()
            found[path] = seen.st_mtime_ns, seen.st_size, seen.st_ino
    return found


def _files(inputs: Sequence[Path]) -> Iterator[Path]:
    yield Path(CONFIG)
    for path in inputs:
        if path.is_dir():
            yield from (one for one in path.rglob("*") if one.suffix in IN_FOLDERS)
        else:
            yield from (path, *called_by(path))


def _changed(before: State, now: State) -> list[Path]:
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))


def _named(paths: Sequence[Path]) -> str:
    names = shlex.join(str(path) for path in paths[:3])
    return names + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _say(text: str) -> None:
    sys.stdout.flush()
    print(f"watch: {text}", file=sys.stderr, flush=True)
