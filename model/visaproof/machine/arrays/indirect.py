"""Operands behind address registers: `r[A(k),n]`.  Page: 5_operands.md."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from visaproof.machine.arrays.arrays import Array, Bools, Indices
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.threads import Threads
from visaproof.program.operands import AddressedElements, AddressedTarget


class IndirectElements:
    """The elements of an indirect operand, so many behind an address register, which lies so far behind the first."""

    def __init__(
        self,
        threads: Threads,
        operand: AddressedElements | AddressedTarget,
        dtype: np.dtype,
        registers: Sequence[int],
        distances: Sequence[int],
    ) -> None:
        self._threads = threads
        self._operand = operand
        self._dtype = dtype
        self._registers: NDArray[np.int64] = operand.register + np.array(registers, np.int64)
        self._distances: NDArray[np.int64] = operand.byte_offset + np.array(distances, np.int64) * dtype.itemsize
        if self._registers[-1] >= threads.address_bytes[operand.address].shape[1]:
            raise NotVectorised("address registers without room")
        self._sizes = np.array([*(threads.sizes[root] for root in threads.roots), 0], np.int64)

    def _places(self, batch: Batch) -> tuple[NDArray[np.int32], NDArray[np.int64], Bools]:
        """The root, the byte, and whether an element lies there, aligned (threads, lanes); addresses have 32 bits."""
        name = self._operand.address
        root = batch.pick(self._threads.address_roots[name])[:, self._registers]
        byte = batch.pick(self._threads.address_bytes[name])[:, self._registers] + self._distances
        byte &= 0xFFFFFFFF
        inside = byte + self._dtype.itemsize <= self._sizes[root]  # root -1 has size 0
        return root, byte, inside & (byte % self._dtype.itemsize == 0)

    def read(self, batch: Batch) -> tuple[Array, Bools | None]:
        """The elements (threads, lanes), and for which there is none."""
        root, byte, inside = self._places(batch)
        values = np.zeros(byte.shape, self._dtype)
        for register, picked, lanes, at in self._by_root(root, byte, inside):
            parts = np.ascontiguousarray(register[batch.indices[picked][:, None], at])
            values[picked, lanes] = parts.view(self._dtype)[:, 0]
        return values, None if inside.all() else ~inside

    def unfit(self, batch: Batch) -> Bools | None:
        """For which elements (threads, lanes) there is no place."""
        _, _, inside = self._places(batch)
        return None if inside.all() else ~inside

    def write(self, batch: Batch, values: Array, mask: Bools, everywhere: bool) -> None:
        """Writes the low bits of integers (threads, lanes) where the mask holds."""
        root, byte, _ = self._places(batch)
        low = np.broadcast_to(values.astype(self._dtype), byte.shape)
        for register, picked, lanes, at in self._by_root(root, byte, np.broadcast_to(mask, byte.shape)):
            parts = np.ascontiguousarray(low[picked, lanes]).view(np.uint8).reshape(-1, self._dtype.itemsize)
            register[batch.indices[picked][:, None], at] = parts

    def _by_root(
        self, root: NDArray[np.int32], byte: NDArray[np.int64], mask: Bools
    ) -> Iterator[tuple[Array, Indices, Indices, NDArray[np.int64]]]:
        """Of each root that occurs: its register, and where the mask holds, thread, lane, and the element's bytes."""
        for each in np.unique(root[mask]):
            picked, lanes = np.nonzero(mask & (root == each))
            at = byte[picked, lanes][:, None] + np.arange(self._dtype.itemsize)
            yield self._threads.registers[self._threads.roots[each]], picked, lanes, at
