"""A counterexample as a launch that a host makes."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.loaded_elements import written
from visaproof.analysis.surface_sizes import argument_of, bytes_at, pieces
from visaproof.execution.example_launch import Event, ExampleLaunch, NoLaunch, find_launch
from visaproof.execution.payload import Program
from visaproof.execution.shape import Shape, Triple
from visaproof.execution.too_small import TooSmall
from visaproof.execution.usual_launches import MOST_BUFFER, MOST_ITEMS, Example, Held, Stated
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS, BufferAddress
from visaproof.launch.launch import BufferOffset
from visaproof.launch.relations.element_names import elements_named
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.expressions import Disjoint, Expression, Relation, names_in, value_in
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.vector_names import names_of
from visaproof.report.one_kernel.kernel_runs import AskedKernel, ShownRun, loads_that_decide
from visaproof.semantics.concrete.surface import Buffer
from visaproof.smt import evaluate, signed_value
from visaproof.smt.evaluate import evaluate_all


def launch_of(
    answers: AskedKernel,
    shown: ShownRun,
    position: Position,
    event: Event,
    where: Sequence[Relation | Disjoint] = (),
    sizes: Sequence[tuple[str, Expression]] = (),
    global_size: Sequence[Expression] = (),
) -> ExampleLaunch | NoLaunch:
    """A launch with the event of a counterexample; with small numbers in buffers first, where it depends on data."""
    stated = _stated(answers, where, sizes, global_size, launch_in(answers, shown))
    if any(loads_that_decide(answers, shown)):
        stated = replace(stated, contents=("small", "counting", "zeros"))
    found = find_launch(_program(answers), position, event, stated)
    sizes_of = sizes_in(answers, shown.values)
    negative = next((d for d, size in zip(DIMENSIONS, sizes_of.global_size, strict=True) if size > SIGNED_IDS), None)
    if isinstance(found, NoLaunch) and negative is not None:
        relation = f"global_size_{negative} <= {SIGNED_IDS}"
        return NoLaunch(f"the ids that show it are negative as `int`; --where '{relation}' leaves them out")
    return found


SIGNED_IDS = 1 << 31
"""Of more work items, some have ids that are negative as `int`."""
MOST_HELD = 512
"""Bytes that a command names."""


def too_small_in(
    answers: AskedKernel,
    where: Sequence[Relation | Disjoint] = (),
    sizes: Sequence[tuple[str, Expression]] = (),
    global_size: Sequence[Expression] = (),
) -> TooSmall:
    """Finds launches in which a buffer is too small."""
    return TooSmall(_program(answers), _stated(answers, where, sizes, global_size, None))


def _program(answers: AskedKernel) -> Program:
    return Program(answers.kernel, answers.launch, answers.platform)


def _stated(
    answers: AskedKernel,
    where: Sequence[Relation | Disjoint],
    sizes: Sequence[tuple[str, Expression]],
    global_size: Sequence[Expression],
    example: Example | None,
) -> Stated:
    """`sizes` are bytes of buffers by name, `global_size` work items by dimension, as the user states them."""
    by_name = dict(sizes)

    def stated_size(index: int, numbers: Mapping[str, int]) -> int | None:
        names = (answers.launch.arg_names.get(index, ""), f"arg{index}", str(index))
        amount = next((by_name[name] for name in names if name in by_name), None)
        if amount is None:
            return None
        try:
            return value_in(amount, numbers)
        except KeyError:  # of something that no host passes
            return -1

    def allows(numbers: Mapping[str, int]) -> bool:
        try:
            stated = zip(global_size, DIMENSIONS, strict=False)
            sized = all(value_in(size, numbers) == numbers[f"global_size_{dimension}"] for size, dimension in stated)
            return sized and all(one.holds(numbers) for one in where if isinstance(one, Relation))
        except KeyError:
            return False

    elements = _elements(answers, where, sizes)
    return Stated(stated_size, allows, _constant(global_size), example, elements=elements)


def _elements(
    answers: AskedKernel, where: Sequence[Relation | Disjoint], sizes: Sequence[tuple[str, Expression]]
) -> frozenset[int]:
    """The arguments of which something is stated of elements, if a launch has none but those that it is given."""
    relations = (name for one in where if isinstance(one, Relation) for name in one.names())
    named = elements_named(
        (*relations, *(name for _, one in sizes for name in names_in(one))), answers.kernel, answers.launch
    )
    stores = written(answers.kernel, answers.launch, answers.start, answers.asked.trace) if named else frozenset[int]()
    return frozenset() if stores is None else named - stores


def _constant(global_size: Sequence[Expression]) -> Triple | None:
    """The global size that is stated, if it is one of numbers."""
    try:
        x, y, z = (*(value_in(size, {}) for size in global_size), 1, 1, 1)[:3]
    except KeyError:
        return None
    return (x, y, z) if global_size and min(x, y, z) > 0 else None


def launch_in(answers: AskedKernel, shown: ShownRun) -> Example | None:
    """The launch that the values of a run describe, or one group of it where that is too large to be run; or None."""
    values = shown.values
    names, shape = LaunchNames(answers.kernel, answers.launch, answers.start), sizes_in(answers, values)
    if shape.group_items > MOST_GROUP_ITEMS:
        return None
    if shape.items > MOST_ITEMS:
        shape = Shape(shape.local_size, shape.local_size)
    numbers: dict[int, tuple[int, ...]] = {}
    for argument in names.arguments():
        named = [names.number(one) for one in names_of(argument, answers.launch)]
        if any(named):  # components that the kernel does not get may be anything
            numbers[argument.index] = tuple(_number(one.word, values) if one is not None else 0 for one in named)
    return Example(shape, numbers, _held(answers, shown))


def _held(answers: AskedKernel, shown: ShownRun) -> Held:
    """What the buffers of arguments hold before the run: surfaces from their buffer offset on, others by address."""
    places = dict[type[BufferAddress | BufferOffset], dict[int, int]]()
    for item, piece in pieces(answers.kernel, answers.launch):
        match piece.meaning:
            case BufferAddress(argument) | BufferOffset(argument):
                word = bytes_at(answers.start, item.variable, piece.offset, piece.size)
                places.setdefault(type(piece.meaning), {})[argument.index] = evaluate(word, shown.values)
            case _:
                pass
    addresses, offsets = (places.get(kind, {}) for kind in (BufferAddress, BufferOffset))
    found: dict[int, dict[int, int]] = {}
    for key, memory in shown.state.surfaces.items():
        own = argument_of(answers.kernel, answers.launch, key)
        if not isinstance(memory, Buffer) or (own is None and key != FLAT):
            continue
        for place, byte in memory.contents.items():
            if own is not None:
                index, offset = own.index, place - offsets.get(own.index, 0)
            else:
                base, index = max(((at, one) for one, at in addresses.items() if at <= place), default=(0, -1))
                offset = place - base
            if byte and index >= 0 and 0 <= offset < MOST_BUFFER:
                found.setdefault(index, {})[offset] = byte
    return found if sum(map(len, found.values())) <= MOST_HELD else {}


def _number(word: Word, values: Values) -> int:
    value = evaluate(word.term, values)
    return signed_value(value, word.term.width) if word.signed else value


def sizes_in(answers: AskedKernel, values: Values) -> Shape:
    """The least launch that has a thread with these values."""
    names = LaunchNames(answers.kernel, answers.launch, answers.start)
    found = ((names.number(f"local_size_{d}"), names.number(names.own_size(k))) for k, d in enumerate(DIMENSIONS))
    words = ([one.word.term for one in each if one is not None] for each in found)
    x, y, z = (max(1, *evaluate_all(each, values)) for each in words)
    local = answers.launch.group_size or (x, y, z)
    gx, gy, gz = (evaluate(word, values) + 1 for word in GROUP_IDS)
    return Shape((gx * local[0], gy * local[1], gz * local[2]), local)
