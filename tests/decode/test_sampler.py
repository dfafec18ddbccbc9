"""Reads through the sampler: which bytes they write, on both machines, and that their values are arbitrary."""

import pytest

from visaproof.decode.sampler import SamplerUse
from visaproof.decode.texels import Outside, RawImage
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.isa.surface_keys import HandleNumber
from visaproof.isa.surfaces import SurfaceKind
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.program.lower import lowered
from visaproof.program.statements import SamplerMessage
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import evaluate, symbols_of
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

DECLARATIONS = """.version 4.1
.kernel "k"
.decl U v_type=G type=d num_elts=16 align=GRF
.decl D v_type=G type=f num_elts=40 align=GRF
.decl H v_type=G type=hf num_elts=64 align=GRF
.decl W v_type=G type=ud num_elts=40 alias=<H, 0>
.decl P1 v_type=P num_elts=8
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
"""
KEPT = 0xEE


BINDLESS = "movs (M1_NM, 1) S31(0) U(0,0)<0;1,0>\n    movs (M1_NM, 1) %bss(0) U(0,1)<0;1,0>"
"""What today's compiler emits on LSC platforms before each read: handles in general variables of type D."""


def kernel(body: str) -> Kernel:
    return read_kernel(f"{DECLARATIONS}    {body}\n    ret (M1, 1)\n", "k.visaasm")


def zeroed(body: str, variable: str, exec_mask: int = 0xFF) -> set[int]:
    """The bytes of a variable full of 0xEE that a run writes; of a null mask, those that are not 0xEE."""
    state = ConcreteState(Platform.TGLLP, exec_mask=exec_mask)
    read = kernel(body)
    size = {"D": 160, "H": 128}[variable]
    state.registers[variable] = bytearray([KEPT] * size)
    assert run(read, state).undefined is None
    return {byte for byte, value in enumerate(state.registers[variable]) if value != KEPT}


def arbitrary(body: str, variable: str, exec_mask: int = 0xFF) -> set[int]:
    """The bytes of a variable that hold something arbitrary at the end of a trace, for these lanes."""
    result = trace(kernel(body), Platform.TGLLP)
    assert result.stopped is None
    lanes = {lane_on(lane): exec_mask >> lane & 1 for lane in range(8)}
    found: set[int] = set()
    for byte in range({"D": 160, "H": 128}[variable]):
        term = result.registers.read(variable, byte, 1)
        ones = {one: (1 << one.width) - 1 for one in symbols_of(term) if str(one.payload).startswith("arbitrary.")}
        if ones and evaluate(term, {**ones, **lanes}) == 0xFF:
            found.add(byte)
    return found


EXAMPLES = [
    # RG of lanes 0…7: two registers of 32 bytes
    ("load_lz.RG (M1, 8) 0x0:uw T6 D.0 U.0 U.0", "D", 0xFF, set(range(64))),
    # lane 2 of A alone: the first register
    ("sample_lz.A (M1, 8) 0x0:uw S0 T6 D.0 U.0 U.0", "D", 0b100, set(range(8, 12))),
    # RB from byte 32 on, lane 0
    ("sample_l.RB (M1, 8) 0x0:uw S0 T6 D.32 U.0 U.0 U.0", "D", 1, {*range(32, 36), *range(64, 68)}),
    # sixteen bits: lane 1 in bytes 2 and 3, and the upper half of each register is undefined
    ("load_lz.RG (M1, 8) 0x0:uw T6 H.0 U.0", "H", 0b10, {2, 3, *range(16, 32), 34, 35, *range(48, 64)}),
    # the bindless sampler needs no declaration
    (f"{BINDLESS}\n    sample_lz.RG (M1, 8) 0x0:uw S31 %bss D.0 U.0 U.0", "D", 0b1, {*range(4), *range(32, 36)}),
    # the null mask has a register of its own behind the data
    ("load_lz.pixel_null_mask.R (M1, 8) 0x0:uw T6 D.0 U.0", "D", 1, {*range(4), *range(32, 64)}),
]


@pytest.mark.parametrize(("body", "variable", "lanes", "expected"), EXAMPLES)
def test_both_machines_write_the_bytes_of_the_page(body: str, variable: str, lanes: int, expected: set[int]) -> None:
    assert zeroed(body, variable, lanes) == expected
    assert arbitrary(body, variable, lanes) == expected


def test_two_reads_of_one_place_have_values_of_their_own() -> None:
    """Nothing connects them: a property that needs equal values is not proved."""
    again = "load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0\n    load_lz.R (M1, 8) 0x0:uw T6 D.32 U.0"
    result = trace(kernel(again), Platform.TGLLP)
    assert len({each.symbol for each in result.arbitrary}) == 16
    assert {each.reason for each in result.arbitrary} == {"a read through the sampler, which is uninterpreted"}


def test_an_image_that_holds_something_is_not_read() -> None:
    """The filter, the format and the border of an image are not modelled: only that of zeros it makes zeros."""
    state = ConcreteState(Platform.TGLLP, exec_mask=1, surfaces={"T6": Image(((4, 4, 1),), {(0, 0, 0, 0): 7})})
    with pytest.raises(NotModelled, match="not 0 everywhere"):
        run(kernel("load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0"), state)


