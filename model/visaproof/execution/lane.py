"""Which lane of a message it is that is undefined: found by running the message for one lane at a time."""

import dataclasses

from msgspec.structs import replace

from visaproof.decode.message import Message
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution
from visaproof.semantics.concrete.state import ConcreteState


def lane_at_fault(message: Message | None, state: ConcreteState) -> int | None:
    """The first lane that is undefined on its own; None where no lane is: two of them collide, or none acts.

    What the lanes before it write stays written: the memory of an undefined launch is not looked at.
    """
    execution = getattr(message, "execution", None)
    if message is None or not isinstance(execution, Execution) or not isinstance(execution.mask, ExecMask):
        return None
    masked = Execution(execution.size, ExecMask(execution.mask % 8), execution.predicate)
    first = execution.mask.lane_offset
    for lane in range(execution.size):
        registers = {name: bytearray(content) for name, content in state.registers.items()}
        alone = dataclasses.replace(state, exec_mask=1 << (first + lane), registers=registers)
        if not state.channel_enabled(execution, lane):
            continue
        try:
            replace(message, execution=masked).execute(alone)
        except UndefinedBehavior:
            return first + lane
    return None
