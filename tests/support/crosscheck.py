"""One kernel, both machines: runs it concretely, and evaluates its trace at the same numbers."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct, field

from visaproof.decode.message import OPCODES
from visaproof.isa.errors import Position
from visaproof.isa.operands import CHANGING
from visaproof.isa.platform import Platform
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.concrete.run import Outcome, PerformedMessage, run
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.statements import Run
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite, Write
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicFlat, SymbolicImage
from visaproof.semantics.symbolic.value_names import PredicateBit
from visaproof.smt import Term, bool_symbol, symbol
from visaproof.smt.evaluate import evaluate_all
from visaproof.visaasm.opcode_kinds import Kind, kind_of
from visaproof.visaasm.syntax import GeneralVariable, Kernel, PredicateVariable


def random_state(kernel: Kernel, platform: Platform, traced: Trace, seed: int) -> ConcreteState:
    """Registers with small and large numbers; surfaces of which some end where the kernel reaches."""
    pick = random.Random(seed)
    lanes = len(launched_lanes(kernel))
    state = ConcreteState(platform, exec_mask=pick.choice([2**lanes - 1, pick.randrange(1, 2**lanes)]))
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is None:
            state.registers[variable.name] = _register(variable.size, pick)
        elif isinstance(variable, PredicateVariable):
            bits = pick.randrange(2**variable.num_elts)
            state.predicates[variable.name] = PredicateBits(variable.num_elts, bits)
    sampled = any(kind_of(each, OPCODES) is Kind.SAMPLE for each in kernel.instructions())  # of zeros only
    for key, surface in traced.surfaces.items():
        if isinstance(surface, SymbolicImage):
            levels = tuple((pick.choice([0, 5, 2**14]), 7, 1) for _ in surface.levels)
            texels = {(u, 0, 0, 0): pick.randrange(2**32) for u in range(4)}
            state.surfaces[key] = Image(levels, {} if sampled else texels)
            continue
        size = 2**64 if isinstance(surface, SymbolicFlat) else pick.choice([0, 61, 4096, 2**20, 2**32])
        state.surfaces[key] = Buffer(size, {pick.randrange(4096): pick.randrange(256) for _ in range(512)})
    return state


def _register(size: int, pick: random.Random) -> bytearray:
    """Whole dwords of one kind: a running number, a small one, anything."""
    kind = pick.choice(["words", "small", "any"])
    if kind == "words":
        return bytearray(b"".join((k % 2**16).to_bytes(2, "little") for k in range(size // 2 + 1))[:size])
    if kind == "small":
        return bytearray(b"".join(pick.randrange(64).to_bytes(4, "little") for _ in range(size // 4 + 1))[:size])
    return bytearray(pick.randbytes(size))


class Inputs(Struct):
    """The values of a trace's symbols in one run."""

    values: dict[Term, int]
    loaded: dict[tuple[Position, int], list[tuple[str, int, int, Term]]]
    """By place and iteration: the destination slices of loads, and their symbols."""
    rounds: Counter[Position] = field(default_factory=Counter[Position])

    def observe(self, instruction: Run, state: ConcreteState) -> None:
        place = instruction.position
        self.rounds[place] += 1
        for variable, start, width, term in self.loaded.get((place, self.rounds[place]), []):
            held = state.registers[variable][start : start + width]
            self.values[term] = int.from_bytes(held, "little")


def inputs_of(kernel: Kernel, state: ConcreteState, traced: Trace) -> Inputs:
    values: dict[Term, int] = {}
    for lane in range(32):
        values[lane_on(lane)] = state.exec_mask >> lane & 1
    for name, content in state.registers.items():
        for start in range(0, len(content), 4):
            dword = content[start : start + 4]
            values[symbol(f"{name}.{start}", 8 * len(dword))] = int.from_bytes(dword, "little")
    for name, bits in state.predicates.items():
        for lane in range(bits.count):
            values[bool_symbol(PredicateBit(name, lane))] = bits.bits >> lane & 1
    for key, surface in traced.surfaces.items():
        held = state.surfaces[key]
        if isinstance(surface, SymbolicBuffer) and isinstance(held, Buffer):
            values[surface.size] = held.size
        elif isinstance(surface, SymbolicImage) and isinstance(held, Image):
            for terms, extents in zip(surface.levels, held.levels, strict=True):
                values.update(zip(terms, extents, strict=True))
    loaded: dict[tuple[Position, int], list[tuple[str, int, int, Term]]] = {}
    for place, performed in _by_round(traced.performed).items():
        for access, term in performed.loaded:
            assert not isinstance(access, Store)
            assert access.destination is not None
            slot = access.destination
            slices = loaded.setdefault(place, [])
            slices.append((slot.variable, slot.start, slot.width, term))
    return Inputs(values, loaded)


Message = TypeVar("Message", Performed, PerformedMessage)


