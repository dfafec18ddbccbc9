"""An error of who wrote a claim, told as theirs: the file, the line, and the traceback from there on."""

from collections.abc import Callable
from pathlib import Path
from traceback import FrameSummary, TracebackException, extract_tb, format_list

from visaproof.isa.errors import NotModelled, ReadError
from visaproof.queries.query import Query

ROOT = Path(__file__).parents[2]
"""The package: a frame of a file in it is ours, unless the file is one of claims."""
SHIPPED = ROOT / "_proofs"


class ClaimError(Exception):
    """What a claim, or the module that holds it, raised.  Its text is `file:line: kind: message`."""

    def __init__(self, text: str, trace: str = "", claim: str = "") -> None:
        super().__init__(text, trace, claim)
        self.text = text
        self.trace = trace
        """Of the claim's own file and what that calls; empty where the line says all there is."""
        self.claim = claim

    def __str__(self) -> str:
        return self.text


def query_of(ask: Callable[[], object], claim: str) -> Query:
    """The query that a claim returns.

    Raises ClaimError for what else it returns, and for what it raises, except for what visaproof says about a text
    (ReadError) and about what it has no semantics for (NotModelled).
    """
    try:
        query = ask()
    except (ReadError, NotModelled):
        raise
    except (Exception, SystemExit) as error:
        raise told(error, claim) from error
    if not isinstance(query, Query):
        function = getattr(ask, "func", ask)
        code = getattr(function, "__code__", None)
        place = f"{code.co_filename}:{code.co_firstlineno}: " if code else ""
        raise ClaimError(f"{place}{claim} returns {_article(query)}, no query: end it with `return`", claim=claim)
    return query


def told(error: BaseException, claim: str = "") -> ClaimError:
    """The error of a claim's author, with the last line of theirs that led to it."""
    frames = list(extract_tb(error.__traceback__))
    if isinstance(error, SyntaxError) and error.filename and not _ours(error.filename):
        return ClaimError(f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}", claim=claim)
    own = [index for index, frame in enumerate(frames) if not _ours(frame.filename)]
    said = "".join(TracebackException.from_exception(error).format_exception_only()).strip()
    if not own:
        return ClaimError(said, claim=claim)
    last = frames[own[-1]]
    return ClaimError(f"{last.filename}:{last.lineno}: {said}", _text(frames[own[0] :]), claim)


def _ours(filename: str) -> bool:
    path = Path(filename)
    inside = path.is_relative_to(ROOT) and not path.is_relative_to(SHIPPED)
    return inside or filename.startswith("<frozen")


def _text(frames: list[FrameSummary]) -> str:
    return "Traceback (most recent call last):\n" + "".join(format_list(frames)).rstrip()


def _article(thing: object) -> str:
    return "None" if thing is None else f"a {type(thing).__name__}"
