"""Writes that no lane reaches: their path conditions cannot be satisfied."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial

from visaproof.analysis.conflicts.launches.usual_launches import simple_words_for
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.decode.message import OPCODES
from visaproof.isa.errors import Position
from visaproof.program.statements import Origin
from visaproof.semantics.symbolic.accesses import Load
from visaproof.smt import Bool, conj, disj, evaluate, is_false, symbols_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve

WRITES = ("scatter", "store", "atomic", "_st")
"""What the opcodes of messages that write have in them."""


def unreachable_writes(
    asked: Asked, premises: Sequence[Bool] = (), reached: Collection[Position] = ()
) -> Iterator[Origin]:
    """Those of a kernel that was run to its end; where a loop may go on, nothing is said of what it leads to.

    A run has shown that lanes come to those that are `reached`.
    """
    trace = asked.trace
    if trace.stopped is not None or trace.bounded:
        return
    holds = conj(*premises, *(condition for condition, _ in trace.conditions))
    never = cache(partial(_never, asked, list[Values]()))  # many writes have one guard
    for instruction in asked.kernel.instructions():
        if instruction.opcode not in OPCODES or not any(word in instruction.opcode for word in WRITES):
            continue
        if instruction.position in reached:
            continue
        mine = (one for one in trace.performed if one.instruction.position == instruction.position)
        guards = [access.guard for one in mine for access in one.accesses if not isinstance(access, Load)]
        if never(conj(holds, disj(*guards))):
            yield instruction


def _never(asked: Asked, came: list[Values], reached: Bool) -> bool:
    """Whether it is proved that this never holds; those values come first of which something else did (`came`)."""
    if is_false(reached):
        return True
    symbols = symbols_of(reached)
    words = ({one: word & ((1 << one.width) - 1) if one.width else 1 for one in symbols} for word in (0, 1, -1))
    before = ({one: values.get(one, 0) for one in symbols} for values in came)
    if any(evaluate(reached, values) for values in (*before, *words)):
        return False
    if (values := simple_words_for(asked, reached)) is not None:
        came.insert(0, values)
        return False
    answer = solve([reached], asked.timeout_ms)
    if isinstance(answer, Satisfiable):
        came.insert(0, answer.values)
    return isinstance(answer, Unsatisfiable)
