"""Where the tests find today's compiler of Intel, unpacked beside the one that the system has."""

import os
import subprocess
from pathlib import Path

import pytest
from msgspec import Struct

DUMPING = {"IGC_ShaderDumpEnable": "1", "IGC_ShaderDumpPidDisable": "1"}


def current_tool(name: str) -> Path:
    """One of ocloc, iga64 and GenX_IR; the test skips where it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = cache / "current-igc" / "bin" / name
    if not found.is_file():
        pytest.skip(f"today's {name} is not in {found.parent}")
    return found


class Compilation(Struct, frozen=True):
    """What the compiler made of one kernel."""

    dump: Path
    zebin: Path
    ze_info: Path


def compiled(source: str, device: str, folder: Path) -> Compilation:
    """A source with one kernel `k`, compiled by today's ocloc into an empty folder."""
    tool = current_tool("ocloc")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "k.cl"
    file.write_text(source)
    own = {**os.environ, **DUMPING, "IGC_DumpToCustomDir": str(folder / "dump")}
    command = [str(tool), "compile", "-file", str(file), "-device", device, "-out_dir", str(folder)]
    (folder / "dump").mkdir()
    subprocess.run(command, env=own, check=True, capture_output=True, timeout=120)
    dump, *_ = sorted((folder / "dump").glob("*_entry_0001.visaasm"))
    (zebin,) = folder.glob("*.bin")
    (ze_info,) = (folder / "dump").glob("*.zeinfo")
    return Compilation(dump, zebin, ze_info)
