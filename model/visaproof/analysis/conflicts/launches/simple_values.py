"""Simple values for the inputs of a kernel: most lanes that can meet at all do so where every input is 0."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

from visaproof.isa.operands import SLM
from visaproof.launch.local_memory import LARGEST_LOCAL
from visaproof.queries.kernels.extents import MOST_LAYERS, MOST_TEXELS
from visaproof.semantics.symbolic.names import Extent, SurfaceSize
from visaproof.smt import Term

SURFACE_BYTES = 1 << 32
"""Of surfaces of which nothing is known."""
OF_IMAGES = {"width": MOST_TEXELS, "height": MOST_TEXELS, "depth": MOST_LAYERS}


def classes_of_values(
    symbols: Sequence[Term], size: int, surface: str, local: int = LARGEST_LOCAL
) -> Iterator[Iterator[list[int]]]:
    """Values of the symbols, in kinds: equal words; the same where all surfaces but one are empty; seeded random ones.

    `size` is what is taken for bytes of a surface, and for extents, of which nothing is known; `local` for shared local
    memory.
    """
    sizes = [likely_size(one, size, local) for one in symbols]
    yield (_simple(symbols, sizes, word, flag) for word, flag in product((0, 1, 2), (1, 0)))
    others = [
        extent if extent is None or _is_of(one, surface) else 0 for one, extent in zip(symbols, sizes, strict=True)
    ]
    if others != sizes:
        yield (_simple(symbols, others, word, 1) for word in (0, 1, 2))
    random = Random(0)
    yield (_random(symbols, sizes, bits, random) for bits in (3, 8, 16, 32) for _ in range(8))


def in_launches(simple: Iterator[list[int]], launches: Sequence[Mapping[int, int]]) -> Iterator[list[int]]:
    """Each of these values in each launch, which decides some of the values."""
    for values in simple:
        for launch in launches:
            found = list(values)
            for place, value in launch.items():
                found[place] = value
            yield found


def likely_size(one: Term, size: int, local: int = LARGEST_LOCAL) -> int | None:
    """What is taken for the extent of a surface; None for any other symbol."""
    match one.payload:
        case SurfaceSize(surface):
            most = local if surface == SLM else size
        case Extent(axis):
            most = OF_IMAGES[axis]
        case _:
            return None
    return min(1 << (one.width - 1), size, most)


def _is_of(one: Term, surface: str) -> bool:
    """Whether the symbol is an extent of the surface."""
    return isinstance(one.payload, SurfaceSize | Extent) and one.payload.surface == surface


def _simple(symbols: Sequence[Term], sizes: Sequence[int | None], word: int, flag: int) -> list[int]:
    values = [flag if one.width == 0 else word for one in symbols]
    return [value if size is None else size for value, size in zip(values, sizes, strict=True)]


def _random(symbols: Sequence[Term], sizes: Sequence[int | None], bits: int, random: Random) -> list[int]:
    values = [random.getrandbits(min(bits, one.width or 1)) for one in symbols]
    return [value if size is None else size for value, size in zip(values, sizes, strict=True)]
