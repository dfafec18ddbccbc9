"""Sub-groups that have all their lanes: what 2D blocks of others do, the language leaves undefined."""

from collections.abc import Iterable, Iterator

from visaproof.decode.message import Message
from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.launch.assume import FULL_SUB_GROUPS, Assume
from visaproof.launch.premises import Premise, premise
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.kernel import Kernel


def is_of_full_sub_groups(message: Message) -> bool:
    """Whether the language has the message made by full sub-groups alone."""
    return isinstance(message, LscLoadBlock2d | LscStoreBlock2d)


def assumes_full_sub_groups(assumed: Iterable[Premise]) -> bool:
    """Whether it is among the premises."""
    return any(one.name == FULL_SUB_GROUPS for one in assumed)


def full_sub_groups(kernel: Kernel, ran: Trace, assume: Assume) -> Iterator[Premise]:
    """The premise on which it rests what such messages of a kernel do, if it has any."""
    lanes = kernel.work_items or 1
    if lanes > 1 and FULL_SUB_GROUPS in assume and any(is_of_full_sub_groups(one.decoded) for one in ran.performed):
        yield premise("full-sub-groups", lanes=lanes)
