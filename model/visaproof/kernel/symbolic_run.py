"""Runs a kernel on terms: every path at once, each effect under the guard of its lane."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from visaproof.instructions import TypedAtomic
from visaproof.instructions.svm_gather import FLAT
from visaproof.instructions.undefined_bytes import LeavesUndefinedBytes
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import NULL, Execution
from visaproof.isa.platform import Platform
from visaproof.kernel import decode as messages
from visaproof.kernel import syntax
from visaproof.kernel.opcodes import Kind, kind_of, label_of
from visaproof.kernel.statement import execution_of, label_places, lane_offset
from visaproof.kernel.surfaces import SurfaceBindings
from visaproof.kernel.symbolic_arithmetic import Arbitrary, SymbolicArithmetic
from visaproof.kernel.symbolic_lanes import Lanes
from visaproof.kernel.symbolic_operands import SymbolicOperands
from visaproof.kernel.symbolic_thread import Thread, ThreadState, under_guard
from visaproof.semantics.symbolic.accesses import Access, Store
from visaproof.semantics.symbolic.guarded import GuardedPredicates, GuardedRegisters
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    SymbolicBuffer,
    SymbolicFlat,
    SymbolicImage,
    SymbolicSurface,
)
from visaproof.smt import BitVec, Bool, bool_symbol, conj, disj, false, is_false, neg, symbol, true

LOD_LEVELS = 15
"""Levels of an image of 2^14 texels."""

DEFAULT_UNROLL = 4
"""Rounds of a loop of which it is not known how often it runs."""

MAX_STEPS = 20_000
"""Statements of one trace; more are given up."""


@dataclass(frozen=True, slots=True)
class Performed:
    """A memory message: the accesses that may happen, each under its guard, and what the loads brought."""

    instruction: syntax.Instruction
    decoded: messages.Message
    """Its surface is the variable of the text; `surface` is what that stood for."""
    surface: str
    accesses: tuple[Access, ...]
    loaded: tuple[tuple[Access, BitVec], ...]
    """The symbol that stands for the value of each load and atomic with a destination.

    It is arbitrary: nothing connects it with earlier stores, nor with 0 where the access is outside.
    """


@dataclass(frozen=True, slots=True)
class Trace:
    """What a kernel does for every input.  It assumes that at least one lane of the thread is on."""

    performed: tuple[Performed, ...]
    surfaces: dict[str, SymbolicSurface]
    arbitrary: tuple[Arbitrary, ...]
    """Values that the model leaves open."""
    conditions: tuple[tuple[Bool, Position], ...]
    """What the pages ask of register addresses: where one does not hold, the kernel has no meaning."""
    registers: GuardedRegisters
    """At the end; `initial_reads` lists the bytes that were read before anything wrote them."""
    predicates: GuardedPredicates
    bounded: tuple[tuple[Bool, Position], ...] = ()
    """For each loop that may run longer than it was unrolled: that it does not."""
    stopped: NotModelled | None = None
    """What has no semantics here; nothing behind it was run."""


def uninitialised(kernel: syntax.Kernel) -> Callable[[str, int], Byte]:
    """Contents of which nothing is known: one symbol for each dword of each variable, `V0042.8`."""
    sizes = {v.name: v.size for v in kernel.variables.values() if isinstance(v, syntax.GeneralVariable)}

    def initial(variable: str, byte: int) -> Byte:
        start = byte - byte % 4
        return symbol(f"{variable}.{start}", 8 * min(4, sizes[variable] - start)), byte % 4

    return initial


def launched_lanes(kernel: syntax.Kernel) -> tuple[Bool, ...]:
    """An arbitrary execution mask, `em.0` and so on; lanes beyond the kernel's SIMD size are off."""
    simd = kernel.attributes.get("SimdSize")
    lanes = simd if isinstance(simd, int) else THREAD_LANES
    return tuple(bool_symbol(f"em.{lane}") for lane in range(lanes))


