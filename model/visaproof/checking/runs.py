"""Runs of `execute`, and the outcome that a footprint claims, as data to compare."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from visaproof.checking.counterexample import Outcome, Run
from visaproof.checking.states import changes
from visaproof.instructions import Instruction
from visaproof.instructions.undefined_bytes import example_of
from visaproof.isa.answers import Collision
from visaproof.isa.errors import UndefinedBehavior
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Texel
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.effects import updated
from visaproof.smt import Bool, Term, const, evaluate
from visaproof.smt.evaluate import all_hold, evaluate_all


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


def run_all(instructions: Sequence[Instruction], before: ConcreteState) -> Run:
    """Executes the instructions in turn under the execution mask of the state, which stays as it is."""
    after = before.copy()
    steps = [f"{before.exec_mask:#x}"]
    try:
        for instruction in instructions:
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

    What lanes on one byte mean is the reading of the state.  Undefined bytes become what `execute` makes of them.
    """
    guards = evaluate_all([access.guard for access in accesses], values)
    performed = [access for access, happens in zip(accesses, guards, strict=True) if happens]
    if not all_hold((access.defined for access in performed), values):
        return Outcome(undefined="an undefined access")
    after = before.copy()
    cells = [tuple(evaluate_all(access.cell, values)) for access in performed]
    inside = evaluate_all([access.inside for access in performed], values)
    effects = [(access, cell) for access, cell, within in zip(performed, cells, inside, strict=True) if within]
    if collision_undefined and _collide(effects, values, after):
        return Outcome(undefined="two lanes store to one cell")
    together = list(zip(performed, cells, inside, strict=True))
    collision = before.readings.collision
    if collision_undefined and collision in (Collision.LAST_WINS, Collision.ANY_WINS):
        first_wins = collision is Collision.ANY_WINS  # as `execute` has it, for one
        together.sort(key=lambda one: -1 if one[0].lane is None else one[0].lane, reverse=first_wins)
    for access, cell, within in together:
        _perform(access, cell, bool(within), values, before, after)
    for guard, place in leaves_undefined:
        if evaluate(guard, values):
            after.registers[place.variable][place.start : place.start + place.width] = example_of(place)
    return changes(before, after)


def _collide(
    accesses: Iterable[tuple[Access, tuple[int, ...]]], values: Mapping[Term, int], state: ConcreteState
) -> bool:
    """Whether two lanes store to one byte, and differ in it if the state's reading lets equal bytes meet (D14)."""
    collision = state.readings.collision
    if collision in (Collision.LAST_WINS, Collision.ANY_WINS):
        return False
    owner: dict[tuple[str, tuple[int, ...]], tuple[int | None, int]] = {}
    for access, cell in accesses:
        if not isinstance(access, Store):
            continue
        value = evaluate(access.value, values)
        for k in _bytes_stored(access, cell[0], state):
            byte = value >> 8 * k & 0xFF
            lane, first = owner.setdefault((access.surface, _place(cell, k)), (access.lane, byte))
            if lane != access.lane and not (collision is Collision.EQUAL_ALLOWED and first == byte):
                return True
    return False


def _place(cell: tuple[int, ...], byte: int) -> tuple[int, ...]:
    """A byte of a cell: by its address in a buffer, by its number in a texel."""
    return (cell[0] + byte,) if len(cell) == 1 else (*cell, byte)


def _bytes_stored(store: Store, address: int, state: ConcreteState) -> range:
    """The bytes of a store that is inside, counted from its first, that are not dropped."""
    return range(min(store.width, state.buffer(store.surface).size - address) if store.per_byte else store.width)


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
                kept = len(_bytes_stored(access, cell[0], before))
                _write_memory(after, access.surface, cell, evaluate(access.value, values), kept)
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
    width = destination.width
    if isinstance(access, Atomic) and access.sign_extended and value >> (8 * access.width - 1):
        value += (1 << 8 * width) - (1 << 8 * access.width)
    register[destination.start : destination.start + width] = value.to_bytes(width, "little")


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
