"""The buffers that 64-bit addresses of a kernel lie in: where they begin, how large they are, and what is assumed."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from visaproof.analysis.private_slots import slot_begin
from visaproof.analysis.surface_sizes import LARGEST, address_key, argument_of
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import TABLE_BASES, Start
from visaproof.launch.launch import BufferAddress, Launch
from visaproof.launch.matching import is_linked, linked_address
from visaproof.launch.premises import Premise, premise
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.buffer_places import AddressedBuffer, LaunchBuffers
from visaproof.queries.kernels.surface_names import PRIVATE
from visaproof.semantics.symbolic.names import surface_size
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicBuffer
from visaproof.smt import BitVec, Bool, Op, const, ult

BUFFERS_END = premise("buffers-end")
SAME_SIZE = premise("same-size")
BELOW_LARGEST = premise("buffers-below", bits=ADDRESS_BITS)


class Addressed(Struct, frozen=True):
    """The buffers, and on what their places and sizes rest."""

    buffers: LaunchBuffers
    premises: tuple[Bool, ...] = ()
    assumed: tuple[Premise, ...] = ()


def pointer_keys(kernel: Kernel, start: Start) -> dict[BitVec, str]:
    """The words that are the address of a buffer other than private memory, and what it is called."""
    handed = {word: meaning for word, meaning in start.pointers.items() if isinstance(meaning, BufferAddress)}
    found = {word: address_key(meaning.argument) for word, meaning in handed.items()}
    found |= {word: base.value for word, base in start.pointers.items() if base in TABLE_BASES}
    return found | {linked_address(name): name for name in kernel.registers if is_linked(name)}


def addressed(
    kernel: Kernel,
    platform: Platform,
    launch: Launch,
    start: Start,
    ran: Trace,
    sizes: Mapping[str, BitVec],
    slot: int,
) -> Addressed:
    """The buffers where they have these sizes, and arbitrary ones where none is given."""
    pointers = pointer_keys(kernel, start)
    surfaces = dict(_surfaces_of_arguments(kernel, launch, ran))
    known = {key: _size(key, sizes, surfaces) for key in pointers.values()}
    buffers = [AddressedBuffer(key, word, known[key]) for word, key in pointers.items()]
    if (base := start.private_base) is not None:
        behind = slot_begin(slot, kernel, platform) if slot else const(0, base.width)
        size = const(slot, ADDRESS_BITS) if slot else None
        buffers.append(AddressedBuffer(PRIVATE, base, size, behind))
    # LARGEST stands for all larger sizes of a surface, whose addresses end before it.
    below = [
        ult(size, const(LARGEST, ADDRESS_BITS))
        for key, size in known.items()
        if key in sizes and size.op is not Op.SYMBOL and size.high >= LARGEST
    ]
    assumed = [BUFFERS_END] if pointers else []
    assumed += [SAME_SIZE] if surfaces.keys() & known.keys() else []
    assumed += [BELOW_LARGEST] if below or any(size.op is Op.SYMBOL for size in known.values()) else []
    return Addressed(LaunchBuffers(tuple(buffers)), tuple(below), tuple(assumed))


def _surfaces_of_arguments(kernel: Kernel, launch: Launch, ran: Trace) -> Iterator[tuple[str, BitVec]]:
    """The sizes of the surfaces of arguments, by the keys of their buffers."""
    for key, surface in ran.surfaces.items():
        argument = argument_of(kernel, launch, key)
        if argument is not None and isinstance(surface, SymbolicBuffer):
            yield address_key(argument), surface.size


def _size(key: str, sizes: Mapping[str, BitVec], surfaces: Mapping[str, BitVec]) -> BitVec:
    stated = sizes if key in sizes else surfaces
    return stated[key] if key in stated else surface_size(key)
