"""From statements to steps, each once."""

from visaproof.decode import message as decode
from visaproof.decode.dpas import decode_dpas
from visaproof.decode.opcode_check import require_described
from visaproof.isa.errors import NotModelled
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arithmetic import Arithmetic
from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.batch import Batch, Irregular
from visaproof.machine.arrays.messages.accesses import Messages
from visaproof.machine.arrays.messages.addresses import address_step
from visaproof.machine.arrays.operands import Operands
from visaproof.machine.arrays.predicates import Predicates
from visaproof.machine.arrays.products import dpas_step
from visaproof.machine.arrays.state_moves import StateMoves
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.visaasm.opcode_kinds import Kind, kind_of
from visaproof.visaasm.syntax import Instruction, Kernel


class Compiler:
    """The steps of a kernel by their place."""

    def __init__(self, kernel: Kernel, threads: Threads, arena: Arena) -> None:
        self._kernel = kernel
        self._threads = threads
        self._steps: dict[int, Step | None] = {}
        self._operands = Operands(kernel, threads)
        self._arithmetic = Arithmetic(threads, self._operands)
        self._predicates = Predicates(threads, self._operands)
        self._messages = Messages(kernel, threads, arena)
        self._moves = StateMoves(kernel, threads, self._operands, arena)

    def step(self, statement: Instruction, place: int) -> Step | None:
        """The statement at `place`; None where the arrays do not run it."""
        if place not in self._steps:
            self._steps[place] = self._compiled(statement)
        return self._steps[place]

    def _compiled(self, statement: Instruction) -> Step | None:
        try:
            require_described(statement, self._kernel, self._threads.platform)
            match kind_of(statement, decode.OPCODES):
                case Kind.ARITHMETIC:
                    return self._arithmetic.step(statement)
                case Kind.COMPARE:
                    return self._predicates.compare(statement)
                case Kind.SET_PREDICATE:
                    return self._predicates.set(statement)
                case Kind.PREDICATE_LOGIC:
                    return self._predicates.combine(statement)
                case Kind.ADDRESS:
                    return address_step(statement, self._kernel, self._threads, self._operands)
                case Kind.MATRIX:
                    return dpas_step(decode_dpas(statement, self._kernel, self._threads.platform), self._threads)
                case Kind.MEMORY:
                    return self._messages.step(statement)
                case _:
                    return None
        except (Irregular, NotModelled):  # the machine for single threads says what is not modelled
            return None

    def bind(self, movs: Instruction, batch: Batch) -> Bools | None:
        """Runs a `movs`; the threads (threads,) of the batch that are left to the machine for single threads, if any.

        Raises NotModelled."""
        return self._moves.run(movs, batch)
