"""Which lanes are enabled, and what a source has in each.  Pages: 5_operands.md, 3_execution_model.md."""

from benchmarks.alu_vectors.types import packed_elements
from benchmarks.alu_vectors.vector import Constant, Region, Source, State, Vector

SCALARS = (Region(0, 1, 0),)
CONTIGUOUS = Region(1, 1, 0)


def on_lanes(vector: Vector, state: State) -> list[int]:
    """Lanes of the instruction whose execution mask is on; with NoMask all."""
    if vector.nomask:
        return list(range(vector.size))
    return [lane for lane in range(vector.size) if state.lanes >> (lane + vector.offset) & 1]


def selected_lanes(vector: Vector, state: State) -> list[int]:
    """Lanes whose predicate holds; all without one."""
    lanes = range(vector.size)
    if vector.predication is None:
        return list(lanes)
    bits = [bool(state.predicates["P"] >> (lane + vector.offset) & 1) for lane in lanes]
    if vector.predication.combine:
        combined = any(bits) if vector.predication.combine == "any" else all(bits)
        bits = [combined] * vector.size
    return [lane for lane in lanes if bits[lane] != vector.predication.inverse]


def enabled(vector: Vector, state: State) -> list[int]:
    """EvaluateChEn of the page."""
    selected = set(selected_lanes(vector, state))
    return [lane for lane in on_lanes(vector, state) if lane in selected]


def element(content: bytes, index: int, size: int) -> int:
    return int.from_bytes(content[index * size : (index + 1) * size], "little")


def source_bits(vector: Vector, index: int, state: State, lane: int) -> int:
    """The bits of source `index` in a lane, before its modifier."""
    source = vector.sources[index]
    if isinstance(source, Constant):
        return constant_bits(source, lane)
    return element(state.registers[source.variable], source.first + place(vector, source, lane), source.kind.bytes)


def constant_bits(source: Constant, lane: int) -> int:
    if source.kind in ("v", "uv", "vf"):
        return packed_elements(source.kind, source.bits)[lane]
    return source.bits


def place(vector: Vector, source: Source, lane: int) -> int:
    """The element of a lane, from the first one."""
    # Page of LRP: other regions than scalar ones "are ignored and contiguous elements will be accessed".
    region = CONTIGUOUS if vector.form == "lrp" and source.region not in SCALARS else source.region
    return region.element(lane)
