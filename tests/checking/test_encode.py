"""The public encoding in z3 arrays says what `execute` does, and what the memory-free form says."""

from importlib import import_module
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.checking.encode import Arrays, BufferArray, ImageArray, Step, encode
from visaproof.checking.runs import run
from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image

z3: Any = import_module("z3")

BYTES = z3.ArraySort(z3.BitVecSort(40), z3.BitVecSort(8))


def image_in_arrays(image: Image, texel_bits: int) -> ImageArray:
    texels: Any = z3.K(z3.BitVecSort(128), z3.BitVecVal(0, texel_bits))
    for (u, v, r, lod), content in image.texels.items():
        index = u << 96 | v << 64 | r << 32 | lod
        texels = z3.Store(texels, z3.BitVecVal(index, 128), z3.BitVecVal(content, texel_bits))
    levels = (map(numeral, image.extents(lod)) for lod in range(len(image.levels)))
    return ImageArray(texels, tuple((u, v, r) for u, v, r in levels))


def numeral(extent: int) -> Any:
    return z3.BitVecVal(extent, 32)


def in_arrays(state: ConcreteState, texel_bits: int = 32) -> Arrays:
    surfaces: dict[str, BufferArray | ImageArray] = {}
    for name, surface in state.surfaces.items():
        if isinstance(surface, Buffer):
            contents: Any = z3.K(z3.BitVecSort(40), z3.BitVecVal(0, 8))
            for address, byte in surface.contents.items():
                contents = z3.Store(contents, z3.BitVecVal(address, 40), z3.BitVecVal(byte, 8))
            surfaces[name] = BufferArray(contents, z3.BitVecVal(surface.size, 40))
        else:
            surfaces[name] = image_in_arrays(surface, texel_bits)
    registers = {
        name: z3.BitVecVal(int.from_bytes(content, "little"), 8 * len(content))
        for name, content in state.registers.items()
    }
    predicates = {name: z3.BitVecVal(bits.bits, bits.count) for name, bits in state.predicates.items()}
    return Arrays(state.platform, z3.BitVecVal(state.exec_mask, 32), registers, surfaces, predicates)


def value(expression: Any) -> int:
    return z3.simplify(expression).as_long()


def assert_agrees(instruction: Instruction, before: ConcreteState, texel_bits: int = 32) -> None:
    """The step has the outcome of `execute`: undefined both or neither, and else every byte the same.

    Bytes that the page leaves undefined are arbitrary in the step; 0, as in `execute`, is one of their values.
    """
    step = encode(instruction, in_arrays(before, texel_bits))
    after = before.copy()
    expected = run(instruction, before, [before.exec_mask]).outcome
    assert z3.is_true(z3.simplify(step.undefined)) == (expected.undefined is not None)
    if expected.undefined is not None:
        return
    instruction.execute(after)
    for name, content in after.registers.items():
        zeros = [(constant, z3.BitVecVal(0, constant.size())) for constant in step.arbitrary]
        found = z3.substitute(step.after.registers[name], *zeros)
        assert value(found).to_bytes(len(content), "little") == bytes(content), name
    for name, surface in after.surfaces.items():
        assert_same_surface(step, name, surface)


def assert_same_surface(step: Step, name: str, surface: Buffer | Image) -> None:
    found = step.after.surfaces[name]
    if isinstance(surface, Buffer):
        assert isinstance(found, BufferArray)
        for address in range(96):
            assert value(z3.Select(found.bytes, z3.BitVecVal(address, 40))) == surface.contents.get(address, 0), address
    else:
        assert isinstance(found, ImageArray)
        for u, v, r, lod in product(range(4), range(4), range(3), range(3)):
            index = z3.BitVecVal(u << 96 | v << 64 | r << 32 | lod, 128)
            assert value(z3.Select(found.texels, index)) == surface.texels.get((u, v, r, lod), 0), (u, v, r, lod)


words = st.integers(0, 2**32 - 1)
near = st.sampled_from([0, 4, 8, 12, 16, 20, 24, 28, 32, 60, 64, 2**32 - 4, 2, 7])


def register(values: list[int]) -> bytearray:
    return bytearray(b"".join(word.to_bytes(4, "little") for word in values))


