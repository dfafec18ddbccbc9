"""Reads through the sampler, symbolically: every value is arbitrary.

Nothing connects two values here.  What a value depends on is kept beside it, for questions about two kernels.
"""

from visaproof.decode.sampler import SamplerRead
from visaproof.isa.operands import NULL
from visaproof.machine.symbolic.arithmetic import SymbolicArithmetic
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.machine.symbolic.uninterpreted_results import SamplerOrigin
from visaproof.program.statements import SamplerMessage
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.cases import given
from visaproof.semantics.symbolic.literals import Literals


def read_arbitrary(statement: SamplerMessage, surface: str, thread: Thread, arithmetic: SymbolicArithmetic) -> None:
    """Writes an arbitrary value for each enabled lane and channel, and to the bytes that the page leaves undefined."""
    read = statement.read
    lanes = lanes_of(thread, read.execution)
    register = thread.platform.grf_bytes
    data_bytes = read.execution.size * read.width
    slot_bytes = max(data_bytes, register)  # Page: "Each channel's return data start in the next GRF"
    count = read.channels.mask.bit_count()
    for slot in range(count):
        start = read.dst.offset + slot * slot_bytes
        for lane, guard, assumed in lanes:
            place = start + lane * read.width
            operands = _coordinates(read, thread, lane, assumed) if read.use else ()
            origin = SamplerOrigin(surface, read.use, slot)
            reason = "a read through the sampler, which is uninterpreted"
            value = arithmetic.fresh(statement, lane, 8 * read.width, reason, operands or None, None, origin)
            thread.registers.write_under(read.dst.variable, place, value, guard)
        _havoc(statement, thread, arithmetic, start + data_bytes, start + slot_bytes)
    if read.null_mask:
        behind = read.dst.offset + count * slot_bytes
        _havoc(statement, thread, arithmetic, behind, behind + register)


def _coordinates(read: SamplerRead, thread: Thread, lane: int, assumed: Literals) -> tuple[Source, ...]:
    found: list[Source] = []
    for operand, data_type in read.coordinates:
        place = operand.offset + lane * data_type.size
        if operand == NULL or not thread.registers.holds(operand.variable, place, data_type.size):
            return ()
        found.append(Source(thread.registers.read_under(operand.variable, place, data_type.size, assumed), data_type))
    return tuple(given(found, assumed))


def _havoc(statement: SamplerMessage, thread: Thread, arithmetic: SymbolicArithmetic, start: int, end: int) -> None:
    """Makes bytes arbitrary, as far as the variable has them."""
    for byte in range(start, min(end, thread.registers.sizes[statement.read.dst.variable])):
        value = arithmetic.fresh(statement, None, 8, "which leaves bytes undefined")
        thread.registers.write_under(statement.read.dst.variable, byte, value, thread.lanes.facts)
