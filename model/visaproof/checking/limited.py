"""Questions about a kernel within a limit: each has its share of the time first, and what is slow waits."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from visaproof.decode.message import OPCODES
from visaproof.isa.errors import LimitReached, NotModelled, Position
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.kernel import Kernel
from visaproof.program.statements import Origin
from visaproof.smt.limit import Limit

FIRST_SHARES = (0.5, 0.5)
"""Of the time that is left: for the first attempts at all open questions together, and for the second."""

LEAST_SHARE = 0.006
"""Of the time that is left, for the first attempt at one question: where each has less, none may have an answer."""

LONGER = 4
"""How many times as long the second attempt is at least, even if there is no time for all then.

4, 8, 16, … times as long as others is each attempt before which 2, 4, 8, … had no answer: what it finds may make the
next ones quick.
"""

Stop = NotModelled | LimitReached


class AboutMessage(Protocol):
    """A question about one memory message."""

    @property
    def performed(self) -> Performed: ...


K = TypeVar("K")
A = TypeVar("A")
Q = TypeVar("Q", bound=AboutMessage)


def each_within(
    limit: Limit,
    keys: Sequence[K],
    ask: Callable[[K], A],
    give_up: Callable[[K, LimitReached], A],
    alike: Callable[[K], Hashable] | None = None,
) -> Iterator[A]:
    """The answer for each key, as it comes: those that take longer than their share of the time are asked again.

    Keys that are `alike` have one share: the first of them is asked, and the others only once that has an answer.
    Unless it is said which are, none is.  Where no others are open, they have all the time at once: who is asked again
    begins anew, and so has longer than before.
    """
    open_keys: list[tuple[K, Hashable]] = [
        (key, place if alike is None else alike(key)) for place, key in enumerate(keys)
    ]
    seconds = LEAST_SHARE / LONGER * limit.left
    for share in (*FIRST_SHARES, None):
        least, seconds, in_vain = LONGER * seconds, 0.0, 0
        late: list[tuple[K, Hashable]] = []
        too_slow = set[Hashable]()
        for index, (key, kind) in enumerate(open_keys):
            if kind in too_slow:
                late.append((key, kind))
                continue
            left = {other for _, other in open_keys[index:]} - too_slow
            alone = not late and len(left) == 1
            all_left = limit.left
            part = 1.0 if share is None or alone or not all_left else min(1.0, max(share / len(left), least / all_left))
            seconds = max(seconds, part * all_left)
            if in_vain > 1 and not in_vain & (in_vain - 1):
                part = min(1.0, LONGER * in_vain / 2 * part)
            try:
                with limit.within(part):
                    found = ask(key)
            except LimitReached as reached:
                in_vain += 1
                if share is not None and not alone:
                    late.append((key, kind))
                    too_slow.add(kind)
                    continue
                found = give_up(key, reached)
            else:
                in_vain = 0
            yield found
        open_keys = late


class Questions(Struct, Generic[Q], frozen=True):
    """The questions about a run, as far as they could be put."""

    asked: tuple[Q, ...]
    stopped: Stop | None
    """Why there are no more."""
    unfinished: frozenset[Position]
    """Statements of which not all iterations are asked about: what holds in these need not hold in the others."""

    def not_all_rounds(self, position: Position) -> str:
        """Why what holds in the iterations of a message is no proof; empty where it is one."""
        return f"in the iterations before the symbolic run ended it holds: {self.stopped}" * (
            position in self.unfinished
        )


def questions_within(limit: Limit, ran: Trace, questions: Iterator[Q]) -> Questions[Q]:
    """The questions that can be put within the limit."""
    asked: list[Q] = []
    try:
        with limit.within():
            asked.extend(questions)
    except LimitReached as reached:
        done = next((k for k, one in enumerate(ran.performed, 1) if asked and one is asked[-1].performed), 0)
        later = (one.instruction.position for one in ran.performed[done:])
        return Questions(tuple(asked), ran.stopped or reached, ran.unfinished.union(later))
    return Questions(tuple(asked), ran.stopped, ran.unfinished)


def not_asked(kernel: Kernel, questions: Sequence[AboutMessage], opcodes: Callable[[str], bool]) -> list[Origin]:
    """The memory messages with such an opcode that no question is about: no run came to them, or nobody asked."""
    about = {one.performed.instruction.position for one in questions}
    messages = (one for one in kernel.instructions() if one.opcode in OPCODES and opcodes(one.opcode))
    return [one for one in messages if one.position not in about]
