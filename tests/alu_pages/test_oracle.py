"""The oracle itself: examples worked by hand from the pages, and NumPy's floats, which nobody here wrote."""

from random import Random

import numpy as np
import pytest

from benchmarks.alu_vectors import integers, moves
from benchmarks.alu_vectors.edges import float_edges
from benchmarks.alu_vectors.floats import FloatLane
from benchmarks.alu_vectors.floats import result as float_result
from benchmarks.alu_vectors.generator import instructions, states
from benchmarks.alu_vectors.integers import IntegerLane
from benchmarks.alu_vectors.modes import Mode
from benchmarks.alu_vectors.oracle import expected
from benchmarks.alu_vectors.pages import ROWS
from benchmarks.alu_vectors.reals import decode, real, rounded
from benchmarks.alu_vectors.types import DOUBLE, HALF, SINGLE, TYPES, FloatFormat, packed_elements
from benchmarks.alu_vectors.vector import SCALAR, Constant, Source, State, Vector

KEEP = Mode(0x4C0)
NUMPY = {HALF: (np.float16, np.uint16), SINGLE: (np.float32, np.uint32), DOUBLE: (np.float64, np.uint64)}


def integer(opcode: str, destination: str, sources: list[tuple[str, int]], saturate: bool = False) -> set[int]:
    """The allowed results of an integer operation."""
    types = tuple(TYPES[name] for name, _ in sources)
    lane = IntegerLane(TYPES[destination], types, saturate)
    numbers = [integers.modified(value & kind.mask, kind, "") for kind, (_, value) in zip(types, sources, strict=True)]
    return set(integers.result(opcode, lane, numbers).bits)


@pytest.mark.parametrize(
    ("opcode", "destination", "sources", "result"),
    [
        ("fbh", "ud", [("d", -2)], 31),
        ("fbh", "ud", [("ud", 0xFFFF_FFFE)], 0),
        ("fbh", "ud", [("d", -1)], 0xFFFF_FFFF),
        ("bfe", "d", [("d", 4), ("d", 8), ("d", 0xF00)], 0xFFFF_FFFF),
        ("bfe", "ud", [("ud", 4), ("ud", 8), ("ud", 0xF00)], 0xF),
        ("bfi", "ud", [("ud", 4), ("ud", 8), ("ud", 0x5), ("ud", 0xFFFF_FFFF)], 0xFFFF_F5FF),
        ("div", "d", [("d", -7), ("d", 2)], -3 & 0xFFFF_FFFF),
        ("mod", "d", [("d", -7), ("d", 2)], 0xFFFF_FFFF),
        ("avg", "ub", [("ub", 255), ("ub", 254)], 255),
        ("avg", "b", [("b", -3), ("b", 0)], 0xFF),
        ("shl", "d", [("d", 1), ("d", 33)], 2),
        ("shl", "q", [("q", 1), ("d", 33)], 2**33),
        ("asr", "w", [("w", -32768), ("uw", 15)], 0xFFFF),
        ("rol", "uw", [("uw", 0x8001), ("uw", 17)], 0x0003),
        ("ror", "uw", [("uw", 0x8001), ("uw", 1)], 0xC000),
        ("mulh", "d", [("d", -1), ("d", 1)], 0xFFFF_FFFF),
        ("lzd", "ud", [("ud", 0)], 32),
        ("fbl", "ud", [("ud", 0)], 0xFFFF_FFFF),
        ("dp4a", "d", [("d", 1), ("d", 0x0101_01FF), ("ud", 0x0202_02FF)], 0xFFFF_FF08),
    ],
)
def test_integer_examples(opcode: str, destination: str, sources: list[tuple[str, int]], result: int) -> None:
    assert integer(opcode, destination, sources) == {result}


def test_saturation_clamps_the_exact_result() -> None:
    assert integer("add", "ub", [("ub", 200), ("ub", 100)], saturate=True) == {255}
    assert integer("add", "d", [("d", 2**31 - 1), ("d", 1)], saturate=True) == {2**31 - 1}


def scalar_setp(size: int, offset: int, count: int, before: int, bits: int) -> set[int]:
    vector = Vector("setp", "tgllp", size, offset, True, sources=(Constant("ud", bits),), predicates={"R": count},
                    result="R")  # fmt: skip
    return set(expected(vector, State({}, {"R": before}, 1)).predicates["R"].bits)


def test_setp_updates_a_half_of_16_elements() -> None:
    assert scalar_setp(8, 0, 32, 0xFFFF_FFFF, 0x1234) == {0xFFFF_1234}
    assert scalar_setp(8, 16, 32, 0, 0x1234) == {0x1234_0000}
    assert scalar_setp(32, 0, 32, 0, 0x1234_5678) == {0x1234_5678}
    assert scalar_setp(8, 0, 8, 0, 0x1234) == {0x34}


