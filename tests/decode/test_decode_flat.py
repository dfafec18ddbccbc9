"""From `svm_*`, `lsc_*` and `dword_atomic` statements to their pages."""

import pytest

from visaproof.decode.message import decode
from visaproof.instructions.family import (
    DwordAtomic,
    LscAtomic,
    LscLoad,
    LscStore,
    SvmAtomic,
    SvmBlockLd,
    SvmBlockSt,
    SvmGather,
    SvmGather4Scaled,
    SvmScatter,
    SvmScatter4Scaled,
)
from visaproof.instructions.lsc.untyped import Addresses, DataShape, DataSize, Extension
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, RawOperand
from visaproof.isa.platform import Platform
from visaproof.visaasm.reader import read_kernel

DECLARATIONS = """.version 4.1
.kernel "k"
.decl A v_type=G type=uq num_elts=16 align=GRF
.decl O v_type=G type=ud num_elts=32 align=GRF alias=<A, 0>
.decl D v_type=G type=d num_elts=64 align=GRF
.decl B v_type=G type=uq num_elts=1 align=GRF
.decl I v_type=G type=ud num_elts=1 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.function "k"
_main:
"""

EIGHT, ONE = Execution(8, ExecMask.M1), Execution(1, ExecMask.M1_NM)
A, D = RawOperand("A"), RawOperand("D")


