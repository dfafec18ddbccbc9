"""Names of surfaces and buffers that a run of kernels has, and where a buffer lies unless something else is said."""

from zlib import crc32

from msgspec import Struct

from visaproof.isa.surface_keys import AtPayloadByte, OfArgument, TableEntry, surface_key

PRIVATE = "private memory"
PRIVATE_SIZE = 1 << 40
PRIVATE_AT = 0xFFF << 48
MOST_MOVED = 1 << 44


def base_at(buffer: str) -> int:
    """Where a buffer lies if nothing else is said: so far from the next that no 32-bit index reaches that."""
    match surface_key(buffer):
        case OfArgument(number) | TableEntry(number) | AtPayloadByte(number):
            return (number + 1) << 48
        case _:
            return PRIVATE_AT if buffer == PRIVATE else (0x1000 + crc32(buffer.encode()) % 0xE000) << 48


class AfterCuts(Struct, frozen=True):
    """After so many barriers, fences or atomics, at which others take part, and ends of iterations of loops."""

    kinds: tuple[str, ...]
    cuts: int
    ends: int = 0

    def __str__(self) -> str:
        ends = f" and {self.ends} ends of iterations" if self.ends else ""
        return f"{' or '.join(self.kinds)} {self.cuts}{ends}"


class AfterAtomicStep(Struct, frozen=True):
    """After an atomic step of kernels of different widths."""

    number: int

    def __str__(self) -> str:
        return f"atomic step {self.number}"


class AfterMessage(Struct, frozen=True):
    """After so many messages, between any two of which others may write."""

    number: int

    def __str__(self) -> str:
        return f"message {self.number}"


class AfterImageStores(Struct, frozen=True):
    """After so many stores to what may be one object with it, an image; and after reads of that, between its own."""

    stores: int
    reads: int = 0

    def __str__(self) -> str:
        return f"{self.stores} stores to images" + (f", {self.reads} times read as others" if self.reads else "")


After = AfterCuts | AfterAtomicStep | AfterMessage | AfterImageStores


class SurfaceThen(str):
    """A surface with what it holds after others may have written it: another memory than the surface itself.

    It is made by `surface_after` and `like_then` alone, so that what it means is never read from its text.
    """

    root: str
    moments: tuple[After, ...]

    def __new__(cls, root: str, moments: tuple[After, ...]) -> "SurfaceThen":
        made = super().__new__(cls, " after ".join((root, *map(str, moments))))
        made.root, made.moments = root, moments
        return made

    def __getnewargs__(self) -> tuple[str, tuple[After, ...]]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.root, self.moments


def surface_after(surface: str, moment: After) -> SurfaceThen:
    """The surface after one more moment."""
    return SurfaceThen(itself(surface), (*moments_of(surface), moment))


def moments_of(surface: str) -> tuple[After, ...]:
    """After what the surface is meant; nothing for the surface at the start."""
    return surface.moments if isinstance(surface, SurfaceThen) else ()


def like_then(surface: str, other: str) -> str:
    """The surface at the moments of another one."""
    return SurfaceThen(surface, moments) if (moments := moments_of(other)) else surface


def itself(surface: str) -> str:
    """The surface of which this name means what it holds behind a barrier or a message."""
    return surface.root if isinstance(surface, SurfaceThen) else surface
