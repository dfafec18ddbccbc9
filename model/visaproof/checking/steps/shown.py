"""The state that refutes a claim in z3 arrays: `execute` runs it, and must do what the arrays say."""

from collections.abc import Sequence
from typing import Any

from visaproof.checking.counterexample import Counterexample
from visaproof.checking.encode import Arrays, BufferArray, ImageArray, Step
from visaproof.checking.runs import run_all
from visaproof.checking.states import program, state_record
from visaproof.isa.errors import UndefinedBehavior
from visaproof.queries.query import OwnClaim, Query
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Surface, Texel
from visaproof.smt import Term, evaluate

Values = dict[Term, int]
Numbers = Sequence[tuple[Any, Any]]
DWORD = 4


def shown(own: OwnClaim, query: Query, values: Values) -> Counterexample | None:
    """The counterexample; None where the claim does not fail by z3, or `execute` does something else."""
    from visaproof.smt.z3_arrays import holds

    steps: tuple[Step, ...] = own.steps
    before = concrete(steps[0].before, own, values)
    numbers = own.raising.numbers(values)
    if holds(own.expression, numbers) is not False or not executes_so(steps, before, numbers):
        return None
    instructions = [step.instruction for step in steps]
    return Counterexample(
        claim=query.id,
        shows=f"{query.claim} is false here",
        violation="claim-fails",
        platform=before.platform.name,
        program=program(instructions, before),
        state=state_record(before),
        runs=[run_all(instructions, before)],
    )


def concrete(arrays: Arrays, own: OwnClaim, values: Values) -> ConcreteState:
    """The state that the values make of the arrays; memory that nothing reads is 0."""
    raising = own.raising

    def number(word: Any) -> int:
        return evaluate(raising.word(word), values)

    state = ConcreteState(arrays.platform, exec_mask=number(arrays.exec_mask))
    for name, word in arrays.registers.items():
        state.registers[name] = bytearray(number(word).to_bytes(word.size() // 8, "little"))
    for name, word in arrays.predicates.items():
        state.predicates[name] = PredicateBits(word.size(), number(word))
    for name, surface in arrays.surfaces.items():
        contents: Any = surface.bytes if isinstance(surface, BufferArray) else surface.texels
        cells: dict[int, int] = raising.contents(contents.decl().name(), values) if contents.num_args() == 0 else {}
        if isinstance(surface, BufferArray):
            state.surfaces[name] = Buffer(number(surface.size), {cell: byte for cell, byte in cells.items() if byte})
        else:
            levels = ((number(u), number(v), number(r)) for u, v, r in surface.levels)
            state.surfaces[name] = Image(tuple(levels), {_texel(cell): value for cell, value in cells.items()})
    return state


def _texel(cell: int) -> Texel:
    """u, v, r, lod side by side, u in the high bits."""
    u, v, r, lod = (cell >> shift & 0xFFFF_FFFF for shift in (96, 64, 32, 0))
    return u, v, r, lod


def executes_so(steps: Sequence[Step], before: ConcreteState, numbers: Numbers) -> bool:
    """Whether `execute` does what each step says, for these numbers: undefined, or every byte the same."""
    from visaproof.smt.z3_arrays import holds

    state = before.copy()
    for step in steps:
        arbitrary = {constant.get_id() for constant in step.arbitrary}
        known = [(one, number) for one, number in numbers if one.get_id() not in arbitrary]
        try:
            step.instruction.execute(state)
        except UndefinedBehavior:
            return holds(step.undefined, numbers) is True
        if holds(step.undefined, numbers) is not False or not _as_executed(step.after, state, known):
            return False
    return True


def _as_executed(after: Arrays, state: ConcreteState, numbers: Numbers) -> bool:
    """Every dword of a register, and every byte or texel that the run knows; what the page leaves undefined may be
    anything."""
    from visaproof.smt.z3_arrays import number_of, slice_of

    for name, word in after.registers.items():
        held = state.registers[name]
        for start in range(0, len(held), DWORD):
            width = min(DWORD, len(held) - start)
            found = number_of(slice_of(word, 8 * start, 8 * width), numbers)
            if found is not None and found != int.from_bytes(held[start : start + width], "little"):
                return False
    return all(_same_surface(after.surfaces[name], surface, numbers) for name, surface in state.surfaces.items())


def _same_surface(after: BufferArray | ImageArray, surface: Surface, numbers: Numbers) -> bool:
    from visaproof.smt.z3_arrays import cell_of, number_of

    contents = after.bytes if isinstance(after, BufferArray) else after.texels
    if isinstance(surface, Buffer):
        cells = surface.contents
    else:
        cells = {u << 96 | v << 64 | r << 32 | lod: texel for (u, v, r, lod), texel in surface.texels.items()}
    return all(number_of(cell_of(contents, cell), numbers) == value for cell, value in cells.items())
