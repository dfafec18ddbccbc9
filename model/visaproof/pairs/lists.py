"""Pairs of kernels of which is asked whether one refines the other, as a list names them."""

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.file_content import content_of, place_in_json

MAX_LIST_BYTES = 16 * 1024 * 1024
FORMAT_HINT = 'a list of {"source": FILE, "target": FILE} or of {"kernel": K, "a": VARIANT, "b": VARIANT}'


NO_CLASS = "of no class"
"""The class of a pair of which the list says none."""


class Pair(Struct, frozen=True):
    """Two files, with short names for them, and what the inputs of each hold."""

    group: str
    """Under which it is counted: the class of a list, or the kernel."""
    source: Path
    target: Path
    source_name: str
    target_name: str
    launch: Path | None = None
    launch_target: Path | None = None
    flow: str = ""
    """straight, branches or loops, where the list says it."""

    @property
    def label(self) -> str:
        """For the reader: the kernel or class comes before the files, whose names the compiler may have made."""
        return f"{self.group}: {self.source_name} → {self.target_name}"

    def reversed(self) -> "Pair":
        """The other direction."""
        return replace(
            self,
            source=self.target, target=self.source, source_name=self.target_name, target_name=self.source_name,
            launch=self.launch_target, launch_target=self.launch,
        )  # fmt: skip


class _Entry(msgspec.Struct, rename={"kind": "class"}):
    """One entry of a list; fields of other names say more than is needed here."""

    kind: str = ""
    source: str = ""
    target: str = ""
    launch: str = ""
    launch_target: str = ""
    kernel: str = ""
    a: str = ""
    b: str = ""
    rewrite: str = ""
    """The kernel of `b`, where that is another."""
    straight_line: bool | None = None
    loops: int = 0


def read_pairs(path: Path, launch: Path | None, launch_target: Path | None) -> list[Pair]:
    """The pairs of a JSON list, whose files lie beside it; `launch` is for those that name none.  Raises ReadError."""
    pairs: list[Pair] = []
    for number, entry in enumerate(_decoded(path), 1):
        source, target = _names(entry, number, path)
        own = path.parent / entry.launch if entry.launch else launch
        own_target = path.parent / entry.launch_target if entry.launch_target else None
        inherited = own if entry.launch else launch_target or launch
        files = path.parent / source, path.parent / target
        names = _shown(source), _shown(target)
        pairs.append(Pair(entry.kind or NO_CLASS, *files, *names, own, own_target or inherited, _flow(entry)))
    return pairs


def _decoded(path: Path) -> list[_Entry]:
    blob = content_of(path, MAX_LIST_BYTES)
    try:
        return msgspec.json.decode(blob, type=list[_Entry])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"not a list of pairs: {error}", place_in_json(blob, str(path), error), FORMAT_HINT) from error


def _names(entry: _Entry, number: int, path: Path) -> tuple[str, str]:
    """Both files, as the list says where they are."""
    if entry.source and entry.target:
        return entry.source, entry.target
    if entry.kernel and entry.a and entry.b:
        other = entry.rewrite or entry.kernel
        return f"visaasm/{entry.kernel}/{entry.a}.visaasm", f"visaasm/{other}/{entry.b}.visaasm"
    raise ReadError(f"pair {number} does not name two files", Position(str(path), 1, 1), FORMAT_HINT)


def _shown(name: str) -> str:
    return name.removeprefix("visaasm/").removesuffix(".visaasm")


def _flow(entry: _Entry) -> str:
    if entry.straight_line is None:
        return ""
    if entry.loops:
        return "loops"
    return "straight" if entry.straight_line else "branches"
