"""TYPED_ATOMIC: what each operation leaves and returns, and what lanes on one texel come to."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.isa.answers import FloatAtomics, FloatZeros
from visaproof.isa.atomics import COMPARING_OPS, PAGE_OPS, AtomicOp
from visaproof.isa.readings import Readings
from visaproof.queries import atomics
from visaproof.queries.query import Query
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import BitVec, bit, bit_and, const, ite, slt, sub

from . import atomic_variants
from .shapes import DEEP, EACH_ATOMIC, HALF_ATOMIC, OPERATIONS, Operation, Shape

_BY_OP = dict(zip(PAGE_OPS, EACH_ATOMIC, strict=True))


@for_each((*EACH_ATOMIC, *HALF_ATOMIC, DEEP))
def prove_memory_holds_the_result_of_a_lane_alone(shape: Shape) -> Query:
    return atomics.memory_holds_the_result(shape())


def refute_cmpxchg_stores_src0_where_old_equals_src1_if_they_are_swapped() -> Query:
    return atomics.memory_holds_the_result(atomic_variants.sources_swapped(_BY_OP[AtomicOp.CMPXCHG]()))


def refute_fcmpwr_stores_src1_where_old_equals_src0_if_they_are_swapped() -> Query:
    return atomics.memory_holds_the_result(atomic_variants.sources_swapped(_BY_OP[AtomicOp.FCMPWR]()))


def refute_memory_holds_the_unsigned_minimum_if_it_is_signed() -> Query:
    return atomics.memory_holds_the_result(atomic_variants.other_operation(AtomicOp.IMIN)(_BY_OP[AtomicOp.MIN]()))


def refute_memory_holds_the_maximum_if_fmax_is_lowered_to_and() -> Query:
    readings = Readings(float_atomics=FloatAtomics.AS_LOWERED)
    return atomics.memory_holds_the_result(_BY_OP[AtomicOp.FMAX].build(readings))


def refute_memory_holds_the_result_if_a_16_bit_source_is_the_upper_half() -> Query:
    return atomics.memory_holds_the_result(atomic_variants.source_in_upper_half(HALF_ATOMIC[3]()))


@for_each((*EACH_ATOMIC, *HALF_ATOMIC, DEEP))
def prove_the_returned_value_is_old_or_new_for_predec(shape: Shape) -> Query:
    return atomics.returned_value_is_old(shape())


def refute_predec_returns_the_new_value_if_it_returns_the_old() -> Query:
    return atomics.returned_value_is_old(atomic_variants.returns_old(_BY_OP[AtomicOp.PREDEC]()))


def refute_cmpxchg_returns_the_old_value_if_it_returns_the_new() -> Query:
    return atomics.returned_value_is_old(atomic_variants.returns_new(_BY_OP[AtomicOp.CMPXCHG]()))


@for_each(OPERATIONS)
def prove_an_operation_is_the_tables(one: Operation) -> Query:
    return atomics.operation_is_the_tables(one.op, one.leaves, atomics.another(one.readings))


@for_each(OPERATIONS)
def prove_an_operation_on_16_bits_is_the_tables(one: Operation) -> Query:
    return atomics.operation_is_the_tables(one.op, one.leaves, atomics.another(one.readings), bits=16)


def refute_an_operation_on_16_bits_is_the_tables_if_signs_are_ignored() -> Query:
    return atomics.operation_is_the_tables(AtomicOp.IMIN, _unsigned_minimum, "does-min", bits=16)


def refute_an_operation_is_the_tables_if_nan_is_a_large_number() -> Query:
    return atomics.operation_is_the_tables(AtomicOp.FMAX, _maximum_of_patterns, "nan-ignored")


def _maximum_of_patterns(_: AtomicOp, old: BitVec, src0: BitVec, __: BitVec) -> BitVec:
    """The greater by sign and magnitude, NaN beyond infinity."""

    def rank(word: BitVec) -> BitVec:
        size = bit_and(word, const((1 << (word.width - 1)) - 1, word.width))
        return ite(bit(word, word.width - 1), sub(const(0, word.width), size), size)

    return ite(slt(rank(old), rank(src0)), src0, old)


def _unsigned_minimum(_: AtomicOp, old: BitVec, src0: BitVec, src1: BitVec) -> BitVec:
    return new_value(AtomicOp.MIN, old, src0, src1)


@for_each(
    (
        (AtomicOp.MIN, AtomicOp.IMIN),
        (AtomicOp.IMAX, AtomicOp.MAX),
        (AtomicOp.SUB, AtomicOp.ADD),
        (AtomicOp.DEC, AtomicOp.INC),
        (AtomicOp.XOR, AtomicOp.OR),
        (AtomicOp.AND, AtomicOp.XCHG),
        (AtomicOp.FMAX, AtomicOp.IMAX),
    )
)
def refute_an_operation_is_the_tables_if_another_is_carried_out(ops: tuple[AtomicOp, AtomicOp]) -> Query:
    named, done = ops

    def other(_: AtomicOp, old: BitVec, src0: BitVec, src1: BitVec) -> BitVec:
        return new_value(done, old, src0, src1)

    return atomics.operation_is_the_tables(named, other, f"does-{done.name.lower()}")


@for_each(atomics.COMMUTATIVE)
def prove_the_final_value_does_not_depend_on_the_order(op: AtomicOp) -> Query:
    return atomics.final_value_is_order_independent(op)


def prove_the_final_value_of_fmax_does_not_depend_on_the_order_if_zeros_are_ordered() -> Query:
    ordered = Readings(float_zeros=FloatZeros.ORDERED)
    return atomics.final_value_is_order_independent(AtomicOp.FMAX, readings=ordered)


@for_each((AtomicOp.XCHG, AtomicOp.CMPXCHG, *COMPARING_OPS))
def refute_the_final_value_does_not_depend_on_the_order(op: AtomicOp) -> Query:
    return atomics.final_value_is_order_independent(op)


def prove_at_most_one_cmpxchg_wins_if_new_values_differ_from_the_comparand() -> Query:
    return atomics.at_most_one_cmpxchg_wins()


def refute_at_most_one_cmpxchg_wins_if_a_new_value_may_be_the_comparand() -> Query:
    return atomics.at_most_one_cmpxchg_wins(new_differs=False)
