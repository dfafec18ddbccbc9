"""SIMD16 RGBA SCATTER4_SCALED as one would write it first in z3py: the two encodings to compare with.

Both have the page's 64 guarded stores with arbitrary offsets, masks, data and surface size, in dwords of 32 bits.
"""

from importlib import import_module
from typing import Any

from msgspec import Struct

z3: Any = import_module("z3")

LANES, CHANNELS = 16, 4


class Store(Struct, frozen=True):
    """One guarded store: `inside` is the bounds test at its own address."""

    guard: Any
    inside: Any
    address: Any
    value: Any


def stores() -> list[Store]:
    """The 64 stores of the page; addresses and size count bytes, on 34 bits so that nothing wraps."""
    base, size = z3.BitVec("base", 32), z3.BitVec("size", 34)
    mask, channels = z3.BitVec("em", LANES), z3.BitVec("channels", CHANNELS)
    found: list[Store] = []
    for channel in range(CHANNELS):
        for lane in range(LANES):
            element = z3.BitVec(f"element.{lane}", 32)
            address = z3.ZeroExt(2, base + element) + 4 * channel
            enabled = z3.And(z3.Extract(lane, lane, mask) == 1, z3.Extract(channel, channel, channels) == 1)
            value: Any = z3.BitVecVal(0, 32)
            for chosen in range(1, 16):
                if chosen >> channel & 1:
                    rank = (chosen & ((1 << channel) - 1)).bit_count()
                    value = z3.If(channels == chosen, z3.BitVec(f"src.{rank * LANES + lane}", 32), value)
            found.append(Store(enabled, z3.ULE(address + 4, size), address, value))
    return found


def probe_after(all_stores: list[Store], probe: Any, before: Any) -> Any:
    """The naive probe: the content of one arbitrary dword after the stores, as a nested choice."""
    value = before
    for store in all_stores:
        value = z3.If(z3.And(store.guard, store.inside, store.address == probe), store.value, value)
    return value


def array_after(all_stores: list[Store], probe: Any, before: Any) -> Any:
    """The store chain: an array of dwords, stored to 64 times, read at one arbitrary address."""
    memory: Any = z3.Array("memory", z3.BitVecSort(34), z3.BitVecSort(32))
    memory = z3.Store(memory, probe, before)
    for store in all_stores:
        happens = z3.And(store.guard, store.inside)
        memory = z3.If(happens, z3.Store(memory, store.address, store.value), memory)
    return z3.Select(memory, probe)


def questions(after: Any, all_stores: list[Store], probe: Any, before: Any) -> dict[str, list[Any]]:
    """For each property the formulas whose unsatisfiability proves it."""
    size = z3.BitVec("size", 34)
    changed = after != before
    addressed = [z3.And(store.guard, store.address == probe) for store in all_stores]
    outside = z3.Not(z3.ULE(probe + 4, size))
    alone = [z3.Not(z3.And(a, b)) for k, a in enumerate(addressed) for b in addressed[:k]]
    wrong = [z3.And(a, s.inside, after != s.value) for a, s in zip(addressed, all_stores, strict=True)]
    off = z3.BitVec("em", LANES) == 0
    return {
        "out-of-bounds-write-is-dropped": [outside, changed],
        "disabled-lane-touches-nothing": [off, changed],
        "other-memory-is-unchanged": [z3.Not(z3.Or(*addressed)), changed],
        "written-dword-is-the-lanes-datum": [*alone, z3.Or(*wrong)],
    }
