"""Runs of `execute`, and the outcome that a footprint claims, as data to compare."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from visaproof.engine.counterexample import Outcome, Run
from visaproof.engine.states import changes
from visaproof.instructions import Instruction
from visaproof.isa.errors import UndefinedBehavior
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Texel
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.effects import updated
from visaproof.smt import Bool, Term, const, evaluate
from visaproof.smt.evaluate import evaluate_all


def run(instruction: Instruction, before: ConcreteState, exec_masks: Sequence[int]) -> Run:
    """Executes the instruction once for each mask; the state given stays as it is."""
    after = before.copy()
    steps = [f"{mask:#x}" for mask in exec_masks]
    try:
        for mask in exec_masks:
            after.exec_mask = mask
            instruction.execute(after)
    except UndefinedBehavior as reason:
        return Run(steps=steps, outcome=Outcome(undefined=str(reason)))
    return Run(steps=steps, outcome=changes(before, after))


def claimed(
    accesses: Sequence[Access],
    collision_undefined: bool,
    values: Mapping[Term, int],
    before: ConcreteState,
    leaves_undefined: Iterable[tuple[Bool, RegisterSlice]] = (),
) -> Outcome:
    """What the accesses do to a state, where `values` gives their symbols: atomics in the order of the accesses.

    Bytes that the page leaves undefined become 0, as in `execute`.
    """
    performed = [access for access in accesses if evaluate(access.guard, values)]
    if not all(evaluate_all([access.defined for access in performed], values)):
        return Outcome(undefined="an access without a meaning")
    after = before.copy()
    cells = [tuple(evaluate_all(access.cell, values)) for access in performed]
    inside = evaluate_all([access.inside for access in performed], values)
    if collision_undefined and _collide(performed, cells, inside):
        return Outcome(undefined="two lanes store to one cell")
    for access, cell, within in zip(performed, cells, inside, strict=True):
        _perform(access, cell, bool(within), values, before, after)
    for guard, place in leaves_undefined:
        if evaluate(guard, values):
            after.registers[place.variable][place.start : place.start + place.width] = bytes(place.width)
    return changes(before, after)


def _collide(accesses: Iterable[Access], cells: Iterable[tuple[int, ...]], inside: Iterable[int]) -> bool:
    owner: dict[tuple[str, tuple[int, ...]], int | None] = {}
    for access, cell, within in zip(accesses, cells, inside, strict=True):
        if (
            within
            and isinstance(access, Store)
            and owner.setdefault((access.surface, cell), access.lane) != access.lane
        ):
            return True
    return False


def _perform(
    access: Access,
    cell: tuple[int, ...],
    inside: bool,
    values: Mapping[Term, int],
    before: ConcreteState,
    after: ConcreteState,
) -> None:
    match access:
        case Store():
            if inside:
                _write_memory(after, access.surface, cell, evaluate(access.value, values), access.width)
        case Load():
            value = _read_memory(before, access.surface, cell, access.width) if inside else access.outside
            _write_register(after, access, value)
        case Atomic():
            value = 0
            if inside:
                old = _read_memory(after, access.surface, cell, access.width)
                new = _updated(access, old, values)
                _write_memory(after, access.surface, cell, new, access.width)
                value = new if access.returns_new else old
            if access.destination is not None:
                _write_register(after, access, value)


def _updated(access: Atomic, old: int, values: Mapping[Term, int]) -> int:
    """What an atomic leaves of `old`: its formula, with numbers for its symbols."""
    src0, src1 = (const(word, 8 * access.width) for word in evaluate_all((access.src0, access.src1), values))
    return evaluate(updated(replace(access, src0=src0, src1=src1), const(old, 8 * access.width)), {})


def _write_register(after: ConcreteState, access: Load | Atomic, value: int) -> None:
    destination = access.destination
    assert destination is not None
    register = after.registers[destination.variable]
    register[destination.start : destination.start + destination.width] = value.to_bytes(destination.width, "little")


def _texel(cell: tuple[int, ...]) -> Texel:
    u, v, r, lod, *_ = cell
    return u, v, r, lod


def _is_channel(cell: tuple[int, ...]) -> bool:
    """Whether the cell is one channel of a texel."""
    return len(cell) == 5


def _read_memory(state: ConcreteState, name: str, cell: tuple[int, ...], width: int) -> int:
    surface = state.surfaces[name]
    if isinstance(surface, Buffer):
        return sum(surface.contents.get(cell[0] + k, 0) << 8 * k for k in range(width))
    if _is_channel(cell):
        return surface.channel(_texel(cell), cell[4])
    return surface.texels.get(_texel(cell), 0) % 2 ** (8 * width)


def _write_memory(state: ConcreteState, name: str, cell: tuple[int, ...], value: int, width: int) -> None:
    surface = state.surfaces[name]
    if isinstance(surface, Buffer):
        for k in range(width):
            surface.contents[cell[0] + k] = value >> 8 * k & 0xFF
    elif _is_channel(cell):
        surface.set_channel(_texel(cell), cell[4], value)
    else:
        surface.texels[_texel(cell)] = value
