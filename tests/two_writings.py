"""The two writings of an instruction on one state: `execute`, and its footprint with numbers for its symbols."""

from collections.abc import Sequence
from random import Random

from tests.strategies import Start, Values, start_of
from visaproof.engine.counterexample import Outcome
from visaproof.engine.mirror import mirrored
from visaproof.engine.runs import claimed, run
from visaproof.engine.states import changes
from visaproof.instructions import Instruction
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.errors import UndefinedBehavior
from visaproof.queries.subject import Subject
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Access, RegisterSlice
from visaproof.smt import Bool


def executed(instruction: Instruction, before: ConcreteState) -> Outcome:
    """What `execute` does.  Nothing has changed where it is undefined, and never a mask or a predicate."""
    after = before.copy()
    try:
        instruction.execute(after)
    except UndefinedBehavior:
        assert after == before, "execute changed something before it found the state undefined"
    assert (after.exec_mask, after.predicates) == (before.exec_mask, before.predicates)
    return run(instruction, before, [before.exec_mask]).outcome


def difference(
    instruction: Instruction,
    accesses: Sequence[Access],
    before: ConcreteState,
    values: Values,
    leaves_undefined: Sequence[tuple[Bool, RegisterSlice]] = (),
) -> str | None:
    """Where `execute` and the accesses part: the first place that differs, or the reason why one is undefined."""
    observed = executed(instruction, before)
    expected = claimed(accesses, instruction.spec.collision_undefined, values, before, leaves_undefined)
    if observed.undefined is not None or expected.undefined is not None:
        if observed.undefined is not None and expected.undefined is not None:
            return None
        return f"execute is undefined: {observed.undefined}; the footprint: {expected.undefined}"
    for place in sorted(observed.changes.keys() | expected.changes.keys()):
        one, other = observed.changes.get(place, "as before"), expected.changes.get(place, "as before")
        if one != other:
            return f"{place}: execute leaves {one}, the footprint {other}"
    return None


def disagreement(subject: Subject, start: Start) -> str | None:
    """Where `execute` and the subject's accesses, its own or those of a wrong variant, part on one state."""
    return difference(start.instruction, subject.accesses, start.before, start.values, subject.leaves_undefined)


def found_disagreement(subject: Subject, states: int) -> str | None:
    """The first disagreement among states made from the seeds 0, 1, 2, …"""
    for seed in range(states):
        found = disagreement(subject, start_of(subject, Random(seed)))
        if found is not None:
            return found
    return None


def outcome_of_both(instruction: Instruction, before: ConcreteState) -> Outcome:
    """What both writings say that the instruction does to a state.  Fails where they part."""
    state, values = mirrored(before)
    leaves_undefined = undefined_bytes_of(instruction, state)
    found = difference(instruction, list(instruction.footprint(state)), before, values, leaves_undefined)
    assert found is None, found
    return executed(instruction, before)


def is_undefined(instruction: Instruction, before: ConcreteState) -> bool:
    """Whether both writings call the outcome undefined."""
    return outcome_of_both(instruction, before).undefined is not None


def after_both(instruction: Instruction, before: ConcreteState) -> ConcreteState:
    """The state after an instruction, on which both writings agree and which is defined."""
    outcome = outcome_of_both(instruction, before)
    assert outcome.undefined is None, outcome.undefined
    after = before.copy()
    instruction.execute(after)
    assert changes(before, after) == outcome
    return after


def dwords(*values: int) -> bytearray:
    """A register that holds these dwords."""
    return bytearray(b"".join((value % 2**32).to_bytes(4, "little") for value in values))


def dwords_of(register: bytearray) -> list[int]:
    return [int.from_bytes(register[start : start + 4], "little") for start in range(0, len(register), 4)]
