"""Replays a dependence on uninitialised bits: both runs again, and whether the bits are what the file says they are."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from visaproof.checking.counterexample import Counterexample, Outcome
from visaproof.checking.states import changes, state_from
from visaproof.isa.operands import SLM
from visaproof.isa.predefined import PREDEFINED
from visaproof.machine.concrete import run as concrete_run
from visaproof.program.lower import Runnable
from visaproof.program.statements import Run
from visaproof.semantics.concrete.state import ConcreteState


class TwoRuns(Struct, frozen=True):
    """What both runs leave in memory, and what speaks against the file, in words."""

    outcomes: tuple[Outcome, ...]
    objections: tuple[str, ...]
    variables: tuple[str, ...]
    """In which the states differ."""


def two_runs(counterexample: Counterexample, kernel: Runnable) -> TwoRuns:
    """Runs the kernel from both states.  Raises NotModelled, and ValueError for a file without a second state."""
    if counterexample.other is None:
        raise ValueError("there is no second state")
    states = [state_from(each, counterexample.platform) for each in (counterexample.state, counterexample.other)]
    objections = list(_other_differences(*states))
    differing = _differing(*states)
    launched = {item.variable for item in kernel.inputs} | PREDEFINED
    objections += [f"the launch writes {name}" for name in sorted(differing.keys() & launched)]
    outcomes: list[Outcome] = []
    for state in states:
        watch = _Watch(counterexample.line, differing, state)
        after = state.copy()
        ended = concrete_run.run(kernel, after, watch.observe)
        objections += watch.objections()
        memory = left_in_memory(state, after)
        outcomes.append(memory if ended.undefined is None else Outcome(undefined=ended.undefined.message))
    if outcomes[0] == outcomes[1]:
        objections.append("both runs leave the same memory")
    return TwoRuns(tuple(outcomes), tuple(objections), tuple(sorted(differing)))


def left_in_memory(before: ConcreteState, after: ConcreteState) -> Outcome:
    """What is other in the surfaces; registers and shared local memory are gone when the threads have ended."""
    surfaces = {name: surface for name, surface in before.surfaces.items() if name != SLM}
    return changes(ConcreteState(before.platform, surfaces=surfaces), after)


def _other_differences(first: ConcreteState, second: ConcreteState) -> Iterator[str]:
    if first.exec_mask != second.exec_mask:
        yield "the execution masks differ"
    if first.surfaces != second.surfaces:
        yield "the surfaces differ"


def _differing(first: ConcreteState, second: ConcreteState) -> dict[str, int]:
    """The bits of each variable in which the states differ; a variable that is not there holds 0."""
    names = {*first.registers, *second.registers, *first.predicates, *second.predicates}
    bits = {name: _content(first, name) ^ _content(second, name) for name in names}
    return {name: mask for name, mask in bits.items() if mask}


def _content(state: ConcreteState, name: str) -> int:
    if name in state.predicates:
        return state.predicates[name].bits
    return int.from_bytes(state.registers.get(name, b""), "little")


class _Watch:
    """Whether bits still hold what they held at the start when a line is first reached."""

    def __init__(self, line: int, bits: Mapping[str, int], start: ConcreteState) -> None:
        self._line = line
        self._bits = bits
        self._start = {name: _content(start, name) & mask for name, mask in bits.items()}
        self._written = set[str]()
        self._at_line: set[str] | None = None

    def observe(self, statement: Run, state: ConcreteState) -> None:
        """Called behind each statement."""
        if self._at_line is None:
            if statement.position.line == self._line:
                self._at_line = set(self._written)
            self._written |= {
                name for name, mask in self._bits.items() if _content(state, name) & mask != self._start[name]
            }

    def objections(self) -> list[str]:
        if self._at_line is None:
            return [f"line {self._line} is not reached"]
        return [f"{name} is written before line {self._line}" for name in sorted(self._at_line)]
