"""One parametric proof of each property of SCATTER4_SCALED, against z3py asked about one legal shape after another.

`python -m benchmarks.enumeration [--every N]`.  The other side fixes what a loop over shapes would fix (size, register
size, mask, channels, predicate) and stores to a z3 array, with offsets, data, lanes and surface size arbitrary.  One
shape in N, drawn with a fixed seed, is asked there; the time for all is extrapolated, and both are printed.
"""

import argparse
from collections.abc import Callable
from itertools import product
from random import Random
from time import perf_counter
from typing import Any

from msgspec import Struct

from benchmarks import baselines
from benchmarks.baselines import CHANNELS, Store, z3
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Proved
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.platform import Platform
from visaproof.queries import bounds, frame, value
from visaproof.queries.query import Query
from visaproof.queries.subject import Subject, scatter4_scaled

TIMEOUT_S = 5
"""For one question about one shape; what takes longer counts as this much."""

PROPERTIES: dict[str, Callable[[Subject], Query]] = {
    "out-of-bounds-write-is-dropped": bounds.out_of_bounds_write_is_dropped,
    "other-memory-is-unchanged": frame.other_memory_is_unchanged,
    "written-dword-is-the-lanes-datum": value.written_dword_is_the_lanes_datum,
}


class FixedShape(Struct, frozen=True):
    """What a parametric proof leaves open, fixed."""

    size: int
    platform: Platform
    mask: ExecMask
    channels: int
    predicate: tuple[Combine, bool] | None
    """How the lanes are combined, and whether the result is inverted."""


def fixed_shapes() -> list[FixedShape]:
    """Every legal one, for registers of 32 and of 64 bytes."""
    predicates = (None, *product((combine for combine in Combine), (False, True)))
    return [
        FixedShape(size, platform, mask, channels, predicate)
        for size, platform, mask in product((8, 16), (Platform.TGLLP, Platform.PVC), ExecMask)
        if mask.lane_offset % size == 0
        for channels, predicate in product(range(1, 1 << CHANNELS), predicates)
    ]


# ---------------------------------------------------------------- the two sides


def parametric() -> float:
    """Seconds for all properties of all shapes, built from nothing."""
    start = perf_counter()
    for size, platform, predicated in product((8, 16), (Platform.TGLLP, Platform.PVC), (False, True)):
        for ask in PROPERTIES.values():
            verdict = decide(ask(scatter4_scaled(size, platform, predicated)))
            assert isinstance(verdict, Proved), verdict
    return perf_counter() - start


def naive(shape: FixedShape) -> tuple[float, int]:
    """Seconds for all properties of one shape, and how many were not decided in time."""
    start, undecided = perf_counter(), 0
    for name in PROPERTIES:
        all_stores = stores(shape)
        probe, before = z3.BitVec("probe", 34), z3.BitVec("before", 32)
        solver = z3.SolverFor("QF_ABV")
        solver.set(timeout=TIMEOUT_S * 1000)
        after = baselines.array_after(all_stores, probe, before)
        solver.add(*baselines.questions(after, all_stores, probe, before)[name])
        answer = solver.check()
        assert answer != z3.sat, (shape, name)
        undecided += answer == z3.unknown
    return perf_counter() - start, undecided


def stores(shape: FixedShape) -> list[Store]:
    """The stores of one shape, as one would write them first."""
    base, size = z3.BitVec("base", 32), z3.BitVec("size", 34)
    selected = [channel for channel in range(CHANNELS) if shape.channels >> channel & 1]
    stride = max(shape.size, shape.platform.grf_bytes // 4)
    found: list[Store] = []
    for slot, channel in enumerate(selected):
        for lane in range(shape.size):
            address = z3.ZeroExt(2, base + z3.BitVec(f"element.{lane}", 32)) + 4 * channel
            datum = z3.BitVec(f"src.{slot * stride + lane}", 32)
            found.append(Store(_enabled(shape, lane), z3.ULE(address + 4, size), address, datum))
    return found


def _enabled(shape: FixedShape, lane: int) -> Any:
    """`ChEn[lane]` of the pages."""
    first = shape.mask.lane_offset
    place = first + lane
    runs: Any = z3.BoolVal(True)
    if shape.mask < 8:
        runs = z3.Extract(place, place, z3.BitVec("lanes", 32)) == 1
    if shape.predicate is None:
        return runs
    combine, inverse = shape.predicate
    bits = z3.BitVec("predicate", 32)
    window = z3.Extract(first + shape.size - 1, first, bits)
    passes = {Combine.ANY: window != 0, Combine.ALL: window == -1}.get(combine, z3.Extract(place, place, bits) == 1)
    return z3.And(runs, z3.Not(passes) if inverse else passes)


# ---------------------------------------------------------------- the table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.enumeration", description=__doc__)
    parser.add_argument("--every", type=int, default=300, metavar="N", help="ask z3py about one shape in N")
    every = parser.parse_args().every
    decide(frame.other_memory_is_unchanged(scatter4_scaled(8, Platform.PVC, False)))  # loads z3
    shapes = fixed_shapes()
    sample = Random(0).sample(shapes, max(1, len(shapes) // every))
    ours = parametric()
    measured = [naive(shape) for shape in sample]
    seconds, undecided = sum(each for each, _ in measured), sum(each for _, each in measured)
    everything = seconds * len(shapes) / len(sample)
    least = "at least " if undecided else ""
    print(f"SCATTER4_SCALED, {len(PROPERTIES)} properties, one run")
    print(f"parametric, all {len(shapes)} shapes: {ours:.2f} s")
    print(
        f"z3py, {len(sample)} of the shapes: {least}{seconds:.1f} s, {undecided} questions undecided in {TIMEOUT_S} s"
    )
    print(f"z3py, all shapes, extrapolated: {least}{everything:.0f} s")
    print(f"ratio: {least}{seconds / ours:.1f}x measured on the sample, {least}{everything / ours:.0f}x extrapolated")


if __name__ == "__main__":
    main()
