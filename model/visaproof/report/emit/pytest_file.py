"""A counterexample as a pytest file that holds all of it."""

import re

import msgspec

from visaproof.checking.counterexample import encoded

MOST_OF_A_NAME = 70


def pytest_file(record: msgspec.Struct, name: str, kernel: str = "") -> str:
    """The text of a test that replays the finding; with a kernel's file, also one that fails until it is mended."""
    claim, shows = str(getattr(record, "claim", "")), str(getattr(record, "shows", ""))
    slug = _slug(claim or shows)
    text = encoded(record).decode()
    quoted = repr(text) if "'''" in text else f"r'''\n{text}\n'''"
    names = "assert_mended, assert_replays" if kernel else "assert_replays"
    lines = [
        f'"""{_plain(shows)}.  Written by `visaproof replay {_plain(name)} --emit pytest`."""',
        "",
        f"from visaproof.testing import {names}",
        "",
        f"FOUND = {quoted}",
        "",
        "",
        f"def test_{slug}_replays() -> None:",
        '    """`execute` does what was recorded, and that shows the finding."""',
        "    assert_replays(FOUND)",
    ]
    if kernel:
        lines += [
            "",
            "",
            f"def test_{slug}_is_mended() -> None:",
            '    """The kernel of today does not do it, begun in the same state.  Fails until then."""',
            f"    assert_mended(FOUND, {kernel!r})",
        ]
    return "\n".join(lines) + "\n"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:MOST_OF_A_NAME].strip("_") or "it"


def _plain(text: str) -> str:
    """Without what ends a docstring."""
    return " ".join(text.replace("\\", "/").replace('"', "'").split())
