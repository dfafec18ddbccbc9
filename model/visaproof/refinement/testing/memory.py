"""The memory of a run of two kernels: surfaces by their common names, and buffers that lie apart."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from visaproof.checking.stages import Values
from visaproof.decode.texels import Outside
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.kernels.surface_names import MOST_MOVED, base_at, itself
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.sharing import NOTHING_SHARED, SHARED, SHARED_AT, Sharing
from visaproof.refinement.testing.watch import FLAT_SIZE, ViewContents, Watch, WatchedImage
from visaproof.semantics.concrete.surface import Buffer, Image, Texel
from visaproof.semantics.symbolic.names import (
    SurfaceSize,
    buffer_base,
    extents_like,
    extents_of,
    is_extent,
    is_of_memory,
    surface_size,
)
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import BitVec, Term
from visaproof.smt.evaluate import Evaluation, evaluate_all

IMAGE_SIZE = 1 << 130
"""Of a typed surface: a cell is (u, v, r, lod) of 32 bits each, and a channel of two."""

Memory = dict[str, tuple[int, dict[int, int]]]
"""Size and contents of each surface, by its common name."""


# ---------------------------------------------------------------- where buffers lie


def bases_of(buffers: Iterable[str], values: Values, sharing: Sharing = NOTHING_SHARED) -> dict[str, int]:
    """Where each buffer begins: the values say the low bits, which decide what carries.

    Of buffers that may overlap they say it all.
    """
    return {buffer: _base_of(buffer, values.get(buffer_base(buffer), 0), sharing) for buffer in buffers}


def _base_of(buffer: str, chosen: int, sharing: Sharing) -> int:
    if buffer in sharing.alignments:
        return (SHARED_AT + chosen * sharing.alignments[buffer]) % FLAT_SIZE
    return base_at(buffer) + chosen * sharing.unit(buffer) % MOST_MOVED


class View(Struct, frozen=True):
    """A buffer in memory that it shares with others."""

    base: int
    size: int

    def within(self, memory: Mapping[str, Buffer | Image]) -> "ViewContents":
        """Its bytes, which are those of the memory."""
        shared = memory[SHARED]
        assert isinstance(shared, Buffer)
        return ViewContents(shared.contents, self.base)


def views(sharing: Sharing, memory: Memory, values: Values) -> Iterator[tuple[str, View]]:
    """The buffers that share memory in a run."""
    if SHARED in memory:
        for name, base in bases_of(sharing.alignments, values, sharing).items():
            yield name, View(base, _size(name, values))


def elsewhere(bases: Mapping[str, int]) -> dict[str, int]:
    """Other places for the buffers: each moved, none by as much as another, and nothing carries."""
    return {buffer: base_at(buffer) + (count << 41) for count, buffer in enumerate(sorted(bases), 1)}


def follows(first: int, other: int | None, bases: Mapping[str, int], moved: Mapping[str, int]) -> bool:
    """Whether an address moves as one of the buffers does; `other` is None where it then lies in one of them."""
    return other is not None and any(first - other == bases[buffer] - moved[buffer] for buffer in bases)


# ---------------------------------------------------------------- surfaces of a run


def image_of(
    levels: tuple[tuple[int, int, int], ...],
    kind: SurfaceKind,
    cells: Mapping[int, int],
    watch: Watch,
    samplers: Mapping[int, Outside],
) -> WatchedImage:
    """A typed surface with these contents."""
    texels: dict[Texel, int] = {}
    for cell, value in cells.items():
        texel, channel = texel_at(cell)
        if value:
            texels[texel] = texels.get(texel, 0) | value << 32 * channel
    return WatchedImage(levels, texels, kind, before=dict(texels), samplers=samplers, watch=watch)


def levels_of(surface: SymbolicImage, common: str, values: Values) -> Iterator[tuple[int, int, int]]:
    """The extents of each level, as the values say."""
    for level, extents in enumerate(surface.levels):
        width, height, depth = (values.get(term, 1) for term in extents_like(extents, common, level))
        yield width, height, depth


def texel_at(cell: int) -> tuple[Texel, int]:
    """The texel and the channel of a cell."""
    u, v, r, lod = (cell >> 2 + 32 * (3 - place) & 0xFFFF_FFFF for place in range(4))
    return (u, v, r, lod), cell & 3


def cell_at(texel: Texel, channel: int) -> int:
    """The cell of a channel of a texel."""
    u, v, r, lod = texel
    return ((u << 32 | v) << 32 | r) << 34 | lod << 2 | channel


def cells_of(image: Image) -> dict[int, int]:
    """What an image holds, by cell."""
    found: dict[int, int] = {}
    for place, texel in image.texels.items():
        for channel in range(4):
            found[cell_at(place, channel)] = texel >> 32 * channel & 0xFFFF_FFFF
    return found


def sampled_image(common: str) -> SymbolicImage:
    """A typed surface of which only a sampler reads."""
    width, height, depth = extents_of(common, 0)
    return SymbolicImage(((width, height, depth),))


# ---------------------------------------------------------------- before the run


Content = Callable[[str, int, int], int]
"""What a surface holds at an address, in so many bytes."""


def of_each_surface(drawn: Callable[[str], Content]) -> Content:
    """What each surface holds as it is drawn when it is first read."""
    known: dict[str, Content] = {}

    def content(surface: str, address: int, width: int) -> int:
        if surface not in known:
            known[surface] = drawn(surface)
        return known[surface](surface, address, width)

    return content


def nothing(surface: str, address: int, width: int) -> int:
    """Memory that holds 0."""
    return 0


def memory_of(question: Question, images: Mapping[str, bool], values: Values, content: Content) -> Memory:
    """The memory that these values describe; `content` is what is read and of which they say nothing.

    `images` has the typed surfaces, and whether each is read in a way that is modelled of an image of 0 alone.

    No other thread writes while the kernels run: behind a barrier is what was there.  `values` gets what the loads
    bring.
    """
    memory: Memory = {}
    for name in (*map(itself, question.surfaces), *images):
        contents = question.memory.tables.initial(name, values)
        memory[name] = (IMAGE_SIZE if name in images else _size(name, values), contents)
    places: dict[Term, tuple[str, BitVec]] = {value: place for place, value in question.memory.cells.items()}
    now = Evaluation(values)
    for name in question.memory.order:
        if name in question.memory.definitions:
            values[name] = now.of(question.memory.definitions[name])
            continue
        surface, cell = places[name]
        own = itself(surface)
        _, contents = memory[own]
        address, known = now.of(cell), values.get(name)
        if own in images:
            word = content(own, address, 4) if known is None else known
            values[name] = contents.setdefault(address << 130 - cell.width, 0 if images[own] else word)
            continue
        unit = question.memory.units[surface]
        word, value = content(own, address, unit) if known is None else known, 0
        for k in range(unit):
            value |= contents.setdefault((address + k) % FLAT_SIZE, word >> 8 * k & 0xFF) << 8 * k
        values[name] = value
    for surface, (_, contents) in memory.items():
        for unit, width, address in _stored(question, surface, values):
            if surface in images:
                word = 0 if images[surface] else content(surface, address, 4)
                contents.setdefault(address << 130 - width, word)
                continue
            word = content(surface, address, unit)
            for k in range(unit):
                contents.setdefault((address + k) % FLAT_SIZE, word >> 8 * k & 0xFF)
    return memory


def _stored(question: Question, name: str, values: Values) -> Iterator[tuple[int, int, int]]:
    """Where the kernels may store to a surface: what is there before may be what an atomic brings.

    The unit in bytes, and the cell with its bits.
    """
    for surface in question.surfaces:
        if itself(surface) == name:
            both = (question.source.stores.get(surface, ()), question.target.stores.get(surface, ()))
            cells = list(dict.fromkeys(store.cell for stores in both for store in stores))
            for cell, address in zip(cells, evaluate_all(cells, values), strict=True):
                yield question.memory.units[surface], cell.width, address


def _size(surface: str, values: Values) -> int:
    return FLAT_SIZE if surface in (FLAT, SHARED) else values.get(surface_size(surface), 1 << 32)


# ---------------------------------------------------------------- what a launch may choose for a symbol


LARGEST_EXTENT = 1 << 14
"""Texels: there most of the small coordinates that a kernel loads or computes lie inside."""


def word_value(one: Term, word: int, flag: int, size: int) -> int:
    """The symbol's value: of this word, this truth value, or this size in bytes."""
    if one.width == 0:
        return flag
    if is_extent(one):
        return word % LARGEST_EXTENT + 1
    return size if isinstance(one.payload, SurfaceSize) else word % (1 << one.width)


def is_input(term: Term) -> bool:
    """Whether a launch chooses it, and not the memory."""
    return not is_of_memory(term)
