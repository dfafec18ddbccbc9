"""Pages of ALU and predicate opcodes, worked by hand, on both concrete machines."""

import struct
from collections.abc import Iterator

import numpy as np
import pytest

from visaproof.isa.errors import NotModelled, UndefinedBehavior
from visaproof.isa.float_modes import CONTROL
from visaproof.isa.platform import Platform
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.choices import POLICIES, Choices
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.visaasm.reader import read_kernel

SIZES = {"ud": 4, "d": 4, "f": 4, "uw": 2, "w": 2, "hf": 2, "bf": 2, "ub": 1, "b": 1, "df": 8}
DECLARATIONS = "\n".join(
    [
        ".version 4.1",
        '.kernel "k"',
        *(f".decl {root} v_type=G type=ud num_elts=64 align=GRF" for root in "RA"),
        *(
            f".decl {root}{kind} v_type=G type={kind} num_elts={256 // size} alias=<{root}, 0>"
            for root in "RA"
            for kind, size in SIZES.items()
        ),
        ".decl P8 v_type=P num_elts=8",
        ".decl P16 v_type=P num_elts=16",
        ".decl P32 v_type=P num_elts=32",
        ".decl T6 v_type=T num_elts=1",
        ".kernel_attr SimdSize=32",
        '.function "k"',
        "_main:",
    ]
)
KEEPS_DENORMALS = 0x4C0


def execute(
    body: str,
    content: bytes = b"",
    *,
    lanes: int = 0xFFFF_FFFF,
    predicates: int = 0,
    platform: Platform = Platform.DG2,
    control: int = KEEPS_DENORMALS,
    policy: int = 0,
) -> Iterator[ConcreteState]:
    """The state after a statement on the scalar machine, and that on arrays; A holds the content, R 0xee everywhere."""
    kernel = read_kernel(f"{DECLARATIONS}\n    {body}\n    ret (M1, 1)\n", "k.visaasm")
    registers = {
        "A": content.ljust(256, b"\0"),
        "R": b"\xee" * 256,
        CONTROL: control.to_bytes(4, "little").ljust(16, b"\0"),
    }
    state = ConcreteState(platform, lanes, choices=Choices(policy))
    state.registers = {name: bytearray(held) for name, held in registers.items()}
    state.predicates = {f"P{bits}": PredicateBits(bits, predicates % (1 << bits)) for bits in (8, 16, 32)}
    arrays = {name: np.frombuffer(held, np.uint8).reshape(1, -1).copy() for name, held in registers.items()}
    bits = {
        name: np.array([[held.bits >> k & 1 for k in range(held.count)]], np.bool_)
        for name, held in state.predicates.items()
    }
    outcome = run(kernel, state)
    if outcome.undefined is not None:
        raise UndefinedBehavior(outcome.undefined.message)
    yield state
    found = run_threads(
        kernel, platform, arrays, np.array([lanes]), Memories(), np.array([0]), predicates=bits, choices=Choices(policy)
    )
    assert not found.not_modelled
    assert not found.undefined
    after = ConcreteState(platform, lanes)
    after.registers = {name: bytearray(held[0].tobytes()) for name, held in found.registers.items()}
    after.predicates = {
        name: PredicateBits(held.shape[1], sum(int(bit) << k for k, bit in enumerate(held[0])))
        for name, held in found.predicates.items()
    }
    yield after


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *(value % 2**32 for value in values))


def result(state: ConcreteState, count: int, kind: str = "f") -> list[float]:
    return list(struct.unpack_from(f"<{count}{kind}", state.registers["R"]))


# ---------------------------------------------------------------- page SETP


@pytest.mark.parametrize(
    ("statement", "name", "expected"),
    [
        ("setp (M1_NM, 8) P32 0x123456ab:ud", "P32", 0xFFFF_56AB),
        ("setp (M1_NM, 1) P32 0x123456ab:ud", "P32", 0xFFFF_56AB),
        ("setp (M5_NM, 8) P32 0x123456ab:ud", "P32", 0x56AB_FFFF),
        ("setp (M5_NM, 16) P32 0x123456ab:ud", "P32", 0x56AB_FFFF),
        ("setp (M1_NM, 32) P32 0x123456ab:ud", "P32", 0x1234_56AB),
        ("setp (M1_NM, 8) P16 0x123456ab:ud", "P16", 0x56AB),
        ("setp (M1_NM, 8) P8 0x123456ab:ud", "P8", 0xAB),
        ("setp (M1_NM, 4) P8 0x123456ab:ud", "P8", 0xAB),
        ("setp (M1_NM, 16) P32 0xff:ub", "P32", 0xFFFF_00FF),
        ("setp (M1, 16) P32 0x3:uw", "P32", 0xFFFF_0003),
        ("setp (M1_NM, 16) P32 Aud(0,0)<0;1,0>", "P32", 0xFFFF_0102),
        ("setp (M1_NM, 4) P32 Aub(0,0)<1;1,0>", "P32", 0xFFFF_FFF2),
    ],
)
def test_setp_updates_16_bit_halves(statement: str, name: str, expected: int) -> None:
    for state in execute(statement, words(0x0000_0102), lanes=0xF0, predicates=0xFFFF_FFFF):
        assert state.predicates[name].bits == expected


