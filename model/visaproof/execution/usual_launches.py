"""Launches as hosts make them, few work items first: the sizes, arguments and buffers that kernels usually get."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from operator import le
from typing import Literal

from msgspec import Struct, field

from visaproof.execution.arguments import Content, LocalBytes, Parameters, parameters
from visaproof.execution.contents import counting_numbers, held_text, small_numbers, zeros_but_for
from visaproof.execution.images import ImageContent, ImageShape
from visaproof.execution.payload import Program
from visaproof.execution.shape import Shape, Triple
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.launch.input_meaning import Argument
from visaproof.launch.relations.element_names import Extreme, Which, element_type
from visaproof.launch.relations.image_names import extent_name
from visaproof.launch.relations.vector_names import names_of
from visaproof.program.lower import lowered
from visaproof.program.statements import MemoryMessage
from visaproof.queries.kernels.full_sub_groups import is_of_full_sub_groups

BUFFER_BYTES = 1 << 16
"""Of a buffer of which no size is stated."""
LOCAL_BYTES = 1 << 12
DWORD = 4
MOST_BUFFER = 1 << 24
MOST_ITEMS = 4096
"""Work items of a launch that is tried."""
RANDOM_DRAWS = 4
"""Choices of arguments at random for each shape."""


Contents = Literal["zeros", "small", "counting", "held"]
"""`held` is what the example of an analysis found in buffers."""
Numbers = Mapping[int, tuple[int, ...]]
"""What is passed for arguments by value, by index: a number, or those of the components of a vector."""
Held = Mapping[int, Mapping[int, int]]
"""The bytes at offsets of buffers that are not 0, by the index of the argument."""


class Stated(Struct, frozen=True):
    """What the user states, and what the example of an analysis holds."""

    sizes: Callable[[int, Mapping[str, int]], int | None] = lambda _, __: None
    """Bytes of the buffer or the shared memory of an argument, given numbers by name; None where nothing is stated."""
    allows: Callable[[Mapping[str, int]], bool] = lambda _: True
    """Whether these numbers obey the user's relations."""
    global_size: Triple | None = None
    example: "Example | None" = None
    contents: Sequence["Contents"] = ("zeros",)
    """Of buffers; each launch is tried with these."""
    elements: frozenset[int] = frozenset()
    """The arguments of which relations name elements, and to whose buffers the kernel does not store."""


class Example(Struct, frozen=True):
    """The launch of which the example of an analysis is a thread."""

    shape: Shape
    numbers: "Numbers" = field(default_factory=dict[int, tuple[int, ...]])
    held: "Held" = field(default_factory=dict[int, Mapping[int, int]])


class Candidate(Struct, frozen=True):
    """A launch to be tried."""

    shape: Shape
    numbers: "Numbers"
    like_the_example: bool
    named: Mapping[str, int]
    """The numbers by the names that relations and sizes use."""
    contents: Contents = "zeros"
    held: "Held" = field(default_factory=dict[int, Mapping[int, int]])
    smaller: tuple[int, Triple] | None = None
    """One image, by its argument, and by how much it is smaller than the launch; others are as large."""


class Passed(Struct, frozen=True):
    """What is passed for a pointer or an image."""

    text: str
    """As `visaproof run` takes it."""
    content: Content


SMALLER: Sequence[Triple] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
"""By how much one image is smaller; it keeps one texel."""


