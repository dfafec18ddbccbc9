"""From statements to steps, each once."""

from visaproof.isa.errors import NotModelled
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arithmetic import Arithmetic
from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.messages.accesses import Messages
from visaproof.machine.arrays.messages.addresses import address_step
from visaproof.machine.arrays.operands import Operands
from visaproof.machine.arrays.predicates import Predicates
from visaproof.machine.arrays.products import dpas_step
from visaproof.machine.arrays.state_moves import StateMoves
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.program.statements import (
    BindState,
    CombinePredicates,
    Compare,
    Compute,
    MatrixProduct,
    MemoryMessage,
    MovePredicate,
    ReadState,
    Run,
    SetAddress,
    SetPredicate,
)


class Compiler:
    """The steps of a program by their place."""

    def __init__(self, threads: Threads, arena: Arena) -> None:
        self._threads = threads
        self._steps: dict[int, Step | None] = {}
        self._operands = Operands(threads)
        self._arithmetic = Arithmetic(threads, self._operands)
        self._predicates = Predicates(threads, self._operands)
        self._messages = Messages(threads, arena)
        self._moves = StateMoves(threads, self._operands, arena)

    def step(self, statement: Run, place: int) -> Step | None:
        """The statement at `place`; None where the arrays do not run it."""
        if place not in self._steps:
            self._steps[place] = self._compiled(statement)
        return self._steps[place]

    def _compiled(self, statement: Run) -> Step | None:
        try:
            match statement:
                case Compute():
                    return self._arithmetic.step(statement)
                case MovePredicate():
                    return self._arithmetic.move_predicate(statement)
                case Compare():
                    return self._predicates.compare(statement)
                case SetPredicate():
                    return self._predicates.set(statement)
                case CombinePredicates():
                    return self._predicates.combine(statement)
                case SetAddress():
                    return address_step(statement, self._threads, self._operands)
                case MatrixProduct():
                    return dpas_step(statement.product, self._threads)
                case MemoryMessage():
                    return self._messages.step(statement)
                case _:
                    return None
        except (NotVectorised, NotModelled):  # the machine for single threads says what is not modelled
            return None

    def bind(self, movs: BindState | ReadState, batch: Batch) -> Bools | None:
        """Runs a `movs`; the threads (threads,) of the batch that are left to the machine for single threads, if any.

        Raises NotModelled."""
        return self._moves.run(movs, batch)
