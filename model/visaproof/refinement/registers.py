"""What runs leave in the registers that are compared at the end, beside what they leave in memory."""

from msgspec.structs import replace

from visaproof.checking.ladder import Values
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.refinement.effects.question import Question
from visaproof.refinement.observed import RegisterPlace, is_register
from visaproof.refinement.testing.ran import Ran
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt import symbols_of, value_of
from visaproof.smt.evaluate import evaluate_all


def with_registers(ran: Ran, runner: AnyRunner, question: Question, values: Values) -> Ran:
    """The run with the bytes of the registers that the source defines, as if they were in memory."""
    memory = dict(ran.memory)
    for one in runner.observed:
        assert ran.state is not None
        stores = question.source.stores.get(one.surface, ())
        defined = evaluate_all([store.guard for store in stores], values)
        places = [value_of(store.cell) or 0 for store, counts in zip(stores, defined, strict=True) if counts]
        place = one.place(runner.name)
        memory[one.surface] = (one.count, {at: left_in(ran.state, place, at) for at in places})
    return replace(ran, memory=memory)


def at_the_end(ran: Ran, runner: AnyRunner, question: Question, values: Values) -> Ran:
    """The run with the registers that are compared; what comes after a part of a program reads all of its memory."""
    ran = with_registers(ran, runner, question, values)
    if question.launched.premises is not None and SHARED_LOCAL in ran.memory:
        return replace(ran, local=(0, ran.memory[SHARED_LOCAL][1]))
    return ran


def deciding_lanes(question: Question, surface: str, index: int) -> tuple[int, ...]:
    """The lanes on which it depends whether the source defines a byte of a register."""
    if not is_register(surface):
        return ()
    stores = (store for store in question.source.stores.get(surface, ()) if value_of(store.cell) == index)
    terms = {one for store in stores for one in symbols_of(store.guard)}
    return tuple(lane for lane, one in enumerate(question.lanes) if one in terms)


def left_in(state: ConcreteState, place: RegisterPlace, index: int) -> int:
    """A byte of a general variable, or a bit of a predicate."""
    at = place.first + index
    if place.is_predicate:
        return state.predicates[place.variable].bits >> at & 1
    return state.registers[place.variable][at]
