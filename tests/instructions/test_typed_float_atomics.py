"""TYPED_ATOMIC on floats: examples worked by hand, on both writings at once, by the readings of D29."""

from typing import cast

import pytest
from msgspec.structs import replace

from tests.two_writings import after_both, dwords, dwords_of
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Refuted
from visaproof.instructions import TypedAtomic
from visaproof.isa.answers import FloatAtomics, FloatNan
from visaproof.isa.atomics import COMPARING_OPS, AtomicOp
from visaproof.isa.atomics import LOWERED as INTEGER
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import Readings
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries import atomics
from visaproof.queries.subject import typed_atomic
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image
from visaproof.semantics.symbolic.accesses import Atomic

SRC0, SRC1 = RawOperand("VS0"), RawOperand("VS1")
ONE, TWO, NAN, MINUS_ZERO = 0x3F80_0000, 0x4000_0000, 0x7FC0_0000, 0x8000_0000
LOWERED, REJECT = (Readings(float_atomics=reading) for reading in (FloatAtomics.AS_LOWERED, FloatAtomics.REJECT))


def atomic(op: AtomicOp, texel_bits: int = 32) -> TypedAtomic:
    src1 = SRC1 if op is AtomicOp.FCMPWR else NULL
    u, dst = RawOperand("VU"), RawOperand("VD")
    return TypedAtomic(Execution(8), op, "T6", u, src0=SRC0, src1=src1, dst=dst, texel_bits=texel_bits)


def thread(texel: int, src0: int, src1: int, readings: Readings) -> ConcreteState:
    """One lane on one texel."""
    state = ConcreteState(Platform.TGLLP, exec_mask=1, readings=readings)
    state.registers = {"VU": dwords(*[0] * 8), "VD": dwords(*[0] * 8)}
    state.registers |= {"VS0": dwords(src0, *[0] * 7), "VS1": dwords(src1, *[0] * 7)}
    state.surfaces = {"T6": Image(((1, 1, 1),), {(0, 0, 0, 0): texel}, SurfaceKind.LINE)}
    return state


@pytest.mark.parametrize(
    ("op", "readings", "texel", "src0", "src1", "left"),
    [
        (AtomicOp.FMAX, Readings(), ONE, TWO, 0, TWO),
        (AtomicOp.FMAX, Readings(), ONE, NAN, 0, ONE),
        (AtomicOp.FMAX, Readings(float_nan=FloatNan.PROPAGATES), ONE, NAN, 0, NAN),
        (AtomicOp.FMAX, LOWERED, ONE, TWO, 0, ONE & TWO),
        (AtomicOp.FMIN, Readings(), ONE, TWO, 0, ONE),
        (AtomicOp.FMIN, LOWERED, ONE, TWO, 0, ONE | TWO),
        (AtomicOp.FCMPWR, Readings(), 0, MINUS_ZERO, TWO, TWO),
        (AtomicOp.FCMPWR, Readings(), ONE, TWO, ONE, ONE),
        (AtomicOp.FCMPWR, LOWERED, ONE, TWO, 0, ONE ^ TWO),
    ],
)
def test_an_operation_leaves_what_the_readings_say_and_returns_the_old_value(
    op: AtomicOp, readings: Readings, texel: int, src0: int, src1: int, left: int
) -> None:
    after = after_both(atomic(op), thread(texel, src0, src1, readings))
    assert after.image("T6").texels == {(0, 0, 0, 0): left}
    assert dwords_of(after.registers["VD"])[0] == texel


def test_half_floats_use_the_lower_half_of_each_source() -> None:
    """1.0 is 0x3C00, 2.0 is 0x4000, −2.0 is 0xC000."""
    before = thread(0x3C00, 0xFFFF_4000, 0, Readings())
    assert after_both(atomic(AtomicOp.FMAX, 16), before).image("T6").texels == {(0, 0, 0, 0): 0x4000}
    before = thread(0x3C00, 0x0000_C000, 0, Readings())
    assert after_both(atomic(AtomicOp.FMIN, 16), before).image("T6").texels == {(0, 0, 0, 0): 0xC000}


@pytest.mark.parametrize("op", COMPARING_OPS)
def test_a_reading_makes_float_operations_illegal(op: AtomicOp) -> None:
    atomic(op).validate(Platform.TGLLP)
    atomic(op).validate(Platform.TGLLP, LOWERED)
    with pytest.raises(IllegalInstruction, match=f"{op.spelling} is not an operation of typed messages"):
        atomic(op).validate(Platform.TGLLP, REJECT)
    replace(atomic(AtomicOp.FMAX), op=AtomicOp.MAX).validate(Platform.TGLLP, REJECT)


def test_fcmpwr_needs_both_sources() -> None:
    with pytest.raises(IllegalInstruction, match="Src1 must not be null"):
        replace(atomic(AtomicOp.FCMPWR), src1=NULL).validate(Platform.TGLLP)


@pytest.mark.parametrize("op", COMPARING_OPS)
def test_what_is_lowered_is_an_integer_operation_and_leaves_something_else(op: AtomicOp) -> None:
    subject = typed_atomic(op, SurfaceKind.LINE, Platform.TGLLP, False, readings=LOWERED)
    assert {cast(Atomic, access).op for access in subject.accesses} == {INTEGER[op]}
    assert isinstance(decide(atomics.memory_holds_the_result(subject)), Refuted)
