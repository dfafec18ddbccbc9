"""The local ids of a thread of a launch that exists (`--assume launch`): exact where the local size is known."""

from visaproof.kernel.exact_ids import exact_ids
from visaproof.kernel.group_shape import GroupShape
from visaproof.kernel.launched_words import (
    BITS,
    LaunchedIds,
    between,
    first_id,
    known_sizes,
    size_values,
    size_word,
)
from visaproof.kernel.open_ids import open_ids
from visaproof.smt import (
    const,
    true,
    ult,
)


def launched_ids(shape: GroupShape) -> LaunchedIds:
    """The ids of a thread: exact where the local size is known."""
    if shape.simd == 1:
        return _single(shape)
    return exact_ids(shape, shape.launch.group_size) if shape.launch.group_size else open_ids(shape)


def _single(shape: GroupShape) -> LaunchedIds:
    """A thread of the VectorCompiler is one work item, and has all lanes."""
    size = shape.launch.group_size
    read = shape.read
    sizes = [const(size[d], BITS) if size else size_word(shape, d) if d in read else const(1, BITS) for d in range(3)]
    ids = [first_id(d) if d in read else const(0, BITS) for d in range(3)]
    facts = [ult(ids[d], sizes[d]) for d in read]
    facts += [fact for d in read if not size for fact in between(sizes[d])]
    known = {d: const(size[d] if size else 1, 32) for d in range(3) if size or (read and d not in read)}
    return LaunchedIds(
        words={place: ids[d] for place, d, _ in shape.local_ids()} | known_sizes(shape, known),
        ids=((ids[0], ids[1], ids[2]),),
        sizes=(sizes[0], sizes[1], sizes[2]),
        on=(true(),) * 64,
        facts=tuple(facts),
        usual=(size_values(shape, read, size or (1, 1, 1)),),
    )
