"""Two runs of one kernel that differ in undefined values alone: what each of them does, step by step."""

from copy import deepcopy
from dataclasses import dataclass, field, replace

from msgspec import Struct

from visaproof.analysis.conflicts.search import MOST_STATEMENTS
from visaproof.analysis.conflicts.thread_states import Asked, Values, beyond_in, state_of
from visaproof.isa.errors import NotModelled, Position
from visaproof.machine.concrete.run import MissingSurface, Outcome, run
from visaproof.program.statements import Run
from visaproof.queries.kernels.suspects import Effect, Sink, Suspect
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite, Surface, Texel, TexelWrite, Write
from visaproof.semantics.symbolic.value_names import InSecondRun
from visaproof.smt import Term, symbol

Step = tuple[Position, int]
"""A statement that ran, and the lanes that run after it."""


def other(term: Term) -> Term:
    """The name that an undefined value has in the second run."""
    return symbol(InSecondRun(term.payload), term.width)


@dataclass
class _ReadBuffer(Buffer):
    """A buffer that tells which addresses were read."""

    reads: list[int] = field(default_factory=list[int], compare=False, repr=False)

    def read(self, address: int, width: int) -> int:
        self.reads.append(address)
        return super().read(address, width)


@dataclass
class _ReadImage(Image):
    """An image that tells which texels were looked for."""

    reads: list[Texel] = field(default_factory=list[Texel], compare=False, repr=False)

    def contains(self, texel: Texel) -> bool:
        self.reads.append(texel)
        return super().contains(texel)


class Behaviour(Struct, frozen=True):
    """What a run did."""

    steps: list[Step]
    reads: list[tuple[Position, object]]
    outcome: Outcome

    def at(self, sink: Sink) -> object:
        """What it did at a place, as far as the effect is about that."""
        if sink.effect is Effect.BRANCH:
            return self.steps
        performed = [one for one in self.outcome.performed if one.instruction.position == sink.position]
        writes = [write for one in performed for write in (*one.writes, *one.changed)]
        if sink.effect in (Effect.OUTPUT, Effect.SHARED):
            return writes
        return [_place(write) for write in writes], [what for position, what in self.reads if position == sink.position]


def _place(write: Write) -> object:
    match write:
        case LaneWrite(lane, address, width):
            return lane, address, width
        case TexelWrite(lane, texel, channel):
            return lane, texel, channel


def two_states(asked: Asked, suspect: Suspect, values: Values) -> tuple[ConcreteState, ConcreteState]:
    """What both runs start from: the launch that the values describe, and the undefined values of each run."""
    first = state_of(asked, None, values)
    changed = values | {one: values.get(other(one), 0) for one in suspect.symbols}
    second = replace(state_of(asked, None, changed), surfaces=deepcopy(first.surfaces))
    apart = (one for one in suspect.symbols if suspect.of_address and values.get(one, 0) != changed[one])
    there = next(apart, None)  # one value stands at all register addresses that leave their variables
    first.beyond = beyond_in(asked.trace, values, 0 if there is None else values.get(there, 0))
    second.beyond = beyond_in(asked.trace, changed, 0 if there is None else changed[there])
    return first, second


def behaviour(asked: Asked, start: ConcreteState) -> Behaviour | None:
    """A run from this state, which stays as it is; None where it cannot be run."""
    state = replace(deepcopy(start), surfaces={key: _read(surface) for key, surface in start.surfaces.items()})
    steps: list[Step] = []
    reads: list[tuple[Position, object]] = []

    def observe(statement: Run, state: ConcreteState) -> None:
        steps.append((statement.position, state.exec_mask))
        reads.extend(_reads(statement.position, state))

    try:
        outcome = run(asked.kernel, state, observe, most=MOST_STATEMENTS)
    except (NotModelled, MissingSurface):
        return None
    if outcome.undefined is not None:
        reads.extend(_reads(outcome.undefined.position, state))
    return Behaviour(steps, reads, outcome)


def _read(surface: Surface) -> Surface:
    if isinstance(surface, Image):
        return _ReadImage(surface.levels, dict(surface.texels), surface.kind, surface.layers)
    return _ReadBuffer(surface.size, dict(surface.contents)) if type(surface) is Buffer else surface


def _reads(position: Position, state: ConcreteState) -> list[tuple[Position, object]]:
    found: list[tuple[Position, object]] = []
    for surface in state.surfaces.values():
        if isinstance(surface, _ReadBuffer | _ReadImage):
            found += [(position, what) for what in surface.reads]
            surface.reads.clear()
    return found
