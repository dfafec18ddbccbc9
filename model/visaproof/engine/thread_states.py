"""The threads that a model of a kernel's terms describes: registers, lanes, and memory with what the loads bring."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from visaproof.isa.platform import Platform
from visaproof.kernel.assumptions import Start
from visaproof.kernel.symbolic_machine import Performed
from visaproof.kernel.symbolic_run import Trace, launched_lanes
from visaproof.kernel.syntax import GeneralVariable, Kernel, PredicateVariable
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Place, Texel
from visaproof.semantics.symbolic.accesses import Access, Atomic, Cell, Load
from visaproof.semantics.symbolic.effects import cells_equal
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    bool_symbol,
    conj,
    const,
    eq,
    evaluate,
    implies,
    neg,
)
from visaproof.smt.evaluate import evaluate_all

Values = dict[Term, int]

PRIVATE_MEMORY = 1 << 56
"""Where it lies if no question depends on that: far from the buffers."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question is about, beside the question."""

    kernel: Kernel
    platform: Platform
    trace: Trace
    start: Start
    timeout_ms: int


def state_of(asked: Asked, until: Performed, values: Values) -> ConcreteState:
    """The thread that these values describe: registers, lanes, surfaces with what the loads bring."""
    kernel, trace = asked.kernel, asked.trace
    if asked.start.private_base is not None:
        values = {asked.start.private_base: PRIVATE_MEMORY, **values}
    lanes = launched_lanes(kernel)
    state = ConcreteState(asked.platform, exec_mask=_bits(lanes, values), registers=_registers(asked, values))
    for variable in kernel.variables.values():
        if isinstance(variable, PredicateVariable):
            bits = [bool_symbol(f"{variable.name}[{lane}]") for lane in range(variable.num_elts)]
            state.predicates[variable.name] = PredicateBits(variable.num_elts, _bits(bits, values))
    for key, surface in trace.surfaces.items():
        if isinstance(surface, SymbolicBuffer):
            state.surfaces[key] = Buffer(_size(surface, values))
        else:
            state.surfaces[key] = Image(tuple(_extents(level, values) for level in surface.levels))
    _fill(state, tuple(messages_before(trace, until)), values)
    return state


def _extents(level: tuple[BitVec, BitVec, BitVec], values: Values) -> tuple[int, int, int]:
    """Of a level; those that nothing depends on are as large as they can be."""
    known = (values.get(extent, 2**32 - 1) if extent.op is Op.SYMBOL else extent.low for extent in level)
    width, height, depth = known
    return width, height, depth


def _size(surface: SymbolicBuffer, values: Values) -> int:
    if surface.size.op is Op.SYMBOL:
        return values.get(surface.size, 1 << 32)
    return evaluate(surface.size, values)


def _bits(bits: Sequence[Bool], values: Values) -> int:
    return sum((values.get(one, 0) & 1) << lane for lane, one in enumerate(bits))


def _registers(asked: Asked, values: Values) -> dict[str, bytearray]:
    """The root variables before the run."""
    variables = asked.kernel.variables.values()
    roots = [one for one in variables if isinstance(one, GeneralVariable) and one.alias is None]
    contents = {root.name: [asked.start.initial(root.name, byte) for byte in range(root.size)] for root in roots}
    words = dict.fromkeys(term for terms in contents.values() for term, _ in terms)
    known = dict(zip(words, evaluate_all(words, values), strict=True))
    return {
        name: bytearray(known[term] >> 8 * index & 0xFF for term, index in terms) for name, terms in contents.items()
    }


def _fill(state: ConcreteState, messages: Sequence[Performed], values: Values) -> None:
    """Puts what the loads of the messages bring into the memory that they read; into a texel once."""
    loads = [(one.surface, access, content) for one in messages for access, content in one.loaded]
    known = iter(evaluate_all([part for _, access, content in loads for part in _parts(access, content)], values))
    filled: set[Place] = set()
    for surface, access, _ in loads:
        happens, *cell, value = islice(known, len(access.cell) + 2)
        place, memory = tuple(cell), state.surfaces[surface]
        if happens and isinstance(memory, Buffer):
            for k in range(access.width):
                memory.contents.setdefault(place[0] + k, value >> 8 * k & 0xFF)
        elif happens and isinstance(memory, Image) and place not in filled:
            filled.add(place)
            _fill_texel(memory, access, place, value)


def _parts(access: Access, content: BitVec) -> tuple[Term, ...]:
    return access.guard, *access.cell, content


def _fill_texel(image: Image, access: Access, cell: tuple[int, ...], value: int) -> None:
    u, v, r, lod = cell[:4]
    texel: Texel = u, v, r, lod
    if isinstance(access, Atomic):
        image.texels.setdefault(texel, value)
    else:
        image.set_channel(texel, cell[4], value)


def loads_agree(trace: Trace, until: Performed, values: Values) -> Iterator[Bool]:
    """What these values get wrong of memory: a load outside brings what its page says; a place has one content."""
    seen: dict[tuple[str, tuple[int, ...]], tuple[BitVec, Cell]] = {}
    for performed in messages_before(trace, until):
        for access, content in performed.loaded:
            beyond = const(access.outside if isinstance(access, Load) else 0, content.width)
            outside = conj(access.guard, neg(access.inside), neg(eq(content, beyond)))
            if evaluate(outside, values):
                yield neg(outside)
            place = (performed.surface, tuple(evaluate_all(access.cell, values)))
            other, cell = seen.setdefault(place, (content, access.cell))
            if other.width == content.width and evaluate(other, values) != evaluate(content, values):
                yield implies(cells_equal(access.cell, cell), eq(content, other))


def messages_before(trace: Trace, until: Performed) -> Iterator[Performed]:
    for performed in trace.performed:
        if performed is until:
            return
        yield performed