class UsualLaunches:
    """The launches of a kernel that are tried, in order."""

    def __init__(self, program: Program, stated: Stated) -> None:
        self.program = program
        self.stated = stated
        self.takes = parameters(program)

    def __iter__(self) -> Iterator[Candidate]:
        """Those that obey what is stated."""
        for like_the_example, shape, numbers in self._all():
            if self.of_full_sub_groups and shape.group_items % self.program.simd:
                continue
            named = self._named(shape, numbers)
            sizes = (None, *product(self.images, SMALLER))
            example = (self.stated.example if like_the_example else None) or Example(shape)
            every: tuple[Contents, ...] = (*self.stated.contents, "held") if example.held else (*self.stated.contents,)
            for contents, smaller in product(every, sizes):
                whole = named | self._extremes(contents, example.held, named)
                if self.stated.allows(whole | self._extents(shape, smaller)):
                    yield Candidate(shape, numbers, like_the_example, whole, contents, example.held, smaller)

    @cached_property
    def of_full_sub_groups(self) -> bool:
        """Whether the kernel has messages that are undefined of other sub-groups."""
        statements = lowered(self.program.kernel, self.program.platform).statements
        return any(isinstance(one, MemoryMessage) and is_of_full_sub_groups(one.message) for one in statements)

    @property
    def images(self) -> tuple[int, ...]:
        """The arguments that are images."""
        return tuple(index for index in self.takes.buffers if self.program.launch.info(index).is_image)

    def passed(self, candidate: Candidate) -> dict[int, Passed] | None:
        """By the index of its argument; None where the stated sizes are none that is run."""
        images, found = self.images, dict[int, Passed]()
        for index in (*self.takes.buffers, *self.takes.locals):
            if index in self.takes.symbols:
                continue
            if index in images:
                found[index] = self._image(index, candidate)
                continue
            local = index in self.takes.locals
            stated = self.stated.sizes(index, candidate.named)
            size = (LOCAL_BYTES if local else BUFFER_BYTES) if stated is None else stated
            if not 0 < size <= MOST_BUFFER:
                return None
            held = candidate.held.get(index, {})
            found[index] = _local(size) if local else buffer_of(index, size, candidate.contents, held)
        return found

    def _image(self, index: int, candidate: Candidate) -> Passed:
        """As large as the launch, or smaller; with as many extents as its type says."""
        kind = self.program.launch.info(index).type_name
        count = next((count for count in (1, 3) if kind.startswith(f"image{count}d")), 2)
        extents = _texels(index, candidate.shape, candidate.smaller)[:count]
        shape = ImageShape(extents)
        return Passed(f"{'x'.join(map(str, extents))}:zeros", ImageContent(shape, bytes(shape.size)))

    def _extents(self, shape: Shape, smaller: tuple[int, Triple] | None) -> dict[str, int]:
        """Of images, by the names that relations use."""
        launch, found = self.program.launch, dict[str, int]()
        for index in self.images:
            for axis, texels in enumerate(_texels(index, shape, smaller)):
                for one in (launch.argument(index), Argument(index)):
                    found[extent_name(one, launch, axis)] = texels
        return found

    def _extremes(self, contents: Contents, held: Held, named: Mapping[str, int]) -> dict[str, int]:
        """The largest and the smallest elements of buffers, by the names that relations and sizes use."""
        launch, found = self.program.launch, dict[str, int]()
        for index in self.stated.elements:
            size = self.stated.sizes(index, named)
            of_type = element_type(launch, Argument(index))
            content = self._content(index, BUFFER_BYTES if size is None else size, contents, held)
            if content and of_type is not None and not len(content) % (of_type.bits // 8):
                numbers = memoryview(content).cast(of_type.code)
                for one in (launch.argument(index), Argument(index)):
                    found[str(Extreme(Which.MAX, one))] = max(numbers)
                    found[str(Extreme(Which.MIN, one))] = min(numbers)
        return found

    @staticmethod
    def _content(index: int, size: int, contents: Contents, held: Held) -> bytes:
        """Of a buffer; none where it has no size that is run."""
        found = buffer_of(index, size, contents, held.get(index, {})).content if 0 < size <= MOST_BUFFER else b""
        return found if isinstance(found, bytes) else b""

    def arguments(self, candidate: Candidate) -> dict[int, str]:
        """As `visaproof run` takes them."""
        info = self.program.launch.info
        return {
            index: _argument(self.takes, index, numbers, info(index).scalar_bytes)
            for index, numbers in candidate.numbers.items()
        }

    def _all(self) -> Iterator[tuple[bool, Shape, Numbers]]:
        tried: list[tuple[Shape, Numbers]] = []
        if self.stated.example is not None:
            shape = self.stated.example.shape
            if shape.items <= MOST_ITEMS:
                for each in (*self._smaller(shape), shape):
                    usual, own = self._usual(each), self._of_example(each)
                    tried += [(each, usual), (each, own)]
                    if usual != own:
                        yield False, each, usual
                    yield each is shape, each, own
        draw, shapes = random.Random(1), list(self._shapes())
        for some in (shapes[:1], shapes[1:]):  # what a single group shows is the easiest to read
            likely = ((shape, numbers) for shape in some for numbers in self._likely(shape))
            yield from ((False, *one) for one in likely if one not in tried)
            yield from ((False, shape, numbers) for shape in some for numbers in self._drawn(shape, draw))

    def _smaller(self, shape: Shape) -> Iterator[Shape]:
        """One work item, and two in one dimension, where the example has more: a solver's sizes are seldom the least.

        Not where data decide: among few items they collide only if all data are 0.
        """
        fixed = self.program.launch.group_size is not None or self.stated.global_size is not None
        if fixed or self.stated.contents != ("zeros",):
            return
        for local in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)):
            if prod(local) < shape.items and all(map(le, local, shape.local_size)):
                yield Shape(local, local)

    def _likely(self, shape: Shape) -> Iterator[Numbers]:
        usual = self._usual(shape)
        yield usual
        if self.stated.example is not None:
            yield self._of_example(shape)
        sized = {index: _first((*shape.global_size, 1), one) for index, one in usual.items() if len(one) > 1}
        if sized:
            yield {**usual, **sized}

    def _of_example(self, shape: Shape) -> Numbers:
        """With its arguments, as far as it has them."""
        numbers = (self.stated.example or Example(shape)).numbers
        return {index: _first(numbers.get(index, ()), one) for index, one in self._usual(shape).items()}

    def _drawn(self, shape: Shape, draw: random.Random) -> Iterator[Numbers]:
        parts = {index: self._parts(index) for index in self.takes.values}
        yield {index: (shape.items,) * count for index, count in parts.items()}
        pool = (1, 2, 3, 4, 8, 16, *shape.global_size[:2], shape.items)
        for _ in range(RANDOM_DRAWS if parts else 0):
            yield {index: tuple(draw.choice(pool) for _ in range(count)) for index, count in parts.items()}

    def _shapes(self) -> Iterator[Shape]:
        """Few work items first; of the largest groups one alone."""
        for local in (*self._local_sizes(), *self._largest_groups()):
            if self.stated.global_size is not None:
                whole = self.stated.global_size
                if not any(size % part for size, part in zip(whole, local, strict=True)):
                    yield Shape(whole, local)
                continue
            yield Shape(local, local)
            if prod(local) == MOST_GROUP_ITEMS:
                continue
            yield Shape((2 * local[0], local[1], local[2]), local)
            if local[1] > 1:
                yield Shape((local[0], 2 * local[1], local[2]), local)

    def _local_sizes(self) -> Sequence[Triple]:
        simd = max(self.program.simd, 1)
        if (required := self.program.launch.group_size) is not None:
            return [required]
        read = GroupShape(self.program.kernel, self.program.launch, simd).read
        if 2 in read:
            return [(2, 2, 2), (4, 4, 4), (simd, 2, 2)]
        if 1 in read:
            return [(2, 2, 1), (4, 4, 1), (simd, 1, 1), (simd, 2, 1), (8, 8, 1), (16, 16, 1)]
        return [(1, 1, 1), (2, 1, 1), (4, 1, 1), (simd, 1, 1), (2 * simd, 1, 1), (64, 1, 1), (256, 1, 1)]

    def _largest_groups(self) -> Sequence[Triple]:
        """In which tables in shared local memory may be too short."""
        if self.program.launch.group_size is not None:
            return []
        shape = GroupShape(self.program.kernel, self.program.launch, max(self.program.simd, 1))
        sizes: list[Triple] = (
            [(MOST_GROUP_ITEMS, 1, 1)] + [(32, 32, 1)] * (1 in shape.read) + [(16, 8, 8)] * (2 in shape.read)
        )
        return [size for size in sizes if prod(size) <= shape.most]

    def _usual(self, shape: Shape) -> Numbers:
        """What hosts pass for arguments of these names: extents of the launch, or the number of its work items.

        Steps between elements, rows and slices, where a vector is called so.
        """
        x, y, z = shape.global_size
        of_columns = ("w", "col", "nx", "stride", "pitch", "ld", "xs", "xdim")
        of_rows = ("h", "row", "ny", "ys", "ydim")
        found: dict[int, tuple[int, ...]] = {}
        for index in self.takes.values:
            name, parts = self.takes.shown(index).lower(), self._parts(index)
            one_of_many = y > 1 and (name.startswith(of_columns) or name.startswith(of_rows))
            if parts > 1 and "stride" in name:
                found[index] = _first((1, x, x * y, x * y * z), (x * y * z,) * parts)
                continue
            found[index] = (shape.items if not one_of_many else x if name.startswith(of_columns) else y,) * parts
        return found

    def _parts(self, index: int) -> int:
        """Numbers that are passed for an argument: those of a vector, or of a structure as the kernel takes it."""
        slots, scalar = self.takes.values[index], self.program.launch.info(index).scalar_bytes
        size = max(slot.offset + slot.size for slot in slots)
        parts = len(slots) if len(slots) * slots[0].size == size else 1
        return size // scalar if scalar and not size % scalar else parts

    def _named(self, shape: Shape, numbers: Numbers) -> dict[str, int]:
        """The numbers by the names that relations and sizes use."""
        launch, named = self.program.launch, dict[str, int]()
        for index, values in numbers.items():
            for one in (launch.argument(index), Argument(index)):
                named |= zip(names_of(one, launch), values, strict=False)
        for value, sizes in (
            ("local_size", shape.local_size), ("global_size", shape.global_size), ("group_count", shape.group_count),
        ):  # fmt: skip
            named |= {f"{value}_{dimension}": size for dimension, size in zip("xyz", sizes, strict=True)}
        return named


