"""What kernels are compiled for: devices of today's compiler, options and widths."""

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks.campaign.launches import LANGUAGE, full_text
from benchmarks.campaign.syntax import Kernel
from visaproof.pairs.compilation import Compilation, Compiled, CompilerFailed, compiled

DEVICES = ("tgllp", "dg2", "mtl", "arl-h", "pvc", "bmg", "lnl", "ptl", "nvl-p", "cri")
WITH_DOUBLE = ("pvc", "bmg", "lnl", "ptl", "nvl-p", "cri")
NARROW = ("tgllp", "dg2", "mtl", "arl-h")
"""With registers of 32 bytes, which have 8 lanes too."""
LARGE = 50
"""Statements and operators."""
XE3P = ("nvl-p", "cri")
OPTIONS = ("", "", "", "-cl-opt-disable", "-cl-intel-greater-than-4GB-buffer-required", "-cl-intel-256-GRF-per-thread")


class Target(Struct, frozen=True):
    """A device, options of the compiler, and the width that it is told to take."""

    device: str
    options: str = ""
    width: int | None = None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.device, self.options, f"simd{self.width}" if self.width else "")))

    def takes(self, kernel: Kernel) -> bool:
        if kernel.sub_group and (self.width is not None or "disable" in self.options):
            return False
        if "disable" in self.options and kernel.size > LARGE:
            return False  # ten times as long: many small ones tell more
        if "wide product" in kernel.features and self.device in XE3P:
            return False  # faults.toml
        return "double" not in kernel.features or self.device in WITH_DOUBLE


class Pair(Struct, frozen=True):
    """Two targets of one kernel, of which the second has to refine the first."""

    source: Target
    target: Target

    def __str__(self) -> str:
        return f"{self.target}, refines {self.source}"


def today() -> Path:
    """Where today's compiler is unpacked."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "current-igc" / "bin" / "ocloc"


def chosen(batch: int, devices: Sequence[str], count: int) -> list[Target]:
    """The targets of a batch; the first has double, where one of the devices does."""
    random = Random(f"targets {batch}")
    with_double = [each for each in devices if each in WITH_DOUBLE]
    found: list[Target] = []
    for k in range(count):
        device = random.choice(with_double if k == 0 and with_double else devices)
        widths = (None, None, 8, 16, 32) if device in NARROW else (None, None, 16, 32)
        found.append(Target(device, random.choice(OPTIONS), random.choice(widths)))
    return list(dict.fromkeys(found))


def compile_for(compiler: Path, target: Target, kernels: Sequence[Kernel], folder: Path) -> Compiled:
    """All kernels in one run of the compiler, into a new folder.  Raises CompilerFailed."""
    folder.mkdir(parents=True)
    file = folder / "kernels.cl"
    file.write_text(full_text(kernels, reference=False))
    options = f"{LANGUAGE} {target.options}".strip()
    return compiled(Compilation(str(compiler), file, target.device, options, width=target.width), folder / "compiled")


def compile_each(
    compiler: Path, target: Target, kernels: Sequence[Kernel], folder: Path
) -> tuple[dict[str, Compiled], dict[str, str]]:
    """By name: what was compiled, and why the others were not; halves of a source that does not compile are tried."""
    try:
        whole = compile_for(compiler, target, kernels, folder)
    except CompilerFailed as reason:
        if len(kernels) == 1:
            return {}, {kernels[0].name: f"{reason.message}: {_telling(reason.output)}"}
        middle = len(kernels) // 2
        found: dict[str, Compiled] = {}
        failed: dict[str, str] = {}
        for part, name in ((kernels[:middle], "a"), (kernels[middle:], "b")):
            more, less = compile_each(compiler, target, part, folder.with_name(folder.name + name))
            found |= more
            failed |= less
        return found, failed
    missing = {each.name: "not in the dump" for each in kernels if each.name not in whole.kernels}
    return {each.name: whole for each in kernels if each.name in whole.kernels}, missing


def _telling(output: str) -> str:
    lines = [line for line in output.splitlines() if "error" in line.lower()]
    return (lines or output.splitlines() or ["no output"])[0][:300]
