"""From `svm_*` statements to the instructions of their pages."""

from collections.abc import Callable

from visaproof.decode.statement import Statement
from visaproof.instructions.family import (
    SvmAtomic,
    SvmBlockLd,
    SvmBlockSt,
    SvmGather,
    SvmGather4Scaled,
    SvmScatter,
    SvmScatter4Scaled,
)
from visaproof.isa.atomics import FLOAT_OPS, AtomicOp, atomic_named
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.operands import ImmediateUD, RawOperand
from visaproof.visaasm import syntax

SvmMessage = SvmAtomic | SvmBlockLd | SvmBlockSt | SvmGather | SvmGather4Scaled | SvmScatter | SvmScatter4Scaled

_LENIENT = {"predec": AtomicOp.PREDEC, "imin": AtomicOp.IMIN, "imax": AtomicOp.IMAX}
"""The pages' names of operations that the grammar spells otherwise or not at all (D50)."""


QWORDS = "64"
"""The suffix of an atomic on qwords."""


def require_dwords(s: Statement) -> None:
    """Raises NotModelled for an atomic with `.16`, `.64` or another suffix after its operation."""
    if len(s.instruction.suffixes) > 1:
        raise NotModelled(f"{s.instruction.opcode}.{'.'.join(s.instruction.suffixes)}: only 32-bit atomics", s.position)


def operation(s: Statement) -> AtomicOp:
    """The operation that the first suffix names."""
    spelling = s.suffix("OP")
    try:
        return _LENIENT.get(spelling) or atomic_named(spelling)
    except KeyError:
        raise NotModelled(f"atomic operation {spelling}", s.position) from None


def _blocks(s: Statement) -> tuple[int, int]:
    """`.SIZE.BLOCKS`"""
    if len(s.instruction.suffixes) != 2 or not all(text.isdecimal() for text in s.instruction.suffixes):
        raise ReadError(f"{s.instruction.opcode} needs .BLOCK_SIZE.BLOCKS", s.position)
    s.taken.take(s.instruction, "suffix 0", "suffix 1")
    size, blocks = (int(text) for text in s.instruction.suffixes)
    if size not in (1, 4, 8) or blocks not in (1, 2, 4, 8):
        raise ReadError(f"{blocks} blocks of {size} bytes", s.position, "1, 2, 4 or 8 blocks of 1, 4 or 8 bytes")
    return size, blocks


def _gather(s: Statement) -> SvmMessage:
    addresses, dst = s.operands(2)
    return SvmGather(s.execution(), *_blocks(s), s.raw(addresses), s.raw(dst))


def _scatter(s: Statement) -> SvmMessage:
    addresses, src = s.operands(2)
    return SvmScatter(s.execution(), *_blocks(s), s.raw(addresses), s.raw(src))


def _block_ld(s: Statement) -> SvmMessage:
    address, dst = s.operands(2)
    return SvmBlockLd(s.block_size(), s.wide_scalar(address), s.raw(dst), _is_unaligned(s))


def _block_st(s: Statement) -> SvmMessage:
    address, src = s.operands(2)
    return SvmBlockSt(s.block_size(), s.wide_scalar(address), s.raw(src), _is_unaligned(s))


def _is_unaligned(s: Statement) -> bool:
    """Whether dword-aligned addresses are enough; the compiler writes .aligned since 2026, and nothing before."""
    return not s.has_suffix(0, "aligned") and s.has_suffix(0, "unaligned")


def _gather4_scaled(s: Statement) -> SvmMessage:
    address, element, dst = s.operands(3)
    return SvmGather4Scaled(s.execution(), s.channels(), _base(s, address), s.raw(element), s.raw(dst))


def _scatter4_scaled(s: Statement) -> SvmMessage:
    address, element, src = s.operands(3)
    return SvmScatter4Scaled(s.execution(), s.channels(), _base(s, address), s.raw(element), s.raw(src))


def _base(s: Statement, address: syntax.Operand) -> RawOperand | ImmediateUD:
    if isinstance(address, syntax.Immediate):
        base = s.scalar(address)
        assert isinstance(base, ImmediateUD)
        return base
    return s.wide_scalar(address)


def _atomic(s: Statement) -> SvmMessage:
    addresses, dst, src0, src1 = (s.raw(operand) for operand in s.operands(4))
    op, bits = operation(s), 32
    if op not in FLOAT_OPS and s.has_suffix(1, QWORDS):
        bits = 64
    else:
        require_dwords(s)
    return SvmAtomic(s.execution(), op, addresses, dst, src0, src1, bits=bits)


DECODERS: dict[str, Callable[[Statement], SvmMessage]] = {
    "svm_gather": _gather,
    "svm_scatter": _scatter,
    "svm_block_ld": _block_ld,
    "svm_block_st": _block_st,
    "svm_gather4scaled": _gather4_scaled,
    "svm_scatter4scaled": _scatter4_scaled,
    "svm_atomic": _atomic,
}
