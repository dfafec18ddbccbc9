"""Buffers that overlap, as people and programs read them: which have to be apart, and how they lie in a run."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from visaproof.isa.surface_keys import OfArgument, TableEntry, surface_key
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.sharing import SHARED, Pair
from visaproof.refinement.testing.memory import bases_of
from visaproof.refinement.verdicts import Difference
from visaproof.semantics.symbolic.names import surface_size

Naming = Callable[[str], str]
"""What a surface is called."""


def buffer_at(comparison: Comparison, found: Difference, address: int) -> tuple[str, int]:
    """A buffer that has this byte of the memory that buffers share, and where: the one that begins last before it."""
    bases = bases_of(comparison.sharing.alignments, found.values, comparison.sharing)
    inside = {name: address - base for name, base in bases.items() if 0 <= address - base < _size(found, name)}
    name = min(inside or bases, key=lambda one: (inside.get(one, 0), len(one), one))
    return name, address - bases[name]


def _size(found: Difference, name: str) -> int:
    return found.values.get(surface_size(name), 1 << 32)


def layout(comparison: Comparison, found: Difference) -> Iterator[tuple[str, str, int]]:
    """Of each buffer that overlaps one before it: itself, the other, and from which of its bytes on."""
    if SHARED not in found.memory:
        return
    bases = bases_of(comparison.sharing.alignments, found.values, comparison.sharing)
    placed: list[str] = []
    for name in sorted(bases, key=lambda one: (bases[one], one)):
        others = [one for one in placed if bases[name] < bases[one] + _size(found, one)]
        if others:
            yield name, others[0], bases[name] - bases[others[0]]
        placed.append(name)


def layout_lines(comparison: Comparison, found: Difference, name: Naming) -> Iterator[str]:
    """How the buffers lie in a run."""
    for buffer, other, offset in layout(comparison, found):
        where = f"from byte {offset:#x} on" if offset else "from its first byte on"
        yield f"{name(buffer)} is {name(other)} {where}"


def layout_json(comparison: Comparison, found: Difference) -> dict[str, Any]:
    """The same for programs."""
    rows = [{"buffer": one, "is": other, "from_byte": offset} for one, other, offset in layout(comparison, found)]
    return {"overlaps": rows} if rows else {}


def pairs_text(pairs: Sequence[Pair], name: Naming) -> Iterator[str]:
    """Each pair of buffers, in the order of their numbers."""
    for pair in pairs:
        yield " and ".join(map(name, _in_order(pair)))


def pairs_json(pairs: Sequence[Pair]) -> list[list[str]]:
    return [_in_order(pair) for pair in pairs]


def stated(pair: Pair, name: Naming) -> str:
    """What states on the command line that two buffers are apart."""
    return f"disjoint({', '.join(_short(one, name) for one in _in_order(pair))})"


def _in_order(pair: Pair) -> list[str]:
    return sorted(pair, key=lambda one: (len(one), one))


def _short(buffer: str, name: Naming) -> str:
    """An argument by its name, if it has one, or by its number."""
    named = name(buffer)
    if named != buffer:
        return named
    match surface_key(buffer):
        case OfArgument(index) | TableEntry(index):
            return str(index)
        case _:
            return buffer
