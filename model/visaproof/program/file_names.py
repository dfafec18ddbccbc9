"""Names of kernels and variables as names of files: file systems take 255 bytes, and C++ has longer names."""

import hashlib
import re
from pathlib import Path

from visaproof.isa.errors import Position

LONGEST = 120


def file_name(text: str, longest: int = LONGEST) -> str:
    """The text as a part of a file's name, of at most `longest` characters: one that is longer ends with a digest."""
    name = re.sub(r"[^\w.+-]", "_", text, flags=re.ASCII)
    if len(name) <= longest:
        return name
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:12]
    return f"{name[: longest - len(digest) - 1]}-{digest}"


def place_name(kernel: str, position: Position) -> str:
    """A name for what is found in a line of a kernel's file."""
    return f"{file_name(kernel, 80)}-{file_name(Path(position.path).stem, 80)}-line-{position.line}"
