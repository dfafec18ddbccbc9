"""What two kernels access that other threads see: on which side of a barrier or a fence, and how it is cached."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from visaproof.decode.cache_options import Caches, are_as_strong, are_compared, caches_of
from visaproof.program.statements import Origin
from visaproof.queries.kernels.surface_names import itself
from visaproof.smt import BitVec

Key = tuple[str, str, BitVec]

LOAD, ATOMIC = "load", "atomic"


class Touched(Struct, frozen=True):
    """An access of one lane, or of the whole thread."""

    surface: str
    """With the barriers and fences before it."""
    kind: str
    """A load, a store or an atomic."""
    cell: BitVec
    instruction: Origin

    @property
    def caches(self) -> Caches | None:
        """How the caches treat the message."""
        return caches_of(self.instruction)

    @property
    def key(self) -> Key:
        """What it is, wherever it stands."""
        return itself(self.surface), self.kind, self.cell

    def __str__(self) -> str:
        return f"the {self.kind} at {self.instruction.position}"


def crossings(source: Sequence[Touched], target: Sequence[Touched]) -> Iterator[tuple[Touched, Touched]]:
    """Accesses of the source, and the same of the target that stand between other barriers, fences and atomics."""
    known: dict[Key, dict[_Place, Touched]] = {}
    for place, one in _places(source):
        known.setdefault(one.key, {}).setdefault(place, one)
    told: set[object] = set()
    for place, one in _places(target):
        before = known.get(one.key, {})
        if before and place not in before and one.instruction.position not in told:
            told.add(one.instruction.position)
            yield next(iter(before.values())), one


_Place = tuple[str, int]
"""Behind which barriers and fences something stands, and how many atomics."""


def _places(accesses: Sequence[Touched]) -> Iterator[tuple[_Place, Touched]]:
    """Where each access stands; loads may be moved over atomics, and of one message all lanes come at once."""
    atomics: dict[object, None] = {}
    for one in accesses:
        if one.kind == ATOMIC:
            atomics[one.instruction.position] = None
        yield (one.surface, 0 if one.kind == LOAD else len(atomics)), one


def weakened(
    source: Sequence[Touched], target: Sequence[Touched], one_device: bool
) -> Iterator[tuple[Touched, Touched]]:
    """Accesses of the source, and the same of the target, or one of that surface, that other threads may see later."""
    for one, other in _pairs(source, target):
        if not are_as_strong(other.caches, one.caches, one_device):
            yield one, other


def on_unlike_caches(source: Sequence[Touched], target: Sequence[Touched], one_device: bool) -> bool:
    """Whether some access stands for one of which it is not known what the caches do with either."""
    return any(not are_compared(other.caches, one.caches, one_device) for one, other in _pairs(source, target))


def _pairs(source: Sequence[Touched], target: Sequence[Touched]) -> Iterator[tuple[Touched, Touched]]:
    """Each access of the target with those of the source of the same cell, or else of the same surface."""
    of_cell: dict[Key, dict[object, Touched]] = {}
    of_surface: dict[tuple[str, str], dict[object, Touched]] = {}
    for one in source:
        words = one.caches
        of_cell.setdefault(one.key, {}).setdefault(words, one)
        of_surface.setdefault(one.key[:2], {}).setdefault(words, one)
    told: set[object] = set()
    for other in target:
        found = of_cell.get(other.key) or of_surface.get(other.key[:2], {})
        for words, one in found.items():
            about = words, other.instruction.position
            if about not in told:
                told.add(about)
                yield one, other
