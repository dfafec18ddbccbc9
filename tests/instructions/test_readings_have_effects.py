"""No answer to an open question is dead: for each alternative, a run on which both writings do something else."""

from collections.abc import Callable

import pytest
from msgspec import Struct, field

from tests.two_writings import dwords, outcome_of_both
from visaproof.checking.symbolise import symbolised
from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import NULL, SLM, Channels, Execution, ImmediateUD, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, READINGS, alternatives, readings_from, setting
from visaproof.queries.subject import SURFACE
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Surface
from visaproof.semantics.symbolic.accesses import RegisterSlice
from visaproof.smt import evaluate

DATA = dwords(*(0x1111_1111 * (index + 1) for index in range(15)), *range(100, 164))


class Witness(Struct, frozen=True):
    """An instruction in a state on which an alternative tells, beside the other answers that it needs for that."""

    instruction: Instruction
    registers: dict[str, bytearray] = field(default_factory=dict[str, bytearray])
    surface: Surface = field(default_factory=lambda: Buffer(64))
    exec_mask: int = 1
    platform: Platform = Platform.DG2
    predicate: tuple[int, int] | None = None
    beside: tuple[str, ...] = ()

    def before(self, settings: tuple[str, ...]) -> ConcreteState:
        state = ConcreteState(self.platform, exec_mask=self.exec_mask, readings=readings_from([*settings]))
        state.registers = {name: bytearray(content) for name, content in self.registers.items()}
        name = getattr(self.instruction, "surface", SURFACE)
        state.surfaces = {name: self.surface}
        if self.predicate is not None:
            state.predicates = {"P1": PredicateBits(*self.predicate)}
        return state


def scatter(
    *offsets: int,
    channels: int = 1,
    base: int = 0,
    size: int = 64,
    execution: Execution | None = None,
    data: bytearray = DATA,
    **others: object,
) -> Witness:
    instruction = Scatter4Scaled(
        execution or Execution(8), Channels(channels), SURFACE, ImmediateUD(base), RawOperand("VO"), RawOperand("VS")
    )
    lanes = dwords(*offsets, *[0] * (8 - len(offsets)))
    mask = (1 << len(offsets)) - 1
    return Witness(instruction, {"VO": lanes, "VS": data}, Buffer(size), **{"exec_mask": mask} | others)  # pyright: ignore


def qwords(*offsets: int, size: int = 64, blocks: int = 1, lanes: int = 8, beside: tuple[str, ...] = ()) -> Witness:
    instruction = QwScatter(Execution(lanes), SURFACE, RawOperand("VO"), RawOperand("VQ"), num_blocks=blocks)
    padded = dwords(*offsets, *[0] * (lanes - len(offsets)))
    mask = (1 << len(offsets)) - 1
    return Witness(instruction, {"VO": padded, "VQ": DATA}, Buffer(size), exec_mask=mask, beside=beside)


def block(offset: int, owords: int, size: int, surface: str = SURFACE) -> Witness:
    memory = Buffer(size, {address: address + 1 for address in range(64)})
    instruction = OwordLd(owords, surface, ImmediateUD(offset), RawOperand("VD"))
    return Witness(instruction, {"VD": dwords(*[7] * 16)}, memory)


def texel(op: AtomicOp, old: int, src0: int = 0, u: int = 0, lod: int = 0, bits: int = 32) -> Witness:
    source = NULL if op.sources == 0 else RawOperand("VS0")
    instruction = TypedAtomic(
        Execution(8), op, SURFACE, RawOperand("VU"), lod=RawOperand("VL"), src0=source, dst=RawOperand("VD"),
        texel_bits=bits,
    )  # fmt: skip
    registers = {name: dwords(value, *[0] * 7) for name, value in (("VU", u), ("VL", lod), ("VS0", src0))}
    surface = Image(((1, 1, 1),), {(0, 0, 0, 0): old})
    return Witness(instruction, registers | {"VD": dwords(*[0x7777_7777] * 8)}, surface)


def predicated(combine: Combine, mask: ExecMask, count: int, bits: int) -> Witness:
    execution = Execution(8, mask, Predicate("P1", False, combine))
    return scatter(0, execution=execution, exec_mask=0xFFFF_FFFF, predicate=(count, bits), size=4)


SEVERAL = ("qword-blocks=several",)
NAN, ONE, THREE, MINUS_ZERO = 0x7FC0_0000, 0x3F80_0000, 0x4040_0000, 0x8000_0000