def test_packed_immediates_have_eight_words_or_four_floats() -> None:
    assert packed_elements("v", 0x7654_F210)[:5] == [0, 1, 2, 0xFFFF, 4]
    assert [float(decode(each, SINGLE).value) for each in packed_elements("vf", 0xB0_40_30_00)] == [0, 1, 2, -1]


@pytest.mark.parametrize("form", NUMPY)
def test_nearest_even_is_numpys(form: FloatFormat) -> None:
    """Sums and products of edge values, with denormals kept; NumPy's halves are rounded twice, but exactly so."""
    floating, whole = NUMPY[form]
    random = Random(7)
    pairs = [(random.choice(float_edges(form)), random.choice(float_edges(form))) for _ in range(2000)]
    for one, other in pairs:
        a, b = (np.array([bits], whole).view(floating) for bits in (one, other))
        with np.errstate(all="ignore"):
            for opcode, computed in (("add", a + b), ("mul", a * b)):
                lane = FloatLane(form, (form, form), False, KEEP)
                bits = int(computed.view(whole)[0])
                if form == HALF and any(form.is_denormal(each) for each in (one, other, bits)):
                    continue  # the page flushes them
                assert float_result(opcode, lane, [one, other]).permits(bits), (opcode, hex(one), hex(other))


@pytest.mark.parametrize(("source", "target"), [(DOUBLE, SINGLE), (SINGLE, HALF), (DOUBLE, HALF)])
def test_conversions_round_as_numpys(source: FloatFormat, target: FloatFormat) -> None:
    for bits in float_edges(source):
        if not source.is_nan(bits):
            with np.errstate(all="ignore"):
                value = np.array([bits], NUMPY[source][1]).view(NUMPY[source][0]).astype(NUMPY[target][0])
            assert rounded(decode(bits, source), target, "even") == int(value.view(NUMPY[target][1])[0])


@pytest.mark.parametrize(("rounding", "low", "high"), [("up", 1, 1), ("down", 0, 2), ("zero", 0, 1), ("even", 0, 1)])
def test_roundings_of_a_third(rounding: str, low: int, high: int) -> None:
    """1/3 and -1/3 lie between two singles; `low` and `high` are the steps from the one towards zero."""
    towards = 0x3EAAAAAA
    third = real(1).value / 3
    up = {"up": (1, 0), "down": (0, 1), "zero": (0, 0), "even": (1, 1)}[rounding]
    assert rounded(real(third), SINGLE, rounding) == towards + up[0]
    assert rounded(real(-third), SINGLE, rounding) == 0x8000_0000 + towards + up[1]


def converted(bits: int, source: str, target: str, saturate: bool = False) -> set[int]:
    return set(moves.moved(bits, TYPES[source], "", TYPES[target], saturate, KEEP).bits)


def test_floats_become_integers_by_the_table() -> None:
    assert converted(0x4F80_0000, "f", "ud") == {0xFFFF_FFFF}  # 2^32
    assert converted(0xBFC0_0000, "f", "d") == {0xFFFF_FFFF}  # -1.5
    assert converted(0x7FC0_0000, "f", "w") == {0}
    assert converted(0xBF80_0000, "f", "ub", saturate=True) == {0}
    assert moves.moved(0xBF80_0000, TYPES["f"], "", TYPES["ub"], False, KEEP).free == 0xFF


def test_bf8_and_tf32_round_to_nearest_even() -> None:
    narrowed = [
        moves.narrowed(bits, TYPES["hf"], TYPES["ub"]).bits for bits in (0x3C00, 0x3C80, 0x3D80, 0x7BFF, 0x0080)
    ]
    assert narrowed == [{0x3C}, {0x3C}, {0x3E}, {0x7C}, {0x00}]
    assert moves.narrowed(0x3F80_1000, TYPES["f"], TYPES["ud"]).bits == {0x3F80_0000}
    assert moves.narrowed(0x0040_0000, TYPES["f"], TYPES["ud"]).bits == {0}


@pytest.mark.parametrize("form", ROWS)
def test_every_instruction_keeps_the_rules_of_regions(form: str) -> None:
    """No operand spans more than two registers or leaves its variable; widths, strides and sizes are legal."""
    for vector in instructions(form, 20, 5):
        assert vector.offset % vector.size in (0, vector.offset)
        assert vector.offset + vector.size <= 32
        for source in vector.sources:
            if isinstance(source, Source):
                assert source.region == SCALAR or source.region.width <= vector.size
        state = next(states(vector, 5))
        for each in expected(vector, state).elements:
            assert each.byte + each.bytes <= len(state.registers[each.variable])
