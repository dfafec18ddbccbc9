"""The two writings of an instruction on one state: `execute`, and its footprint with numbers for its symbols."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.strategies import Start, Values, start_of
from visaproof.checking.counterexample import Outcome
from visaproof.checking.runs import claimed, run
from visaproof.checking.states import changes
from visaproof.checking.symbolise import symbolised
from visaproof.instructions import Instruction
from visaproof.instructions.typed_atomic import TypedAtomic
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.atomics import COMPARING_OPS, AtomicOp
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings, readings_from
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.subject import Subject, oword_ld, qw_scatter, scatter4_scaled, typed_atomic
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import TexelWrite
from visaproof.semantics.symbolic.accesses import Access, RegisterSlice
from visaproof.semantics.symbolic.effects import undefined
from visaproof.semantics.symbolic.registers import RegisterFile
from visaproof.smt import Bool, evaluate, symbol


def executed(instruction: Instruction, before: ConcreteState) -> Outcome:
    """What `execute` does.  Nothing has changed where it is undefined, and never a mask or a predicate."""
    after = before.copy()
    for surface in after.surfaces.values():
        surface.changed = []
    try:
        instruction.execute(after)
    except UndefinedBehavior:
        assert after == before, "execute changed something before it found the state undefined"
    else:
        if isinstance(instruction, TypedAtomic):
            assert_noted(instruction, before, after)
    assert (after.exec_mask, after.predicates) == (before.exec_mask, before.predicates)
    return run(instruction, before, [before.exec_mask]).outcome


def assert_noted(atomic: TypedAtomic, before: ConcreteState, after: ConcreteState) -> None:
    """What was noted of each lane, one after the other, is what the image holds."""
    image, last = before.copy().image(atomic.surface), after.image(atomic.surface)
    noted = [one for one in last.changed or () if isinstance(one, TexelWrite)]
    for one in noted:
        assert before.channel_enabled(atomic.execution, one.lane)
        image.set_channel(one.texel, one.channel, one.value)
    assert len({one.lane for one in noted}) == len(noted)
    assert image.texels == last.texels


def difference(
    instruction: Instruction,
    accesses: Sequence[Access],
    before: ConcreteState,
    values: Values,
    leaves_undefined: Sequence[tuple[Bool, RegisterSlice]] = (),
) -> str | None:
    """Where `execute` and the accesses part: the first place that differs, or the reason why one is undefined."""
    observed = executed(instruction, before)
    expected = claimed(accesses, instruction.spec.collision_undefined, values, before, leaves_undefined)
    if observed.undefined is not None or expected.undefined is not None:
        if observed.undefined is not None and expected.undefined is not None:
            return None
        return f"execute is undefined: {observed.undefined}; the footprint: {expected.undefined}"
    for place in sorted(observed.changes.keys() | expected.changes.keys()):
        one, other = observed.changes.get(place, "as before"), expected.changes.get(place, "as before")
        if one != other:
            return f"{place}: execute leaves {one}, the footprint {other}"
    return None


def disagreement(subject: Subject, start: Start) -> str | None:
    """Where `execute` and the subject's accesses, its own or those of a wrong variant, part on one state."""
    found = difference(start.instruction, subject.accesses, start.before, start.values, subject.leaves_undefined)
    if found is None and len(subject.accesses) <= MOST_COMPARED:
        observed = executed(start.instruction, start.before).undefined is not None
        if bool(evaluate(undefined_on_terms(subject), start.values)) != observed:
            return f"execute is {'un' * observed}defined, the symbolic condition says otherwise"
    return found


MOST_COMPARED = 32
"""Accesses: the condition for a meaning compares each two of them."""


@lru_cache(maxsize=256)
def undefined_on_terms(subject: Subject) -> Bool:
    """When the outcome is undefined, in the terms that the proofs use."""
    return undefined(subject.accesses, subject.instruction.spec.collision_undefined, subject.readings.collision)


def found_disagreement(subject: Subject, states: int) -> str | None:
    """The first disagreement among states made from the seeds 0, 1, 2, …"""
    for seed in range(states):
        found = disagreement(subject, start_of(subject, Random(seed)))
        if found is not None:
            return found
    return None


