"""From statements to steps, each once."""

import numpy as np

from visaproof.isa.errors import NotModelled
from visaproof.kernel import decode
from visaproof.kernel.opcode_check import require_described
from visaproof.kernel.opcodes import Kind, kind_of
from visaproof.kernel.surfaces import SurfaceBindings
from visaproof.kernel.syntax import Instruction, Kernel, VectorSource
from visaproof.vectorised.addresses import address_step
from visaproof.vectorised.arena import Arena
from visaproof.vectorised.arithmetic import Arithmetic
from visaproof.vectorised.arrays import Array
from visaproof.vectorised.batch import Batch, Irregular
from visaproof.vectorised.messages import Messages
from visaproof.vectorised.operands import Operands
from visaproof.vectorised.predicates import Predicates
from visaproof.vectorised.step import Step
from visaproof.vectorised.threads import Threads


class Compiler:
    """The steps of a kernel by their place."""

    def __init__(self, kernel: Kernel, threads: Threads, arena: Arena) -> None:
        self._kernel = kernel
        self._threads = threads
        self._steps: dict[int, Step | None] = {}
        self._operands = Operands(kernel, threads)
        self._arena = arena
        self._arithmetic = Arithmetic(threads, self._operands)
        self._predicates = Predicates(threads, self._operands)
        self._messages = Messages(kernel, threads, arena)
        self._bindings = SurfaceBindings(kernel, threads.platform)

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
                case Kind.MEMORY:
                    return self._messages.step(statement)
                case _:
                    return None
        except (Irregular, NotModelled):  # the machine for single threads says what is not modelled
            return None

    def bind(self, movs: Instruction, batch: Batch) -> None:
        """Takes note of a `movs` for the threads of the batch; one of a sampler changes no surface.

        Raises NotModelled."""
        require_described(movs, self._kernel, self._threads.platform)
        self._bindings.restore({})
        self._bindings.bind(movs)
        threads = self._threads
        for variable, key in self._bindings.contents().items():
            bound = threads.bound.setdefault(variable, np.full(threads.count, -1, np.int32))
            handles = None if self._arena.has(key) else self._handles(movs, batch)
            if handles is None:
                bound[batch.indices] = threads.surface_number(key)
                continue
            for handle in np.unique(handles):
                known = f"bindless handle {handle}"
                bound[batch.indices[handles == handle]] = threads.surface_number(
                    known if self._arena.has(known) else key
                )

    def _handles(self, movs: Instruction, batch: Batch) -> Array | None:
        """The numbers (threads,) that a `movs` moves; None where that is not known."""
        source = movs.operands[1]
        if not isinstance(source, VectorSource):
            return None
        values, missing = self._operands.source(source, 1).read(batch)
        return None if missing is not None else np.broadcast_to(values[:, 0], batch.count)
