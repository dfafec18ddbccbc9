"""One kernel for some threads on both engines: each thread alone concretely, and all of them at once on arrays."""

import math
import random
import struct
from dataclasses import dataclass, field

import numpy as np

from visaproof.decode.message import OPCODES, TYPED, decode
from visaproof.decode.surfaces import SurfaceBindings
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.result import Result
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image
from visaproof.visaasm.opcode_kinds import Kind, kind_of
from visaproof.visaasm.syntax import (
    GeneralVariable,
    Kernel,
    LscAddress,
    Name,
    PredicateVariable,
    SubscriptedName,
    SurfaceVariable,
)

THREADS = 3
FLAT_BASES = (0, 0x10000, 0x1_0000_0000_0000)
FLAT_BYTES = 4096
MOST = 1000
"""Statements after which a run is given up: numbers at random make loops long."""


@dataclass
class Mapped(Buffer):
    """The space of 64-bit addresses where only some pieces of memory are mapped."""

    regions: tuple[tuple[int, int], ...] = field(default=())
    """First address and bytes of each."""

    def _misses(self, address: int, width: int) -> bool:
        return not any(base <= address and address + width <= base + size for base, size in self.regions)


def surface_keys(kernel: Kernel, platform: Platform) -> dict[str, bool]:
    """Every key that a message may reach, and whether it is a surface of texels."""
    bindings = SurfaceBindings(kernel, platform)
    found: dict[str, bool] = {}
    for statement in kernel.instructions():
        if kind_of(statement, OPCODES) is Kind.BIND:
            bindings.bind(statement)
        typed = statement.opcode in TYPED or kind_of(statement, OPCODES) is Kind.SAMPLE
        for operand in statement.operands:
            if isinstance(operand, Name | SubscriptedName):
                if isinstance(kernel.variables.get(operand.name), SurfaceVariable) and statement.opcode != "movs":
                    found[bindings.key(operand.name)] = typed
            elif isinstance(operand, LscAddress):
                if operand.model != "flat":
                    found[decode(statement, kernel, platform).surface] = False
                elif "slm" in statement.suffixes:
                    found["%slm"] = False
    return found


def random_states(kernel: Kernel, platform: Platform, seed: int, threads: int = THREADS) -> list[ConcreteState]:
    """States that share the sizes of their surfaces, and nothing else."""
    pick = random.Random(seed)
    keys = surface_keys(kernel, platform)
    sizes = {key: pick.choice([0, 61, 4096, 65536]) for key in keys}
    sampled = any(kind_of(each, OPCODES) is Kind.SAMPLE for each in kernel.instructions())
    lanes = kernel.attributes.get("SimdSize")
    count = lanes if isinstance(lanes, int) and lanes in (8, 16, 32) else 1
    states: list[ConcreteState] = []
    for _ in range(threads):
        state = ConcreteState(platform, exec_mask=pick.choice([2**count - 1, pick.randrange(1, 2**count)]))
        for variable in kernel.variables.values():
            if isinstance(variable, GeneralVariable) and variable.alias is None:
                floats = variable.type in _FLOATS and pick.random() < 0.9
                state.registers[variable.name] = (_floats if floats else _register)(variable, pick)
            elif isinstance(variable, PredicateVariable):
                bits = pick.randrange(2**variable.num_elts)
                state.predicates[variable.name] = PredicateBits(variable.num_elts, bits)
        for key, typed in keys.items():
            if typed:
                texels = {} if sampled else {(u, 0, 0, 0): pick.randrange(2**32) for u in range(4)}
                state.surfaces[key] = Image(((sizes[key] % 100, 7, 1),), texels)
            else:
                state.surfaces[key] = Buffer(sizes[key], _contents(sizes[key], pick))
        regions = tuple((base, FLAT_BYTES) for base in FLAT_BASES)
        flat = Mapped(2**64, regions=regions)
        for base in FLAT_BASES:
            flat.contents |= {base + k: byte for k, byte in _contents(FLAT_BYTES, pick).items()}
        state.surfaces[FLAT] = flat
        states.append(state)
    return states


def _contents(size: int, pick: random.Random) -> dict[int, int]:
    return {pick.randrange(size): pick.randrange(256) for _ in range(256)} if size else {}


_FLOATS = {DataType.HF: "e", DataType.F: "f", DataType.DF: "d"}


def _floats(variable: GeneralVariable, pick: random.Random) -> bytearray:
    """Numbers about 1, some near the ends of the type, at times an infinity or a NaN."""
    ends = [
        0.0,
        -0.0,
        65504.0,
        2.0**-14,
        2.0**-13,
        1.0,
        -1.0,
        2.5,
        -0.5,
        math.inf,
        *([math.nan] * (pick.random() < 0.1)),
    ]
    values = [
        pick.choice(ends) if pick.random() < 0.2 else math.ldexp(pick.uniform(-1, 1), pick.randrange(-3, 12))
        for _ in range(variable.num_elts)
    ]
    return bytearray(struct.pack(f"<{len(values)}{_FLOATS[variable.type]}", *values))


