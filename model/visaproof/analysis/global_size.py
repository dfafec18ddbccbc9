"""The assumption that the ids of a launch stay below its global size (`--global-size`)."""

from collections.abc import Iterator, Sequence

from visaproof.analysis.surface_sizes import amount_term, bytes_at, parse_amount, pieces
from visaproof.isa.errors import ReadError, in_option
from visaproof.launch.assumptions import Start
from visaproof.launch.input_meaning import DIMENSIONS, GROUP_ID_BYTES
from visaproof.launch.launch import Launch, LaunchValue, LocalId
from visaproof.launch.premises import Premise, premise
from visaproof.launch.relations.expressions import Expression
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.program.kernel import Kernel
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import BitVec, Bool, add, const, eq, implies, mul, truncate, ule, ult, zero_extend

WIDE = 64
"""Bits of a global id: the number of groups is below 2^32, and a group has at most 2^16 items in a dimension."""
LAST_OF_32_BITS = 2**32 - 1

GLOBAL_SIZE_OPTION = "--global-size"
_LOCAL_SIZES = (LaunchValue.ENQUEUED_LOCAL_SIZE, LaunchValue.LOCAL_SIZE)


def global_sizes(names: LaunchNames, sizes: Sequence[Expression]) -> list[tuple[BitVec, tuple[Bool, ...]]]:
    """Those that the user states, with what holds of their names.  Raises ReadError for a name that there is not."""
    return [amount_term(names, amount, GLOBAL_SIZE_OPTION) for amount in sizes]


def bounded_ids(
    kernel: Kernel, launch: Launch, start: Start, sizes: Sequence[Expression], lanes: int
) -> tuple[tuple[Bool, ...], Premise]:
    """That group id · local size + local id < `sizes[d]` in dimension d for every enabled lane; with the words for it.

    Raises ReadError where the launch does not say where the local size stands.
    """
    premises: list[Bool] = []
    names = LaunchNames(kernel, launch, start)
    for dimension, (size, facts) in enumerate(global_sizes(names, sizes)):
        premises += facts
        if names.most_items <= LAST_OF_32_BITS:
            premises.append(ule(zero_extend(size, WIDE), const(names.most_items, WIDE)))
        premises += _dimension(kernel, launch, start, dimension, size, lanes)
        premises += _zero_offset(kernel, launch, start, dimension)
        premises += _size_inputs(kernel, launch, start, dimension, size)
    shown = " × ".join(str(amount) for amount in sizes)
    return tuple(premises), premise("global-size", size=shown)


def _dimension(
    kernel: Kernel, launch: Launch, start: Start, dimension: int, size: BitVec, lanes: int
) -> Iterator[Bool]:
    group = bytes_at(start, "%r0", GROUP_ID_BYTES[dimension], 4)
    local_size = _local_size(kernel, launch, start, dimension)
    product = mul(zero_extend(group, WIDE), zero_extend(local_size, WIDE))
    first = product
    if size.high <= LAST_OF_32_BITS + 1:  # as the group's first item is below it
        yield ule(product, const(LAST_OF_32_BITS, WIDE))
        first = zero_extend(mul(group, local_size), WIDE)
    ids = _local_ids(kernel, launch, start, dimension)
    for lane in range(lanes):
        local_id = ids.get(lane, const(0, 16))
        below = ult(add(first, zero_extend(local_id, WIDE)), zero_extend(size, WIDE))
        yield implies(lane_on(lane), below)


def _local_size(kernel: Kernel, launch: Launch, start: Start, dimension: int) -> BitVec:
    if launch.group_size is not None:
        return const(launch.group_size[dimension], 32)
    for meaning in _LOCAL_SIZES:
        found = _component(kernel, launch, start, meaning, dimension)
        if found is not None:
            return found
    raise ReadError(
        f"the launch information does not say where the local size {DIMENSIONS[dimension]} stands",
        in_option(GLOBAL_SIZE_OPTION),
        "`--launch FILE`, or `--input VAR=enqueued_local_size`",
    )


def _component(kernel: Kernel, launch: Launch, start: Start, meaning: LaunchValue, dimension: int) -> BitVec | None:
    """One of the three dwords of a launch value, where an input holds it."""
    for item, piece in pieces(kernel, launch):
        inside = 4 * dimension - piece.first_byte
        if piece.meaning is meaning and inside >= 0 and inside + 4 <= piece.size:
            return bytes_at(start, item.variable, piece.offset + inside, 4)
    return None


def _local_ids(kernel: Kernel, launch: Launch, start: Start, dimension: int) -> dict[int, BitVec]:
    """The word of each lane; none where the kernel is not given them, as where they are all 0."""
    words: dict[int, BitVec] = {}
    for item, piece in pieces(kernel, launch):
        if isinstance(piece.meaning, LocalId) and piece.meaning.dimension == dimension:
            for k in range(piece.size // 2):
                words[piece.meaning.first_lane + k] = truncate(
                    bytes_at(start, item.variable, piece.offset + 2 * k, 2), 16
                )
    return words


def _zero_offset(kernel: Kernel, launch: Launch, start: Start, dimension: int) -> Iterator[Bool]:
    offset = _component(kernel, launch, start, LaunchValue.GLOBAL_ID_OFFSET, dimension)
    if offset is not None:
        yield eq(offset, const(0, 32))


def _size_inputs(kernel: Kernel, launch: Launch, start: Start, dimension: int, size: BitVec) -> Iterator[Bool]:
    """What the kernel itself reads of the sizes of its launch agrees with what is stated of them."""
    found = _component(kernel, launch, start, LaunchValue.GLOBAL_SIZE, dimension)
    if found is not None:
        yield eq(found, truncate(size, 32))
    if launch.group_size is not None:
        required = const(launch.group_size[dimension], 32)
        enqueued, local = (_component(kernel, launch, start, meaning, dimension) for meaning in _LOCAL_SIZES)
        if enqueued is not None:
            yield eq(enqueued, required)
        if local is not None:  # the last group may be smaller
            yield from (ule(const(1, 32), local), ule(local, required))


def parse_global_size(text: str) -> tuple[Expression, ...]:
    """`1024`, `n` or `n,64`: work items in x, y, z.  Raises ReadError for anything else."""
    amounts = tuple(parse_amount(part, GLOBAL_SIZE_OPTION) for part in text.split(","))
    if len(amounts) > len(DIMENSIONS):
        raise ReadError(f"{text!r} has more than three dimensions", in_option(GLOBAL_SIZE_OPTION))
    return amounts
