"""The bytes of a regular file, no more than are asked for, and places in JSON."""

import errno
import os
import re
import stat
from io import BufferedReader
from pathlib import Path

from visaproof.isa.errors import Position, ReadError

LAUNCH_LIMIT = 256 * 2**20
"""Bytes of a file with launch information."""


def opened(path: Path) -> BufferedReader:
    """A regular file: a pipe may have nobody at its other end, and a device has no end.  Raises OSError."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(number).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(number, "rb")
    os.close(number)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def content_of(path: Path, most: int, hint: str = "") -> bytes:
    """The bytes of a file that has at most `most`.  Raises ReadError."""
    start = Position(str(path), 1, 1)
    try:
        with opened(path) as file:
            content = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReadError(f"cannot be read: {reason}", start) from error
    if len(content) > most:
        raise ReadError(f"larger than {most:,} bytes", start, hint)
    return content


def place_in_json(content: bytes, path: str, error: Exception) -> Position:
    """Where JSON is malformed: at the byte that the error names, at the end if it is cut off, else at the start."""
    byte = re.search(r"\(byte (\d+)\)", str(error))
    if byte is None and "truncated" not in str(error):
        return Position(path, 1, 1)
    before = content[: int(byte[1])] if byte else content.rstrip()
    return Position(path, before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
