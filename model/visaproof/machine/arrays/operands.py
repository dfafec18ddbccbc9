"""Vector operands on arrays: a view of the elements of all threads, made once per statement.  Page: 5_operands.md."""

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from visaproof.isa.operands import CHANNEL_ENABLES, NULL
from visaproof.isa.types import DataType
from visaproof.machine.arrays.arrays import Array, Bools
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.indirect import IndirectElements
from visaproof.machine.arrays.threads import Threads
from visaproof.program.operands import (
    AddressedElements,
    AddressedTarget,
    Constant,
    DroppedTarget,
    Elements,
    PackedConstant,
    Region,
    RowRegion,
    Target,
    Unlowered,
)
from visaproof.program.operands import Destination as Written
from visaproof.program.operands import Source as Read


def element_dtype(data_type: DataType) -> np.dtype:
    """How NumPy reads the bits of an element; a float type as bits, since a modifier may belong to its sign."""
    kind = "i" if data_type.signed and not data_type.floating else "u"
    return np.dtype(f"<{kind}{data_type.size}")


class Source(Struct, frozen=True):
    """A source operand."""

    type: DataType
    modifier: str
    """Still to be applied."""
    read: Callable[[Batch], tuple[Array, Bools | None]]
    """Elements (threads, lanes), (threads, 1) or (1, …) where lanes or threads share them; and for which of them
    (threads, lanes) there is no answer, if for any."""


class Destination(Struct, frozen=True):
    """A destination operand."""

    type: DataType
    fits: Callable[[Batch], Bools | None]
    """For which elements (threads, lanes) there is no place, if for any."""
    write: Callable[[Batch, Array, Bools, bool], None]
    """Writes the low bits of integers (threads, lanes) where the mask holds; the flag says that it does everywhere."""
    span: tuple[str, int, int] | None
    """The root and the bytes from … to that it may reach; None where that is not known."""


class Operands:
    """The operands of a program's statements."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    def source(self, operand: Read, lanes: int) -> Source:
        """A source of so many lanes.  Raises NotVectorised for a form that the arrays do not have."""
        match operand:
            case PackedConstant(repeated, data_type):
                return self._constant([repeated[lane % len(repeated)] for lane in range(lanes)], data_type)
            case Constant(bits, data_type):
                return self._constant([bits], data_type)
            case Elements(storage, start, region, data_type, modifier):
                if storage == CHANNEL_ENABLES:
                    raise NotVectorised("which lanes run, as a number")
                distances = [region_element(region, lane) * data_type.size for lane in range(lanes)]
                self._require_inside(storage, start, distances, data_type.size)
                view = self._view(storage, start, data_type, region, lanes)
                return Source(data_type, modifier, lambda batch: (_lanes(batch.pick(view)), None))
            case AddressedElements(_, _, _, region, data_type, modifier):
                registers, distances = zip(*(_addressed(region, lane) for lane in range(lanes)), strict=True)
                elements = IndirectElements(self._threads, operand, element_dtype(data_type), registers, distances)
                return Source(data_type, modifier, elements.read)
            case Unlowered(what):
                raise NotVectorised(what)

    def destination(self, operand: Written, lanes: int, extra_bytes: int = 0) -> Destination:
        """A destination of so many lanes, `extra_bytes` after its place.  Raises NotVectorised as `source`."""
        match operand:
            case DroppedTarget(data_type):
                return Destination(data_type, lambda _: None, _dropped, (NULL.variable, 0, 0))
            case Target(storage, start, stride, data_type) if stride > 0 and storage != CHANNEL_ENABLES:
                start += extra_bytes
                distances = [lane * stride * data_type.size for lane in range(lanes)]
                self._require_inside(storage, start, distances, data_type.size)
                view = self._view(storage, start, data_type, Region(lanes * stride, lanes, stride), lanes, True)
                span = (storage, start, start + distances[-1] + data_type.size)
                return Destination(data_type, lambda _: None, writer(view), span)
            case AddressedTarget(_, _, _, stride, data_type) if stride and not extra_bytes:
                distances = [lane * stride for lane in range(lanes)]
                elements = IndirectElements(self._threads, operand, element_dtype(data_type), [0] * lanes, distances)
                return Destination(data_type, elements.unfit, elements.write, None)
            case _:
                raise NotVectorised("a destination in this form")

    def _constant(self, bits: list[int], data_type: DataType) -> Source:
        values = np.array([bits], np.uint64).astype(f"<u{data_type.size}").view(element_dtype(data_type))
        return Source(data_type, "", lambda _: (values, None))

    def _require_inside(self, root: str, start: int, distances: list[int], size: int) -> None:
        if start + min(distances) < 0 or start + max(distances) + size > self._threads.sizes[root]:
            raise NotVectorised("an operand that reaches beyond its variable")

    def _view(
        self, root: str, start: int, data_type: DataType, region: Region, lanes: int, every: bool = False
    ) -> Array:
        """The elements in place: (threads, lanes), (threads, rows, width), or (threads, 1) unless `every` is asked."""
        register = self._threads.registers[root]
        vertical, horizontal = region.vertical * data_type.size, region.horizontal * data_type.size
        width = min(region.width, lanes)
        shape, strides = (lanes // width, width), (vertical, horizontal)
        if width == 1:
            shape, strides = (lanes,), (vertical,)
        elif width == lanes or vertical == width * horizontal:
            shape, strides = (lanes,), (horizontal,)
        if strides == (0,) and not every:
            shape = (1,)
        dtype = element_dtype(data_type)
        return np.ndarray((len(register), *shape), dtype, register, start, (register.strides[0], *strides))


def region_element(region: Region, lane: int) -> int:
    """Page: `FirstElementIndex + i * VertStride + j * HorzStride`, `Width` elements in each row."""
    return lane // region.width * region.vertical + lane % region.width * region.horizontal


def _addressed(region: Region | RowRegion, lane: int) -> tuple[int, int]:
    """Which address register behind the first a lane uses, and how many elements behind its address it reads."""
    if isinstance(region, RowRegion):
        return lane // region.width, lane % region.width * region.horizontal
    return 0, region_element(region, lane)


def _lanes(elements: Array) -> Array:
    """(threads, rows, width) as (threads, lanes)."""
    return elements if elements.ndim == 2 else elements.reshape(len(elements), -1)


def _dropped(_: Batch, __: Array, ___: Bools, ____: bool) -> None:
    return None


def writer(view: Array) -> Callable[[Batch, Array, Bools, bool], None]:
    """Writes into a view (threads, lanes)."""

    def write(batch: Batch, values: Array, mask: Bools, everywhere: bool) -> None:
        low = values.astype(view.dtype) if values.dtype != view.dtype else values
        if batch.rows is None and everywhere:
            view[...] = low
        elif batch.rows is None:
            np.copyto(view, low, where=mask)
        else:
            view[batch.rows] = low if everywhere else np.where(mask, low, view[batch.rows])

    return write
