"""The model's machines on a vector: what each leaves in the registers, or why it does not answer."""

from msgspec import Struct

from benchmarks.alu_vectors.generator import variables
from benchmarks.alu_vectors.oracle import Expected
from benchmarks.alu_vectors.vector import State, Vector, statement, text
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import platform_named
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel


class After(Struct, frozen=True):
    """Registers and predicate bits at the end."""

    registers: dict[str, bytes]
    predicates: dict[str, int]


class NoAnswer(Struct, frozen=True):
    """A machine does not run the vector."""

    reason: str


class Undefined(Struct, frozen=True):
    """A machine calls the behaviour undefined; every vector is defined, so this is a difference."""

    message: str


Answer = After | NoAnswer | Undefined


def kernel_of(vector: Vector) -> Kernel | NoAnswer:
    """The vector as the reader reads it."""
    try:
        return read_kernel(text(vector, variables(vector)), "k.visaasm")
    except ReadError as error:
        return NoAnswer(f"refused: {error}")


def concretely(kernel: Kernel, vector: Vector, state: State) -> Answer:
    """What the machine for one thread does."""
    before = ConcreteState(platform_named(vector.platform), state.lanes, choices=Choices(state.policy))
    before.registers = {name: bytearray(content) for name, content in state.registers.items()}
    before.predicates = {name: PredicateBits(vector.predicates[name], bits) for name, bits in state.predicates.items()}
    try:
        outcome = run(kernel, before)
    except NotModelled as error:
        return NoAnswer(f"not modelled: {error}")
    if outcome.undefined is not None:
        return Undefined(outcome.undefined.message)
    registers = {name: bytes(before.registers[name]) for name in state.registers}
    return After(registers, {name: before.predicates[name].bits for name in state.predicates})


def difference(state: State, expected: Expected, after: After | Undefined) -> str | None:
    """The first place where a machine leaves what the page does not allow."""
    if isinstance(after, Undefined):
        return f"undefined behaviour, though the page defines it: {after.message}"
    untouched = {name: bytearray(content) for name, content in state.registers.items()}
    observed = {name: bytearray(content) for name, content in after.registers.items()}
    for each in expected.elements:
        place = slice(each.byte, each.byte + each.bytes)
        bits = int.from_bytes(observed[each.variable][place], "little")
        if not each.allowed.permits(bits):
            return f"{each.variable}.{each.byte}: {bits:#x}, the page allows {each.allowed}"
        observed[each.variable][place] = untouched[each.variable][place]
    for name, content in untouched.items():
        for place, (one, other) in enumerate(zip(content, observed[name], strict=True)):
            if one != other:
                return f"{name}.{place}: {other:#x} though nothing writes this byte, which was {one:#x}"
    for name, bits in after.predicates.items():
        allowed = expected.predicates.get(name)
        if allowed is None and bits != state.predicates[name]:
            return f"{name}: {bits:#x} though nothing writes it; it was {state.predicates[name]:#x}"
        if allowed is not None and not allowed.permits(bits):
            return f"{name}: {bits:#x}, the page allows {allowed}"
    return None


def described(vector: Vector, state: State) -> str:
    """The instruction and its state, in one line."""
    contents = " ".join(f"{name}={content.hex()}" for name, content in state.registers.items())
    bits = " ".join(f"{name}={value:#x}" for name, value in state.predicates.items())
    control = "" if vector.control is None else f" cr0={vector.control:#x}"
    return f"{vector.platform}{control} [{statement(vector)}] lanes={state.lanes:#x} {bits} {contents}"