@pytest.mark.parametrize("mask", ["M2_NM", "M3_NM", "M4", "M6_NM", "M7_NM"])
def test_setp_of_a_scalar_needs_the_mask_of_a_half(mask: str) -> None:
    with pytest.raises(NotModelled, match="M1 or M5"):
        list(execute(f"setp ({mask}, 4) P32 0x1:ud"))


@pytest.mark.parametrize(("size", "expected"), [(1, 0xFE), (4, 0xF5), (8, 0x5A)])
def test_not_of_a_predicate_changes_the_bits_of_its_lanes(size: int, expected: int) -> None:
    """Reading predicate-not."""
    before = {1: 0xFF, 4: 0xFA, 8: 0xA5}[size]
    for state in execute(f"not (M1_NM, {size}) P32 P32", lanes=1, predicates=0x1234_5600 | before):
        assert state.predicates["P32"].bits == 0x1234_5600 | expected


# ---------------------------------------------------------------- pages LRP and PLN


@pytest.mark.parametrize("region", ["<1;1,0>", "<8;8,1>", "<2;1,0>", "<8;4,2>", "<4;2,0>"])
def test_lrp_takes_contiguous_elements_whatever_its_regions(region: str) -> None:
    content = floats(0, 1, 0.5, 0.25, 2, 0, 1, 0.5, *range(8), *range(10, 18))
    for state in execute(f"lrp (M1, 8) Rf(0,0)<2> Af(0,0){region} Af(1,0){region} Af(2,0)<1;1,0>", content):
        assert result(state, 8) == [10, 1, 7, 10.5, -6, 15, 6, 12]
        assert state.registers["R"][32:] == b"\xee" * 224


@pytest.mark.parametrize("policy", range(POLICIES))
def test_lrp_flushes_denormals_at_its_ends_alone(policy: int) -> None:
    body = "lrp (M1, 1) Rf(0,0)<1> Af(0,0)<0;1,0> Af(0,1)<0;1,0> Af(0,2)<0;1,0>"
    for state in execute(body, words(0x1C80_0000, 0x9C80_0000, 0), control=0x10, policy=policy):
        assert result(state, 1, "I") == [0x8000_0000]  # -2^-140 + 0, rounded up


def test_lrp_broadcasts_scalar_regions() -> None:
    content = floats(0.5, 9, 9, 9, 9, 9, 9, 9, *range(8))
    for state in execute("lrp (M1, 8) Rf(0,0)<1> Af(0,0)<0;1,0> Af(1,0)<8;8,1> 0x40000000:f", content):
        assert result(state, 8) == [1 + k / 2 for k in range(8)]


@pytest.mark.parametrize("size", [8, 16])
def test_plane_takes_pairs_of_eight_elements_and_three_scalars(size: int) -> None:
    """Lane 8 takes u from element 16 on, and v from element 24 on."""
    scalars = floats(2, 100, 7, 0.5, 0, 0, 0, 0)  # p, q, unused, r
    content = scalars + floats(*range(32))
    expected = [2 * (k // 8 * 16 + k % 8) + 100 * (k // 8 * 16 + k % 8 + 8) + 0.5 for k in range(size)]
    for regions in ("<0;1,0>", "<8;8,1>"):
        for state in execute(f"plane (M1, {size}) Rf(0,0)<1> Af(0,0){regions} Af(1,0){regions}", content):
            assert result(state, size) == expected


def test_plane_runs_on_eight_or_sixteen_lanes_only() -> None:
    with pytest.raises(NotModelled, match="8 or 16"):
        list(execute("plane (M1, 4) Rf(0,0)<1> Af(0,0)<0;1,0> Af(1,0)<8;8,1>"))


# ---------------------------------------------------------------- rounding


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("rndd", [-3.0, -1.0, -0.0, 0.0, 0.0, 2.0, 3.0, 1e30]),
        ("rndu", [-2.0, -0.0, -0.0, 0.0, 1.0, 3.0, 4.0, 1e30]),
        ("rnde", [-2.0, -0.0, -0.0, 0.0, 0.0, 2.0, 4.0, 1e30]),
        ("rndz", [-2.0, -0.0, -0.0, 0.0, 0.0, 2.0, 3.0, 1e30]),
        ("frc", [0.5, 0.5, 0.0, 0.0, 0.25, 0.5, 0.5, 0.0]),
    ],
)
def test_rounding_opcodes_keep_the_sign_of_zero(opcode: str, expected: list[float]) -> None:
    content = floats(-2.5, -0.5, -0.0, 0.0, 0.25, 2.5, 3.5, 1e30)
    for state in execute(f"{opcode} (M1, 8) Rf(0,0)<1> Af(0,0)<8;8,1>", content):
        assert state.registers["R"][:32] == floats(*expected)


