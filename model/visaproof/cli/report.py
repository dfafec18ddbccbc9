"""`visaproof report`: one page of many results, that a browser opens from a file."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.options.errors import UsageError
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.isa.errors import Position, ReadError

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

MOST_BYTES = 2**30
SCHEMA_HINT = "`--format json` or `--output json:FILE` of another command writes one"

EPILOG = """examples:
  visaproof conflicts dumps --output json:conflicts.json
  visaproof bounds dumps --output json:bounds.json
  visaproof report conflicts.json bounds.json -o page.html
  visaproof report tv.json -o tv.html --title 'compiler of today'
  visaproof conflicts dumps --output html:page.html    the same at once, of one command

The page needs no network.  It has the counts of verdicts, filters by verdict, command and text, and for each result the
source line, a picture of lanes and bytes where something was found, the command that shows it, and what it rests on.
Keys: / text, arrows or j and k from result to result, Enter opens one.  A browser prints what is filtered.
Documents of conflicts, bounds, check, triage, refine, ocloc, tv, prove, rules and run are taken.

exit codes: 0 done (whatever the results are), 2 a file that cannot be read or is no result."""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "report",
        help="one HTML page of many results",
        description="Makes one HTML page of what other commands wrote under --format json.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="JSON of another command")
    parser.add_argument("-o", "--output", metavar="PAGE", type=_page, help="the page (default: stdout)")
    parser.add_argument("--title", default="", metavar="TEXT", help="of the page")


def _page(text: str) -> Path:
    """`html:page.html` is what other commands take."""
    return Path(text.removeprefix("html:"))


def run(arguments: Namespace) -> int:
    """Reads all files, then writes the page whole or not at all."""
    from visaproof.report.page.page import page_of
    from visaproof.report.results.outputs import write_whole

    page = page_of([_read(path) for path in arguments.files], arguments.title)
    if arguments.output is None:
        sys.stdout.write(page)
    else:
        try:
            write_whole(arguments.output, page)
        except OSError as error:
            raise UsageError(f"{arguments.output}: {error.strerror}") from None
    return ExitCode.OK


def _read(path: Path) -> dict[str, Any]:
    """A document.  Raises ReadError for a file that is none, or that is damaged."""
    import json

    import msgspec

    from visaproof.report.page.page import NoEntries, entries_of
    from visaproof.report.text.documents import SCHEMA
    from visaproof.visaasm.file_content import content_of, place_in_json

    content, start = content_of(path, MOST_BYTES), Position(str(path), 1, 1)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"not JSON: {error}", place_in_json(content, str(path), error), SCHEMA_HINT) from None
    if not isinstance(document, dict) or not {"visaproof", "schema", "command"} <= set(document):  # pyright: ignore[reportUnknownArgumentType]
        raise ReadError("JSON, but no result of visaproof", start, SCHEMA_HINT)
    if document["schema"] != SCHEMA:
        raise ReadError(f"a result of schema {document['schema']}, not {SCHEMA}", start, "ask again with this version")
    try:
        list(entries_of(document))  # pyright: ignore[reportUnknownArgumentType]
    except NoEntries as error:
        raise ReadError(f"`visaproof {error}` gives no results for a page", start, SCHEMA_HINT) from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, msgspec.ValidationError) as error:
        raise ReadError(f"a damaged result: {type(error).__name__}: {error}", start, SCHEMA_HINT) from None
    return document  # pyright: ignore[reportUnknownVariableType]
