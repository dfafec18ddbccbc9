"""Two kernels in one file, one to be held against the other.

    .version 4.1
    .kernel "src"
    …
    .kernel "tgt"
    …

Each is read as a file of its own in which the other's lines are empty, so that places stay what they are.  Where they
are named `src` and `tgt`, these say which is the source and which the target; else the source comes first.
"""

import re
from pathlib import Path

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.linking.names import functions_beside, linked
from visaproof.visaasm.reader import check_end, read_kernel
from visaproof.visaasm.source import read_text
from visaproof.visaasm.syntax import Kernel

SOURCE, TARGET = "src", "tgt"
_START = re.compile(r"[ \t]*\.kernel[ \t]")


def read_two_kernels(path: Path, *, grf_bytes: int | None = None) -> tuple[Kernel, Kernel]:
    """The source and the target.  Raises ReadError, also for a file with more kernels, or fewer."""
    lines = read_text(path).split("\n")
    starts = [number for number, line in enumerate(lines) if _START.match(line)]
    if len(starts) != 2:
        place = Position(str(path), starts[2] + 1 if len(starts) > 2 else 1, 1)
        hint = "a second file is the target, or one file has two kernels, src and tgt"
        found = "1 kernel" if len(starts) == 1 else f"{len(starts)} kernels"
        raise ReadError(f"{found} in a file that should have two", place, hint)
    head, functions = lines[: starts[0]], functions_beside(path, grf_bytes=grf_bytes)
    kernels: list[Kernel] = []
    for start, end in ((starts[0], starts[1]), (starts[1], len(lines))):
        text = "\n".join([*head, *[""] * (start - starts[0]), *lines[start:end]])
        kernel = read_kernel(text, str(path), grf_bytes=grf_bytes)
        check_end(kernel)
        kernels.append(linked(kernel, functions))
    first, second = kernels
    return (second, first) if (first.name, second.name) == (TARGET, SOURCE) else (first, second)
