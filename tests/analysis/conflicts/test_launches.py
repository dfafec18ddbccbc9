"""Launches that exist: what two lanes can do to each other depends on how their local ids are laid out."""

import pytest
from msgspec.structs import replace

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Answer, Conflict, Free
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.ids.local_ids import Host, LaidOut, Triple
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.scope import Scope
from visaproof.smt import symbol
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl Y v_type=G type=uw num_elts=16 align=GRF
.decl Z v_type=G type=uw num_elts=16 align=GRF
.decl N v_type=G type=d num_elts=1 align=dword
.decl U v_type=G type=d num_elts=8 align=GRF
.decl V v_type=G type=d num_elts=8 align=GRF
.decl R v_type=G type=d num_elts=8 align=GRF
.decl DATA v_type=G type=d num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.input Y offset=64 size=32
.input Z offset=96 size=32
.input N offset=128 size=4
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""
TEXEL = """mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>
mov (M1, 8) V(0,0)<1> {v}
mov (M1, 8) R(0,0)<1> 0x0:d
scatter4_typed.RGBA (M1, 8) T6 U.0 V.0 R.0 %null.0 DATA.0
"""
STORE = """mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>
mov (M1, 8) V(0,0)<1> Y(0,0)<1;1,0>
mul (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x{row:x}:d
add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> V(0,0)<1;1,0>
shl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:d
scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 DATA.0
"""
TEXEL_AT_X = TEXEL.format(v="N(0,0)<0;1,0>") + "mov (M1, 8) V(0,0)<1> Y(0,0)<1;1,0>\n"
"""At (local id x, n), by a kernel that reads the local id y as well."""


def asked(body: str, platform: Platform = Platform.TGLLP, **known: object) -> KernelAnswers:
    kernel = read_kernel(f"{HEAD}{body}ret (M1, 1)\n", "k.visaasm")
    options = [parse_input_option(f"{name.upper()}=local_id_{name}") for name in "xyz"]
    launch = NOTHING_KNOWN.with_inputs(kernel, options)
    launch = replace(launch, **({"platform": platform, "order_known": True} | known))  # type: ignore[arg-type]
    return ask_kernel(kernel, platform, launch, Assume.LAUNCH, 20_000)


def answer(body: str, platform: Platform = Platform.TGLLP, **known: object) -> Answer:
    (finding,) = asked(body, platform, **known).answers()
    return finding.answer


@pytest.mark.parametrize("size", [None, (32, 4, 1)], ids=["any size", "32×4"])
def test_an_image_written_at_x_is_no_longer_free(size: Triple | None) -> None:
    """OpenCL lays out tiles of 2 × 4 at 8 lanes, although 32 is a multiple of 8: lanes 0 and 2 have one x."""
    found = answer(TEXEL_AT_X, host=Host.OPENCL, only_images=True, group_size=size)
    assert isinstance(found, Conflict)


def test_level_zero_has_rows() -> None:
    """Of groups of 32 × 4, but not of any size."""
    assert isinstance(answer(TEXEL_AT_X, host=Host.LEVEL_ZERO, group_size=(32, 4, 1)), Free)
    assert isinstance(answer(TEXEL_AT_X, host=Host.LEVEL_ZERO), Conflict)


def test_the_conflict_is_one_of_a_launch() -> None:
    """The ids of its thread are those of a thread of the group size that it names."""
    answers = asked(TEXEL_AT_X, host=Host.LEVEL_ZERO)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Conflict)
    values = finding.answer.values
    x, y, z = (values.get(symbol(f"local_size_{name}", 16), 1) for name in "xyz")
    held = finding.answer.state.registers
    first = tuple(int.from_bytes(held[name][:2], "little") for name in "XYZ")
    assert first in [row[0] for row in LaidOut(Platform.TGLLP, 8, 3).layout((x, y, z))]
    assert finding.answer.state.exec_mask == (1 << min(8, x * y * z)) - 1 or x * y * z % 8


