"""The machine on arrays and the symbolic machine on a vector, in the same terms as `machines.concretely`."""

from collections.abc import Sequence

import numpy as np

from benchmarks.alu_vectors.machines import After, Answer, NoAnswer, Undefined
from benchmarks.alu_vectors.oracle import Expected
from benchmarks.alu_vectors.vector import State, Vector
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import platform_named
from visaproof.launch.float_results import Floats
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.concrete.choices import Choices
from visaproof.smt import BitVec, Bool, bool_const, const, is_false, value_of
from visaproof.visaasm.syntax import Kernel


def on_arrays(kernel: Kernel, vector: Vector, states: Sequence[State]) -> list[Answer]:
    """One thread for each state, all at once."""
    registers = {name: np.array([list(state.registers[name]) for state in states], np.uint8)
                 for name in states[0].registers}  # fmt: skip
    predicates = {
        name: np.array([[state.predicates[name] >> k & 1 for k in range(count)] for state in states], np.bool_)
        for name, count in vector.predicates.items()
    }
    masks, groups = np.array([state.lanes for state in states]), np.arange(len(states))
    platform = platform_named(vector.platform)
    choices = Choices(states[0].policy)
    result = run_threads(
        kernel, platform, registers, masks, Memories({}), groups, predicates=predicates, choices=choices
    )
    stopped: dict[int, Answer] = {stop.thread: Undefined(stop.message) for stop in result.undefined}
    stopped |= {stop.thread: NoAnswer(f"not modelled: {stop.message}") for stop in result.not_modelled}

    def after(k: int) -> After:
        bits = {name: sum(int(bit) << lane for lane, bit in enumerate(result.predicates[name][k][:count]))
                for name, count in vector.predicates.items()}  # fmt: skip
        return After({name: result.registers[name][k].tobytes() for name in registers}, bits)

    return [stopped.get(k) or after(k) for k in range(len(states))]


def symbolically(kernel: Kernel, vector: Vector, state: State, wanted: Expected) -> Answer:
    """The trace of constants.  What does not fold to a constant must be an element that the page leaves a choice of."""

    def initial(name: str, byte: int) -> tuple[BitVec, int]:
        content = state.registers.get(name, bytes(1))
        return const(content[byte] if byte < len(content) else 0, 8), 0

    def bit(name: str, lane: int) -> Bool:
        return bool_const(bool(state.predicates.get(name, 0) >> lane & 1))

    lanes = [bool_const(bool(state.lanes >> lane & 1)) for lane in range(32)]
    platform = platform_named(vector.platform)
    try:
        traced = trace(kernel, platform, initial, lanes, bit, generalise=False, floats=Floats.IEEE)
        if traced.stopped is not None:
            return NoAnswer(f"not modelled: {traced.stopped}")
        if any(is_false(condition) for condition, _ in traced.conditions):
            return Undefined("a condition of the trace does not hold")
        return _content(traced, vector, state, wanted)
    except NotModelled as error:
        return NoAnswer(f"not modelled: {error}")


def _content(traced: Trace, vector: Vector, state: State, wanted: Expected) -> Answer:
    """Registers and predicates at the end; a place without a number has what the page allows, if that may vary."""
    registers: dict[str, bytes] = {}
    for name, content in state.registers.items():
        found = [value_of(traced.registers.read(name, byte, 1)) for byte in range(len(content))]
        loose = _loose(wanted, name, content)
        if any(one is None and byte not in loose for byte, one in enumerate(found)):
            return NoAnswer("the result does not fold to a constant")
        registers[name] = bytes(loose[byte] if one is None else one for byte, one in enumerate(found))
    predicates: dict[str, int] = {}
    for name, count in vector.predicates.items():
        bits = [value_of(traced.predicates.read_under(name, lane, frozenset())) for lane in range(count)]
        free = wanted.predicates[name].free if name in wanted.predicates else 0
        if any(bit is None and not free >> lane & 1 for lane, bit in enumerate(bits)):
            return NoAnswer("the result does not fold to a constant")
        predicates[name] = sum((bit or 0) << lane for lane, bit in enumerate(bits))
    return After(registers, predicates)


def _loose(wanted: Expected, name: str, content: bytes) -> dict[int, int]:
    """Bytes of elements with more than one allowed result, and one that is allowed."""
    found: dict[int, int] = {}
    for each in wanted.elements:
        if each.variable == name and not each.allowed.single:
            form = each.allowed.nan_of
            bits = form.infinity + 1 if form is not None and not each.allowed.bits else min(each.allowed.bits)
            found |= dict(enumerate(bits.to_bytes(each.bytes, "little"), each.byte))
    return found
