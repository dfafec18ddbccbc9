"""What the pages allow after one instruction: for each element that it writes, a set of results.

Pages: 5_operands.md for regions and predication, 3_execution_model.md for masks, instructions/*.md for the rest.
"""

from collections.abc import Iterator

from msgspec import Struct

from benchmarks.alu_vectors import floats, integers, moves, special
from benchmarks.alu_vectors.allowed import Allowed, any_bits, either, exactly
from benchmarks.alu_vectors.modes import Mode
from benchmarks.alu_vectors.reading import enabled, on_lanes, selected_lanes, source_bits
from benchmarks.alu_vectors.types import Type
from benchmarks.alu_vectors.vector import Source, State, Target, Vector


class Element(Struct, frozen=True):
    """An element that an instruction writes."""

    variable: str
    byte: int
    bytes: int
    allowed: Allowed


class Expected(Struct, frozen=True):
    """Elements that are written; every other byte stays.  Predicate variables by name, where they change."""

    elements: tuple[Element, ...]
    predicates: dict[str, Allowed]

    @property
    def loose(self) -> int:
        """How many elements and predicates have no single result."""
        places = [*(each.allowed for each in self.elements), *self.predicates.values()]
        return sum(not allowed.single for allowed in places)


def expected(vector: Vector, state: State) -> Expected:
    """What the pages allow."""
    if vector.form in special.FORMS:
        elements, predicates = special.FORMS[vector.form](vector, state)
        return Expected(tuple(Element(*each) for each in elements), predicates)
    if vector.form == "cmp":
        return _comparison(vector, state)
    if vector.form in ("sad2", "sad2add"):
        return Expected(tuple(_sums(vector, state)), {})
    lanes = on_lanes(vector, state) if vector.form == "sel" else enabled(vector, state)
    written: list[Element] = []
    for lane in lanes:
        for target, opcode in _parts(vector):
            written.append(_at(target, lane, _result(opcode, vector, state, target.kind, lane), vector))
    return Expected(tuple(written), {})


def _parts(vector: Vector) -> Iterator[tuple[Target, str]]:
    """Every destination and what it gets."""
    yield vector.targets[0], vector.opcode
    for name, opcode in (("addc", "addc.carry"), ("subb", "subb.borrow")):
        if vector.form == name:
            yield vector.targets[1], opcode
    if vector.form == "madw":  # Page: the low halves "in the lower GRFs", the high ones "in the high GRFs"
        low = vector.targets[0]
        registers = -(-vector.size * low.stride * 4 // vector.register_bytes)
        high = low.first + registers * vector.register_bytes // 4
        yield Target(low.variable, low.kind, high, low.stride, low.indirect), "madw.high"


def _at(target: Target, lane: int, allowed: Allowed, vector: Vector) -> Element:
    # Page of LRP: "Register region is ignored for Dst, and contiguous elements will be updated".
    stride = 1 if vector.form == "lrp" else target.stride
    start = (target.first + lane * stride) * target.kind.bytes
    return Element(target.variable, start, target.kind.bytes, allowed)


def _types(vector: Vector) -> tuple[Type, ...]:
    return tuple(each.kind if isinstance(each, Source) else each.element_type for each in vector.sources)


def _result(opcode: str, vector: Vector, state: State, target: Type, lane: int) -> Allowed:
    mode, types = Mode(vector.control or 0), _types(vector)
    bits = [source_bits(vector, index, state, lane) for index in range(len(types))]
    modifiers = [each.modifier if isinstance(each, Source) else "" for each in vector.sources]
    if opcode == "plane":
        return special.plane(vector, state, lane)
    if opcode == "fcvt":
        return moves.narrowed(bits[0], types[0], target)
    if opcode in ("mov", "sel"):
        index = 0 if opcode == "mov" or lane in selected_lanes(vector, state) else 1
        return moves.moved(bits[index], types[index], modifiers[index], target, vector.saturate, mode)
    if types[0].format is None:
        whole = integers.IntegerLane(target, types, vector.saturate, vector.number)
        return integers.result(
            opcode, whole, [integers.modified(*each) for each in zip(bits, types, modifiers, strict=True)]
        )
    forms = tuple(kind.format for kind in types if kind.format is not None)
    assert target.format is not None
    real = floats.FloatLane(target.format, forms, vector.saturate, mode)
    values = [floats.modified(*each) for each in zip(bits, forms, modifiers, strict=True)]
    if opcode in ("min", "max"):
        return floats.smaller_or_larger(opcode, real, values)
    return floats.result(opcode, real, values)


def _comparison(vector: Vector, state: State) -> Expected:
    """Page: to a predicate its bit, to a general variable all ones or all zeros."""
    types = _types(vector)
    elements: list[Element] = []
    bits, free = state.predicates.get(vector.result or "", 0), 0
    for lane in enabled(vector, state):
        answers = _relation(vector, state, types, lane)
        if vector.targets:
            target = vector.targets[0]
            allowed = exactly(*(target.kind.mask if answer else 0 for answer in answers))
            elements.append(_at(target, lane, allowed, vector))
            continue
        place = 1 << (lane + vector.offset)
        bits = bits | place if answers == {True} else bits & ~place
        free |= place if len(answers) == 2 else 0
    written = {} if vector.targets else {vector.result or "": Allowed(frozenset({bits & ~free}), free)}
    return Expected(tuple(elements), written)


def _relation(vector: Vector, state: State, types: tuple[Type, ...], lane: int) -> set[bool]:
    relation = vector.suffix[1:]
    modifiers = [each.modifier if isinstance(each, Source) else "" for each in vector.sources]
    bits = [source_bits(vector, index, state, lane) for index in (0, 1)]
    if types[0].format is not None:
        forms = [kind.format for kind in types if kind.format is not None]
        values = [floats.modified(*each) for each in zip(bits, forms, modifiers, strict=True)]
        return floats.compared(relation, values, types, Mode(vector.control or 0))
    one, other = (integers.modified(*each) for each in zip(bits, types, modifiers, strict=True))
    return {{"eq": a == b, "ne": a != b, "lt": a < b, "gt": a > b, "le": a <= b, "ge": a >= b}[relation]
            for a in one for b in other}  # fmt: skip


def _sums(vector: Vector, state: State) -> Iterator[Element]:
    """SAD2 and SAD2ADD: the even element of each pair has the sum, the odd one anything."""
    types, (target,) = _types(vector), vector.targets
    on = set(enabled(vector, state))
    lane_of = integers.IntegerLane(target.kind, types, vector.saturate)
    modifiers = [each.modifier if isinstance(each, Source) else "" for each in vector.sources]

    def numbers(index: int, lane: int) -> set[int]:
        return integers.modified(source_bits(vector, index, state, lane), types[index], modifiers[index])

    for lane in range(0, vector.size, 2):
        sums = {abs(a - b) + abs(c - d) + extra
                for a in numbers(0, lane) for b in numbers(1, lane)
                for c in numbers(0, lane + 1) for d in numbers(1, lane + 1)
                for extra in (numbers(2, lane) if vector.form == "sad2add" else {0})}  # fmt: skip
        if lane in on:
            yield _at(target, lane, either(integers.stored(number, lane_of) for number in sums), vector)
        if lane in on or lane + 1 in on:
            yield _at(target, lane + 1, any_bits(target.kind.bits), vector)
