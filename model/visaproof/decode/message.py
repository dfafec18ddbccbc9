"""From a statement of a file to the instruction of a page: operands of memory messages by root variable and byte."""

from collections.abc import Callable

from visaproof.decode import lsc as decode_lsc
from visaproof.decode import lsc_quad
from visaproof.decode import svm as decode_svm
from visaproof.decode.raw_send import resolved
from visaproof.decode.statement import Statement
from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.family import (
    DwordAtomic,
    Gather4Scaled,
    Gather4Typed,
    GatherScaled,
    LscLoadTyped,
    LscStoreTyped,
    OwordLdUnaligned,
    OwordSt,
    QwGather,
    Scatter4Typed,
    ScatterScaled,
)
from visaproof.isa.answers import QwordBlocks
from visaproof.isa.atomics import AtomicOp, atomic_named
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.types import DataType
from visaproof.visaasm import syntax

TypedMessage = TypedAtomic | Gather4Typed | Scatter4Typed | LscLoadTyped | LscStoreTyped
"""The messages to surfaces of texels."""

Message = (
    Scatter4Scaled
    | Gather4Scaled
    | ScatterScaled
    | GatherScaled
    | QwScatter
    | QwGather
    | OwordLd
    | OwordLdUnaligned
    | OwordSt
    | TypedMessage
    | DwordAtomic
    | decode_svm.SvmMessage
    | decode_lsc.LscMessage
)
"""The memory messages that can be decoded."""


def _scatter4_scaled(s: Statement) -> Message:
    surface, offset, element, src = s.operands(4)
    where = s.surface(surface), s.scalar(offset), s.raw(element)
    return Scatter4Scaled(s.execution(), s.channels(), *where, s.raw(src))


def _gather4_scaled(s: Statement) -> Message:
    surface, offset, element, dst = s.operands(4)
    where = s.surface(surface), s.scalar(offset), s.raw(element)
    return Gather4Scaled(s.execution(), s.channels(), *where, s.raw(dst))


def _scatter_scaled(s: Statement) -> Message:
    surface, offset, element, src = s.operands(4)
    where = s.surface(surface), s.scalar(offset), s.raw(element)
    return ScatterScaled(s.execution(), s.blocks((1, 2, 4)), *where, s.raw(src))


def _gather_scaled(s: Statement) -> Message:
    surface, offset, element, dst = s.operands(4)
    where = s.surface(surface), s.scalar(offset), s.raw(element)
    return GatherScaled(s.execution(), s.blocks((1, 2, 4)), *where, s.raw(dst))


def _qw_scatter(s: Statement) -> Message:
    surface, offset, src = s.operands(3)
    blocks = s.blocks((1, 2, 4, 8))
    if blocks != 1 and s.readings.qword_blocks is QwordBlocks.ONE:
        raise NotModelled(f"qw_scatter.{s.instruction.suffixes[0]}: the page has only one block", s.position)
    return QwScatter(s.execution(), s.surface(surface), s.raw(offset), s.raw(src), blocks)


def _qw_gather(s: Statement) -> Message:
    surface, offset, dst = s.operands(3)
    if s.blocks((1, 2, 4, 8)) != 1:
        raise NotModelled(f"qw_gather.{s.instruction.suffixes[0]}: the page has only one block", s.position)
    return QwGather(s.execution(), s.surface(surface), s.raw(offset), s.raw(dst))


def _oword_ld(s: Statement) -> Message:
    s.has_suffix(0, "mod")  # D17: it has no effect
    surface, offset, dst = s.operands(3)
    return OwordLd(s.block_size(), s.surface(surface), s.scalar(offset), s.raw(dst))


def _oword_ld_unaligned(s: Statement) -> Message:
    s.has_suffix(0, "mod")  # D17: it has no effect
    surface, offset, dst = s.operands(3)
    return OwordLdUnaligned(s.block_size(), s.surface(surface), s.scalar(offset), s.raw(dst))


def _oword_st(s: Statement) -> Message:
    surface, offset, src = s.operands(3)
    return OwordSt(s.block_size(), s.surface(surface), s.scalar(offset), s.raw(src))


