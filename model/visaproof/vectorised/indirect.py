"""Operands behind address registers: `r[A(k),n]`.  Page: 5_operands.md."""

import numpy as np
from numpy.typing import NDArray

from visaproof.kernel.syntax import IndirectOperand
from visaproof.vectorised.arrays import Array, Bools, Indices
from visaproof.vectorised.batch import Batch
from visaproof.vectorised.threads import Threads


class IndirectElements:
    """The elements of an indirect operand at these byte distances (lanes) from its address register."""

    def __init__(self, threads: Threads, operand: IndirectOperand, dtype: np.dtype, distances: list[int]) -> None:
        self._threads = threads
        self._operand = operand
        self._dtype = dtype
        self._distances: NDArray[np.int64] = np.array(distances, np.int64)
        self._sizes = np.array([*(threads.sizes[root] for root in threads.roots), 0], np.int64)

    def _places(self, batch: Batch) -> tuple[NDArray[np.int32], NDArray[np.int64], Bools]:
        """The root (threads, 1), the byte (threads, lanes), and whether an element lies there (threads, lanes)."""
        name, element = self._operand.address_variable, self._operand.element
        root = batch.pick(self._threads.address_roots[name])[:, element : element + 1]
        first = batch.pick(self._threads.address_bytes[name])[:, element : element + 1]
        byte = first + self._operand.byte_offset + self._distances
        inside = (byte >= 0) & (byte + self._dtype.itemsize <= self._sizes[root])  # root -1 has size 0
        return root, byte, inside

    def read(self, batch: Batch) -> tuple[Array, Bools | None]:
        """The elements (threads, lanes), and for which there is none."""
        root, byte, inside = self._places(batch)
        missing = ~inside | (byte % self._dtype.itemsize != 0)
        values = np.zeros(byte.shape, self._dtype)
        for each, rows in self._by_root(root):
            register = self._threads.registers[self._threads.roots[each]]
            at = np.where(inside[rows], byte[rows], 0)[..., None] + np.arange(self._dtype.itemsize)
            parts = np.ascontiguousarray(register[batch.indices[rows][:, None, None], at])
            values[rows] = parts.view(self._dtype)[..., 0]
        return values, missing if missing.any() else None

    def unfit(self, batch: Batch) -> Bools | None:
        """For which elements (threads, lanes) there is no place."""
        _, _, inside = self._places(batch)
        return None if inside.all() else ~inside

    def write(self, batch: Batch, values: Array, mask: Bools, everywhere: bool) -> None:
        """Writes the low bits of integers (threads, lanes) where the mask holds."""
        root, byte, _ = self._places(batch)
        low = np.broadcast_to(values.astype(self._dtype), byte.shape)
        mask = np.broadcast_to(mask, byte.shape)
        for each, rows in self._by_root(root):
            register = self._threads.registers[self._threads.roots[each]]
            picked, lanes = np.nonzero(mask[rows])
            at = byte[rows][picked, lanes][:, None] + np.arange(self._dtype.itemsize)
            parts = np.ascontiguousarray(low[rows][picked, lanes]).view(np.uint8).reshape(-1, self._dtype.itemsize)
            register[batch.indices[rows][picked][:, None], at] = parts

    def _by_root(self, root: NDArray[np.int32]) -> list[tuple[int, Indices]]:
        """Each root that occurs, and the threads of the batch whose address lies in it."""
        return [(int(each), np.flatnonzero(root[:, 0] == each)) for each in np.unique(root) if each >= 0]