def trace(
    kernel: syntax.Kernel,
    platform: Platform,
    initial: Callable[[str, int], Byte] | None = None,
    exec_mask: Sequence[Bool] | None = None,
    initial_predicate: Callable[[str, int], Bool] | None = None,
    unroll: int = DEFAULT_UNROLL,
) -> Trace:
    """Runs the kernel up to its end, or to the first statement that has no semantics here.

    `initial` gives each byte of a root variable before the kernel starts, `exec_mask` the lanes, first lane first.
    Loops are run as often as their conditions fold to constants, and `unroll` times more where they do not.
    """
    return _Machine(
        kernel,
        platform,
        initial or uninitialised(kernel),
        launched_lanes(kernel) if exec_mask is None else exec_mask,
        initial_predicate or (lambda variable, lane: bool_symbol(f"{variable}[{lane}]")),
        unroll,
    ).run()


class _Machine:
    def __init__(
        self,
        kernel: syntax.Kernel,
        platform: Platform,
        initial: Callable[[str, int], Byte],
        exec_mask: Sequence[Bool],
        initial_predicate: Callable[[str, int], Bool],
        unroll: int,
    ) -> None:
        self._kernel = kernel
        self._unroll = unroll
        self._lanes = Lanes(exec_mask)
        self._thread = Thread(kernel, platform, self._lanes, initial, initial_predicate)
        self._operands = SymbolicOperands(kernel, self._thread.registers, platform.grf_bytes)
        self._arithmetic = SymbolicArithmetic(self._thread, self._operands)
        self._bindings = SurfaceBindings(kernel, platform)
        self._surfaces: dict[str, SymbolicSurface] = {}
        self._performed: list[Performed] = []
        self._labels = label_places(kernel)
        self._place = 0
        self._rounds: Counter[int] = Counter()
        """How often each branch went back though it was open whether it would."""
        self._back: dict[int, tuple[Bool, ...]] = {}
        """The lanes that each branch took back last."""
        self._steps = 0
        self._bounded: list[tuple[Bool, Position]] = []

    def run(self) -> Trace:
        stopped: NotModelled | None = None
        try:
            self._walk()
        except NotModelled as reason:
            stopped = reason
        return Trace(
            tuple(self._performed),
            self._surfaces,
            tuple(self._arithmetic.arbitrary),
            tuple(self._operands.conditions),
            self._thread.registers,
            self._thread.predicates,
            tuple(self._bounded),
            stopped,
        )

    def _walk(self) -> None:
        statements = self._kernel.statements
        while True:
            self._lanes.arrive(self._place)
            if self._place == len(statements):
                break
            statement = statements[self._place]
            self._place += 1
            if isinstance(statement, syntax.Label) or self._lanes.nowhere:
                continue
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise NotModelled(f"loops that take more than {MAX_STEPS} statements", statement.position)
            if not self._step_at(statement):
                break

    def _step_at(self, instruction: syntax.Instruction) -> bool:
        try:
            return self._step(instruction)
        except NotModelled as reason:
            if reason.position is not None:
                raise
            raise NotModelled(reason.what, instruction.position) from None

    def _step(self, instruction: syntax.Instruction) -> bool:
        """Runs one statement; False ends the kernel."""
        match kind_of(instruction, messages.OPCODES):
            case Kind.NOTHING:
                pass
            case Kind.MEMORY:
                self._message(instruction)
            case Kind.BIND:
                self._bindings.bind(instruction)
            case Kind.BRANCH:
                self._branch(instruction)
            case Kind.END:
                if instruction.predicate or self._lanes.diverged:
                    raise NotModelled(f"opcode {instruction.opcode} in divergent control flow", instruction.position)
                return False
            case Kind.ARITHMETIC | Kind.COMPARE | Kind.SET_PREDICATE | Kind.ADDRESS:
                self._arithmetic.step(instruction)
            case Kind.SAMPLE | Kind.UNKNOWN:
                raise NotModelled(f"opcode {instruction.opcode}", instruction.position)
        return True

    def _message(self, instruction: syntax.Instruction) -> None:
        plain = messages.decode(instruction, self._kernel, self._thread.platform)
        key = self._bindings.key(plain.surface)
        decoded = replace(plain, surface=key)
        self._surfaces.setdefault(key, _surface(key, decoded))
        state = ThreadState.of(self._thread, self._surfaces)
        accesses = [self._reached(access) for access in decoded.footprint(state) if not is_false(access.guard)]
        undefined = list(decoded.undefined_bytes(state)) if isinstance(decoded, LeavesUndefinedBytes) else []
        loaded: list[tuple[Access, BitVec]] = []
        rounds = sum(earlier.instruction is instruction for earlier in self._performed)
        again = f".round{rounds}" if rounds else ""
        for k, access in enumerate(accesses):
            if isinstance(access, Store) or access.destination is None:
                continue
            place = access.destination
            value = symbol(f"load.{instruction.position.line}.{k}{again}", 8 * place.width)
            loaded.append((access, value))
            if self._thread.registers.holds(place.variable, place.start, place.width):
                self._thread.registers.write(place.variable, place.start, value, access.guard)
        for guard, place in undefined:
            if not is_false(guard):
                value = self._arithmetic.fresh(
                    instruction, None, 8 * place.width, "bytes that the page leaves undefined"
                )
                self._thread.registers.write(place.variable, place.start, value, guard)
        self._performed.append(Performed(instruction, plain, key, tuple(accesses), tuple(loaded)))

    def _reached(self, access: Access) -> Access:
        """The access with the condition that the thread is here; lanes have it in their guards."""
        if access.lane is None and self._lanes.facts:
            access = replace(access, guard=conj(access.guard, *self._lanes.facts))
        return under_guard(access, self._thread.assumption(access.guard))

    def _branch(self, instruction: syntax.Instruction) -> None:
        target = self._labels[label_of(instruction)]
        execution = execution_of(instruction)
        first, uniform = lane_offset(execution), execution.size == 1
        if uniform:  # Page GOTO: "all channels would either branch or not"
            jumping = [self._jumps(execution, 0, true())] * THREAD_LANES
        else:
            jumping = [false()] * THREAD_LANES
            for lane in range(execution.size):
                jumping[first + lane] = self._jumps(execution, lane, self._lanes.running[first + lane])
        if target >= self._place:
            self._lanes.jump(target, jumping, uniform)
        else:
            self._go_back(instruction, target, jumping, uniform)

    def _go_back(self, instruction: syntax.Instruction, target: int, jumping: list[Bool], uniform: bool) -> None:
        """The next round of a loop: lanes that have left it wait behind the branch."""
        self._lanes.jump(self._place, [neg(jumps) for jumps in jumping], uniform)
        if self._lanes.nowhere:
            return
        branch, running = self._place, self._lanes.running
        if self._back.get(branch) != running:  # as many lanes as a round ago: then it is certain that they go on
            self._rounds[branch] += 1
            self._back[branch] = running
        if self._rounds[branch] > self._unroll:
            again = conj(*self._lanes.facts, disj(*self._lanes.running))
            self._bounded.append((neg(again), instruction.position))
            self._lanes.halt()
            return
        for inner in [place for place in self._rounds if target <= place < branch]:
            del self._rounds[inner], self._back[inner]
        self._place = target

    def _jumps(self, execution: Execution, lane: int, running: Bool) -> Bool:
        """Whether a lane that is running jumps."""
        if execution.predicate is None:
            return true()
        return self._thread.passes(execution, lane, self._thread.assumption(running))


def _surface(key: str, decoded: messages.Message) -> SymbolicSurface:
    """A surface of which nothing is known but its kind."""
    if isinstance(decoded, TypedAtomic):
        levels = 1 if decoded.lod == NULL else LOD_LEVELS
        extents = [
            [symbol(f"{name}.{key}.{level}", 32) for name in ("width", "height", "depth")] for level in range(levels)
        ]
        return SymbolicImage(tuple((width, height, depth) for width, height, depth in extents))
    if key == FLAT:
        return SymbolicFlat()
    return SymbolicBuffer(symbol(f"size.{key}", ADDRESS_BITS))
