"""From statements to the instructions of the pages."""

import pytest

from visaproof.decode.message import decode
from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.family import (
    Gather4Scaled,
    GatherScaled,
    OwordLdUnaligned,
    OwordSt,
    QwGather,
    ScatterScaled,
)
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Instruction, Kernel
from visaproof.visaasm.validity.type_rules import wrong_types

DECLARATIONS = """.version 4.1
.kernel "k"
.decl O v_type=G type=ud num_elts=32 align=GRF
.decl D v_type=G type=d num_elts=64 align=GRF
.decl Q v_type=G type=uq num_elts=16 align=GRF
.decl W v_type=G type=w num_elts=16 align=GRF
.decl IN v_type=G type=ud num_elts=4 align=GRF alias=<D, 64>
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.function "k"
_main:
"""

EIGHT = Execution(8, ExecMask.M1)


def read(statement: str) -> tuple[Instruction, Kernel]:
    kernel = read_kernel(f"{DECLARATIONS}    {statement}\n    ret (M1, 1)\n", "k.visaasm")
    return next(kernel.instructions()), kernel


def decoded(statement: str, platform: Platform = Platform.TGLLP):
    return decode(*read(statement), platform)


def test_aliases_become_bytes_of_their_root() -> None:
    found = decoded("(!P1.any) scatter4_scaled.RA (M3, 8) T6 IN(0,1)<0;1,0> O.32 IN.4")
    execution = Execution(8, ExecMask.M3, Predicate("P1", True, Combine.ANY))
    assert found == Scatter4Scaled(
        execution, Channels(0b1001), "T6", ScalarUD("D", 68), RawOperand("O", 32), RawOperand("D", 68)
    )


def test_a_row_is_a_register_of_the_platform() -> None:
    statement = "scatter4_scaled.R (M1, 8) T6 O(1,2)<0;1,0> O.0 D.0"
    for platform, start in ((Platform.TGLLP, 40), (Platform.PVC, 72)):
        found = decoded(statement, platform)
        assert isinstance(found, Scatter4Scaled)
        assert found.offset == ScalarUD("O", start)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "gather4_scaled.RGB (M1, 8) %slm 0x4:ud O.0 D.0",
            Gather4Scaled(EIGHT, Channels(7), "%slm", ImmediateUD(4), RawOperand("O"), RawOperand("D")),
        ),
        (
            "gather_scaled.2 (M1, 8) T6 0x0:ud O.0 D.0",
            GatherScaled(EIGHT, 2, "T6", ImmediateUD(0), RawOperand("O"), RawOperand("D")),
        ),
        (
            "scatter_scaled.1 (M1, 8) T6 0x0:ud O.0 D.0",
            ScatterScaled(EIGHT, 1, "T6", ImmediateUD(0), RawOperand("O"), RawOperand("D")),
        ),
        ("qw_scatter.1 (M1, 8) T6 O.0 Q.0", QwScatter(EIGHT, "T6", RawOperand("O"), RawOperand("Q"))),
        ("qw_gather.1 (M1, 8) T6 O.0 Q.0", QwGather(EIGHT, "T6", RawOperand("O"), RawOperand("Q"))),
        ("oword_ld (2) T6 0x1:ud D.64", OwordLd(2, "T6", ImmediateUD(1), RawOperand("D", 64))),
        ("oword_ld_unaligned (4) T6 O(0,3)<0;1,0> D.0", OwordLdUnaligned(4, "T6", ScalarUD("O", 12), RawOperand("D"))),
        ("oword_st (8) T6 0x1:ud D.0", OwordSt(8, "T6", ImmediateUD(1), RawOperand("D"))),
        (
            "typed_atomic.maxsint (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 D.32",
            TypedAtomic(
                EIGHT,
                AtomicOp.IMAX,
                "T6",
                RawOperand("O"),
                NULL,
                NULL,
                NULL,
                RawOperand("D"),
                NULL,
                RawOperand("D", 32),
            ),
        ),
    ],
)
def test_each_opcode_becomes_its_page(statement: str, expected: object) -> None:
    assert decoded(statement) == expected


@pytest.mark.parametrize(("spelling", "op"), [("predec", AtomicOp.PREDEC), ("imin", AtomicOp.IMIN)])
def test_names_of_the_pages_are_accepted_too(spelling: str, op: AtomicOp) -> None:
    found = decoded(f"typed_atomic.{spelling} (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 %null.0")
    assert isinstance(found, TypedAtomic)
    assert found.op is op


def test_an_atomic_may_be_on_16_bits() -> None:
    found = decoded("typed_atomic.add.16 (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 %null.0")
    assert isinstance(found, TypedAtomic)
    assert (found.op, found.texel_bits) == (AtomicOp.ADD, 16)


