"""Errors as a user sees them: what, where, and what to do about it; never a traceback."""

import sys
from pathlib import Path

from visaproof.cli.options.exit_codes import ExitCode
from visaproof.isa.errors import (
    IllegalInstruction,
    LimitReached,
    NotModelled,
    Position,
    ReadError,
    SolversDisagree,
    UndefinedBehavior,
)

REPORT = "This is a bug of visaproof; please report it.  VISAPROOF_DEBUG=1 shows where it happened."
DISAGREE_HINT = (
    "no verdict of this question counts; `prove --emit smt2 DIR` writes the questions of claims for a report"
)
MAX_SHOWN_FILE = 16 * 1024 * 1024
"""Bytes of a file that is opened again to show one of its lines."""


class UsageError(Exception):
    """The command line asks for something that is not there; `hint` says what is."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def show_error(error: BaseException) -> ExitCode:
    """Prints the error to stderr and gives the exit code that goes with it."""
    match error:
        case UsageError():
            _say(f"error: {error.message}", error.hint)
            return ExitCode.USAGE
        case ReadError():
            show_read_error(error)
            return ExitCode.USAGE
        case NotModelled():
            _say(f"error: not modelled: {error}")
            return ExitCode.NOT_MODELLED
        case SolversDisagree():
            notes = "".join(f"\n  {note}" for note in getattr(error, "__notes__", ()))
            _say(f"error: solvers disagree: {error}{notes}", DISAGREE_HINT)
            return ExitCode.DISAGREEMENT
        case OSError(strerror=str(reason)):
            _say(f"error: {f'{error.filename}: ' if error.filename else ''}{reason}")
            return ExitCode.USAGE
        case Exception() if type(error).__name__ == "ClaimError":  # its module need not be loaded for that
            _show_claim_error(error)
            return ExitCode.USAGE
        case _:
            _say(f"internal error: {_described(error)}\n{REPORT}")
            return ExitCode.INTERNAL


def _show_claim_error(error: BaseException) -> None:
    """An error of who wrote a claim: where it is, and how it came there."""
    claim, trace = str(getattr(error, "claim", "")), str(getattr(error, "trace", ""))
    _say("\n".join([f"error: {error}", *([f"  while asking {claim}"] if claim else []), *([trace] if trace else [])]))


def _described(error: BaseException) -> str:
    kind = "" if isinstance(error, IllegalInstruction | UndefinedBehavior) else f"{type(error).__name__}: "
    return "\n".join([f"{kind}{error}", *getattr(error, "__notes__", ())])


def show_read_error(error: ReadError, lines: tuple[str, ...] | None = None) -> None:
    """`error: file:line:column: message`, the line itself with a caret, and the hint."""
    _say("\n".join([f"error: {error.position}: {error.message}", *_excerpt(error.position, lines)]), error.hint)


def not_asked(path: Path, reached: LimitReached) -> ReadError:
    """Shows that the limit was reached before a file was through, and what a report keeps of it."""
    _say(f"{path}: not asked: {reached}")
    return ReadError(f"not asked: {reached}", Position(str(path), 1, 1))


def _excerpt(position: Position, lines: tuple[str, ...] | None) -> list[str]:
    from visaproof.report.text.excerpt import excerpt, lines_of

    return excerpt(lines if lines is not None else lines_of(Path(position.path), MAX_SHOWN_FILE), position)


def _say(message: str, hint: str = "") -> None:
    from visaproof.report.text.hints import fitting

    sys.stdout.flush()
    message, hint = fitting(message) or message, fitting(hint)
    hint = f"\n  hint: {hint}" if hint else ""
    if sys.stderr.isatty():
        from visaproof.cli.options.wrapping import wrapped_to_terminal

        hint = wrapped_to_terminal(hint)
    print(message + hint, file=sys.stderr)


def make_folder(folder: Path) -> None:
    """Makes the folder of an option, before anything is computed that goes there.  Raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from None


def proposal(word: str, known: list[str], count: int = 3) -> str:
    """A hint with the known words most like `word`, or ""."""
    from difflib import get_close_matches

    close = get_close_matches(word, known[:20_000], n=count, cutoff=0.4) if len(word) <= 200 else []
    return f"did you mean {' or '.join(close)}?" if close else ""
