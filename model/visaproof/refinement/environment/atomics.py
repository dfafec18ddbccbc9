"""What the atomics of a run bring and leave, where nothing left open decides it: neither choices nor an order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.instructions.dword_atomic import integer_new_value
from visaproof.isa.atomics import FLOAT_OPS, AtomicOp
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import UnitStore, after
from visaproof.smt import BitVec, Term, const, is_false, value_of
from visaproof.smt.substitution import substitute_all

Content = Callable[[str, BitVec, int], int]
"""What a surface holds before the run, at a cell that is a number, in so many bytes."""


class _Lane(Struct, frozen=True):
    """One lane of an atomic, with numbers where they are known."""

    happens: bool | None
    """Whether it is an event: else nobody asks for it, or it only reads."""
    cell: int | None
    sources: tuple[int, int] | None


class _Open(Struct, frozen=True):
    """A result that is not known: of which lane, and whether it is what the lane leaves or what it brings."""

    result: Term
    lane: int
    which: str


def settle(memory: SharedMemory, known: dict[Term, Term], content: Content) -> bool:
    """Adds to what is `known` results of atomics that follow from it; whether there were any."""
    messages: dict[tuple[object, ...], list[_Open]] = {}
    for result, operation in memory.operations.items():
        if result not in known and isinstance(operation, tuple) and operation[:1] == ("atomic",):
            *message, lane, which = cast(tuple[Any, ...], operation)
            messages.setdefault(tuple(message), []).append(_Open(result, lane, which))
    before = len(known)
    for message, results in messages.items():
        known |= dict(_settled(message, results, known, content))
    return len(known) > before


def _settled(
    message: tuple[Any, ...], results: Sequence[_Open], known: Mapping[Term, Term], content: Content
) -> Iterator[tuple[Term, Term]]:
    """The results of a message and what they are."""
    _, _, surface, kinds, terms, before = message
    if any(op in FLOAT_OPS for op, _, _ in kinds):
        return
    lanes = list(_lanes(terms, known))
    stores = _known_stores(dict(before).get(surface, ()), known)
    for one in results:
        lane, (op, returns_new, width) = lanes[one.lane], kinds[one.lane]
        others = [other.cell for place, other in enumerate(lanes) if place != one.lane and other.happens is not False]
        if lane.cell is None or lane.happens is None or None in others or lane.cell in others:
            continue
        value = _old(surface, const(lane.cell, terms[one.lane][3].width), stores, width, content)
        if value is not None and lane.happens and (one.which == "after" or returns_new):
            value = _new(cast(AtomicOp, op), value, lane.sources, 8 * width)
        if value is not None:
            yield one.result, const(value, one.result.width)


def _new(op: AtomicOp, old: int, sources: tuple[int, int] | None, bits: int) -> int | None:
    return None if sources is None else integer_new_value(op, old, *sources, bits) % (1 << bits)


def _known_stores(stores: Sequence[UnitStore], known: Mapping[Term, Term]) -> list[UnitStore]:
    """The stores with what is known, without those that do not happen."""
    terms = substitute_all([term for one in stores for term in (one.guard, one.cell, one.value)], known)
    found = (
        replace(one, guard=guard, cell=cell, value=value)
        for one, (guard, cell, value) in zip(stores, zip(*[iter(cast(list[Any], terms))] * 3, strict=True), strict=True)
    )
    return [one for one in found if not is_false(one.guard)]


def _lanes(terms: Sequence[Sequence[Term]], known: Mapping[Term, Term]) -> Iterator[_Lane]:
    for guard, inside, _, cell, src0, src1 in terms:
        happens = [value_of(one) for one in substitute_all((guard, inside), known)]
        place, *sources = (value_of(one) for one in substitute_all((cell, src0, src1), known))
        acts = False if 0 in happens else None if None in happens else True
        yield _Lane(acts, place, None if None in sources else cast(tuple[int, int], tuple(sources)))


def _old(surface: str, cell: BitVec, stores: Sequence[UnitStore], width: int, content: Content) -> int | None:
    """What is there before; a message whose unit is smaller than an atomic is not looked into."""
    if any(store.value.width != 8 * width for store in stores):
        return None
    return value_of(after(stores, cell, const(content(surface, cell, width), 8 * width)))
