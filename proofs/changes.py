"""How a wrong variant is made of a subject: other accesses, or the same ones elsewhere."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Access, Cell


def changed(subject: Subject, name: str, change: Callable[[Access], Access]) -> Subject:
    return subject.with_variant(name, tuple(change(access) for access in subject.accesses))


def moved(subject: Subject, name: str, cells: Iterable[Cell]) -> Subject:
    """The accesses at other cells, with the bounds of where they are now."""
    moved: list[Access] = []
    for access, cell in zip(subject.accesses, cells, strict=True):
        if len(cell) == 1:
            inside = subject.state.buffer(subject.surface).contains(cell[0], access.width)
        else:
            inside = subject.state.image(subject.surface).contains(*cell)
        moved.append(replace(access, cell=cell, inside=inside))
    return subject.with_variant(name, tuple(moved))
