"""A concrete state made symbolic: a symbol for everything in it, and the values of the symbols."""

from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Surface
from visaproof.semantics.symbolic.registers import RegisterFile
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    FLAT_BITS,
    SymbolicBuffer,
    SymbolicFlat,
    SymbolicImage,
    SymbolicState,
    SymbolicSurface,
)
from visaproof.smt import Bool, Term, bool_symbol, symbol

Values = dict[Term, int]


def symbolised(state: ConcreteState) -> tuple[SymbolicState, Values]:
    """The symbolic state, and the values at which it is the given one."""
    values: Values = {}
    for name, content in state.registers.items():
        for start in range(0, len(content), 4):
            values[symbol(f"{name}.{start}", 32)] = int.from_bytes(content[start : start + 4], "little")
    registers = RegisterFile(
        {name: len(content) for name, content in state.registers.items()},
        lambda name, byte: (symbol(f"{name}.{byte - byte % 4}", 32), byte % 4),
    )
    predicates = {name: _lanes(name, bits.bits, bits.count, values) for name, bits in state.predicates.items()}
    mask = _lanes("em", state.exec_mask, 32, values)
    surfaces = {name: _surface(name, surface, values) for name, surface in state.surfaces.items()}
    return SymbolicState(state.platform, mask, registers, predicates, surfaces, readings=state.readings), values


def _lanes(name: str, bits: int, count: int, values: Values) -> tuple[Bool, ...]:
    symbols = tuple(bool_symbol(f"{name}[{lane}]") for lane in range(count))
    values.update((lane, bits >> index & 1) for index, lane in enumerate(symbols))
    return symbols


def _surface(name: str, surface: Surface, values: Values) -> SymbolicSurface:
    if isinstance(surface, Buffer):
        if surface.size == 1 << FLAT_BITS:
            return SymbolicFlat()
        size = symbol(f"{name}.size", ADDRESS_BITS)
        values[size] = surface.size
        return SymbolicBuffer(size)
    levels = [
        (symbol(f"{name}.{lod}.w", 32), symbol(f"{name}.{lod}.h", 32), symbol(f"{name}.{lod}.d", 32))
        for lod in range(len(surface.levels))
    ]
    for terms, extents in zip(levels, surface.levels, strict=True):
        values.update(zip(terms, extents, strict=True))
    layers = symbol(f"{name}.layers", 32)
    values[layers] = surface.layers
    return SymbolicImage(tuple(levels), surface.kind, layers)
