"""From a vector to an instruction and the state in which it starts: one function for each page that vectors have."""

from collections.abc import Callable, Sequence

from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled
from visaproof.instructions.family import Gather4Scaled, OwordSt, QwGather
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.vectors.atomics import dword_atomic, lsc_atomic, svm_atomic, typed_atomic
from visaproof.vectors.rows import (
    DST,
    SURFACE,
    UNKNOWN_DWORD,
    Expected,
    Row,
    Trial,
    checked,
    memory_of,
    per_lane,
    register,
    state_of,
)


def trials(row: Row) -> list[Trial]:
    """The vector on each register size that matters to its page.

    Raises NotModelled for what visaproof has no semantics for, ValueError or KeyError for a row that makes no sense.
    """
    make = _TRIALS.get(row.instr)
    if make is None:
        raise NotModelled(f"vectors of {row.instr}")
    if not all(len(bytes.fromhex(side)) == row.surface.size for side in (row.surface.before, row.surface.after)):
        raise ValueError(f"the surface does not have {row.surface.size} bytes")
    return make(row)


# ---------------------------------------------------------------- scattered dwords and qwords


def _slots(row: Row, platform: Platform, values: Sequence[int]) -> bytearray:
    """Packed channels, each moved to a register of its own as the page has it."""
    size, channels = row.params.exec_size, row.params.ch_mask.bit_count()
    pitch = max(size, platform.grf_bytes // 4)
    padded = [UNKNOWN_DWORD] * (pitch * channels)
    for index, value in enumerate(values):
        padded[index // size * pitch + index % size] = value
    return register(padded)


def _scatter4_scaled(row: Row) -> list[Trial]:
    channels, execution = Channels(checked(row.params.ch_mask, 4)), Execution(row.params.exec_size)
    found: list[Trial] = []
    for platform in (Platform.TGLLP, Platform.PVC):
        operands = row.scalar("global_offset"), RawOperand("VO"), RawOperand("VS")
        registers = {"VO": register(row.numbers("element_offset")), "VS": _slots(row, platform, row.numbers("src"))}
        before = state_of(row, platform, registers)
        found.append(Trial(Scatter4Scaled(execution, channels, SURFACE, *operands), before, memory_of(row), ()))
    return found


def _gather4_scaled(row: Row) -> list[Trial]:
    channels, size = Channels(checked(row.params.ch_mask, 4)), row.params.exec_size
    execution = Execution(size)
    found: list[Trial] = []
    for platform in (Platform.TGLLP, Platform.PVC):
        pitch = max(size, platform.grf_bytes // 4)
        operands = row.scalar("global_offset"), RawOperand("VO"), DST
        registers = {"VO": register(row.numbers("element_offset")), "VD": _slots(row, platform, row.dst_before)}
        expected = tuple(
            Expected(4 * (index // size * pitch + index % size), 4, value)
            for index, value in enumerate(row.dst_after)
            if row.check.dst_lanes >> index % size & 1
        )
        instruction = Gather4Scaled(execution, channels, SURFACE, *operands)
        found.append(Trial(instruction, state_of(row, platform, registers), memory_of(row), expected))
    return found


def _qw_scatter(row: Row) -> list[Trial]:
    if "straddle" in row.tags and row.source.startswith("lavapipe"):
        raise NotModelled("a straddling qword that is dropped as a whole (D25)")
    registers = {"VO": register(row.numbers("offset")), "VQ": register(row.numbers("src"), 8)}
    execution, blocks = Execution(row.params.exec_size), row.params.num_blocks
    instruction = QwScatter(execution, SURFACE, RawOperand("VO"), RawOperand("VQ"), num_blocks=blocks)
    return [Trial(instruction, state_of(row, Platform.DG2, registers), memory_of(row), ())]


def _qw_gather(row: Row) -> list[Trial]:
    if "straddle" in row.tags and row.source.startswith("lavapipe"):
        raise NotModelled("a straddling qword that reads as zero as a whole (D25)")
    registers = {"VO": register(row.numbers("offset")), "VD": register(row.dst_before, 8)}
    execution, blocks = Execution(row.params.exec_size), row.params.num_blocks
    instruction = QwGather(execution, SURFACE, RawOperand("VO"), DST, num_blocks=blocks)
    return [Trial(instruction, state_of(row, Platform.DG2, registers), memory_of(row), per_lane(row, 8))]


# ---------------------------------------------------------------- blocks


def _oword_ld(row: Row) -> list[Trial]:
    instruction = OwordLd(row.params.num_owords, SURFACE, row.scalar("offset_owords"), DST)
    before = state_of(row, Platform.DG2, {"VD": register(row.dst_before)})
    values = row.dst_after if row.check.dst else []
    expected = tuple(Expected(4 * index, 4, value) for index, value in enumerate(values))
    return [Trial(instruction, before, memory_of(row), expected)]


def _oword_st(row: Row) -> list[Trial]:
    instruction = OwordSt(row.params.num_owords, SURFACE, row.scalar("offset_owords"), RawOperand("VS"))
    before = state_of(row, Platform.DG2, {"VS": register(row.numbers("src"))})
    return [Trial(instruction, before, memory_of(row), ())]


_TRIALS: dict[str, Callable[[Row], list[Trial]]] = {
    "SCATTER4_SCALED": _scatter4_scaled,
    "GATHER4_SCALED": _gather4_scaled,
    "QW_SCATTER": _qw_scatter,
    "QW_GATHER": _qw_gather,
    "OWORD_LD": _oword_ld,
    "OWORD_ST": _oword_st,
    "DWORD_ATOMIC": dword_atomic,
    "SVM_ATOMIC": svm_atomic,
    "LSC_ATOMIC": lsc_atomic,
    "TYPED_ATOMIC": typed_atomic,
}
