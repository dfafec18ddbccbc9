"""What a kernel loads of the buffers of its arguments, for relations to the largest and the smallest element."""

from collections.abc import Callable, Iterator

from visaproof.analysis.surface_sizes import SLM, argument_of
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import BufferAddress, Launch
from visaproof.launch.relations.element_names import Loaded
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.buffer_places import Pointers
from visaproof.semantics.symbolic.accesses import Access, Load
from visaproof.smt import BitVec

OWN_MEMORY = (SLM, SCRATCH)
"""Surfaces that are no argument's buffer."""


def loaded_elements(kernel: Kernel, launch: Launch, start: Start, ran: Trace) -> Loaded:
    """By the number of the argument: of an address of 64 bits, of the one whose address it is made from."""
    found: dict[int, list[BitVec]] = {}
    for performed, argument_of_access in _performed(kernel, launch, start, ran):
        for access, value in performed.loaded:
            index = argument_of_access(access)
            if index is not None and len(access.cell) == 1:
                found.setdefault(index, []).append(value)
    return found


def written(kernel: Kernel, launch: Launch, start: Start, ran: Trace) -> frozenset[int] | None:
    """The arguments to whose buffers the kernel stores; None where that may be any."""
    found: set[int | None] = set()
    for performed, argument_of_access in _performed(kernel, launch, start, ran):
        stores = [one for one in performed.accesses if not isinstance(one, Load)]
        found |= {argument_of_access(one) for one in stores if performed.surface not in OWN_MEMORY}
    return None if None in found or ran.stopped is not None else frozenset(one for one in found if one is not None)


def _performed(
    kernel: Kernel, launch: Launch, start: Start, ran: Trace
) -> Iterator[tuple[Performed, Callable[[Access], int | None]]]:
    """The messages, each with whose buffer its accesses go to; None where that is not known."""
    pointers = {word: one.argument.index for word, one in start.pointers.items() if isinstance(one, BufferAddress)}
    seen = Pointers(pointers)

    def behind(access: Access) -> int | None:
        found = seen.behind(access.cell[0]) if pointers else None
        return None if found is None else pointers[found[0]]

    for performed in ran.performed:
        bound = argument_of(kernel, launch, performed.surface)
        yield performed, behind if performed.surface == FLAT else lambda _, bound=bound: bound and bound.index