def outcome_of_both(instruction: Instruction, before: ConcreteState) -> Outcome:
    """What both writings say that the instruction does to a state.  Fails where they part."""
    state, values = symbolised(before)
    leaves_undefined = undefined_bytes_of(instruction, state)
    found = difference(instruction, list(instruction.footprint(state)), before, values, leaves_undefined)
    assert found is None, found
    return executed(instruction, before)


def is_undefined(instruction: Instruction, before: ConcreteState) -> bool:
    """Whether both writings call the outcome undefined."""
    return outcome_of_both(instruction, before).undefined is not None


def after_both(instruction: Instruction, before: ConcreteState) -> ConcreteState:
    """The state after an instruction, on which both writings agree and which is defined."""
    outcome = outcome_of_both(instruction, before)
    assert outcome.undefined is None, outcome.undefined
    after = before.copy()
    instruction.execute(after)
    assert changes(before, after) == outcome
    return after


def dwords(*values: int) -> bytearray:
    """A register that holds these dwords."""
    return bytearray(b"".join((value % 2**32).to_bytes(4, "little") for value in values))


def dwords_of(register: bytearray) -> list[int]:
    return [int.from_bytes(register[start : start + 4], "little") for start in range(0, len(register), 4)]


def with_variable_of(subject: Subject, variable: str, size: int) -> Subject:
    """The subject where a variable has only `size` bytes."""
    sizes = {**subject.state.registers.sizes, variable: size}
    registers = RegisterFile(sizes, lambda name, byte: (symbol(f"{name}.{byte // 4}", 32), byte % 4))
    state = replace(subject.state, registers=registers)
    accesses = tuple(subject.instruction.footprint(state))
    return replace(subject, state=state, accesses=accesses, own_accesses=accesses)


class ShortShape(Struct, frozen=True):
    """A shape of which one variable has only so many dwords."""

    shape: Callable[[], Subject]
    variable: str
    dwords: int

    def __call__(self) -> Subject:
        return with_variable_of(self.shape(), self.variable, 4 * self.dwords)


def short_shapes(instruction: str, readings: Readings = DEFAULT) -> list[ShortShape]:
    """Sources for any channel set with less than four registers, and variables without a dword for the last lane."""
    match instruction:
        case "scatter4_scaled":
            small = partial(scatter4_scaled, 8, Platform.TGLLP, False, readings)
            large = partial(scatter4_scaled, 8, Platform.PVC, True, readings)
            lacking = [(small, "VS", dwords) for dwords in (5, 13, 15, 16, 24)]
            lacking += [(large, "VS", dwords) for dwords in (5, 16, 21, 23, 24)]
            lacking += [(large, "VO", 7)]
        case "qw_scatter":
            shape = partial(qw_scatter, 8, Platform.DG2, True, readings)
            lacking = [(shape, "VO", 7), (shape, "VQ", 15), (shape, "VQ", 14)]
        case "typed_atomic":
            volume = partial(
                typed_atomic, AtomicOp.CMPXCHG, SurfaceKind.VOLUME, Platform.TGLLP, False, levels=2, readings=readings
            )
            line = partial(typed_atomic, AtomicOp.PREDEC, SurfaceKind.LINE, Platform.PVC, True, readings=readings)
            lacking = [(shape, "VD", 7) for shape in (volume, line)]
            lacking += [(volume, variable, 7) for variable in ("VU", "VV", "VR", "VL", "VS0", "VS1")]
        case _:
            lacking = []
    return [ShortShape(*each) for each in lacking]


def short_subjects(readings: Readings = DEFAULT) -> dict[str, Subject]:
    """The shapes with a variable that is too short, by what that is."""
    shapes = [shape for instruction in ASKED for shape in short_shapes(instruction, readings)]
    built = [(shape, shape()) for shape in shapes]
    return {f"{subject.scope}, {shape.dwords} dwords of {shape.variable}": subject for shape, subject in built}


Build = Callable[[Readings], Subject]
"""A shape, by the readings."""

