"""`visaproof.toml`: what is stated of kernels, so that nobody has to type it for each run."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from visaproof.cli.options.errors import UsageError, proposal
from visaproof.isa.errors import Position, ReadError
from visaproof.launch.beside import NO_LAUNCH

FILE = "visaproof.toml"
MOST_BYTES = 1 << 20
OPTIONS = ("launch", "size", "where", "input", "local-size", "global-size", "host", "assume", "align", "platform")
"""What may be stated of a kernel; a command without such an option leaves it out."""
REPEATED = ("size", "where", "input")
FILES = "files"
HINT = 'as in:  [[kernel]]  files = "dumps/blur*.visaasm"  launch = "dumps/k.bin"  size = ["in=4*n"]'


class Entry(Struct, frozen=True):
    """Options of the files that match a pattern."""

    pattern: str
    options: tuple[tuple[str, str], ...]


def add_config(parser: ArgumentParser) -> None:
    """The option that names the file."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE",
        help=f"what is stated of kernels: {', '.join(OPTIONS)} (default: {FILE} of this folder, if it is there)",
    )  # fmt: skip


def entries_of(arguments: Namespace) -> list[Entry]:
    """Those of the file that is named, or is there.  Raises ReadError."""
    path: Path | None = arguments.config
    if path is None and not Path(FILE).is_file():
        return []
    import tomllib

    from visaproof.visaasm.file_content import content_of

    path = path or Path(FILE)
    start = Position(str(path), 1, 1)
    try:
        document = tomllib.loads(content_of(path, MOST_BYTES).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"not TOML: {error}", start, HINT) from None
    kernels = document.pop("kernel", [])
    if document or not isinstance(kernels, list):
        raise ReadError(f"only [[kernel]] may stand here, not {', '.join(document) or 'another kernel'}", start, HINT)
    return [_entry(one, path, start) for one in cast("list[Any]", kernels)]


def _entry(one: Any, path: Path, start: Position) -> Entry:
    if not isinstance(one, dict) or not isinstance(one.get(FILES), str):  # pyright: ignore[reportUnknownMemberType]
        raise ReadError(f"a kernel without {FILES}", start, HINT)
    fields = dict(cast("dict[str, Any]", one))
    pattern = fields.pop(FILES)
    if unknown := sorted(set(fields) - set(OPTIONS)):
        hint = proposal(unknown[0], list(OPTIONS), 1) or f"one of {', '.join(OPTIONS)}"
        raise ReadError(f"kernel {pattern}: no such option: {unknown[0]}", start, hint)
    return Entry(pattern, tuple(_words(fields, path, start)))


def _words(fields: dict[str, Any], path: Path, start: Position) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        values: list[Any] = [value]
        if isinstance(value, list) and name in REPEATED:
            values = cast("list[Any]", value)
        for each in values:
            if not isinstance(each, str | int) or isinstance(each, bool):
                raise ReadError(f"{name}: {each!r} is no text", start, HINT)
            text = str(each)
            yield name, str(path.parent / text) if name == "launch" and text != str(NO_LAUNCH) else text


def _parsed(command: str, words: list[str]) -> dict[str, Any]:
    """The options of a command, read as on its command line.  Raises UsageError where one is wrong."""
    from visaproof.cli.parser import UsageStop, parsed

    try:
        return vars(cast(Namespace, parsed([command, *words, "FILE"], [command])))
    except UsageStop as stop:
        raise UsageError(f"{FILE}: {stop.message}", stop.hint) from None


def stated_of(path: Path, entries: list[Entry], arguments: Namespace) -> dict[str, Any]:
    """What is stated of a file, as the command's own options: a later entry is stronger, the command line strongest."""
    from visaproof.cli import options_of

    words: list[str] = []
    for one in entries:
        if fnmatch(str(path), one.pattern) or fnmatch(path.name, one.pattern):
            words += [f"--{name}={value}" for name, value in one.options]
    known = options_of(arguments.command)
    words = [word for word in words if word.partition("=")[0] in known]
    if not words:
        return {}
    plain, own = _parsed(arguments.command, []), _parsed(arguments.command, words)
    found: dict[str, Any] = {}
    for word in words:
        name = word.partition("=")[0].removeprefix("--").replace("-", "_")
        said = vars(arguments)[name]
        if isinstance(said, list):
            found[name] = _once([*own[name], *cast("list[Any]", said)])
        else:
            found[name] = own[name] if said == plain[name] else said
    return found


def _once(values: list[Any]) -> list[Any]:
    """Each value where it comes last: the command line may say what the file says, too."""
    return [one for at, one in enumerate(values) if one not in values[at + 1 :]]


def with_stated_of_pair(arguments: Namespace, entries: list[Entry], source: Path, target: Path | None) -> Namespace:
    """With what is stated of the source; of the target, its launch counts.  Raises UsageError."""
    if not entries:
        return arguments
    own = stated_of(source, entries, arguments)
    launch = None if target is None else stated_of(target, entries, arguments).get("launch")
    if arguments.launch_target is None and arguments.launch is None:
        own["launch_target"] = launch
    return Namespace(**(vars(arguments) | own))
