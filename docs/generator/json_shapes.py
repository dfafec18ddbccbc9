"""The shape of the JSON of commands, from what they print about docs/examples."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).parents[2]
HEAD = """<!-- Made by `make pages` from the code; changes by hand are lost. -->

# JSON by example

The keys that commands print about the examples, with the kind of each value; a list has the keys of all its entries.
Keys that an example does not need are left out. [JSON](json.md) says what the keys mean.
"""
NAMES_OF_A_USER = {"inputs", "surfaces", "contents", "registers", "predicates", "changes"}
"""Their keys are names and places of the kernel asked about."""

COMMANDS = (
    "conflicts pairs.visaasm --launch pairs.bin",
    "bounds pairs.visaasm --launch pairs.bin --size in=4*n --size out=4*n",
    "check pairs.visaasm",
    "run rows.visaasm --launch rows.bin --global-size 8 --arg pitch=8 --buffer out=zeros:32",
    "print pairs.visaasm",
    "refine reload.visaasm reload_once.visaasm --launch reload.bin --launch-target reload_once.bin",
    "rules add-one-to-inc",
    f"prove refute_cmpxchg_stores cmpxchg_wins --proofs {ROOT / 'proofs'}",
    "readings collision",
    "premises ids",
    "explain scatter4_scaled",
)


def page() -> str:
    """A section for each command."""
    sections = [f"## {line.split()[0]}\n\n```text\n{chr(10).join(shape(_document(line)))}\n```\n" for line in COMMANDS]
    return "\n".join((HEAD, *sections))


def shape(value: Any, indent: str = "") -> Iterator[str]:
    """A line for each key, the keys of entries below their list."""
    for key, inner in cast("dict[str, Any]", value).items():
        entries = [each for each in inner if isinstance(each, dict)] if isinstance(inner, list) else []
        if isinstance(inner, dict) and key not in NAMES_OF_A_USER:
            yield f"{indent}{key}:"
            yield from shape(inner, indent + "  ")
        elif entries:
            yield f"{indent}{key}: list of"
            yield from shape(_merged(entries), indent + "  ")
        else:
            yield f"{indent}{key}: {_kind(inner)}"


def _merged(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """All keys of the entries, each with a value that says most of it."""
    found: dict[str, Any] = {}
    for entry in entries:
        for key, value in entry.items():
            known = found.get(key)
            found[key] = (
                _merged([known, value]) if isinstance(known, dict) and isinstance(value, dict) else known or value
            )
    return found


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null here"
        case bool():
            return "true or false"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case _:
            return "object"


def _document(line: str) -> dict[str, Any]:
    """What the command prints, in a process of its own: which example is found depends on what was asked before."""
    command = [sys.executable, "-m", "visaproof", *line.split(), "--format", "json"]
    ran = subprocess.run(command, cwd=ROOT / "docs" / "examples", capture_output=True, check=False)
    return json.loads(ran.stdout)
