"""The extents of images by names: `src.width`, and `src.layers` of an array."""

from collections.abc import Iterator

from visaproof.isa.surface_keys import StateAt, TableEntry
from visaproof.launch.input_meaning import Argument, BufferAddress, Surface
from visaproof.launch.launch import Launch
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.named_words import Named, NoNumber
from visaproof.program.kernel import Kernel
from visaproof.semantics.symbolic.names import extents_of

EXTENTS = ("width", "height", "depth", "layers")
KINDS = {
    "image1d_array": ("width", "layers", ""),
    "image1d": ("width", "", ""),
    "image2d_array": ("width", "height", "layers"),
    "image2d": ("width", "height", ""),
}
"""What the coordinates count, by what a type begins with."""
OF_ANY = ("width", "height", "depth")


def extent_name(argument: Argument, launch: Launch, axis: int) -> str:
    """The name of an extent of the image that is passed for an argument: 0 is that of a row."""
    return f"{argument.name or f'arg{argument.index}'}.{axes_of(argument, launch)[axis]}"


def axes_of(argument: Argument, launch: Launch) -> tuple[str, str, str]:
    """What the coordinates of an image count, as its type says."""
    kind = launch.info(argument.index).type_name
    return next((names for begin, names in KINDS.items() if kind.startswith(begin)), OF_ANY)


def extent_named(name: str, kernel: Kernel, launch: Launch) -> Named:
    """What the name of an extent stands for.  Raises NoNumber."""
    image, _, extent = name.rpartition(".")
    keys = {(one.name, f"arg{one.index}"): (one, key) for one, key in _surfaces(kernel, launch)}
    found = next((each for names, each in keys.items() if image in names), None)
    images = ", ".join(one.name or f"arg{one.index}" for one, _ in keys.values() if launch.info(one.index).is_image)
    hint = f"images: {images}" if images else "the launch information names no image"
    if found is None:
        raise NoNumber(f"no surface is called {image!r}", hint)
    argument, key = found
    if launch.info(argument.index).type_name and not launch.info(argument.index).is_image:
        raise NoNumber(f"{argument} is no image", hint)
    axes = axes_of(argument, launch)
    if extent not in axes:
        raise NoNumber(f"{argument} has no {extent}", f"it has {', '.join(filter(None, axes))}")
    word = extents_of(key, 0)[axes.index(extent)]
    return Named(Word(word), what=f"{extent} of {argument}")


def _surfaces(kernel: Kernel, launch: Launch) -> Iterator[tuple[Argument, str]]:
    """The arguments with a surface, and how a kernel names it."""
    for number in launch.binding_table:
        if (bound := launch.surface(number)) is not None:
            yield bound, str(TableEntry(number))
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if isinstance(piece.meaning, Surface | BufferAddress):
                yield piece.meaning.argument, str(StateAt(item.variable, piece.offset))
