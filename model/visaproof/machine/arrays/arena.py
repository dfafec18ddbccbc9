"""All memory of a launch in one array, so that one fancy index reaches every piece of it.

Arrays that share storage come to lie on the same bytes of the arena; the first bytes belong to nothing and stay 0.
"""

from bisect import bisect_right

import numpy as np
from msgspec import Struct

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.isa.operands import SCRATCH
from visaproof.machine.arrays.arrays import UNSIGNED, Addresses, Array, Bools, Bytes, Indices
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.result import Misses

SLM = "%slm"
"""The key of shared local memory."""

LINE = 64
"""Places in the arena and in the caller's storage are equal modulo this, so that aligned words stay aligned."""

FLAT_SIZE = 2**64
"""Bytes of the space of 64-bit addresses, mapped or not (D12b)."""


class Window(Struct, frozen=True):
    """Where a piece of memory lies: `size` bytes from `start` on, those of owner k another k·`pitch` bytes further."""

    start: int
    size: int
    pitch: int


class Arena:
    """The bytes of the memories, and the windows on them."""

    def __init__(self, memories: Memories) -> None:
        arrays = [*memories.surfaces.values(), *(array for _, array in memories.flat)]
        self._segments = _segments(arrays)
        end = LINE
        self._starts: list[int] = []
        for pointer, array in self._segments:
            start = end + (pointer - end) % LINE
            self._starts.append(start)
            end = -(-(start + array.size) // LINE) * LINE
        self.bytes: Bytes = np.zeros(end, np.uint8)
        for (_, array), start in zip(self._segments, self._starts, strict=True):
            self.bytes[start : start + array.size] = array
        self.only_flat = memories.only_flat
        self.here: Position | None = None
        """Of the message that runs."""
        self.misses: dict[tuple[str, Position], Misses] = {}
        self._local_tag = memories.local_tag
        self._words: dict[int, Array] = {width: self.bytes.view(dtype) for width, dtype in UNSIGNED.items()}
        self._windows = {key: self._window(array) for key, array in memories.surfaces.items()}
        self._flat = sorted((base, self._window(array)) for base, array in memories.flat)
        for (base, window), (following, _) in zip(self._flat, self._flat[1:], strict=False):
            if base + window.size > following:
                raise ValueError(f"the memory at {base:#x} reaches into that at {following:#x}")
        self._bases = np.array([base for base, _ in self._flat], np.uint64)
        self._facts = np.array([(w.start, w.size, w.pitch) for _, w in self._flat], np.int64).reshape(-1, 3)

    def _window(self, array: Bytes) -> Window:
        pointer, rows = _pointer(array), array.shape[0] if array.ndim == 2 else 1
        size = array.shape[-1]
        for (first, held), start in zip(self._segments, self._starts, strict=True):
            if first <= pointer and pointer + array.size <= first + held.size:
                return Window(start + pointer - first, size, size if rows > 1 or array.ndim == 2 else 0)
        return Window(0, 0, 0)

    def write_back(self) -> None:
        """Puts the bytes into the caller's arrays."""
        for (_, array), start in zip(self._segments, self._starts, strict=True):
            array[:] = self.bytes[start : start + array.size]

    def has(self, key: str) -> bool:
        return key == FLAT or key in self._windows

    def size(self, key: str) -> int:
        """Bytes up to which an address exists."""
        return FLAT_SIZE if key == FLAT else self._windows[key].size

    def plain(self, key: str, address: Addresses) -> Addresses:
        """The addresses without the tag that those of shared local memory may carry."""
        if key != SLM or not self._local_tag:
            return address
        tag = np.uint64(self._local_tag)
        return np.where((address >= tag) & (address < tag + tag), address - tag, address)

    def plain_address(self, key: str, address: int) -> int:
        """The same of one address."""
        tag = self._local_tag if key == SLM else 0
        return address - tag if tag <= address < 2 * tag else address

    def is_whole(self, key: str) -> bool:
        """Whether there is no byte but those that are known: other accesses are undefined."""
        return key == SCRATCH or (key == FLAT and self.only_flat)

    def strays(self, key: str, inside: Bools, enabled: Bools, address: Addresses, threads: Indices) -> Bools | None:
        """The threads (threads,) with an access (threads, accesses) where no memory is and must be, if any.

        Takes note of those where no memory is and need not be.
        """
        if inside.all():
            return None
        if not self.is_whole(key):
            self._miss(key, enabled & ~inside, address, threads)
            return None
        found: Bools = np.any(enabled & ~inside, axis=1)
        return found if found.any() else None

    def _miss(self, key: str, missed: Bools, address: Addresses, threads: Indices) -> None:
        rows = np.flatnonzero(missed.any(axis=1))
        if rows.size:
            row = rows[np.argmin(threads[rows])]
            place = int(self.plain(key, address)[row, np.argmax(missed[row])])
            self.miss(key, place, int(threads[row]), int(np.count_nonzero(missed)))

    def miss(self, key: str, address: int, thread: int, count: int = 1) -> None:
        """Takes note of accesses by the statement that runs, the first of them by a thread at an address."""
        assert self.here is not None, "a message says where it is"
        known = self.misses.get((key, self.here))
        if known is None:
            self.misses[key, self.here] = Misses(key, self.here, address, thread, count)
            return
        known.count += count
        if thread < known.thread:
            known.address, known.thread = address, thread

    def locate(self, key: str, address: Addresses, width: int, owner: Indices) -> tuple[Indices, Bools]:
        """The places in the arena of accesses of `width` bytes, 0 where they are outside; and whether they are inside.

        `address` is (threads, accesses), `owner` is (threads, 1).
        """
        address = self.plain(key, address)
        if key != FLAT:
            window = self._windows[key]
            if window.size < width:
                return np.zeros(address.shape, np.intp), np.zeros(address.shape, np.bool_)
            inside = address <= np.uint64(window.size - width)
            index = address.astype(np.intp) + window.start
            if window.pitch:
                index += owner * window.pitch
        elif len(self._flat):
            region = np.searchsorted(self._bases, address, "right") - 1
            start, size, pitch = np.moveaxis(self._facts[np.maximum(region, 0)], -1, 0)
            distance = address - self._bases[np.maximum(region, 0)]
            inside = (region >= 0) & (size >= width) & (distance <= np.maximum(size - width, 0).astype(np.uint64))
            index = distance.astype(np.intp) + start + owner * pitch
        else:
            return np.zeros(address.shape, np.intp), np.zeros(address.shape, np.bool_)
        if not inside.all():
            index = np.where(inside, index, 0)
        return index, inside

    def place(self, key: str, address: int, width: int, owner: int) -> int | None:
        """The place in the arena of one access; None where it is not wholly inside."""
        address, base, window = self.plain_address(key, address), 0, self._windows.get(key)
        if key == FLAT:
            at = bisect_right(self._flat, address, key=lambda item: item[0]) - 1
            if at < 0:
                return None
            base, window = self._flat[at]
        if window is None or address - base + width > window.size:
            return None
        return window.start + owner * window.pitch + address - base

    def holds_anything(self, key: str, group: int) -> bool:
        """Whether a byte of the surface is not 0."""
        window = self._windows[key]
        start = window.start + group * window.pitch
        return bool(self.bytes[start : start + window.size].any())

    def read(self, index: Indices, width: int) -> Array:
        """The unsigned numbers of `width` bytes at these places; 0 at place 0."""
        if not np.any(index & (width - 1)):
            return self._words[width][index // width]
        parts = self.bytes[index[..., None] + np.arange(width)]
        return np.ascontiguousarray(parts).view(UNSIGNED[width])[..., 0]

    def write(self, index: Indices, width: int, values: Array) -> None:
        """Writes the low `width` bytes of each value (accesses,), in that order: of equal places the last one stays."""
        low = np.ascontiguousarray(values.astype(UNSIGNED[width]))
        if not np.any(index & (width - 1)):
            self._words[width][index // width] = low
        else:
            self.bytes[index[:, None] + np.arange(width)] = low.view(np.uint8).reshape(-1, width)

    def words(self, width: int) -> Array:
        """All bytes as numbers of `width` bytes."""
        return self._words[width]


def _pointer(array: Bytes) -> int:
    return int(array.__array_interface__["data"][0])


def _segments(arrays: list[Bytes]) -> list[tuple[int, Bytes]]:
    """The storage behind the arrays, each byte once: its address in the process, and the array (bytes,) there."""
    found: list[tuple[int, Bytes]] = []
    for array in sorted(arrays, key=lambda array: (_pointer(array), -array.size)):
        if array.dtype != np.uint8 or not array.flags.c_contiguous or array.ndim not in (1, 2):
            raise ValueError("memory must be a C-contiguous array of bytes, (bytes,) or (groups, bytes)")
        if not array.size:
            continue
        pointer, flat = _pointer(array), array.reshape(-1)
        if not found or pointer >= found[-1][0] + found[-1][1].size:
            found.append((pointer, flat))
        elif pointer + flat.size > found[-1][0] + found[-1][1].size:
            raise ValueError("two arrays share a part of their storage: one must lie wholly within the other")
    return found
