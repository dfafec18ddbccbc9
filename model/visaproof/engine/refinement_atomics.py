"""What the atomics of a run bring and leave, where nothing left open decides it: neither choices nor an order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from visaproof.instructions.dword_atomic import integer_new_value
from visaproof.isa.atomics import FLOAT_OPS, AtomicOp
from visaproof.queries.refinement_stores import UnitStore, after
from visaproof.queries.shared_memory import SharedMemory
from visaproof.smt import BitVec, Term, const, substitute, value_of
from visaproof.smt.evaluate import substitute_all

Content = Callable[[str, BitVec, int], int]
"""What a surface holds before the run, at a cell that is a number, in so many bytes."""


@dataclass(frozen=True, slots=True)
class _Lane:
    """One lane of an atomic, on numbers."""

    happens: bool
    """Whether it is an event: else nobody asks for it, or it only reads."""
    cell: int | None
    src0: int
    src1: int


def settle(memory: SharedMemory, known: dict[Term, Term], content: Content) -> bool:
    """Adds to what is `known` results of atomics that follow from it; whether there were any."""
    more, messages = False, dict[tuple[object, ...], list[_Lane | None]]()
    for result, operation in memory.operations.items():
        if result not in known and isinstance(operation, tuple) and operation[:1] == ("atomic",):
            message = cast(tuple[Any, ...], operation)
            if message[1:5] not in messages:
                messages[message[1:5]] = list(_lanes(message[4], known))
            value = _settled(message, messages[message[1:5]], known, content)
            if value is not None:
                known[result], more = const(value, result.width), True
    return more


def _settled(
    operation: tuple[Any, ...], lanes: Sequence[_Lane | None], known: Mapping[Term, Term], content: Content
) -> int | None:
    _, _, surface, kinds, terms, before, index, which = operation
    op, returns_new, width = kinds[index]
    acting = [lane.cell for lane in lanes if lane and lane.happens]
    if None in lanes or len(set(acting)) < len(acting) or op in FLOAT_OPS:
        return None
    one = cast(_Lane, lanes[index])
    if one.cell is None or (not one.happens and one.cell in acting):
        return None
    old = _old(surface, const(one.cell, terms[index][3].width), dict(before).get(surface, ()), width, known, content)
    if old is None or not one.happens:
        return old
    new = integer_new_value(cast(AtomicOp, op), old, one.src0, one.src1, 8 * width) % (1 << 8 * width)
    return new if which == "after" or returns_new else old


def _lanes(terms: Sequence[Sequence[Term]], known: Mapping[Term, Term]) -> Iterator[_Lane | None]:
    """None for a lane that depends on what is not known."""
    for guard, inside, _, cell, src0, src1 in terms:
        happens = [value_of(one) for one in substitute_all((guard, inside), known)]
        if 0 in happens:
            yield _Lane(False, value_of(substitute(cell, known)), 0, 0)
            continue
        values = [value_of(one) for one in substitute_all((cell, src0, src1), known)]
        if None in happens or None in values:
            yield None
        else:
            yield _Lane(True, *cast(list[int], values))


def _old(
    surface: str, cell: BitVec, stores: Sequence[UnitStore], width: int, known: Mapping[Term, Term], content: Content
) -> int | None:
    """What is there before; a message whose unit is smaller than an atomic is not looked into."""
    if any(store.value.width != 8 * width for store in stores):
        return None
    start = const(content(surface, cell, width), 8 * width)
    return value_of(substitute(after(stores, cell, start), known))