@pytest.mark.parametrize(
    "statement",
    [
        "typed_atomic.fadd (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 %null.0",
        "qw_scatter.2 (M1, 8) T6 O.0 Q.0",
        "media_ld (8, 8) T6 0x0:ud 0x0:ud D.0",
    ],
)
def test_forms_without_semantics_are_named(statement: str) -> None:
    with pytest.raises(NotModelled) as raised:
        decoded(statement)
    assert raised.value.position is not None


@pytest.mark.parametrize(
    "statement",
    [
        "scatter4_scaled.R (M1, 8) T6 0x0:ud O.0",
        "scatter4_scaled.GR (M1, 8) T6 0x0:ud O.0 D.0",
        "scatter_scaled.3 (M1, 8) T6 0x0:ud O.0 D.0",
        "scatter4_scaled.R (M1, 8) D 0x0:ud O.0 D.0",
        "typed_atomic.add.64 (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 %null.0",
        "scatter4_scaled.R (M1, 7) T6 0x0:ud O.0 D.0",
        "scatter4_scaled.R.G (M1, 8) T6 0x0:ud O.0 D.0",
        "gather4_scaled.R.G (M1, 8) T6 0x0:ud O.0 D.0",
        "scatter_scaled.1.1 (M1, 8) T6 0x0:ud O.0 D.0",
        "qw_scatter.1.1 (M1, 8) T6 O.0 Q.0",
        "qw_gather.1.mod (M1, 8) T6 O.0 Q.0",
        "(P1) oword_ld (2) T6 0x1:ud D.0",
        "oword_ld.mod.mod (2) T6 0x1:ud D.0",
        "oword_ld.4 (2) T6 0x1:ud D.0",
        "(P1) oword_st (2) T6 0x1:ud D.0",
        "oword_ld_unaligned.R (2) T6 0x1:ud D.0",
        "svm_block_st.unaligned.aligned (2) Q(0,0)<0;1,0> D.0",
        "svm_block_ld.mod (2) Q(0,0)<0;1,0> D.0",
    ],
)
def test_operands_that_do_not_fit_are_refused_with_their_place(statement: str) -> None:
    with pytest.raises(ReadError) as raised:
        decoded(statement)
    assert raised.value.position.line == 12


@pytest.mark.parametrize(
    "statement",
    [
        "scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 D.0",
        "gather_scaled.1 (M1, 8) T6 0x0:ud O.0 D.0",
        "qw_scatter.1 (M1, 8) T6 O.0 Q.0",
        "typed_atomic.minsint (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 D.32",
        "svm_gather4scaled.R (M1, 8) 0x0:ud Q.0 D.0",
        "svm_scatter4scaled.R (M1, 8) 0x0:ud Q.0 D.0",
        "mov (M1, 8) D(0,0)<1> W(0,0)<1;1,0>",
    ],
)
def test_types_of_the_pages_are_legal(statement: str) -> None:
    assert not list(wrong_types(*read(statement)))


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        (
            "dword_atomic.imax (M1, 8) T6 O.0 O.0 %null.0 %null.0",
            "Src0 must have type D, not UD",
        ),
        ("svm_gather.4.1 (M1, 8) O.0 D.0", "Addresses must have type UQ, not UD"),
        ("svm_scatter.8.1 (M1, 8) Q.0 D.0", "Src must have type Q, UQ or DF, not D"),
        ("svm_atomic.add (M1, 8) Q.0 D.0 O.0 %null.0", "Dst must have type UD, not D"),
        ("svm_block_ld (2) O(0,0)<0;1,0> D.0", "Address must have type UQ, not UD"),
        ("svm_gather4scaled.R (M1, 8) O(0,0)<0;1,0> Q.0 D.0", "Address must have type UQ, not UD"),
        ("svm_scatter4scaled.R (M1, 8) 0x0:d Q.0 D.0", "Address must have type UQ, not D"),
        ("scatter4_scaled.R (M1, 8) T6 0x0:ud D.0 D.0", "Element_offset must have type UD, not D"),
        ("scatter4_scaled.R (M1, 8) T6 0x0:d O.0 D.0", "Offset must have type UD, not D"),
        ("scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 W.0", "Src must have type UD, D or F, not W"),
        ("qw_scatter.1 (M1, 8) T6 O.0 D.0", "Src must have type Q, UQ or DF, not D"),
        ("typed_atomic.add (M1, 8) T6 D.0 %null.0 %null.0 %null.0 O.0 %null.0 O.32", "U must have type UD, not D"),
        (
            "typed_atomic.minsint (M1, 8) T6 O.0 %null.0 %null.0 %null.0 O.0 %null.0 D.0",
            "Src0 must have type D, not UD",
        ),
    ],
)
def test_other_types_are_illegal(statement: str, rule: str) -> None:
    assert rule in [f"{wrong.name} {wrong.rule}" for wrong in wrong_types(*read(statement))]
