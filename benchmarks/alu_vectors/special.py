"""Oracles for the forms on predicates, states and addresses, and for PLANE.

Each returns the elements that it writes, (variable, byte, bytes, allowed), and the predicate variables.
"""

from collections.abc import Callable

from benchmarks.alu_vectors.allowed import Allowed, any_nan, either, exactly
from benchmarks.alu_vectors.modes import Mode, inputs, output, saturated
from benchmarks.alu_vectors.reading import element, on_lanes, source_bits
from benchmarks.alu_vectors.reals import Real, product, total
from benchmarks.alu_vectors.types import SINGLE
from benchmarks.alu_vectors.vector import SCALAR, Constant, Source, State, Vector

Written = tuple[list[tuple[str, int, int, Allowed]], dict[str, Allowed]]


def _logic(vector: Vector, state: State) -> Written:
    """Page: "contiguous elements are accessed starting from the offset specified by the mask control"."""
    assert vector.result is not None
    names = vector.operands.split()
    first, last = state.predicates[names[0]], state.predicates[names[-1]]
    value = {"and": first & last, "or": first | last, "xor": first ^ last, "not": ~first}[vector.opcode]
    bits = state.predicates[vector.result]
    for lane in on_lanes(vector, state):
        place = 1 << (lane + vector.offset)
        bits = bits & ~place | value & place
    return [], {vector.result: exactly(bits)}


def _setp(vector: Vector, state: State) -> Written:
    """Page: a scalar's bits from the LSB on go to the lower or upper 16 elements, to all of 32; else each one's LSB."""
    assert vector.result is not None
    bits = state.predicates[vector.result]
    count = vector.predicates[vector.result]
    covered = range(32) if vector.size == 32 else range(vector.offset, vector.offset + 16)
    (source,) = vector.sources
    scalar = isinstance(source, Constant) or source.region == SCALAR
    width = source.kind.bits if isinstance(source, Source) else source.element_type.bits
    free = 0
    for place in covered:
        if place >= count:
            break
        lane, one = place - vector.offset, 1 << place
        if lane < (width if scalar else vector.size):
            value = source_bits(vector, 0, state, 0) >> lane if scalar else source_bits(vector, 0, state, lane)
            bits = bits | one if value & 1 else bits & ~one
        else:
            free |= one  # Elements that the page updates but gives no source for.
    return [], {vector.result: Allowed(frozenset({bits & ~free}), free)}


def _predicate_value(vector: Vector, state: State) -> Written:
    """Page: element 0 at the LSB; of a variable of fewer than 16 elements the upper bits are undefined."""
    (target,) = vector.targets
    bits, count = state.predicates[vector.operands], vector.predicates[vector.operands]
    free = target.kind.mask & ~((1 << count) - 1) if count < 16 else 0
    if not on_lanes(vector, state):
        return [], {}
    allowed = Allowed(frozenset({bits & ~free}), free)
    return [(target.variable, target.first * target.kind.bytes, target.kind.bytes, allowed)], {}


def _state_index(vector: Vector, state: State) -> Written:
    """A state variable that an index was copied into, copied to a general variable: the index."""
    (target,) = vector.targets
    if not on_lanes(vector, state):
        return [], {}
    return [(target.variable, target.first * 4, 4, exactly(vector.number))], {}


def _address(vector: Vector, state: State) -> Written:
    """ADDR_ADD, seen through an indirect source of one address for each row: base plus offset, in bytes."""
    (target,) = vector.targets
    region, kind = vector.sources[0], vector.targets[0].kind
    assert isinstance(region, Source)
    written: list[tuple[str, int, int, Allowed]] = []
    for lane in on_lanes(vector, state):
        row, column = divmod(lane, region.region.width)
        byte = element(state.registers["OFF"], row, 2) + vector.number + column * region.region.horizontal * kind.bytes
        bits = int.from_bytes(state.registers[region.variable][byte : byte + kind.bytes], "little")
        written.append((target.variable, (target.first + lane * target.stride) * kind.bytes, kind.bytes, exactly(bits)))
    return written, {}


FORMS: dict[str, Callable[[Vector, State], Written]] = {
    "and.p": _logic,
    "or.p": _logic,
    "xor.p": _logic,
    "not.p": _logic,
    "setp": _setp,
    "mov.p": _predicate_value,
    "movs": _state_index,
    "addr_add": _address,
}


def plane(vector: Vector, state: State, lane: int) -> Allowed:
    """p·u + q·v + r: p, q, r are elements 0, 1 and 3 of source 0, u and v eight elements each of source 1."""
    mode, (scalars, planes) = Mode(vector.control or 0), vector.sources
    assert isinstance(scalars, Source)
    assert isinstance(planes, Source)

    def numbers(source: Source, index: int) -> set[Real]:
        return inputs(element(state.registers[source.variable], source.first + index, 4), SINGLE, mode)

    start = lane // 8 * 16 + lane % 8
    results: list[Allowed] = []
    for p in numbers(scalars, 0):
        for q in numbers(scalars, 1):
            for r in numbers(scalars, 3):
                for u in numbers(planes, start):
                    for v in numbers(planes, start + 8):
                        both = total(product(p, u), product(q, v), mode.rounding)
                        exact = total(both, r, mode.rounding)
                        results.append(any_nan(SINGLE) if exact.nan else output(exact, SINGLE, mode))
    return saturated(either(results), SINGLE) if vector.saturate else either(results)