def _typed_atomic(s: Statement) -> Message:
    surface, *raw = s.operands(8)
    u, v, r, lod, src0, src1, dst = (s.raw(operand) for operand in raw)
    execution = s.execution()
    op, bits = _atomic_op(s)
    return TypedAtomic(execution, op, s.surface(surface), u, v, r, lod, src0, src1, dst, bits)


def _gather4_typed(s: Statement) -> Message:
    surface, *raw = s.operands(6)
    u, v, r, lod, dst = (s.raw(operand) for operand in raw)
    floats = s.type_of(raw[4]) is DataType.F
    return Gather4Typed(s.execution(), s.channels(), s.surface(surface), u, v, r, lod, dst, floats)


def _scatter4_typed(s: Statement) -> Message:
    surface, *raw = s.operands(6)
    u, v, r, lod, src = (s.raw(operand) for operand in raw)
    return Scatter4Typed(s.execution(), s.channels(), s.surface(surface), u, v, r, lod, src)


LENIENT_OPS = {"predec": AtomicOp.PREDEC, "imin": AtomicOp.IMIN, "imax": AtomicOp.IMAX}
"""The pages' names of operations that the grammar spells otherwise or not at all (D50)."""


def _atomic_op(s: Statement) -> tuple[AtomicOp, int]:
    """The operation, and the bits of a texel: 16 for `.16`."""
    spelling = s.suffix("OP")
    bits = 16 if s.has_suffix(1, "16") else 32
    if spelling in LENIENT_OPS:
        return LENIENT_OPS[spelling], bits
    try:
        return atomic_named(spelling), bits
    except KeyError:
        raise NotModelled(f"atomic operation {spelling}", s.position) from None


def _dword_atomic(s: Statement) -> Message:
    surface, *raw = s.operands(5)
    offsets, src0, src1, dst = (s.raw(operand) for operand in raw)
    op = decode_svm.operation(s)
    decode_svm.require_dwords(s)
    return DwordAtomic(s.execution(), op, s.surface(surface), offsets, src0, src1, dst)


_DECODERS: dict[str, Callable[[Statement], Message]] = {
    "scatter4_scaled": _scatter4_scaled,
    "gather4_scaled": _gather4_scaled,
    "scatter_scaled": _scatter_scaled,
    "gather_scaled": _gather_scaled,
    "qw_scatter": _qw_scatter,
    "qw_gather": _qw_gather,
    "oword_ld": _oword_ld,
    "oword_ld_unaligned": _oword_ld_unaligned,
    "oword_st": _oword_st,
    "typed_atomic": _typed_atomic,
    "gather4_typed": _gather4_typed,
    "scatter4_typed": _scatter4_typed,
    "dword_atomic": _dword_atomic,
    **decode_svm.DECODERS,
    **decode_lsc.DECODERS,
    "lsc_load_quad": lsc_quad.load,
    "lsc_store_quad": lsc_quad.store,
}

TYPED = frozenset(("typed_atomic", "gather4_typed", "scatter4_typed", "lsc_load_quad", "lsc_store_quad"))
"""The opcodes of the messages to surfaces of texels; a quad may also reach bytes."""

OPCODES = frozenset(_DECODERS)
"""The opcodes of the memory messages that can be decoded; `raw_sends` stands for one of them (raw_send.py)."""


def decode(
    instruction: syntax.Instruction, kernel: syntax.Kernel, platform: Platform, readings: Readings = DEFAULT
) -> Message:
    """The instruction of a page; its surface is the variable's name.

    Raises NotModelled for opcodes and forms without semantics here, ReadError for operands that do not fit the opcode.
    """
    instruction = resolved(instruction, kernel, platform)
    decoder = _DECODERS.get(instruction.opcode)
    if decoder is None:
        raise NotModelled(f"opcode {instruction.opcode}", instruction.position)
    statement = Statement(instruction, kernel, platform, readings)
    message = decoder(statement)
    statement.taken.require_all(instruction)
    return message
