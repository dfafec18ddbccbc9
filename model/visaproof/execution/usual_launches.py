"""Launches as hosts make them, few work items first: the sizes, arguments and buffers that kernels usually get."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from visaproof.execution.arguments import Parameters, parameters
from visaproof.execution.payload import Program
from visaproof.execution.shape import Shape, Triple
from visaproof.launch.ids.group_shape import GroupShape

BUFFER_BYTES = 1 << 16
"""Of a buffer of which no size is stated."""
LOCAL_BYTES = 1 << 12
MOST_BUFFER = 1 << 24
MOST_ITEMS = 4096
"""Work items of a launch that is tried."""
RANDOM_DRAWS = 4
"""Choices of arguments at random for each shape."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What the user states, and what the example of an analysis holds."""

    sizes: Callable[[int, Mapping[str, int]], int | None] = lambda _, __: None
    """Bytes of the buffer of an argument, given numbers by name; None where nothing is stated of it."""
    allows: Callable[[Mapping[str, int]], bool] = lambda _: True
    """Whether these numbers obey the user's relations."""
    global_size: Triple | None = None
    example: tuple[Shape, Mapping[int, int]] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A launch to be tried."""

    shape: Shape
    numbers: Mapping[int, int]
    """Arguments by value, by index."""
    like_the_example: bool
    named: Mapping[str, int]
    """The numbers by the names that relations and sizes use."""


class UsualLaunches:
    """The launches of a kernel that are tried, in order."""

    def __init__(self, program: Program, stated: Stated) -> None:
        self.program = program
        self.stated = stated
        self.takes = parameters(program)

    def __iter__(self) -> Iterator[Candidate]:
        """Those that obey what is stated."""
        for like_the_example, shape, numbers in self._all():
            named = self._named(shape, numbers)
            if self.stated.allows(named):
                yield Candidate(shape, numbers, like_the_example, named)

    def sizes(self, candidate: Candidate) -> dict[int, int] | None:
        """Bytes of each buffer, by the index of its argument; None where the stated ones are none that is run."""
        found: dict[int, int] = {}
        for index in self.takes.buffers:
            if index in self.takes.symbols:
                continue
            stated = self.stated.sizes(index, candidate.named)
            found[index] = BUFFER_BYTES if stated is None else stated
        return found if all(0 < size <= MOST_BUFFER for size in found.values()) else None

    def arguments(self, candidate: Candidate) -> dict[int, str]:
        """As `visaproof run` takes them."""
        return {index: _argument(self.takes, index, value) for index, value in candidate.numbers.items()}

    def _all(self) -> Iterator[tuple[bool, Shape, dict[int, int]]]:
        if self.stated.example is not None:
            shape, numbers = self.stated.example
            if shape.items <= MOST_ITEMS:
                yield True, shape, {**self._usual(shape), **numbers}
        draw = random.Random(1)
        for shape in self._shapes():
            yield False, shape, self._usual(shape)
            if self.stated.example is not None:
                yield False, shape, {**self._usual(shape), **self.stated.example[1]}
            yield False, shape, dict.fromkeys(self.takes.values, shape.items)
            pool = (1, 2, 3, 4, 8, 16, *shape.global_size[:2], shape.items)
            for _ in range(RANDOM_DRAWS if self.takes.values else 0):
                yield False, shape, {index: draw.choice(pool) for index in self.takes.values}

    def _shapes(self) -> Iterator[Shape]:
        """Few work items first."""
        for local in self._local_sizes():
            if self.stated.global_size is not None:
                whole = self.stated.global_size
                if not any(size % part for size, part in zip(whole, local, strict=True)):
                    yield Shape(whole, local)
                continue
            yield Shape(local, local)
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

    def _usual(self, shape: Shape) -> dict[int, int]:
        """What hosts pass for arguments of these names: extents of the launch, or the number of its work items."""
        x, y, _ = shape.global_size
        of_columns = ("w", "col", "nx", "stride", "pitch", "ld", "xs", "xdim")
        of_rows = ("h", "row", "ny", "ys", "ydim")
        found: dict[int, int] = {}
        for index in self.takes.values:
            name = self.takes.shown(index).lower()
            one_of_many = y > 1 and (name.startswith(of_columns) or name.startswith(of_rows))
            found[index] = shape.items if not one_of_many else x if name.startswith(of_columns) else y
        return found

    def _named(self, shape: Shape, numbers: Mapping[int, int]) -> dict[str, int]:
        """The numbers by the names that relations and sizes use."""
        named = {self.takes.shown(index): value for index, value in numbers.items()}
        named |= {f"arg{index}": value for index, value in numbers.items()}
        for value, sizes in (
            ("local_size", shape.local_size), ("global_size", shape.global_size), ("group_count", shape.group_count),
        ):  # fmt: skip
            named |= {f"{value}_{dimension}": size for dimension, size in zip("xyz", sizes, strict=True)}
        return named


def _argument(takes: Parameters, index: int, value: int) -> str:
    """An argument as `visaproof run` takes it; a vector has the number in each part."""
    slots = takes.values[index]
    size = max(slot.offset + slot.size for slot in slots)
    parts = len(slots) if len(slots) * slots[0].size == size else 1
    limit = 1 << 8 * slots[0].size - 1
    number = value - 2 * limit if value >= limit else value
    one = f"{float(number)}" if slots[0].type.floating else f"{number}"
    return ",".join([one] * parts)
