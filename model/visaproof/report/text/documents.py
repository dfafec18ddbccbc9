"""The JSON output: one object for each command, with a version.

Every object starts with `visaproof` (the version of the program), `schema` (of this format), `command` and `exit_code`.
Keys stand in the order of the classes; within one schema version keys are only ever added.  `visaproof schema` prints
the schema; `report/records/schema.py` is the table of the classes.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from visaproof import __version__

SCHEMA = 1
"""The version of the output; a change that is no addition makes it another."""


class Document(msgspec.Struct, kw_only=True):
    """What every command's output starts with."""

    visaproof: str = __version__
    schema: int = SCHEMA
    command: str
    exit_code: int
    complete: bool = True
    """Whether everything was asked that was to be; an answer may still be "unknown"."""
    not_done: list[str] = []
    """What was not asked, and why."""


def encode(document: Document) -> str:
    """The text of a document, without a final newline."""
    return msgspec.json.format(msgspec.json.encode(_held(msgspec.to_builtins(document))), indent=2).decode()


def document(command: str, exit_code: int, missing: Sequence[str] = (), **rest: Any) -> str:
    """The text of a document whose other keys are plain dictionaries and lists; without a final newline."""
    head = {"visaproof": __version__, "schema": SCHEMA, "command": command, "exit_code": int(exit_code)}
    head |= {"complete": not missing, "not_done": list(missing)}
    return json.dumps(_held(head | rest), indent=2)


def _held(value: Any) -> Any:
    """The value with each text in it as JSON can hold it."""
    match value:
        case str():
            return shown_path(value)
        case dict():
            return {_held(key): _held(each) for key, each in cast(dict[Any, Any], value).items()}
        case list() | tuple():
            return [_held(each) for each in cast(list[Any], value)]
        case _:
            return value


def shown_path(path: Path | str) -> str:
    """A path, or a text with one, as JSON can hold it: bytes that are no UTF-8 are escaped."""
    return str(path).encode(errors="backslashreplace").decode()
