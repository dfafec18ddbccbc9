"""The threads that a model of a kernel's terms describes: registers, lanes, and memory with what the loads bring."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    state = ConcreteState(asked.platform, exec_mask=_bits(lanes, values))
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is None:
            state.registers[variable.name] = _register(asked, variable, values)
        elif isinstance(variable, PredicateVariable):
            bits = [bool_symbol(f"{variable.name}[{lane}]") for lane in range(variable.num_elts)]
            state.predicates[variable.name] = PredicateBits(variable.num_elts, _bits(bits, values))
    for key, surface in trace.surfaces.items():
        if isinstance(surface, SymbolicBuffer):
            state.surfaces[key] = Buffer(_size(surface, values))
        else:
            state.surfaces[key] = Image(tuple(_extents(level, values) for level in surface.levels))
    filled: set[Place] = set()
    for performed in messages_before(trace, until):
        _fill(state, performed, values, filled)
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


def _register(asked: Asked, variable: GeneralVariable, values: Values) -> bytearray:
    content = bytearray(variable.size)
    terms = [asked.start.initial(variable.name, byte) for byte in range(variable.size)]
    words = dict.fromkeys(term for term, _ in terms)
    known = dict(zip(words, evaluate_all(words, values), strict=True))
    for byte, (term, index) in enumerate(terms):
        content[byte] = known[term] >> 8 * index & 0xFF
    return content


def _fill(state: ConcreteState, performed: Performed, values: Values, filled: set[Place]) -> None:
    """Puts what the loads of a message bring into the memory that they read; into a texel once."""
    surface = state.surfaces[performed.surface]
    for access, content in performed.loaded:
        if not evaluate(access.guard, values):
            continue
        cell, value = tuple(evaluate_all(access.cell, values)), evaluate(content, values)
        if isinstance(surface, Buffer):
            for k in range(access.width):
                surface.contents.setdefault(cell[0] + k, value >> 8 * k & 0xFF)
        elif cell not in filled:
            filled.add(cell)
            _fill_texel(surface, access, cell, value)


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
