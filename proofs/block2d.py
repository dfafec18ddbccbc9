"""2D blocks: each element of a matrix that is in the block goes where the page says, and no other byte changes."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.checking.claims.catalogue import for_each
from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.lsc.block2d import BlockShape
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.operands import RawOperand
from visaproof.queries import block2d, bounds
from visaproof.queries.query import Query
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice, Store
from visaproof.smt import BitVec, Term, add, const, scale, sign_extend, sub, substitute, true

from . import variants
from .shapes import Shape


def _loaded(shape: BlockShape, predicated: bool = False, moved: bool = False) -> Shape:
    name = f"load-{shape}{'-moved' * moved}{'-predicated' * predicated}"
    return Shape(name, cache(partial(block2d.load_block2d, shape, predicated, moved)))


def _stored(shape: BlockShape, predicated: bool = False, moved: bool = False) -> Shape:
    name = f"store-{shape}{'-moved' * moved}{'-predicated' * predicated}"
    return Shape(name, cache(partial(block2d.store_block2d, shape, predicated, moved)))


GAPS = _loaded(BlockShape(16, 3, 2), moved=True)
"""A row of three elements takes the place of four."""
VNNI = _loaded(BlockShape(8, 2, 5, vnni=True))
"""Two dwords of a column, of which the second has one element."""
TURNED = _loaded(BlockShape(32, 2, 3, transposed=True))
LOADS = (
    _loaded(BlockShape(32, 2, 2), predicated=True),
    GAPS,
    VNNI,
    _loaded(BlockShape(16, 2, 2, blocks=2, vnni=True)),
    TURNED,
    _loaded(BlockShape(64, 1, 2)),
)
DWORDS = _stored(BlockShape(32, 2, 2), predicated=True)
STORES = (DWORDS, _stored(BlockShape(8, 3, 2), moved=True), _stored(BlockShape(64, 1, 2)))


@for_each((*LOADS, *STORES))
def prove_elements_are_the_pages(shape: Shape) -> Query:
    return block2d.elements_are_the_pages(shape())


@for_each(STORES)
def prove_elements_outside_the_matrix_are_dropped(shape: Shape) -> Query:
    return block2d.elements_outside_are_dropped(shape())


@for_each(LOADS)
def prove_each_byte_of_a_block_is_loaded_or_zero(shape: Shape) -> Query:
    return block2d.every_byte_has_one_source(shape())


@for_each((*LOADS, *STORES))
def prove_an_element_that_passes_the_end_of_memory_is_outside(shape: Shape) -> Query:
    return bounds.bounds_are_the_pages(shape())


@for_each(STORES)
def prove_memory_beside_a_block_is_unchanged(shape: Shape) -> Query:
    return block2d.other_bytes_are_unchanged(shape())


# ---------------------------------------------------------------- wrong variants


class WrongBlock(Struct, frozen=True):
    """A shape, made wrong."""

    shape: Shape
    change: Callable[[Subject], Subject]

    def __str__(self) -> str:
        return f"{self.change.__name__}({self.shape})"

    def __call__(self) -> Subject:
        return self.change(self.shape())


def _field(subject: Subject, name: str) -> BitVec:
    """A part of the place, as the state has it."""
    operand = getattr(cast(Any, subject.instruction).place, name)
    assert isinstance(operand, RawOperand)
    return subject.state.registers.read(operand.variable, operand.offset, 4)


def _with(subject: Subject, name: str, values: dict[Term, Term]) -> Subject:
    """The accesses with other values of some terms."""
    changed = [
        replace(access, guard=substitute(access.guard, values), cell=(substitute(access.cell[0], values),))
        for access in subject.accesses
    ]
    return subject.with_variant(name, tuple(changed))


def _as(subject: Subject, name: str, other: LscLoadBlock2d | LscStoreBlock2d) -> Subject:
    """The effects of another block in the same state."""
    made = subject.with_variant(name, tuple(other.footprint(subject.state)))
    return replace(made, leaves_undefined=tuple(undefined_bytes_of(other, subject.state)))


def pitch_without_the_one(subject: Subject) -> Subject:
    """PITCH is read as the bytes from row to row, and not as one less."""
    pitch = _field(subject, "pitch")
    return _with(subject, "pitch-without-the-one", {pitch: sub(pitch, const(1, 32))})


def height_without_the_one(subject: Subject) -> Subject:
    """HEIGHT is read as the number of rows."""
    height = _field(subject, "height")
    return _with(subject, "height-without-the-one", {height: sub(height, const(1, 32))})


def x_counts_bytes(subject: Subject) -> Subject:
    """X is read in bytes."""
    instruction = cast(Any, subject.instruction)
    x = add(sign_extend(_field(subject, "x"), 64), const(instruction.place.moved_x, 64))
    less = scale(x, instruction.shape.element_bytes - 1)
    changed = [replace(access, cell=(sub(access.cell[0], less),)) for access in subject.accesses]
    return subject.with_variant("x-counts-bytes", tuple(changed))


def constants_ignored(subject: Subject) -> Subject:
    """The constants behind X and Y are not added."""
    instruction = cast(Any, subject.instruction)
    plain = replace(instruction, place=replace(instruction.place, moved_x=0, moved_y=0))
    return _as(subject, "constants-ignored", plain)


def edges_ignored(subject: Subject) -> Subject:
    """Elements outside of the matrix are touched as well."""
    execution = cast(Any, subject.instruction).execution
    ((enabled, _),) = subject.state.lanes_enabled(execution)
    changed = [replace(access, guard=enabled) for access in subject.accesses]
    return replace(subject.with_variant("edges-ignored", tuple(changed)), leaves_undefined=())


def not_turned(subject: Subject) -> Subject:
    """A transposed block is left as it lies in memory."""
    instruction = cast(Any, subject.instruction)
    plain = replace(instruction, shape=replace(instruction.shape, transposed=False))
    return _as(subject, "not-turned", plain)


def rows_without_gaps(subject: Subject) -> Subject:
    """Rows lie one behind the other, whatever their length."""
    changed: list[Load | Store] = []
    for number, access in enumerate(subject.accesses):
        assert isinstance(access, Load)
        place = access.destination
        changed.append(replace(access, destination=RegisterSlice(place.variable, number * access.width, access.width)))
    return subject.with_variant("rows-without-gaps", tuple(changed))


def disabled_block_is_zero(subject: Subject) -> Subject:
    """A block whose lane does not run becomes 0."""
    places = tuple((true(), place) for _, place in subject.leaves_undefined)
    return replace(subject, leaves_undefined=places, variant="disabled-block-is-zero")


@for_each(
    (
        WrongBlock(DWORDS, pitch_without_the_one),
        WrongBlock(DWORDS, x_counts_bytes),
        WrongBlock(DWORDS, height_without_the_one),
        WrongBlock(STORES[1], constants_ignored),
        WrongBlock(GAPS, constants_ignored),
        WrongBlock(GAPS, rows_without_gaps),
        WrongBlock(TURNED, not_turned),
    )
)
def refute_elements_are_the_pages(wrong: WrongBlock) -> Query:
    return block2d.elements_are_the_pages(wrong())


def refute_elements_outside_the_matrix_are_dropped_if_edges_are_ignored() -> Query:
    return block2d.elements_outside_are_dropped(edges_ignored(DWORDS()))


@for_each((WrongBlock(LOADS[0], disabled_block_is_zero), WrongBlock(LOADS[0], edges_ignored)))
def refute_each_byte_of_a_block_is_loaded_or_zero(wrong: WrongBlock) -> Query:
    return block2d.every_byte_has_one_source(wrong())


@for_each((WrongBlock(DWORDS, edges_ignored), WrongBlock(STORES[1], constants_ignored)))
def refute_memory_beside_a_block_is_unchanged(wrong: WrongBlock) -> Query:
    return block2d.other_bytes_are_unchanged(wrong())


@for_each((DWORDS, LOADS[0]))
def refute_an_element_that_passes_the_end_of_memory_is_outside_without_the_bounds_test(shape: Shape) -> Query:
    return bounds.bounds_are_the_pages(variants.without_bounds(shape()))
