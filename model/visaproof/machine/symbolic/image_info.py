"""`resinfo`, symbolically: the extents of the image at its largest level, and anything for other levels."""

from visaproof.decode.image_info import CHANNEL_BYTES, LEVELS
from visaproof.machine.symbolic.arithmetic import SymbolicArithmetic
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.statements import InfoMessage
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import value_of

REASON = "the extents of an image at another level than the first, or the number of its levels"


def write_info(statement: InfoMessage, image: SymbolicImage, thread: Thread, arithmetic: SymbolicArithmetic) -> None:
    """Writes a dword for each enabled lane and channel, and makes the bytes up to the next GRF arbitrary."""
    info = statement.info
    registers, data = thread.registers, info.execution.size * CHANNEL_BYTES
    for number, start in info.places(thread.platform):
        first = info.dst.offset + start
        for lane, guard, assumed in lanes_of(thread, info.execution):
            own = info.level.offset + lane * CHANNEL_BYTES
            level = value_of(registers.read_under(info.level.variable, own, CHANNEL_BYTES, assumed))
            known = level == 0 and number < LEVELS
            value = image.levels[0][number] if known else arithmetic.fresh(statement, lane, 32, REASON)
            registers.write_under(info.dst.variable, first + lane * CHANNEL_BYTES, value, guard)
        for byte in range(
            first + data, min(first + data + info.rest(thread.platform), registers.sizes[info.dst.variable])
        ):
            undefined = arithmetic.fresh(statement, None, 8, "which leaves bytes undefined")
            registers.write_under(info.dst.variable, byte, undefined, thread.lanes.facts)
