"""A counterexample as a small JSON file that replays on `execute` alone.  Format: counterexamples/README.md."""

from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from visaproof.checking.claims.kernels_apart import APART, with_kernels, with_kernels_apart
from visaproof.isa.errors import Position, ReadError
from visaproof.launch.relations.obeyed_relations import ObeyedRelation
from visaproof.visaasm.file_content import content_of, place_in_json

FORMAT = 1
"""The version of the format, where a file holds its kernels."""
READABLE = (FORMAT, APART)
"""The versions that a reader takes; it refuses any other."""

Violation = Literal[
    "claim-differs", "orders-differ", "two-winners", "lanes-collide", "outside", "undefined", "unwritten", "claim-fails"
]
"""How the runs show the violation: what was claimed is not what `execute` does; two orders end differently; two
lanes win one compare-and-exchange; two lanes of a scatter write one byte; a lane reaches outside its surface; a
message of a kernel is undefined; what a kernel leaves hangs on uninitialised bits; a claim of the user's is false of
what the instructions do."""


DOES_NOT_REFINE: Literal["does-not-refine"] = "does-not-refine"
"""The violation of a file with two kernels: `refinement.record`."""


class SurfaceState(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A buffer has a size and bytes by address; a typed surface has extents by level and texels by "u,v,r,lod"."""

    size: int | None = None
    levels: list[tuple[int, int, int]] | None = None
    contents: dict[str, str] = {}
    buffers: dict[str, int] = {}
    """Of the 64-bit address space: where the buffers of the launch begin, and their bytes."""


class PredicateState(msgspec.Struct, forbid_unknown_fields=True):
    """`bits` as a hexadecimal number, lane 0 in bit 0."""

    count: int
    bits: str


class State(msgspec.Struct, forbid_unknown_fields=True):
    """Registers as hexadecimal bytes, lowest address first; what is not named is zero."""

    exec_mask: str
    registers: dict[str, str]
    predicates: dict[str, PredicateState]
    surfaces: dict[str, SurfaceState]


class Outcome(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What a run leaves: `undefined` says why the run is undefined, else `changes` lists every changed place."""

    undefined: str | None = None
    changes: dict[str, str] = {}


class Run(msgspec.Struct, forbid_unknown_fields=True):
    """The program executed once for each execution mask in `steps`, and what that leaves."""

    steps: list[str]
    outcome: Outcome


class Counterexample(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One finding: a program, the smallest initial state, and the runs that show it."""

    format: int = msgspec.field(default_factory=lambda: FORMAT)
    claim: str
    """The id of the query that failed."""
    shows: str
    """In words, what the runs show."""
    violation: Violation
    variant: str = ""
    """The wrong variant whose outcome is `claimed`; where it is left out, that is what the page says."""
    under: list[str] = []
    """Of a variant that is another reading: its answers, as NAME=VALUE.  `execute` leaves `claimed` under them."""
    platform: str
    readings: list[str] = []
    solver: str = ""
    program: list[str]
    """A `.visaasm` file, line by line."""
    state: State
    runs: list[Run]
    claimed: Outcome | None = None
    line: int = 0
    """For a whole kernel: the line of the program at which the run must end, a lane must reach outside, or
    uninitialised bits are read."""
    where: list[ObeyedRelation] = []
    """For those: the relations between arguments and the launch that the state obeys."""
    other: State | None = None
    """For those: the state before the second run, which differs from `state` in these bits alone."""

    def __repr__(self) -> str:
        return f"<Counterexample: {self.shows}>"


_S = TypeVar("_S", bound=msgspec.Struct)


def write_counterexample(counterexample: msgspec.Struct, path: Path) -> None:
    """Writes the file as a whole, indented, with a final newline.  Raises OSError, with its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text, kernels = with_kernels_apart(encoded(counterexample))
    for name, kernel in kernels.items():
        _write_whole(path.with_name(name), kernel)
    _write_whole(path, text + b"\n")


def _write_whole(path: Path, content: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def encoded(counterexample: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(counterexample), indent=2)


MAX_FILE_BYTES = 16 * 1024 * 1024
"""A counterexample is small; a larger file is not one."""


def read_counterexample(path: Path) -> Counterexample:
    """Reads a file.  Raises ReadError where it is none, or of another format version."""
    return decoded(path, Counterexample)


def decoded(path: Path, kind: type[_S]) -> _S:
    """What a file of this kind holds.  Raises ReadError where it is none, or of another format version."""
    data = read_bytes(path)
    if _decode(data, _Kind, path).format not in READABLE:
        version, known = _decode(data, _Kind, path).format, " and ".join(map(str, READABLE))
        raise ReadError(f"format {version}, but this visaproof reads format {known}", Position(str(path), 1, 1))
    return _decode(with_kernels(data, path), kind, path)


def violation_of(path: Path) -> str:
    """The kind of finding that a file says it is; empty where it says none.  Raises ReadError."""
    return _decode(read_bytes(path), _Kind, path).violation


class _Kind(msgspec.Struct):
    violation: str = ""
    format: int = FORMAT


def read_bytes(path: Path) -> bytes:
    """The bytes of a small file.  Raises ReadError."""
    return content_of(path, MAX_FILE_BYTES, "a counterexample is a small JSON file")


def _decode(data: bytes, kind: type[_S], path: Path) -> _S:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "the format is described in counterexamples/README.md"
        raise ReadError(f"not a counterexample: {error}", place_in_json(data, str(path), error), hint) from error
