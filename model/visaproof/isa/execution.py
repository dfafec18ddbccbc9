"""Execution size, execution mask and predication.  Pages: Exec_size and Pred of every masked instruction.

The Exec_size byte:   7 6 5 4 | 3 2 1 0
                      mask    | size code (lanes = 1 << code)
The mask nibble:      3       | 2 1 0
                      NoMask  | lane offset / 4
"""

from enum import Enum, IntEnum


class ExecMask(IntEnum):
    """Which lanes of the thread an instruction covers; the `_NM` forms ignore the execution mask."""

    M1 = 0
    M2 = 1
    M3 = 2
    M4 = 3
    M5 = 4
    M6 = 5
    M7 = 6
    M8 = 7
    M1_NM = 8
    M2_NM = 9
    M3_NM = 10
    M4_NM = 11
    M5_NM = 12
    M6_NM = 13
    M7_NM = 14
    M8_NM = 15

    @property
    def lane_offset(self) -> int:
        """The first lane of the thread that the instruction covers."""
        return 4 * (self.value & 7)

    @property
    def no_mask(self) -> bool:
        return self.value >= 8


THREAD_LANES = 32
"""Bits of the execution mask and of the widest predicate variable."""

EXEC_SIZES = (1, 2, 4, 8, 16, 32)


class Combine(Enum):
    """How the predicate bits of all lanes are combined before a lane reads its own."""

    PLAIN = 0
    ANY = 1
    ALL = 2
