"""How the local ids of a kernel are laid out, as far as its launch information and its text say it."""

from visaproof.isa.platform import Platform
from visaproof.launch.ids.local_ids import Host, LaidOut
from visaproof.launch.input_meaning import LocalId
from visaproof.launch.launch import Launch
from visaproof.program.kernel import Kernel
from visaproof.program.statements import Origin

TYPED = frozenset(("scatter4_typed", "gather4_typed", "typed_atomic", "load_lz", "sample_lz", "sample_l"))
"""Messages that reach texels."""

_UNTYPED = ("gather", "scatter", "oword", "qw_", "dword_atomic", "svm_", "lsc_load", "lsc_store", "lsc_atomic")
"""What the messages begin with that reach bytes."""


def laid_out(kernel: Kernel, launch: Launch, simd: int, platform: Platform, host: Host) -> LaidOut:
    """What decides about the local ids, beside the size of a group."""
    tiles = host is Host.OPENCL and takes_only_images(kernel, launch)
    return LaidOut(platform, simd, local_id_count(kernel, launch), tiles, launch.walk_order)


def local_id_count(kernel: Kernel, launch: Launch) -> int:
    """In how many dimensions the payload has local ids."""
    pieces = (piece.meaning for item in kernel.inputs for piece in launch.pieces(item.variable))
    return max((meaning.dimension + 1 for meaning in pieces if isinstance(meaning, LocalId)), default=0)


def takes_only_images(kernel: Kernel, launch: Launch) -> bool:
    """Whether images are passed and no buffers; by what the kernel reaches where the launch does not say it."""
    if launch.only_images is not None:
        return launch.only_images
    instructions = list(kernel.instructions())
    return any(map(reaches_texels, instructions)) and not any(map(_reaches_bytes, instructions))


def reaches_texels(instruction: Origin) -> bool:
    return instruction.opcode in TYPED or "tgm" in instruction.suffixes[:1]


def _reaches_bytes(instruction: Origin) -> bool:
    return not reaches_texels(instruction) and instruction.opcode.startswith(_UNTYPED)
