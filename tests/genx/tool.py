"""Running Intel's GenX_IR on one file.  Source: docs/pages/validity.md §6."""

import re
import shutil
import subprocess
from pathlib import Path

from msgspec import Struct

from visaproof.isa.platform import Platform

TOOL = shutil.which("GenX_IR")
REASON = "GenX_IR is not installed (Debian: apt-get install libigc-tools)"
SECONDS = 20
"""A run takes some 20 ms; one that takes so long will not end."""

_MESSAGE = re.compile(r"Error Message: (.*)")


class Run(Struct, frozen=True):
    """What the tool did with a file; it can also crash, which is no verdict."""

    accepted: bool
    crashed: bool
    """Or never ended."""
    message: str
    """What the parser or the verifier says, "" where they say nothing."""
    listing: str
    """The file in the tool's own spelling, if it was asked for."""
    assembly: str
    byte_code: bytes


def run_tool(text: str, platform: Platform, directory: Path, *, listing: bool = False, tool: Path | None = None) -> Run:
    """Writes the text into an empty directory and runs the tool there, which overwrites it for a listing."""
    assert tool or TOOL
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    source = directory / "t.visaasm"
    source.write_text(text)
    options = ["-platform", platform.name, "-output", *(["-dumpcommonisa"] if listing else [])]
    command = [str(tool or TOOL), source.name, *options]
    try:
        ran = subprocess.run(command, cwd=directory, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Run(False, True, f"no end within {SECONDS} s", "", "", b"")
    errors = _text(directory / "t.errors.txt")
    said = _MESSAGE.search(errors)
    parser = re.search(r"near line .*", ran.stderr.decode(errors="replace"))
    message = said.group(1) if said else parser.group() if parser else ""
    byte_code = (directory / "t.isa").read_bytes() if (directory / "t.isa").exists() else b""
    overwritten = source.read_text(errors="replace") if listing else ""
    return Run(ran.returncode == 0, ran.returncode < 0, message, overwritten, _text(directory / "t.asm"), byte_code)


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