def _by_round(messages: Iterable[Message]) -> dict[tuple[Position, int], Message]:
    """Messages by their place, and how often it ran before; loops must not be nested."""
    rounds: Counter[Position] = Counter()
    found: dict[tuple[Position, int], Message] = {}
    for message in messages:
        place = message.instruction.position
        rounds[place] += 1
        found[place, rounds[place]] = message
    return found


def disagreements(kernel: Kernel, platform: Platform, seed: int, traced: Trace | None = None) -> list[str]:
    """Where the trace, evaluated at a random state, differs from the run on that state."""
    traced = traced or trace(kernel, platform, generalise=False)
    state = random_state(kernel, platform, traced, seed)
    inputs = inputs_of(kernel, state, traced)
    outcome = run(kernel, state, inputs.observe)
    inputs.values.update(_time_stood_still(state, traced))
    if not all(evaluate_all([ends for ends, _ in traced.bounded], inputs.values)):
        return []  # a loop went on behind the end of the trace
    found = _message_differences(outcome, traced, inputs.values) + _meaning_differences(outcome, traced, inputs.values)
    if outcome.undefined is None:
        found += _register_differences(state, traced, inputs.values)
    return found


def _time_stood_still(state: ConcreteState, traced: Trace) -> Iterator[tuple[Term, int]]:
    """What each read of a register that changes brought in a run in which it did not."""
    for name, reads in traced.registers.anew.items():
        for start, value in reads:
            yield value, int.from_bytes(state.registers[name][start : start + value.width // 8], "little")


def _message_differences(outcome: Outcome, traced: Trace, values: dict[Term, int]) -> list[str]:
    by_round, ran = _by_round(traced.performed), _by_round(outcome.performed)
    found: list[str] = []
    for place, message in ran.items():
        fault = outcome.undefined
        at_fault = fault is not None and fault.position == place[0] and message is outcome.performed[-1]
        found += _one_message(message, by_round[place], values, at_fault)
    if outcome.undefined is None:
        for place, performed in by_round.items():
            if place not in ran and any(evaluate_all([access.guard for access in performed.accesses], values)):
                found.append(f"{place}: the trace performs {performed.instruction.text}, the run does not")
    return found


def _meaning_differences(outcome: Outcome, traced: Trace, values: dict[Term, int]) -> list[str]:
    """Where only one of both says that a register address leaves its variable, or is not aligned."""
    holds = evaluate_all([condition for condition, _ in traced.conditions], values)
    broken = {position.line for one, (_, position) in zip(holds, traced.conditions, strict=True) if not one}
    if outcome.undefined is None:
        return [f"line {line}: undefined only in the trace" for line in broken]
    line = outcome.undefined.position.line
    by_message = outcome.performed and outcome.performed[-1].instruction.position.line == line
    if traced.stopped is not None and traced.stopped.position is not None and traced.stopped.position.line <= line:
        return []
    return [] if by_message or line in broken else [f"line {line}: undefined only in the run"]


def _one_message(message: PerformedMessage, performed: Performed, values: dict[Term, int], at_fault: bool) -> list[str]:
    line = message.instruction.position.line
    if message.surface != performed.surface:
        return [f"line {line}: surface {message.surface} against {performed.surface}"]
    defined, writes = True, []
    for access in performed.accesses:
        guard, is_defined = evaluate_all([access.guard, access.defined], values)
        if not guard:
            continue
        defined = defined and bool(is_defined)
        if isinstance(access, Store):
            *cell, value = evaluate_all([*access.cell, access.value], values)
            writes.append((access.lane, tuple(cell), access.width, value))
    if at_fault and not message.writes:
        return [] if not defined else [f"line {line}: undefined only in the run"]
    expected = [_written(write) for write in message.writes]
    if not defined or sorted(expected, key=repr) != sorted(writes, key=repr):
        return [f"line {line}: {message.instruction.text}: run {expected}, trace {writes}, defined {defined}"]
    return []


def _written(write: Write) -> tuple[int | None, tuple[int, ...], int, int]:
    """A write of the run as the trace has it: lane, cell, width and value."""
    if isinstance(write, LaneWrite):
        return write.lane, (write.address,), write.width, write.value
    return write.lane, (*write.texel, write.channel), 4, write.value


def _register_differences(state: ConcreteState, traced: Trace, values: dict[Term, int]) -> list[str]:
    found: list[str] = []
    for name, content in state.registers.items():
        if name in CHANGING:
            continue
        starts = range(0, len(content), 4)
        terms = [traced.registers.read(name, start, min(4, len(content) - start)) for start in starts]
        for start, observed in zip(starts, evaluate_all(terms, values), strict=True):
            expected = int.from_bytes(content[start : start + 4], "little")
            if expected != observed:
                found.append(f"{name}.{start}: run {expected:#x}, trace {observed:#x}")
    for name, bits in state.predicates.items():
        terms = [traced.predicates.read_under(name, lane, frozenset()) for lane in range(bits.count)]
        for lane, observed in enumerate(evaluate_all(terms, values)):
            if bits.bits >> lane & 1 != observed:
                found.append(f"{name}[{lane}]: run {bits.bits >> lane & 1}, trace {observed}")
    return found
