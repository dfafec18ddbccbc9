"""Typed surfaces in a run of two kernels, as people read them: extents, channels of texels, samplers."""

from collections.abc import Iterator

from visaproof.decode.texels import Outside
from visaproof.refinement.inputs.samplers import samplers_in
from visaproof.refinement.testing.memory import IMAGE_SIZE, texel_at
from visaproof.refinement.verdicts import ByteDiffers, Difference
from visaproof.semantics.symbolic.names import extents_of


def place_of(found: Difference, byte: ByteDiffers) -> str:
    """Where the difference is: a byte, or a channel of a texel."""
    if found.memory[byte.surface][0] == IMAGE_SIZE:
        return channel_text(byte.address)
    return f"byte {byte.address:#x}"


def channel_text(cell: int) -> str:
    """A channel of a texel; of the first level of detail without the level."""
    (u, v, r, level), channel = texel_at(cell)
    return f"{'RGBA'[channel]} of texel ({u}, {v}, {r})" + (f" at level {level}" if level else "")


def extents_text(found: Difference, surface: str) -> str:
    """How large the first level of a typed surface is in this run."""
    extents = (found.values.get(term, 1) for term in extents_of(surface, 0))
    return "×".join(map(str, extents)) + " texels"


def extent_names(found: Difference) -> set[str]:
    """The inputs that `extents_text` shows."""
    images = (name for name, (size, _) in found.memory.items() if size == IMAGE_SIZE)
    return {str(term.payload) for name in images for term in extents_of(name, 0)}


def sampler_lines(found: Difference) -> Iterator[str]:
    """How each sampler reads in this run."""
    for name, outside in samplers_in(found.values):
        brought = "0" if outside is Outside.BORDER else "that at the edge"
        which = f"sampler {name}" if name.isdecimal() else f"the sampler of {name}"
        yield f"{which} takes the nearest texel, and outside of an image {brought} ({outside.value})"
