"""Runs the threads of a group concretely over one memory: one after another, from barrier to barrier."""

from collections.abc import Sequence

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.machine.concrete.run import MAX_STATEMENTS, Code, Observer, Outcome, PerformedMessage, Thread, Undefined
from visaproof.program.lower import Runnable
from visaproof.refinement.testing.watch import Watch
from visaproof.semantics.concrete.state import ConcreteState


class GroupOutcome(Struct, frozen=True):
    """What the threads performed, in the order in which they ran, and of which of them each message is."""

    outcome: Outcome
    threads: tuple[int, ...]


def run_group(
    kernel: Runnable,
    states: Sequence[tuple[int, ConcreteState]],
    watch: Watch,
    observer: Observer | None = None,
    most: int = MAX_STATEMENTS,
    *,
    together: bool = False,
) -> GroupOutcome:
    """Runs each thread to its next barrier, in the order given, until all have ended.

    The states share their surfaces, which tell `watch` what is accessed.  The first undefined thing ends it: on request
    also a barrier to which not all come `together`, at which the others wait for ever.
    Raises NotModelled, also where a thread takes more than `most` statements.
    """
    if not states:
        return GroupOutcome(Outcome((), None), ())
    code = Code(kernel, states[0][1].platform)
    running = [(number, Thread(code, state, observer, most=most)) for number, state in states]
    performed: list[PerformedMessage] = []
    threads: list[int] = []
    known = dict.fromkeys((number for number, _ in running), 0)
    undefined: Undefined | None = None
    while running and undefined is None:
        waiting: list[tuple[int, Thread]] = []
        barrier: Position | None = None
        for number, thread in running:
            watch.thread = number
            stop = thread.resume()
            done = thread.performed[known[number] :]
            known[number] += len(done)
            performed += done
            threads += [number] * len(done)
            if not isinstance(stop, Outcome):
                waiting.append((number, thread))
                barrier = stop.barrier.position
            elif stop.undefined is not None:
                undefined = stop.undefined
                break
        if together and undefined is None and barrier is not None and len(waiting) < len(states):
            undefined = Undefined(barrier, "a barrier that not all threads of the group come to")
        watch.barrier()
        running = waiting
    return GroupOutcome(Outcome(tuple(performed), undefined), tuple(threads))
