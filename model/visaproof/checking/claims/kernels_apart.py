"""Long kernels of a counterexample as files beside it: a file of a finding stays small, and findings share kernels."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.file_content import content_of

APART = 2
"""The format of such a file."""
MOST_LINES = 200
"""Of a kernel that is not put apart."""
MOST_BYTES = 16 * 1024 * 1024
KEY = "program"
HASH = "sha256"
ROUND_THE_LINE = 3
"""Lines of a kernel that stay in the file, before and after the one that is meant."""


def with_kernels_apart(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The JSON text without its long kernels, and these by the names of their files."""
    document: Any = json.loads(data)
    kernels: dict[str, bytes] = {}
    for holder in _holders(document):
        lines: list[str] = holder[KEY]
        if len(lines) > MOST_LINES:
            content = "".join(f"{line}\n" for line in lines).encode()
            digest = sha256(content).hexdigest()
            kernels[f"{digest[:16]}.visaasm"] = content
            line = int(document.get("line", 0))
            holder[KEY] = {HASH: digest, "lines": len(lines), "excerpt": _excerpt(lines, line)}
    if not kernels:
        return data, {}
    document["format"] = APART
    return json.dumps(document, indent=2, ensure_ascii=False).encode(), kernels


def with_kernels(data: bytes, path: Path) -> bytes:
    """The JSON text with the kernels of the files beside it.  Raises ReadError where one is missing, or another."""
    if HASH.encode() not in data:
        return data
    document: Any = json.loads(data)
    for holder in _holders(document):
        if isinstance(holder[KEY], dict):
            holder[KEY] = _lines(cast(dict[str, Any], holder[KEY]), path)
    return json.dumps(document).encode()


def _holders(document: Any) -> list[dict[str, Any]]:
    """What has a kernel: the document itself, or its two sides."""
    if not isinstance(document, dict):
        return []
    whole = cast(dict[str, Any], document)
    return [cast(dict[str, Any], one) for one in (whole, *whole.values()) if isinstance(one, dict) and KEY in one]


def _lines(reference: dict[str, Any], path: Path) -> list[str]:
    digest = str(reference.get(HASH, ""))
    beside = path.with_name(f"{digest[:16]}.visaasm")
    if not (digest.isalnum() and beside.is_file()):
        hint = "it was written there together with the counterexample"
        raise ReadError(f"its kernel is missing: {beside.name}", Position(str(path), 1, 1), hint)
    content = content_of(beside, MOST_BYTES, "a kernel of a counterexample")
    if sha256(content).hexdigest() != digest:
        raise ReadError(f"{beside.name} is not the kernel of {path.name} any more", Position(str(beside), 1, 1))
    return content.decode("utf-8").split("\n")[:-1]


def _excerpt(lines: list[str], line: int) -> list[str]:
    if not line:
        return []
    first = max(0, line - 1 - ROUND_THE_LINE)
    return [f"{number}: {text}" for number, text in enumerate(lines, 1) if first < number <= line + ROUND_THE_LINE]
