"""Where the buffers of a run of one kernel lie in the 64-bit address space: apart from each other."""

from collections.abc import Sequence
from itertools import pairwise

from visaproof.analysis.conflicts.thread_states import Asked, Values, state_of
from visaproof.checking.buffer_space import BufferSpace
from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.buffer_places import AddressedBuffer, LaunchBuffers
from visaproof.queries.kernels.surface_names import MOST_MOVED, base_at
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import BitVec, Bool, Op, conj, evaluate

SPACE = 1 << FLAT_BITS
LARGE = 1 << 32
"""Bytes of a buffer on whose size nothing depends."""


def launched(values: Values, buffers: LaunchBuffers, conditions: Sequence[Bool]) -> Values | None:
    """The values as a launch hands them over, with buffers that lie apart; None where the conditions do not hold then.

    Each buffer is moved far from the others if nothing depends on that.
    """
    moved = {one.pointer: _home(one) + values.get(one.pointer, 0) % MOST_MOVED for one in buffers.buffers}
    for candidate in ({**values, **moved}, values) if moved else (values,):
        if evaluate(conj(*conditions), candidate) and _apart(windows(buffers, candidate)):
            return candidate
    return None


def _home(buffer: AddressedBuffer) -> int:
    return base_at(buffer.key)


def windows(buffers: LaunchBuffers, values: Values) -> tuple[range, ...]:
    """The addresses of each buffer, as far as its size is known."""
    return tuple(_window(buffer, buffer.size, values) for buffer in buffers.buffers if buffer.size is not None)


def _window(buffer: AddressedBuffer, size: BitVec, values: Values) -> range:
    begin = evaluate(buffer.begin, values)
    return range(begin, begin + (values.get(size, LARGE) if size.op is Op.SYMBOL else evaluate(size, values)))


def state_with_buffers(
    asked: Asked, until: Performed | None, buffers: LaunchBuffers, values: Values, choices: Choices
) -> ConcreteState:
    """The thread that these values describe, with the buffers where they lie, and what loads up to a message bring."""
    state = state_of(asked, until, values, choices)
    if isinstance(flat := state.surfaces.get(FLAT), Buffer):
        state.surfaces[FLAT] = BufferSpace(flat.size, flat.contents, windows=windows(buffers, values))
    return state


def window_of(buffers: LaunchBuffers, key: str, values: Values) -> tuple[int, int]:
    """Where the buffer of this name begins, and how many bytes it has."""
    sized = ((buffer, buffer.size) for buffer in buffers.buffers if buffer.key == key)
    window = next(_window(buffer, size, values) for buffer, size in sized if size is not None)
    return window.start, window.stop - window.start


def _apart(places: Sequence[range]) -> bool:
    """Whether no two share a byte, and all end in the address space."""
    used = sorted((place for place in places if place), key=lambda place: place.start)
    return all(one.stop <= other.start for one, other in pairwise(used)) and all(one.stop <= SPACE for one in used)
