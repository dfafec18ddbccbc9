"""One file run concretely, and its buffers held against those of its OpenCL source run by PoCL."""

from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.pocl.comparison import Comparison, Entry, Result
from benchmarks.pocl.oracle import NoOracle, Oracle, oracle
from visaproof.execution.run import Engine


def launches(corpus: Path, entry: dict[str, Any]) -> list[Result]:
    """What became of each launch of a file; none where there is no PoCL."""
    comparison = _comparison(corpus)
    if comparison is None:
        return []
    source = corpus / entry["source"]
    options = tuple(entry["always_option"].split())
    return list(comparison.compare(Entry(entry["kernel"], entry["variant"], corpus / entry["file"], source, options)))


def oracle_version() -> str:
    """What PoCL calls itself, or why there is none."""
    device = _device()
    return str(device) if isinstance(device, NoOracle) else device.version


@cache
def _device() -> Oracle | NoOracle:
    try:
        return oracle()
    except NoOracle as reason:
        return reason


@cache
def _comparison(corpus: Path) -> Comparison | None:
    """One for each process: it keeps what PoCL makes of a launch."""
    device = _device()
    return None if isinstance(device, NoOracle) else Comparison(device, corpus / "manifest.json", Engine.ARRAYS)