def test_a_group_of_8_by_8_has_no_two_items_with_one_id() -> None:
    """Of 4 × 8, a thread of 8 lanes has two rows: rows of 4 are free, and rows of 3 are not."""
    assert isinstance(answer(STORE.format(row=8), group_size=(8, 8, 1)), Free)
    assert isinstance(answer(STORE.format(row=4), group_size=(4, 8, 1)), Free)
    assert isinstance(answer(STORE.format(row=3), group_size=(4, 8, 1)), Conflict)


@pytest.mark.parametrize("platform", [Platform.TGLLP, Platform.DG2, Platform.Xe2])
def test_a_group_of_48_by_8(platform: Platform) -> None:
    """A thread of 8 lanes has one row of x; or one column where the hardware takes y first."""
    found = answer(TEXEL_AT_X, platform, only_images=False, group_size=(48, 8, 1))
    assert isinstance(found, Free if platform is Platform.TGLLP else Conflict)
    demanded = answer(TEXEL_AT_X, platform, only_images=False, group_size=(48, 8, 1), walk_order=(0, 1, 2))
    assert isinstance(demanded, Free)


def test_items_of_any_launch_differ_in_some_id() -> None:
    """A texel for each pair of ids is free, whatever the size and the layout."""
    body = TEXEL.format(v="Y(0,0)<1;1,0>")
    assert isinstance(answer(body, Platform.DG2, only_images=True), Free)
    assert isinstance(answer(body, Platform.DG2, only_images=False, order_known=False), Free)


def test_a_dimension_that_is_not_read_has_size_1() -> None:
    body = TEXEL.format(v="N(0,0)<0;1,0>")
    answers = asked(body, Platform.DG2)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Free)
    assert "unread-dimensions" in [one.name for one in answers.start.assumed]


# ---------------------------------------------------------------- two widths


def two_widths(host: Host | None) -> tuple[Program, Program]:
    """A kernel with images alone, in threads of 8 and of 16 lanes."""
    wide = TEXEL.format(v="Y(0,0)<1;1,0>").replace("(M1, 8)", "(M1, 16)")
    head = (
        HEAD.replace("num_elts=8 ", "num_elts=16 ").replace("num_elts=32", "num_elts=64").replace("Size=8", "Size=16")
    )
    texts = f"{HEAD}{TEXEL.format(v='Y(0,0)<1;1,0>')}ret (M1, 1)\n", f"{head}{halves(wide)}ret (M1, 1)\n"
    options = [parse_input_option(f"{name.upper()}=local_id_{name}") for name in "xyz"]
    found: list[Program] = []
    for text in texts:
        kernel = read_kernel(text, "k.visaasm")
        launch = NOTHING_KNOWN.with_inputs(kernel, options)
        known = replace(
            launch, platform=Platform.TGLLP, order_known=True, only_images=True, host=host, binding_table={0: 0}
        )
        found.append(Program(kernel, known, Platform.TGLLP))
    return found[0], found[1]


def halves(wide: str) -> str:
    """A typed message has 8 lanes at most."""
    *lines, message = wide.splitlines()
    low = message.replace("(M1, 16)", "(M1, 8)")
    high = "scatter4_typed.RGBA (M3, 8) T6 U.32 V.32 R.32 %null.0 DATA.128"
    return "\n".join((*lines, low, high)) + "\n"


def test_tiles_are_not_compared_between_widths() -> None:
    """They give an item other ids at another width: the host is taken to have rows, and that is said."""
    scope = Scope(Assume.LAUNCH)
    names = [one.name for one in compare(*two_widths(None), scope).assumed]
    assert "rows" in names
    assert "rows" not in [one.name for one in compare(*two_widths(Host.LEVEL_ZERO), scope).assumed]
    with pytest.raises(NotModelled, match="tiles"):
        compare(*two_widths(Host.OPENCL), scope)
