"""The two writings of an instruction on one state: `execute`, and its footprint evaluated there."""

from hypothesis import strategies as st

from visaproof.instructions import Instruction
from visaproof.instructions.undefined_bytes import LeavesUndefinedBytes
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.effects import meaningless, new_value
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.registers import RegisterFile
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicBuffer, SymbolicFlat, SymbolicState
from visaproof.smt import Term, bool_symbol, const, evaluate, symbol

SURFACE = "T6"


def edge_offsets(size: int) -> st.SearchStrategy[int]:
    """Offsets near 0, near the end of a surface, and near 2^32; often multiples of 8."""
    near = st.sampled_from([0, size, 2**32, 2**28]).flatmap(lambda base: st.integers(base - 20, base + 20))
    any_offset = st.one_of(near, st.integers(0, 80), st.integers(0, 2**32 - 1))
    return st.tuples(any_offset, st.sampled_from([1, 4, 8])).map(lambda pair: (pair[0] - pair[0] % pair[1]) % 2**32)


FLAT_SIZE = 1 << 64


def edge_addresses() -> st.SearchStrategy[int]:
    """64-bit addresses near a few places that lanes can share, and near both ends."""
    near = st.sampled_from([0, 64, 2**32, FLAT_SIZE]).flatmap(lambda base: st.integers(base - 20, base + 20))
    return st.tuples(near | st.integers(0, FLAT_SIZE - 1), st.sampled_from([1, 4, 8, 16])).map(
        lambda pair: (pair[0] - pair[0] % pair[1]) % FLAT_SIZE
    )