def test_a_handle_is_no_number_of_a_sampler() -> None:
    """How the sampler behind a handle of 0 reads is not known, though that of number 0 is."""
    texels = {(0, 0, 0, 0): 7}
    image = RawImage(((4, 4, 1),), texels, SurfaceKind.PLANE, before=texels, samplers={0: Outside.EDGE})

    def texel(bound: str) -> int:
        state = ConcreteState(Platform.DG2, exec_mask=1, surfaces={"T6": image})
        state.registers = {"U": bytearray(64), "D": bytearray(160)}
        read = f"movs (M1_NM, 1) S31(0) {bound}\n    sample_lz.R (M1, 8) 0x0:uw S31 T6 D.0 U.0 U.32"
        assert run(kernel(read), state).undefined is None
        return state.registers["D"][0]

    assert texel("0x0:ud") == 7
    with pytest.raises(NotModelled, match="how its sampler reads"):
        texel("U(0,0)<0;1,0>")


def test_an_image_is_found_by_its_handle() -> None:
    """As unoptimised code reads it, which compares handles of lanes: the surface has no name but the number."""
    texels = {(0, 0, 0, 0): 7}
    image = RawImage(((4, 4, 1),), texels, SurfaceKind.PLANE, before=texels)
    state = ConcreteState(Platform.DG2, exec_mask=1, surfaces={str(HandleNumber(64)): image})
    state.registers = {"U": bytearray(4) + (64).to_bytes(60, "little"), "D": bytearray(160)}
    read = "movs (M1_NM, 1) %bss(0) U(0,1)<0;1,0>\n    load_lz.R (M1, 8) 0x0:uw %bss D.0 U.0 U.32"
    assert run(kernel(read), state).undefined is None
    assert state.registers["D"][0] == 7


FIRST = "or (M1_NM, 1) N(0,0)<1> V(0,0)<0;1,0> 0x1:d\n    movs (M1_NM, 1) S31(0) N(0,0)<0;1,0>\n    "
SECOND = "movs (M1_NM, 1) S31(0) 0x3:ud\n    "
COPIED = "mov (M1_NM, 2) {to} V(0,0)<1;1,0>\n    "
READ = "sample_lz.R (M1, 8) 0x0:uw S31 T6 D.0 U.0 U.0\n    "


def uses(body: str) -> list[SamplerUse | None]:
    names = "".join(
        f".decl {name} v_type=G type=d num_elts={count}\n" for name, count in (("N", 1), ("V", 2), ("PAIR", 2))
    )
    more = f"{names}.input V offset=64 size=8\n"
    head = DECLARATIONS.replace(".kernel_attr", f"{more}.kernel_attr")
    found = lowered(read_kernel(f"{head}    {body}ret (M1, 1)\n", "k.visaasm"), Platform.DG2)
    return [one.read.use for one in found.statements if isinstance(one, SamplerMessage)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (FIRST + READ, [SamplerUse(0, None, "V.0")]),
        (FIRST + READ + SECOND + READ, [SamplerUse(0, None, "V.0"), SamplerUse(0, 3)]),
        (FIRST + READ + "more:\n" + READ + SECOND + "(P1) goto (M1, 8) more\n", [SamplerUse(0, None, "V.0"), None]),
        (SECOND + FIRST.replace("movs (M1_NM", "movs (M1") + READ, [None]),
        (FIRST.replace("or (M1_NM", "or (M1") + READ, [None]),
        (FIRST.replace("0x1:d", "0x3:d") + READ, [None]),
        (COPIED.format(to="PAIR(0,0)<1>") + FIRST.replace(" V(", " PAIR(") + READ, [SamplerUse(0, None, "V.0")]),
        (COPIED.format(to="PAIR(0,0)<0>") + FIRST.replace(" V(", " PAIR(") + READ, [None]),
        (COPIED.format(to="PAIR(0,0)<1>") + FIRST.replace(" V(0,0)", " PAIR(0,1)") + READ, [None]),
        (COPIED.format(to="PAIR(0,0)<1>").replace("_NM", "") + FIRST.replace(" V(", " PAIR(") + READ, [None]),
    ],
)
def test_the_last_movs_names_the_sampler(body: str, expected: list[SamplerUse | None]) -> None:
    assert uses(body) == expected


def test_a_form_that_does_not_fit_is_not_modelled() -> None:
    assert trace(kernel("load_lz.wrong.R (M1, 8) 0x0:uw T6 D.0 U.0"), Platform.TGLLP).stopped is not None


def test_texels_that_a_variable_has_no_room_for_are_undefined() -> None:
    text = "load_lz.RGBA (M1, 16) 0x0:uw T6 D.0 U.0"
    ran = trace(kernel(text), Platform.TGLLP)
    assert ran.stopped is None
    assert ran.conditions
    assert all(one.written for one in trace(kernel(text), Platform.TGLLP, nondeterministic=True).beyond)
