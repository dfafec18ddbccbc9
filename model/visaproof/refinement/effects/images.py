"""Images that may be one object with another image, or with a buffer: in which order two kernels store to them."""

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.refinement.effects.side import Side
from visaproof.semantics.symbolic.accesses import Load


def with_stores_counted(source: Side, target: Side) -> tuple[Side, Side]:
    """Both kernels with the stores that come before each message; one side where one run stands for both.

    Raises NotModelled where they do not store to the same images and buffers in the same order.
    """
    if not source.sharing.images:
        return source, target
    if list(_stores(source)) != list(_stores(target)):
        raise NotModelled("stores to images that may be one object, in another order than in the source")
    one = _counted(source)
    return one, one if target is source else _counted(target)


def _counted(side: Side) -> Side:
    """The side with how many stores come before each message to what may be one object with its surface."""
    counts, before = Counter[str](), list[int]()
    for performed in side.trace.performed:
        memory = _memory(side, performed)
        before.append(sum(counts[other] for other in side.sharing.others(memory)))
        counts[memory] += _is_store(side, performed)
    return replace(side, stored_before=tuple(before))


def _stores(side: Side) -> Iterator[str]:
    """The memory of each message that stores to what may be one object with another, in the order of the run."""
    for performed in side.trace.performed:
        if _is_store(side, performed) and side.sharing.others(_memory(side, performed)):
            yield _memory(side, performed)


def _memory(side: Side, performed: Performed) -> str:
    return side.sharing.memory(side.surface(performed.surface))


def _is_store(side: Side, performed: Performed) -> bool:
    accesses = (one for one in performed.accesses if not is_private(side.trace, performed, one))
    return any(not isinstance(one, Load) for one in accesses)