@st.composite
def threads(draw: st.DrawFn, variables: dict[str, st.SearchStrategy[list[int]]]) -> ConcreteState:
    state = ConcreteState(Platform.DG2, exec_mask=draw(words))
    state.registers = {name: register(draw(values)) for name, values in variables.items()}
    state.predicates = {"P1": PredicateBits(32, draw(words))}
    contents = draw(st.dictionaries(st.integers(0, 80), st.integers(0, 255), max_size=8))
    state.surfaces = {"T6": Buffer(draw(st.integers(0, 80)), contents)}
    return state


@st.composite
def typed_threads(draw: st.DrawFn, texel_bits: int) -> ConcreteState:
    """A surface of any kind with up to three levels, and eight lanes of small coordinates."""
    coordinates = {name: lists(st.integers(0, 3), 8) for name in ("VU", "VV", "VR", "VL")}
    state = draw(threads(coordinates | {name: lists(st.integers(0, 2**32 - 1), 8) for name in ("VS0", "VS1", "VD")}))
    extent = st.integers(0, 4)
    levels = draw(st.lists(st.tuples(extent, extent, extent), min_size=1, max_size=3))
    place = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2))
    texels = draw(st.dictionaries(place, st.integers(0, 2**texel_bits - 1)))
    kind = draw(st.sampled_from(SurfaceKind))
    state.surfaces = {"T6": Image(tuple(levels), texels, kind, draw(st.integers(1, 4)))}
    return state