def decoded(statement: str) -> object:
    kernel = read_kernel(f"{DECLARATIONS}    {statement}\n    ret (M1, 1)\n", "k.visaasm")
    return decode(next(kernel.instructions()), kernel, Platform.DG2)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("svm_gather.4.2 (M1, 8) A.0 D.0", SvmGather(EIGHT, 4, 2, A, D)),
        ("svm_scatter.1.4 (M1, 8) O.8 D.4", SvmScatter(EIGHT, 1, 4, RawOperand("A", 8), RawOperand("D", 4))),
        ("svm_block_ld (4) A(0,1)<0;1,0> D.0", SvmBlockLd(4, RawOperand("A", 8), D)),
        ("svm_block_ld.unaligned (1) A(0,0)<0;1,0> D.0", SvmBlockLd(1, A, D, unaligned=True)),
        ("svm_block_st (8) A(1,0)<0;1,0> D.0", SvmBlockSt(8, RawOperand("A", 32), D)),
        (
            "svm_gather4scaled.RG (M1, 8) 0x0:ud A.0 D.0",
            SvmGather4Scaled(EIGHT, Channels(3), ImmediateUD(0), A, D),
        ),
        (
            "svm_scatter4scaled.BA (M1, 8) A(0,1)<0;1,0> A.8 D.4",
            SvmScatter4Scaled(EIGHT, Channels(12), RawOperand("A", 8), RawOperand("A", 8), RawOperand("D", 4)),
        ),
        ("svm_atomic.inc (M1, 8) A.0 D.0 %null.0 %null.0", SvmAtomic(EIGHT, AtomicOp.INC, A, D)),
        ("svm_atomic.add.64 (M1, 8) A.0 D.0 D.0 %null.0", SvmAtomic(EIGHT, AtomicOp.ADD, A, D, D, bits=64)),
        (
            "dword_atomic.add (M1, 8) %slm O.0 D.0 %null.0 D.32",
            DwordAtomic(EIGHT, AtomicOp.ADD, "%slm", A, D, NULL, RawOperand("D", 32)),
        ),
        (
            "lsc_load.ugm.ca.ca (M1, 8) D:d32x4 flat[A]:a64",
            LscLoad(EIGHT, "flat", Addresses(A, 64), DataShape(DataSize.D32, 4), D),
        ),
        (
            "lsc_load.ugm (M1_NM, 1) D:d32x8t bti(0x2)[O+0x10]:a32",
            LscLoad(ONE, "bti 2", Addresses(A, 32, 1, 16), DataShape(DataSize.D32, 8, True), D),
        ),
        (
            "lsc_load.ugm.ca.ca.uc.ov (M1, 8) D:u16u32 flat(A(0,1))[0x4*O-0x8]:a32u",
            LscLoad(
                EIGHT,
                "flat",
                Addresses(A, 64, 4, -8, Extension.ZERO, RawOperand("A", 8)),
                DataShape(DataSize.D16U32),
                D,
            ),
        ),
        (
            "lsc_store.ugm (M1, 8) flat(A)[O+0x2]:a32s D:d8u32",
            LscStore(EIGHT, "flat", Addresses(A, 64, 1, 2, Extension.SIGN, A), DataShape(DataSize.D8U32), D),
        ),
        (
            "lsc_load.ugm (M1, 8) D:d32 flat(0x100000000)[A]:a64",
            LscLoad(EIGHT, "flat", Addresses(A, 64, base=1 << 32), DataShape(DataSize.D32), D),
        ),
        (
            "lsc_load.ugm (M1, 8) D:d32 bss(D)[O]:a32",
            LscLoad(EIGHT, "bindless D.0 line 12", Addresses(A, 32), DataShape(DataSize.D32), D),
        ),
        (
            "lsc_load.ugm (M1, 8) D:d32 surf(B)[O]:a32u",
            LscLoad(EIGHT, "bindless B.0", Addresses(A, 64, extension=Extension.ZERO), DataShape(DataSize.D32), D),
        ),
        (
            "lsc_load.ugm (M1, 8) D:d32 surf(%scratchloc)[O]:a32u",
            LscLoad(EIGHT, "%scratch", Addresses(A, 64, extension=Extension.ZERO), DataShape(DataSize.D32), D),
        ),
        (
            "lsc_store.slm (M1, 8) flat(I)[0x4*O]:a32 D:d32",
            LscStore(EIGHT, "%slm", Addresses(A, 32, 4, base=RawOperand("I")), DataShape(DataSize.D32), D),
        ),
        ("svm_block_st.unaligned (2) A(0,0)<0;1,0> D.0", SvmBlockSt(2, A, D, unaligned=True)),
        ("svm_block_st.aligned (2) A(0,0)<0;1,0> D.0", SvmBlockSt(2, A, D)),
        (
            "lsc_store.slm (M1, 8) flat[0x4*O]:a32 D:d8c32",
            LscStore(EIGHT, "%slm", Addresses(A, 32, 4), DataShape(DataSize.D8U32), D),
        ),
        (
            "lsc_atomic_store.ugm (M1, 8) %null:d32 flat[A]:a64 D %null",
            LscAtomic(EIGHT, AtomicOp.XCHG, "flat", Addresses(A, 64), NULL, D, NULL),
        ),
        (
            "lsc_atomic_iadd.ugm (M1, 8) %null:d32 flat[A]:a64 D %null",
            LscAtomic(EIGHT, AtomicOp.ADD, "flat", Addresses(A, 64), NULL, D, NULL),
        ),
        (
            "lsc_atomic_iadd.ugm (M1, 8) D:d64 flat[A]:a64 D %null",
            LscAtomic(EIGHT, AtomicOp.ADD, "flat", Addresses(A, 64), D, D, NULL, 64),
        ),
    ],
)
def test_each_opcode_becomes_its_page(statement: str, expected: object) -> None:
    assert decoded(statement) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "svm_atomic.add.16 (M1, 8) A.0 D.0 D.0 %null.0",
        "svm_atomic.fmax.64 (M1, 8) A.0 D.0 D.0 %null.0",
        "dword_atomic.add.64 (M1, 8) %slm O.0 D.0 %null.0 D.32",
        "lsc_load.ugm (M1, 8) D:d32 flat[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 bti(T6)[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 bti(D)[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 flat(A)[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 flat(D)[A]:a64",
        "lsc_load.ugm (M1, 8) D:d32 flat(I)[A]:a64",
        "lsc_load.ugm (M1, 8) D:d32 bss(I, 1)[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 surf(B)[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 ss(I)[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 arg[O]:a32",
        "lsc_load.ugm (M1, 8) D:d32 surf(B)[0x80*O]:a32u",
        "lsc_load.ugm (M1, 8) D:d16u32h flat[A]:a64",
        "lsc_atomic_iadd.ugm (M1, 8) D:d16c32 flat[A]:a64 D %null",
        "svm_block_ld (1) D(0,0)<0;1,0> D.0",
    ],
)
def test_forms_without_semantics_are_named(statement: str) -> None:
    with pytest.raises(NotModelled) as raised:
        decoded(statement)
    assert raised.value.position is not None


@pytest.mark.parametrize("statement", ["svm_gather.2.1 (M1, 8) A.0 D.0", "svm_gather.4 (M1, 8) A.0 D.0"])
def test_blocks_that_no_page_has_are_refused(statement: str) -> None:
    with pytest.raises(ReadError):
        decoded(statement)


@pytest.mark.parametrize(
    ("address", "surface"),
    [("&D", "bindless B.0"), ("&B", "bindless B.0 line {line}"), ("&I", "bindless B.0")],
)
def test_a_register_address_reaches_the_variable_it_is_made_of(address: str, surface: str) -> None:
    """A handle stays as the launch gave it where other variables are written through addresses."""
    text = DECLARATIONS.replace(".function", ".decl A0 v_type=A num_elts=8\n.function", 1)
    text += f"addr_add (M1, 8) A0(0)<1> {address} O(0,0)<1;1,0>\nmov (M1, 8) r[A0(0),0]<1>:d 0x0:d\n"
    text += "lsc_load.ugm (M1, 8) D:d32 bss(B)[O]:a32\n"
    kernel = read_kernel(text, "k.visaasm")
    *_, load = kernel.instructions()
    found = decode(load, kernel, Platform.DG2)
    assert isinstance(found, LscLoad)
    assert found.surface == surface.format(line=load.position.line)
