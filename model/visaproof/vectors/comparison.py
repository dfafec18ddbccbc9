"""What other implementations did, as before/after vectors, held against both writings of the pages.

A file has one JSON object on each line (see `vector_rows.Row`), and may be compressed with gzip.
"""

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

import msgspec
from msgspec import Struct

from visaproof.checking.runs import claimed
from visaproof.checking.states import changes
from visaproof.checking.symbolise import symbolised
from visaproof.instructions import TypedAtomic
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.errors import IllegalInstruction, NotModelled, Position, ReadError, UndefinedBehavior
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.vectors.rows import SURFACE, Row, Trial
from visaproof.vectors.trials import trials
from visaproof.visaasm.file_content import opened

MAX_LINE_BYTES = 1024 * 1024
MAX_FILE_BYTES = 1024 * 1024 * 1024
"""Of the text, not of the compressed file: a small file may hold a huge text."""

UNSETTLED_TAGS = {
    "fp_nan": "NaN, on which the sources differ (D29)",
}


class Agrees(Struct, frozen=True):
    """`execute` and the footprint both leave what the vector has."""


class Disagrees(Struct, frozen=True):
    """The first place where they do not."""

    where: str


class NotComparable(Struct, frozen=True):
    """The vector says nothing about the page as visaproof reads it."""

    reason: str


Answer = Agrees | Disagrees | NotComparable


# ---------------------------------------------------------------- files


def read_rows(path: Path) -> Iterator[tuple[Position, Row]]:
    """The vectors of a file, with their lines.  Raises ReadError at the first that is none."""
    line = 0
    try:
        with opened(path) as raw, gzip.open(raw) if path.suffix == ".gz" else raw as stream:
            for line, text in _lines(stream, path):
                if text.strip():
                    yield Position(str(path), line, 1), _row(text)
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(getattr(error, "strerror", None) or str(error), Position(str(path), line + 1, 1)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"not a vector: {error}", Position(str(path), line, 1)) from error


def _lines(stream: BufferedIOBase, path: Path) -> Iterator[tuple[int, bytes]]:
    total = number = 0
    while text := stream.readline(MAX_LINE_BYTES + 1):
        number, total = number + 1, total + len(text)
        if len(text) > MAX_LINE_BYTES or total > MAX_FILE_BYTES:
            what = f"a line of more than {MAX_LINE_BYTES} bytes" if len(text) > MAX_LINE_BYTES else "too long a file"
            raise ReadError(what, Position(str(path), number, 1), "a vector is one line of JSON")
        yield number, text


def _row(text: bytes) -> Row:
    return msgspec.json.decode(text, type=Row)


# ---------------------------------------------------------------- comparison


def compare(row: Row, position: Position) -> Answer:
    """What the vector says about both writings.  Raises ReadError where it makes no sense."""
    unsettled = [reason for tag, reason in UNSETTLED_TAGS.items() if tag in row.tags]
    if unsettled:
        return NotComparable(unsettled[0])
    try:
        differences = [_tried(trial) for trial in _legal_trials(row, position)]
    except NotModelled as error:
        return NotComparable(f"not modelled: {error.what}")
    except IllegalInstruction as error:
        return NotComparable(f"illegal: {error}")
    except UndefinedBehavior:
        return NotComparable("undefined on the page")
    found = next((difference for difference in differences if difference), None)
    if found is None:
        return Agrees()
    if "collide" in row.tags and row.instr == TypedAtomic.spec.mnemonic:
        return NotComparable("lanes on one texel may have acted in another order (D30)")
    return Disagrees(found)


def _legal_trials(row: Row, position: Position) -> list[Trial]:
    try:
        made = trials(row)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise ReadError(f"no state for this vector: {type(error).__name__}: {error}", position) from error
    for trial in made:
        trial.instruction.validate(trial.before.platform)
    return made


def _tried(trial: Trial) -> str | None:
    """Where the vector and one of the writings part.  Raises UndefinedBehavior where both call it undefined."""
    after = trial.before.copy()
    undefined: UndefinedBehavior | None = None
    try:
        trial.instruction.execute(after)
    except UndefinedBehavior as reason:
        undefined = reason
    state, values = symbolised(trial.before)
    accesses, rest = list(trial.instruction.footprint(state)), undefined_bytes_of(trial.instruction, state)
    claim = claimed(accesses, trial.instruction.spec.collision_undefined, values, trial.before, rest)
    if undefined is not None and claim.undefined is not None:
        raise undefined
    if undefined is not None or claim.undefined is not None:
        return f"only one writing is undefined: {undefined or claim.undefined}"
    if changes(trial.before, after) != claim:
        return "execute and the footprint leave different states"
    return _difference(trial, after)


def _difference(trial: Trial, after: ConcreteState) -> str | None:
    for expected in trial.dst:
        place = slice(expected.start, expected.start + expected.width)
        observed = int.from_bytes(after.registers["VD"][place], "little")
        if observed != expected.value:
            return f"dst byte {expected.start}: {expected.value:#x} in the vector, {observed:#x} by the page"
    if trial.memory is None:
        return None
    other = ConcreteState(after.platform, surfaces={SURFACE: trial.memory})
    mine = ConcreteState(after.platform, surfaces={SURFACE: after.surfaces[SURFACE]})
    for place, value in changes(mine, other).changes.items():
        return f"{place}: {value} in the vector, something else by the page"
    return None