WITNESSES: dict[str, Callable[[], Witness]] = {
    "short-predicate=zero": lambda: predicated(Combine.PLAIN, ExecMask.M3, 8, 0),
    "short-predicate=free": lambda: scatter(
        *range(0, 32, 4), execution=Execution(8, ExecMask.M3, Predicate("P1")), exec_mask=0xFF00, predicate=(8, 0)
    ),
    "any-all-window=declared-width": lambda: scatter(
        0, execution=Execution(8, ExecMask.M1, Predicate("P1", False, Combine.ANY)), predicate=(16, 0x100)
    ),
    "short-variable=all-lanes": lambda: Witness(
        scatter(0).instruction, {"VO": dwords(0), "VS": DATA}, platform=Platform.TGLLP
    ),
    "short-variable=whole-payload": lambda: scatter(0, platform=Platform.PVC),
    "disabled-lanes=undefined": lambda: texel(AtomicOp.INC, 5),
    "offset-sum-wraps=no-wrap": lambda: scatter(8, base=2**32 - 4),
    "channel-address-wraps=wraps": lambda: scatter(2**32 - 4, channels=2),
    "scatter-bounds-grain=per-byte": lambda: scatter(4, size=6),
    "scatter-bounds-grain=per-lane": lambda: scatter(0, channels=3, size=4),
    "slm-bounds=undefined": lambda: block(0, 1, 0, SLM),
    "dword-misaligned=floor": lambda: scatter(5),
    "dword-misaligned=byte-exact": lambda: scatter(5),
    "dword-misaligned=data-undefined": lambda: scatter(5),
    "collision=equal-allowed": lambda: scatter(4, 4, data=dwords(*[9] * 8)),
    "collision=last-wins": lambda: scatter(4, 4),
    "collision=any-wins": lambda: scatter(4, 4),
    "oword-bounds-grain=per-oword": lambda: block(0, 2, 20),
    "oword-bounds-grain=whole-block": lambda: block(0, 2, 20),
    "oword-bounds-grain=per-element": lambda: block(0, 2, 18),
    "oword-address-wraps=wraps": lambda: block(2**28, 1, 16),
    "oword-rest=undefined": lambda: block(0, 1, 16),
    "qword-stride=padded": lambda: qwords(0, blocks=2, lanes=4, beside=SEVERAL),
    "qword-unit=qword-index": lambda: qwords(8, size=128),
    "qword-unit=literal": lambda: qwords(0, blocks=2, beside=SEVERAL),
    "qword-bounds-grain=per-qword": lambda: qwords(0, size=4),
    "qword-misaligned=byte-exact": lambda: qwords(9),
    "qword-misaligned=floor": lambda: qwords(9),
    "qword-misaligned=dword-aligned": lambda: qwords(12),
    "typed-bounds=unspecified": lambda: texel(AtomicOp.INC, 5, u=9),
    "lod-range=clamp": lambda: texel(AtomicOp.INC, 5, lod=9),
    "lod-range=undefined": lambda: texel(AtomicOp.INC, 5, lod=9),
    "half-result-rest=zero": lambda: texel(AtomicOp.PREDEC, 0, bits=16),
    "half-result-rest=preserved": lambda: texel(AtomicOp.PREDEC, 0, bits=16),
    "half-result-rest=sign-extended": lambda: texel(AtomicOp.PREDEC, 0, bits=16),
    "float-atomics=as-lowered": lambda: texel(AtomicOp.FMAX, THREE, ONE),
    "float-nan=propagates": lambda: texel(AtomicOp.FMAX, ONE, NAN),
    "float-zeros=ordered": lambda: texel(AtomicOp.FMAX, MINUS_ZERO, 0),
    "float-denormals=flushed": lambda: texel(AtomicOp.FMAX, 1, 2),
}
"""By alternative, where it tells."""

LEGALITY: dict[str, Callable[[], Witness]] = {
    "mask-alignment=verifier-accepts": lambda: scatter(0, execution=Execution(16, ExecMask.M3)),
    "channel-sets=prefix-only": lambda: scatter(0, channels=9),
    "qword-blocks=several": lambda: qwords(0, blocks=2),
    "float-atomics=reject": lambda: texel(AtomicOp.FMAX, ONE, ONE),
    "small-sizes=accepted": lambda: scatter(0, execution=Execution(4)),
}
"""Alternatives that change which instructions are legal, and nothing else."""


def test_every_alternative_has_a_witness() -> None:
    assert {setting(name, answer) for name, answer in alternatives()} == {*WITNESSES, *LEGALITY}


class Effect(Struct, frozen=True):
    """What both writings leave of a state."""

    undefined: bool
    changes: dict[str, str]
    arbitrary: tuple[RegisterSlice, ...]
    """The bytes that have any value, of which `changes` shows one."""


def effect(witness: Witness, *more: str) -> Effect:
    before = witness.before((*witness.beside, *more))
    outcome = outcome_of_both(witness.instruction, before)
    state, values = symbolised(before)
    places = (place for guard, place in undefined_bytes_of(witness.instruction, state) if evaluate(guard, values))
    return Effect(outcome.undefined is not None, outcome.changes, tuple(places))


@pytest.mark.parametrize("alternative", WITNESSES)
def test_an_alternative_changes_what_both_writings_do(alternative: str) -> None:
    """`execute` and the footprint agree under either answer, and differ from one to the other."""
    witness = WITNESSES[alternative]()
    usual, otherwise = effect(witness), effect(witness, alternative)
    assert usual != otherwise
    if alternative != "half-result-rest=zero":  # what the default leaves open there, a run may leave as zeros
        assert (usual.undefined, usual.changes) != (otherwise.undefined, otherwise.changes)


@pytest.mark.parametrize("alternative", LEGALITY)
def test_an_alternative_changes_what_is_legal(alternative: str) -> None:
    witness, verdicts = LEGALITY[alternative](), list[bool]()
    for readings in (DEFAULT, readings_from([alternative])):
        try:
            witness.instruction.validate(witness.platform, readings)
        except IllegalInstruction:
            verdicts.append(False)
        else:
            verdicts.append(True)
    assert verdicts[0] != verdicts[1]


def test_any_winner_is_not_the_last_one() -> None:
    """Where the winner is open, the run shows another one than the last."""
    witness = scatter(4, 4)
    assert effect(witness, "collision=last-wins").changes != effect(witness, "collision=any-wins").changes


def test_the_names_of_readings_are_those_of_the_table() -> None:
    assert {alternative.partition("=")[0] for alternative in (*WITNESSES, *LEGALITY)} <= READINGS.keys()