@pytest.mark.parametrize(("control", "expected"), [(0, {0x8000_0000}), (KEEPS_DENORMALS, {0xBF80_0000})])
def test_rounding_keeps_denormals_where_the_register_does(control: int, expected: set[int]) -> None:
    for policy in range(POLICIES):
        body = "rndd (M1, 1) Rf(0,0)<1> Af(0,0)<0;1,0>"
        for state in execute(body, words(0x8000_0001), control=control, policy=policy):
            expected -= set(result(state, 1, "I"))
    assert not expected


@pytest.mark.parametrize(
    ("body", "content", "allowed"),
    [
        ("frc (M1, 1) Rf(0,0)<1> Af(0,0)<0;1,0>", words(0xB080_0000), {0x3F80_0000}),  # of -2^-30, to nearest
        (
            "lrp (M1, 1) Rf(0,0)<1> Af(0,0)<0;1,0> Af(0,1)<0;1,0> Af(0,2)<0;1,0>",
            words(0x3F1E_2FEB, 0x3F7E_D4D5, 0x3F73_11D8),
            {0x3F7A_5663, 0x3F7A_5664},
        ),
    ],
)
def test_results_that_no_page_rounds_are_nondeterministic(body: str, content: bytes, allowed: set[int]) -> None:
    found = {
        int(result(state, 1, "I")[0]) for policy in range(POLICIES) for state in execute(body, content, policy=policy)
    }
    assert found == allowed


# ---------------------------------------------------------------- F with HF or BF


@pytest.mark.parametrize(
    ("body", "content", "kind", "allowed"),
    [
        ("mul (M1, 1) Rf(0,0)<1> Ahf(0,0)<0;1,0> Af(0,1)<0;1,0>", words(0x3555, 0x4040_0000), "I", {0x3F7F_F000}),
        ("mul (M1, 1) Rf(0,0)<1> Ahf(0,0)<0;1,0> Ahf(0,0)<0;1,0>", words(0x3C01), "I", {0x3F80_4008}),
        ("mul (M1, 1) Rf(0,0)<1> Ahf(0,0)<0;1,0> Af(0,1)<0;1,0>", words(0x0001, 0x3F80_0000), "I", {0, 0x3380_0000}),
        ("add (M1, 1) Rf(0,0)<1> Abf(0,0)<0;1,0> Af(0,1)<0;1,0>", words(0x3F80, 0x3400_0000), "I", {0x3F80_0001}),
        ("add (M1, 1) Rf(0,0)<1> Abf(0,0)<0;1,0> Af(0,1)<0;1,0>", words(0x0001, 0), "I", {0, 0x1_0000}),
        ("sel (M1, 1) Rf(0,0)<1> Ahf(0,0)<0;1,0> Af(0,1)<0;1,0>", words(0x3C00, 0), "I", {0x3F80_0000}),
        (  # 2^-26 above the middle of two HF
            "mad (M1, 1) Rhf(0,0)<1> Af(0,0)<0;1,0> Af(0,0)<0;1,0> Af(0,1)<0;1,0>",
            words(0x3900_0000, 0x3F80_1000), "H", {0x3C00, 0x3C01},
        ),
        (  # 2^127 · 2, and -2^128 is no F: a product beyond F
            "mad (M1, 1) Rhf(0,0)<1> Af(0,0)<0;1,0> Af(0,1)<0;1,0> Af(0,2)<0;1,0>",
            words(0x7F00_0000, 0xC000_0000, 0x7F7F_FFFF), "H", {0xFC00},
        ),
    ],
)  # fmt: skip
def test_mixed_floats_are_converted_exactly_and_rounded(
    body: str, content: bytes, kind: str, allowed: set[int]
) -> None:
    body = f"(P32) {body}" if body.startswith("sel") else body
    found = {
        int(result(state, 1, kind)[0])
        for policy in range(POLICIES)
        for state in execute(body, content, policy=policy, predicates=1)
    }
    assert found == allowed