def lists(values: st.SearchStrategy[int], size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(values, min_size=size, max_size=size)


P = Predicate("P1")


@settings(max_examples=25)
@given(threads({"VG": lists(near, 1), "VO": lists(near, 8), "VS": lists(words, 32)}), st.integers(1, 15))
def test_scatter4_scaled_in_arrays_does_what_execute_does(before: ConcreteState, channels: int) -> None:
    instruction = Scatter4Scaled(
        Execution(8, ExecMask.M3, P), Channels(channels), "T6", ScalarUD("VG"), RawOperand("VO"), RawOperand("VS")
    )
    assert_agrees(instruction, before)


@settings(max_examples=25)
@given(threads({"VG": lists(st.sampled_from([0, 1, 2, 4, 2**28]), 1), "VD": lists(words, 8)}))
def test_oword_ld_in_arrays_does_what_execute_does(before: ConcreteState) -> None:
    assert_agrees(OwordLd(2, "T6", ScalarUD("VG"), RawOperand("VD")), before)


@settings(max_examples=25)
@given(threads({"VO": lists(st.sampled_from([0, 8, 16, 64, 72, 4]), 4), "VQ": lists(words, 8)}))
def test_qw_scatter_in_arrays_does_what_execute_does(before: ConcreteState) -> None:
    assert_agrees(QwScatter(Execution(4, ExecMask.M2, P), "T6", RawOperand("VO"), RawOperand("VQ")), before)


@pytest.mark.slow
@pytest.mark.parametrize("texel_bits", [32, 16])
def test_typed_atomic_in_arrays_does_what_execute_does(texel_bits: int) -> None:
    """On every kind of surface, with one level and with several, with a LOD and without."""

    @settings(max_examples=40)
    @given(typed_threads(texel_bits), st.sampled_from(PAGE_OPS), st.booleans())
    def agree(before: ConcreteState, op: AtomicOp, deep: bool) -> None:
        sources = [RawOperand(name) if k < op.sources else NULL for k, name in enumerate(("VS0", "VS1"))]
        image = before.image("T6")
        names = ("VU", "VV", "VR")[: len(image.kind.axes)]
        u, v, r = (*map(RawOperand, names), NULL, NULL)[:3]
        instruction = TypedAtomic(
            Execution(8, ExecMask.M1, P), op, "T6", u, v, r, RawOperand("VL") if deep else NULL,
            sources[0], sources[1], RawOperand("VD"), texel_bits,
        )  # fmt: skip
        assert_agrees(instruction, before, texel_bits)

    agree()


def test_what_a_16_bit_result_leaves_undefined_is_arbitrary_for_enabled_lanes_only() -> None:
    instruction = TypedAtomic(Execution(8), AtomicOp.INC, "T6", RawOperand("VU"), dst=RawOperand("VD"), texel_bits=16)
    before = ConcreteState(Platform.DG2, exec_mask=0b01)
    before.registers = {"VU": register([0] * 8), "VD": register([0xAAAA_AAAA] * 8)}
    before.surfaces = {"T6": Image(((1, 1, 1),))}
    step, again = (encode(instruction, in_arrays(before, 16)) for _ in range(2))
    lanes = [z3.simplify(z3.Extract(32 * lane + 31, 32 * lane, step.after.registers["VD"])) for lane in range(8)]
    assert [value(lane) for lane in lanes[1:]] == [0xAAAA_AAAA] * 7
    assert lanes[0].eq(z3.simplify(z3.Concat(step.arbitrary[0], z3.BitVecVal(0, 16))))
    assert not step.arbitrary[0].eq(again.arbitrary[0])


def test_texels_of_another_width_are_refused() -> None:
    instruction = TypedAtomic(Execution(8), AtomicOp.INC, "T6", RawOperand("VU"), texel_bits=16)
    before = ConcreteState(Platform.DG2, registers={"VU": register([0] * 8)}, surfaces={"T6": Image(((1, 1, 1),))})
    with pytest.raises(ValueError, match="texels of 32 bits, not of 16"):
        encode(instruction, in_arrays(before))


def test_the_array_form_of_two_qwords_is_the_memory_free_form() -> None:
    """At an arbitrary byte, for all offsets, data, masks and sizes, where the page defines the outcome: a proof."""
    instruction = QwScatter(Execution(2), "T6", RawOperand("VO"), RawOperand("VQ"))
    memory, size = z3.Const("memory", BYTES), z3.BitVec("size", 40)
    offsets, data, mask = z3.BitVec("VO", 64), z3.BitVec("VQ", 128), z3.BitVec("em", 32)
    before = Arrays(Platform.DG2, mask, {"VO": offsets, "VQ": data}, {"T6": BufferArray(memory, size)})
    step = encode(instruction, before)
    after = step.after.surfaces["T6"]
    assert isinstance(after, BufferArray)
    probe = z3.BitVec("probe", 40)
    stated: Any = z3.Select(memory, probe)
    for lane in range(2):
        first = z3.ZeroExt(8, z3.Extract(32 * lane + 31, 32 * lane, offsets))
        for byte in range(8):
            last_of_dword = first + (byte | 3)
            here = z3.And(z3.Extract(lane, lane, mask) == 1, probe == first + byte, z3.ULT(last_of_dword, size))
            stated = z3.If(here, z3.Extract(64 * lane + 8 * byte + 7, 64 * lane + 8 * byte, data), stated)
    solver = z3.Solver()
    solver.set(timeout=60_000)
    solver.add(z3.Not(step.undefined), z3.ULE(size, 2**33), z3.Select(after.bytes, probe) != stated)
    assert solver.check() == z3.unsat


def test_a_wrong_statement_of_the_array_form_is_refuted() -> None:
    """The same question with a bound that is one byte short has a counterexample."""
    instruction = QwScatter(Execution(1), "T6", RawOperand("VO"), RawOperand("VQ"))
    memory, size = z3.Const("memory", BYTES), z3.BitVec("size", 40)
    offsets, data, mask = z3.BitVec("VO", 32), z3.BitVec("VQ", 64), z3.BitVec("em", 32)
    before = Arrays(Platform.DG2, mask, {"VO": offsets, "VQ": data}, {"T6": BufferArray(memory, size)})
    step = encode(instruction, before)
    after = step.after.surfaces["T6"]
    assert isinstance(after, BufferArray)
    first = z3.ZeroExt(8, offsets)
    enabled = z3.Extract(0, 0, mask) == 1
    unwritten = z3.Select(after.bytes, first) != z3.Extract(7, 0, data)
    for bytes_inside, answer in ((4, z3.unsat), (3, z3.sat)):
        solver = z3.Solver()
        solver.add(z3.Not(step.undefined), enabled, first + bytes_inside == size, unwritten)
        assert solver.check() == answer


def test_a_size_of_another_width_is_refused() -> None:
    before = Arrays(
        Platform.DG2,
        z3.BitVec("em", 32),
        {"VO": z3.BitVec("VO", 32), "VQ": z3.BitVec("VQ", 64)},
        {"T6": BufferArray(z3.Const("memory", BYTES), z3.BitVec("size", 32))},
    )
    with pytest.raises(ValueError, match="40"):
        encode(QwScatter(Execution(1), "T6", RawOperand("VO"), RawOperand("VQ")), before)
