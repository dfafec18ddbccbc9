"""The payload of many threads as arrays: that of one group, once for each group, and the group ids."""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from visaproof.execution.payload import R0_GROUP_IDS, Payloads, Program, Values
from visaproof.execution.shape import ThreadId


class PayloadArrays(Struct, frozen=True):
    """With what the threads of some groups start, group after group."""

    registers: dict[str, NDArray[np.uint8]]
    """(threads, bytes) of each root variable that is not 0 in all of them."""
    masks: NDArray[np.int64]
    """(threads,): the lanes that are on, lane 0 in bit 0."""
    groups: NDArray[np.int64]
    """(threads,): numbers from 0 on."""


class GroupPayload:
    """The payload of a group, whose ids are not known yet."""

    def __init__(self, program: Program, values: Values) -> None:
        self._program = program
        self._shape = values.shape
        payloads, nowhere = Payloads(program, values), (0, 0, 0)
        threads = range(program.threads(values.shape))
        states = [payloads.state(ThreadId(nowhere, number), number, {}) for number in threads]
        self._masks = np.array([state.exec_mask for state in states], np.int64)
        self._rows = {
            name: np.array([np.frombuffer(state.registers[name], np.uint8) for state in states])
            for name in states[0].registers
        }

    @property
    def threads(self) -> int:
        """Threads of a group."""
        return len(self._masks)

    def of(self, groups: range) -> PayloadArrays:
        """The payload of the threads of these groups."""
        registers = {name: np.tile(rows, (len(groups), 1)) for name, rows in self._rows.items()}
        numbers = np.repeat(np.array(groups, np.int64), self.threads)
        count_x, count_y, _ = self._shape.group_count
        ids = numbers % count_x, numbers // count_x % count_y, numbers // (count_x * count_y)
        for name, dword, column in zip("xyz", R0_GROUP_IDS, ids, strict=True):
            dwords = np.ascontiguousarray(column.astype("<u4")).view(np.uint8).reshape(-1, 4)
            for variable, start in (("%r0", 4 * dword), (f"%group_id_{name}", 0)):
                root, first = self._place(variable, start)
                registers[root][:, first : first + 4] = dwords
        return PayloadArrays(registers, np.tile(self._masks, len(groups)), numbers - groups.start)

    def _place(self, variable: str, start: int) -> tuple[str, int]:
        register = self._program.kernel.registers[variable]
        return register.owner, register.first + start