ASKED: dict[str, tuple[Build, ...]] = {
    "scatter4_scaled": (
        lambda readings: scatter4_scaled(8, Platform.PVC, True, readings),
        lambda readings: scatter4_scaled(16, Platform.TGLLP, False, readings),
    ),
    "qw_scatter": (
        lambda readings: qw_scatter(2, Platform.DG2, True, readings),
        lambda readings: qw_scatter(8, Platform.DG2, False, readings),
    ),
    "oword_ld": (
        lambda readings: oword_ld(1, Platform.DG2, readings),
        lambda readings: oword_ld(8, Platform.DG2, readings),
    ),
    "typed_atomic": (
        lambda readings: typed_atomic(AtomicOp.PREDEC, SurfaceKind.PLANE, Platform.TGLLP, True, readings=readings),
        lambda readings: typed_atomic(AtomicOp.IMAX, SurfaceKind.VOLUME, Platform.TGLLP, False, 16, 2, readings),
    ),
}
"""By instruction, the shapes that are tried under each alternative of the readings."""


ANSWERED_TOGETHER: dict[str, tuple[tuple[str, ...], ...]] = {
    "scatter4_scaled": (
        ("offset-sum-wraps=no-wrap", "channel-address-wraps=wraps"),
        ("offset-sum-wraps=no-wrap", "channel-address-wraps=wraps", "slm-bounds=undefined"),
        ("offset-sum-wraps=no-wrap", "dword-misaligned=floor"),
        ("scatter-bounds-grain=per-byte", "dword-misaligned=byte-exact", "collision=equal-allowed"),
        ("scatter-bounds-grain=per-lane", "dword-misaligned=byte-exact", "collision=last-wins"),
        ("scatter-bounds-grain=per-byte", "dword-misaligned=data-undefined", "collision=any-wins"),
    ),
    "qw_scatter": (
        ("qword-unit=qword-index", "qword-bounds-grain=per-qword"),
        ("qword-misaligned=byte-exact", "qword-bounds-grain=per-qword"),
        ("qword-misaligned=dword-aligned", "qword-bounds-grain=per-qword"),
        ("qword-misaligned=floor", "slm-bounds=undefined"),
    ),
    "oword_ld": (
        ("oword-address-wraps=wraps", "oword-bounds-grain=per-oword"),
        ("oword-address-wraps=wraps", "oword-bounds-grain=whole-block"),
        ("oword-address-wraps=wraps", "slm-bounds=undefined"),
    ),
    "typed_atomic": (
        ("typed-bounds=unspecified", "lod-range=clamp", "half-result-rest=preserved"),
        ("typed-bounds=unspecified", "lod-range=undefined", "half-result-rest=sign-extended"),
        ("typed-bounds=unspecified", "disabled-lanes=undefined", "half-result-rest=zero"),
    ),
}
"""By instruction, alternatives that say most where they meet."""


def answered_together(instruction: str) -> list[Callable[[], Subject]]:
    """The shapes of an instruction under several alternatives at once."""
    each = [readings_from(list(settings)) for settings in ANSWERED_TOGETHER[instruction]]
    found = [partial(build, readings) for readings in each for build in ASKED[instruction]]
    return [*found, *_of_several_blocks()] if instruction == "qw_scatter" else found


def _of_several_blocks() -> Iterator[Callable[[], Subject]]:
    """QW_SCATTER of more than one block, which is illegal by default (D22)."""
    for more in ((), ("qword-stride=padded",), ("qword-unit=literal",), ("qword-bounds-grain=per-qword",)):
        readings = readings_from(["qword-blocks=several", *more])
        yield partial(qw_scatter, 4, Platform.DG2, True, readings, 2)
        yield partial(qw_scatter, 2, Platform.PVC, False, readings, 4)
    padded = readings_from(["qword-blocks=several", "qword-stride=padded"])
    yield partial(qw_scatter, 16, Platform.DG2, False, padded, 2)
    all_lanes = readings_from(["qword-blocks=several", "short-variable=all-lanes"])
    for dwords in (14, 15):
        yield ShortShape(partial(qw_scatter, 4, Platform.DG2, True, all_lanes, 2), "VQ", dwords)
        yield ShortShape(partial(qw_scatter, 2, Platform.DG2, False, all_lanes, 4), "VQ", dwords)


def _float_atomic(op: AtomicOp, texel_bits: int) -> Build:
    return lambda readings: typed_atomic(
        op, SurfaceKind.LINE, Platform.TGLLP, False, texel_bits=texel_bits, readings=readings
    )


ASKED_OF_FLOATS = tuple(
    _float_atomic(op, bits) for op in sorted(COMPARING_OPS, key=lambda op: op.code) for bits in (16, 32)
)
"""Those that differ by the readings of float atomics, wherever these are legal."""
