"""What a kernel loads of the buffers of its arguments, for relations to the largest and the smallest element."""

from collections.abc import Mapping

from visaproof.analysis.surface_sizes import argument_of
from visaproof.instructions.svm_gather import FLAT
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import BufferAddress, Launch
from visaproof.launch.relations.element_names import Loaded
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.buffer_places import behind_pointer
from visaproof.semantics.symbolic.accesses import Access, Load
from visaproof.smt import BitVec


def loaded_elements(kernel: Kernel, launch: Launch, start: Start, ran: Trace) -> Loaded:
    """By the number of the argument: of an address of 64 bits, of the one whose address it is made from."""
    pointers, found = _pointers(start), dict[int, list[BitVec]]()
    for performed in ran.performed:
        bound = argument_of(kernel, launch, performed.surface)
        for access, value in performed.loaded:
            index = _behind(access, pointers) if performed.surface == FLAT else bound and bound.index
            if index is not None and len(access.cell) == 1:
                found.setdefault(index, []).append(value)
    return found


def written(kernel: Kernel, launch: Launch, start: Start, ran: Trace) -> frozenset[int] | None:
    """The arguments to whose buffers the kernel stores; None where that may be any."""
    pointers, found = _pointers(start), set[int]()
    for performed in ran.performed:
        bound = argument_of(kernel, launch, performed.surface)
        for access in performed.accesses:
            if isinstance(access, Load):
                continue
            index = _behind(access, pointers) if performed.surface == FLAT else bound and bound.index
            if index is not None:
                found.add(index)
            elif performed.surface == FLAT:
                return None
    return frozenset(found) if ran.stopped is None else None


def _pointers(start: Start) -> dict[BitVec, int]:
    return {word: one.argument.index for word, one in start.pointers.items() if isinstance(one, BufferAddress)}


def _behind(access: Access, pointers: Mapping[BitVec, int]) -> int | None:
    found = behind_pointer(access.cell[0], pointers) if pointers else None
    return None if found is None else pointers[found[0]]