def _texels(index: int, shape: Shape, smaller: tuple[int, Triple] | None) -> Triple:
    """As many as work items, or fewer in one image; at least one."""
    image, less = smaller or (None, (0, 0, 0))
    x, y, z = less if image == index else (0, 0, 0)
    width, height, depth = shape.global_size
    return max(1, width - x), max(1, height - y), max(1, depth - z)


def _local(size: int) -> Passed:
    return Passed(f"local:{size}", LocalBytes(size))


def buffer_of(index: int, size: int, contents: Contents, held: Mapping[int, int]) -> Passed:
    """Numbers where they are asked for and fill it; of small ones no two buffers hold the same."""
    if contents == "held" and (inside := {offset: byte for offset, byte in held.items() if offset < size}):
        return Passed(f"zeros:{size}:{held_text(inside)}", zeros_but_for(size, inside))
    count, rest = divmod(size, DWORD)
    if contents in ("zeros", "held") or rest:
        return Passed(f"zeros:{size}", bytes(size))
    if contents == "counting":
        return Passed(f"counting:{count}", counting_numbers(count))
    return Passed(f"small:{count}:{index + 1}", small_numbers(count, index + 1))


def _first(numbers: Sequence[int], others: tuple[int, ...]) -> tuple[int, ...]:
    """These in the place of the first of the others."""
    return (*numbers, *others[len(numbers) :])[: len(others)]


def _argument(takes: Parameters, index: int, numbers: tuple[int, ...], scalar: int) -> str:
    """An argument as `visaproof run` takes it; the parts of a vector have so many bytes where that is known."""
    first = takes.values[index][0]
    limit = 1 << 8 * min(scalar or first.size, first.size) - 1
    signed = (value - 2 * limit if value >= limit else value for value in numbers)
    return ",".join(f"{float(value)}" if first.type.floating else f"{value}" for value in signed)