@pytest.mark.parametrize(("platform", "taken"), [(Platform.TGLLP, False), (Platform.DG2, True)])
def test_f_mixes_with_bf_from_xehp_on(platform: Platform, taken: bool) -> None:
    body = "mul (M1, 1) Rf(0,0)<1> Abf(0,0)<0;1,0> Af(0,1)<0;1,0>"
    if taken:
        assert all(execute(body, platform=platform))
    else:
        with pytest.raises(NotModelled, match="page MUL"):
            list(execute(body, platform=platform))


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ((1.0, 3.0), 0x3EAA_AAAB),
        ((2.0, 3.0), 0x3F2A_AAAB),
        ((-1.0, 0.0), 0xFF80_0000),
        ((0.0, -5.0), 0x8000_0000),
        ((1.0, float("inf")), 0),
    ],
)
def test_divm_is_correctly_rounded(sources: tuple[float, float], expected: int) -> None:
    for state in execute("divm (M1, 1) Rf(0,0)<1> Af(0,0)<0;1,0> Af(0,1)<0;1,0>", floats(*sources)):
        assert result(state, 1, "I") == [expected]


@pytest.mark.parametrize(
    ("bits", "expected"), [(0x4000_0000, 0x3FB5_04F3), (0x8000_0000, 0x8000_0000), (1, 0x1A35_04F3)]
)
def test_sqrtm_is_correctly_rounded(bits: int, expected: int) -> None:
    for state in execute("sqrtm (M1, 1) Rf(0,0)<1> Af(0,0)<0;1,0>", words(bits)):
        assert result(state, 1, "I") == [expected]


# ---------------------------------------------------------------- pages SAD2, SAD2ADD, FCVT, MOVS


def test_sad2_sums_pairs_into_even_lanes() -> None:
    content = bytes([1, 250, 9, 0, 7, 7, 255, 0]).ljust(32, b"\0") + bytes([4, 240, 0, 9, 7, 7, 0, 255]).ljust(
        32, b"\0"
    )
    addends = struct.pack("<8h", 100, 0, -1, 0, 5, 0, 0, 0)
    for state in execute("sad2 (M1, 8) Ruw(0,0)<1> Aub(0,0)<8;8,1> Aub(1,0)<8;8,1>", content, lanes=0b11_1111):
        assert list(struct.unpack_from("<8H", state.registers["R"]))[:8:2] == [13, 18, 0, 0xEEEE]
    body = "sad2add (M1, 8) Rw(0,0)<1> Aub(0,0)<8;8,1> Aub(1,0)<8;8,1> Aw(2,0)<8;8,1>"
    for state in execute(body, content + addends):
        assert list(struct.unpack_from("<8h", state.registers["R"]))[:8:2] == [113, 17, 5, 510]


@pytest.mark.parametrize(
    ("half", "expected"),
    [
        (0x3C00, 0x3C),  # 1.0
        (0x3C80, 0x3C),  # half way, to even
        (0x3D80, 0x3E),
        (0x3C81, 0x3D),
        (0x7BFF, 0x7C),  # beyond the largest: infinity
        (0x8001, 0x80),
        (0x0180, 0x02),  # denormals are kept
        (0xFC00, 0xFC),
    ],
)
def test_fcvt_rounds_halves_to_bf8(half: int, expected: int) -> None:
    for state in execute("fcvt (M1_NM, 1) Rub(0,0)<1> Ahf(0,0)<0;1,0>", words(half)):
        assert state.registers["R"][0] == expected
    for state in execute("fcvt (M1, 1) Rhf(0,0)<1> Aub(0,0)<0;1,0>", words(expected)):
        assert state.registers["R"][:2] == bytes([0, expected])


@pytest.mark.parametrize(
    ("bits", "expected"),
    [(0x3F80_1000, 0x3F80_0000), (0x3F80_3000, 0x3F80_4000), (0x807F_FFFF, 0x8000_0000), (0x7F7F_FFFF, 0x7F80_0000)],
)
def test_fcvt_rounds_floats_to_tf32(bits: int, expected: int) -> None:
    for state in execute("fcvt (M1, 1) Rud(0,0)<1> Af(0,0)<0;1,0>", words(bits), platform=Platform.PVCXT):
        assert result(state, 1, "I") == [expected]
    with pytest.raises(NotModelled):
        list(execute("fcvt (M1, 1) Rud(0,0)<1> Af(0,0)<0;1,0>", words(bits), platform=Platform.DG2))


def test_movs_of_a_surface_into_a_register_is_not_modelled() -> None:
    with pytest.raises(NotModelled, match="page MOVS"):
        list(execute("movs (M1_NM, 1) Rud(0,0)<1> T6(0)"))