def _register(variable: GeneralVariable, pick: random.Random) -> bytearray:
    """Whole dwords of one kind: a running number, a small one, an address, anything."""
    size = variable.size
    kind = pick.choice(["words", "small", "apart", "mapped", "any"])
    if kind == "words":
        return bytearray(b"".join((k % 2**16).to_bytes(2, "little") for k in range(size // 2 + 1))[:size])
    if kind == "small":
        return bytearray(b"".join(pick.randrange(64).to_bytes(4, "little") for _ in range(size // 4 + 1))[:size])
    if kind == "apart":
        return bytearray(b"".join((16 * k).to_bytes(4, "little") for k in range(size // 4 + 1))[:size])
    if kind == "mapped":
        first = pick.choice(FLAT_BASES) + pick.randrange(FLAT_BYTES)
        return bytearray(b"".join((first + 16 * k).to_bytes(8, "little") for k in range(size // 8 + 1))[:size])
    return bytearray(pick.randbytes(size))


def differences(
    kernel: Kernel, platform: Platform, states: list[ConcreteState], policy: int | None = None
) -> list[str]:
    """Where a thread ends otherwise on arrays than alone: registers, predicates, memory, how it ended.

    Both pick results that no page states by the same policy, or neither does.
    """
    registers = {
        name: np.array([list(state.registers[name]) for state in states], np.uint8).reshape(len(states), -1)
        for name in states[0].registers
    }
    predicates = {
        name: np.array(
            [[bits.bits >> k & 1 for k in range(bits.count)] for bits in (state.predicates[name] for state in states)],
            np.bool_,
        )
        for name in states[0].predicates
    }
    memories = _memories(states)
    masks = np.array([state.exec_mask for state in states])
    groups = np.arange(len(states))
    result = run_threads(
        kernel,
        platform,
        registers,
        masks,
        memories,
        groups,
        predicates=predicates,
        most=MOST,
        choices=Choices(policy),
    )
    stopped = {stop.thread: ("undefined", stop.position, stop.message) for stop in result.undefined}
    stopped |= {stop.thread: ("not modelled", stop.position, stop.message) for stop in result.not_modelled}
    found: list[str] = []
    for k, state in enumerate(states):
        state.choices = Choices(policy)
        alone = _alone(kernel, state)
        if alone is not None and alone[2] == f"a run of more than {MOST} statements":
            continue  # the machines count differently: one does not come through statements without a lane
        if stopped.get(k) != alone:
            found.append(f"thread {k}: alone {alone}, together {stopped.get(k)}")
        elif alone is None or alone[0] == "undefined":
            found += [f"thread {k}: {text}" for text in _state_differences(state, k, result, memories)]
    return found


def _alone(kernel: Kernel, state: ConcreteState) -> tuple[str, object, str] | None:
    try:
        fault = run(kernel, state, most=MOST).undefined
    except NotModelled as reason:
        return "not modelled", reason.position, reason.what
    return fault and ("undefined", fault.position, fault.message)


def _memories(states: list[ConcreteState]) -> Memories:
    """Each thread in a group of its own, with memory of its own."""
    surfaces = {
        key: np.stack([_bytes(state.buffer(key), 0, surface.size) for state in states])
        for key, surface in states[0].surfaces.items()
        if isinstance(surface, Buffer) and key != FLAT
    }
    flat = [(base, np.stack([_bytes(state.buffer(FLAT), base, FLAT_BYTES) for state in states])) for base in FLAT_BASES]
    images = {
        key: [state.copy().image(key) for state in states]
        for key, surface in states[0].surfaces.items()
        if isinstance(surface, Image)
    }
    return Memories(surfaces, flat, images)


def _bytes(buffer: Buffer, base: int, size: int) -> np.ndarray:
    array = np.zeros(size, np.uint8)
    for address, byte in buffer.contents.items():
        if base <= address < base + size:
            array[address - base] = byte
    return array


def _state_differences(state: ConcreteState, thread: int, result: Result, memories: Memories) -> list[str]:
    found: list[str] = []
    for name, content in state.registers.items():
        observed = result.registers[name][thread].tobytes()
        if observed != bytes(content):
            byte = next(k for k, (left, right) in enumerate(zip(content, observed, strict=True)) if left != right)
            both = bytes(content)[byte : byte + 8].hex(), observed[byte : byte + 8].hex()
            found.append(f"{name}.{byte}: alone {both[0]}, together {both[1]}")
    for name, bits in state.predicates.items():
        observed = sum(1 << k for k, bit in enumerate(result.predicates[name][thread]) if bit)
        if observed != bits.bits:
            found.append(f"{name}: alone {bits.bits:#x}, together {observed:#x}")
    for key, surface in state.surfaces.items():
        if isinstance(surface, Image):
            if memories.images[key][thread].texels != surface.texels:
                found.append(f"{key}: other texels")
        elif key != FLAT and not np.array_equal(memories.surfaces[key][thread], _bytes(surface, 0, surface.size)):
            found.append(f"{key}: other bytes")
    for base, array in memories.flat:
        if not np.array_equal(array[thread], _bytes(state.buffer(FLAT), base, FLAT_BYTES)):
            found.append(f"flat memory at {base:#x}: other bytes")
    return found
