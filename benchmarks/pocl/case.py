"""What a launch that is compared consists of, and what its buffers may hold."""

import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from msgspec import Struct

from visaproof.decode.texels import Outside
from visaproof.execution.images import ImageShape

ITEMS = 96
GROUP = 24
"""No multiple of 16: with 16 or 32 lanes the last thread of a group has lanes without a work item."""

Triple = tuple[int, int, int]


class Order(Enum):
    """What of a buffer the source determines."""

    EXACT = "every byte"
    ANY = "the dwords, in some order"
    NOTHING = "nothing: it depends on which work item comes first"


class Data(Struct, frozen=True):
    """A buffer: its content before the launch, and how it is compared after it."""

    content: bytes
    order: Order = Order.EXACT
    ulps: int | None = None
    """How far 32-bit floats may be apart; None: bytes are compared."""
    image: ImageShape | None = None
    """Where the bytes are the texels of an image, its shape; the channels are floats where `ulps` is given."""


class Scalar(Struct, frozen=True):
    """An argument by value."""

    format: str
    value: int | float


@dataclass(frozen=True)
class Case:
    """One launch."""

    name: str
    arguments: tuple[Data | Scalar, ...]
    grid: Triple = (ITEMS, 1, 1)
    group: Triple = (GROUP, 1, 1)
    undefined: bool = False
    """Whether the launch is undefined by the pages, so that a run has to say so."""
    sampler: Outside | None = field(default=None, kw_only=True)
    """What the sampler in the source reads outside of an image."""
    symbols: tuple[bytes, ...] = field(default=(), kw_only=True)
    """Constants of the program, which compiled code gets from the linker."""


# ---------------------------------------------------------------- contents


def words(generator: random.Random, count: int = ITEMS, below: int = 1 << 32) -> bytes:
    return struct.pack(f"<{count}I", *(generator.randrange(below) for _ in range(count)))


def exact(generator: random.Random, count: int) -> bytes:
    """Floats of which sums of products are exact, so that it does not matter where they are rounded."""
    return struct.pack(f"<{count}f", *(generator.randrange(-128, 128) / 16 for _ in range(count)))


def rounded(generator: random.Random, count: int) -> bytes:
    """Floats of one sign, whose sums lose nothing to cancellation."""
    return struct.pack(f"<{count}f", *(generator.uniform(0.5, 1) for _ in range(count)))


def zeros(count: int) -> Data:
    return Data(bytes(count))


def permutation(generator: random.Random, count: int = ITEMS) -> bytes:
    return struct.pack(f"<{count}I", *generator.sample(range(count), count))


def plain(*sizes: int, scalars: Sequence[Scalar] = (), outputs: int = 1) -> Callable[[random.Random], list[Case]]:
    """A launch with random bytes in all buffers but the last `outputs`, which are 0."""

    def make(generator: random.Random) -> list[Case]:
        inputs = [Data(generator.randbytes(size)) for size in sizes[: len(sizes) - outputs]]
        return [Case("random", (*inputs, *map(zeros, sizes[len(sizes) - outputs :]), *scalars))]

    return make


def both_floats(
    make: Callable[[Callable[[int], bytes], int | None, random.Random], Case], ulps: int
) -> Callable[[random.Random], list[Case]]:
    """Two launches: one in which nothing is rounded, and one with a bound on the differences."""

    def both(generator: random.Random) -> list[Case]:
        exactly = make(lambda count: exact(generator, count), None, generator)
        within = make(lambda count: rounded(generator, count), ulps, generator)
        return [exactly, within]

    return both


def name_of(ulps: int | None) -> str:
    return "exact floats" if ulps is None else f"within {ulps} ulps"
