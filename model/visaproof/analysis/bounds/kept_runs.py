"""Runs in which an access was outside, kept for later messages: where one buffer is too small, others mostly are.

One run of the kernel with an empty buffer shows of each message that it comes to which accesses miss that buffer.
"""

from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct, field

from visaproof.analysis.bounds.memory import launched, state_with_buffers
from visaproof.analysis.conflicts.search import MOST_STATEMENTS
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.checking.all_choices import under_each_choice
from visaproof.isa.errors import NotModelled, Position
from visaproof.machine.concrete.run import AtBarrier, Code, MissingSurface, Thread
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Miss
from visaproof.semantics.symbolic.names import SurfaceSize
from visaproof.smt import Term, symbols_of
from visaproof.smt.evaluate import Evaluation

AS_LONG = 2
"""How often such a run may be as long as the kernel: what comes after more iterations is asked by itself."""
_NONE: dict[Position, frozenset[Miss]] = {}


class KeptRun(Struct, frozen=True):
    """A run on these values, to its end or as far as it is modelled."""

    values: Values
    before: ConcreteState
    misses: Mapping[Position, frozenset[Miss]]
    """Of each message, those of every run, whatever the results are that no page states."""
    evaluation: Evaluation


class KeptRuns(Struct):
    """Runs on values that showed an access outside, with one buffer after the other empty."""

    values: Values
    runs: dict[frozenset[Term], KeptRun | None] = field(default_factory=dict[frozenset[Term], "KeptRun | None"])
    """By the sizes that are 0; None where no launch is like this."""

    def of(self, question: BoundsQuestion, asked: Asked) -> KeptRun | None:
        """The run in which what this message reaches is empty."""
        used = symbols_of(*(one.condition for one in question.outside))
        sizes = frozenset(one for one in used if isinstance(one.payload, SurfaceSize))
        if sizes not in self.runs:
            values = launched(self.values | dict.fromkeys(sizes, 0), question.buffers, question.premises)
            self.runs[sizes] = None if values is None else _run(question, asked, values)
        return self.runs[sizes]


def _run(question: BoundsQuestion, asked: Asked, values: Values) -> KeptRun:
    def start(choices: Choices) -> ConcreteState:
        return state_with_buffers(asked, None, question.buffers, values, choices)

    first, *others = under_each_choice(lambda choices: _misses(asked, start(choices)))
    for other in others:
        both = {position: some & other.get(position, frozenset()) for position, some in first.items()}
        first = {position: some for position, some in both.items() if some}
    return KeptRun(values, start(STRICT), first, Evaluation(values))


def _misses(asked: Asked, state: ConcreteState) -> dict[Position, frozenset[Miss]]:
    code, found = Code(asked.kernel, asked.platform), _NONE
    most = min(MOST_STATEMENTS, AS_LONG * len(code.program.statements))
    thread = Thread(code, state, most=most)
    with suppress(NotModelled, MissingSurface):
        while isinstance(thread.resume(), AtBarrier):
            pass
    for one in thread.performed:
        if one.misses:
            position = one.instruction.position
            found = {**found, position: found.get(position, frozenset()).union(one.misses)}
    return found