@st.composite
def flat_states(draw: st.DrawFn, platform: Platform, variables: dict[str, int], addresses: str) -> ConcreteState:
    """A state with the flat address space, whose `addresses` variable holds qwords near the edges."""
    state = draw(states(platform, variables, addresses))
    qwords = [draw(edge_addresses()) for _ in range(len(state.registers[addresses]) // 8)]
    state.registers[addresses][: 8 * len(qwords)] = b"".join(qword.to_bytes(8, "little") for qword in qwords)
    base = draw(st.sampled_from([0, 2**32 - 20, FLAT_SIZE - 90]))
    memory = state.surfaces.pop(SURFACE)
    assert isinstance(memory, Buffer)
    state.surfaces["flat"] = Buffer(FLAT_SIZE, {base + k: value for k, value in memory.contents.items() if k < 90})
    return state


@st.composite
def states(draw: st.DrawFn, platform: Platform, variables: dict[str, int], offsets: str) -> ConcreteState:
    """A state whose variables hold anything and whose `offsets` variable holds dwords near the edges."""
    size = draw(st.sampled_from([0, 3, 16, 61, 64, 4096, 2**32]))
    content = draw(st.dictionaries(st.integers(0, 90), st.integers(0, 255), max_size=20))
    state = ConcreteState(platform, draw(st.sampled_from([0xFFFF_FFFF, 0x5A5A_5A5A]) | st.integers(0, 2**32 - 1)))
    for name, length in variables.items():
        state.registers[name] = bytearray(draw(st.binary(min_size=length, max_size=length)))
    words = len(state.registers[offsets]) // 4
    dwords = draw(st.lists(edge_offsets(size), min_size=words, max_size=words))
    state.registers[offsets][: 4 * words] = b"".join(dword.to_bytes(4, "little") for dword in dwords)
    state.predicates["P1"] = PredicateBits(32, draw(st.integers(0, 2**32 - 1)))
    state.surfaces[SURFACE] = Buffer(size, {k: v for k, v in content.items() if k < size})
    return state


def assert_agreement(instruction: Instruction, state: ConcreteState) -> None:
    """Both writings are undefined, or both leave the same registers and the same memory."""
    symbolic, values = _symbolic(state)
    accesses = list(instruction.footprint(symbolic))
    leaves = list(instruction.undefined_bytes(symbolic)) if isinstance(instruction, LeavesUndefinedBytes) else []
    undefined = evaluate(meaningless(accesses), values) or _collide(accesses, values)
    after = state.copy()
    reason = ""
    try:
        instruction.execute(after)
    except UndefinedBehavior as undefined_behavior:
        reason = str(undefined_behavior)
    assert bool(reason) == bool(undefined), f"undefined in execute: {reason!r}, in the footprint: {undefined}"
    if reason:
        return
    expected = state.copy()
    before, memory = _memory(state), _memory(expected)
    for access in accesses:
        if not evaluate(access.guard, values):
            continue
        address, inside = evaluate(access.cell[0], values), bool(evaluate(access.inside, values))
        here = range(address, address + access.width)
        match access:
            case Store() if inside:
                memory.contents |= {k: evaluate(access.value, values) >> 8 * (k - address) & 0xFF for k in here}
            case Load():
                held = [before.contents.get(k, 0) if inside else 0 for k in here]
                place = access.destination
                expected.registers[place.variable][place.start : place.start + place.width] = bytes(held)
            case Atomic():
                _update(access, address, inside, memory, expected, values)
            case _:
                pass
    for guard, place in leaves:
        if evaluate(guard, values):
            observed = after.registers[place.variable][place.start : place.start + place.width]
            expected.registers[place.variable][place.start : place.start + place.width] = observed
    assert after.registers == expected.registers
    assert _without_zeros(after) == _without_zeros(expected)


def _update(
    access: Atomic, address: int, inside: bool, memory: Buffer, state: ConcreteState, values: dict[Term, int]
) -> None:
    """One lane's atomic, in the order of the lanes."""
    old = memory.read(address, access.width)
    bits = 8 * access.width
    src0, src1 = (const(evaluate(source, values), bits) for source in (access.src0, access.src1))
    new = evaluate(new_value(access.op, const(old, bits), src0, src1), {})
    if inside:
        memory.contents |= {address + k: new >> 8 * k & 0xFF for k in range(access.width)}
    if access.destination is not None:
        returned = (new if access.returns_new else old) if inside else 0
        start = access.destination.start
        content = returned.to_bytes(access.width, "little")
        state.registers[access.destination.variable][start : start + access.width] = content


def _memory(state: ConcreteState) -> Buffer:
    (memory,) = state.surfaces.values()
    assert isinstance(memory, Buffer)
    return memory


def _collide(accesses: list[Access], values: dict[Term, int]) -> bool:
    """Whether two lanes write one byte inside; unaligned accesses may share some of their bytes only."""
    owners: dict[int, int | None] = {}
    for access in accesses:
        if isinstance(access, Store) and evaluate(access.guard, values) and evaluate(access.inside, values):
            address = evaluate(access.cell[0], values)
            if any(
                owners.setdefault(byte, access.lane) != access.lane for byte in range(address, address + access.width)
            ):
                return True
    return False


def _without_zeros(state: ConcreteState) -> dict[int, int]:
    return {address: byte for address, byte in _memory(state).contents.items() if byte}


def _symbolic(state: ConcreteState) -> tuple[SymbolicState, dict[Term, int]]:
    values: dict[Term, int] = {}
    for name, content in state.registers.items():
        for start in range(0, len(content), 4):
            values[symbol(f"{name}.{start}", 32)] = int.from_bytes(content[start : start + 4], "little")
    mask = tuple(lane_on(lane) for lane in range(32))
    bits = tuple(bool_symbol(f"p.{lane}") for lane in range(32))
    for lane in range(32):
        values[mask[lane]] = state.exec_mask >> lane & 1
        values[bits[lane]] = state.predicates["P1"].bits >> lane & 1
    ((name, buffer),) = state.surfaces.items()
    assert isinstance(buffer, Buffer)
    memory = SymbolicFlat() if buffer.size == FLAT_SIZE else SymbolicBuffer(symbol("size", ADDRESS_BITS))
    values[symbol("size", ADDRESS_BITS)] = buffer.size
    registers = RegisterFile(
        {name: len(content) for name, content in state.registers.items()},
        lambda name, byte: (symbol(f"{name}.{byte - byte % 4}", 32), byte % 4),
    )
    return SymbolicState(state.platform, mask, registers, {"P1": bits}, {name: memory}), values
