"""The local ids of a thread of a launch that exists (`--assume launch`): exact where the local size is known."""

from visaproof.isa.execution import THREAD_LANES
from visaproof.launch.ids.exact_ids import exact_ids
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_words import (
    BITS,
    LaunchedIds,
    between,
    first_id,
    known_words,
    size_of,
    size_values,
)
from visaproof.launch.ids.open_ids import open_ids
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import (
    const,
    true,
    ult,
)


def launched_ids(shape: GroupShape) -> LaunchedIds:
    """The ids of a thread: exact where the local size is known, and the layout."""
    if shape.simd == 1:
        return _single(shape)
    return open_ids(shape) if shape.size is None or not shape.counted else exact_ids(shape, shape.size)


def _single(shape: GroupShape) -> LaunchedIds:
    """A thread of the VectorCompiler is one work item, and has all lanes."""
    read, stated = shape.open, shape.launch.group_size
    sizes = [size_of(shape, d) for d in range(3)]
    ids = [first_id(shape, d) if d in read else const(0, BITS) for d in range(3)]
    facts = [ult(ids[d], sizes[d]) for d in read]
    facts += [fact for d in read if shape.size is None for fact in between(sizes[d], shape.most_in(d))]
    on = tuple(lane_on(lane) if "all-lanes" in shape.lifted else true() for lane in range(THREAD_LANES))
    return LaunchedIds(
        words={place: ids[d] for place, d, _ in shape.local_ids()} | known_words(shape),
        ids=((ids[0], ids[1], ids[2]),),
        sizes=(sizes[0], sizes[1], sizes[2]),
        on=on,
        facts=tuple(facts),
        usual=(size_values(shape, read, stated or (1, 1, 1)),),
    )
