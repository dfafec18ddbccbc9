"""Images that may be one image, or show a buffer: nothing says which texel is which byte."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue
from visaproof.launch.matching import Program
from visaproof.launch.overlap import ArgumentInfo
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide, overlapping
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Apart, Refines, Verdict
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=T num_elts=1
.decl B v_type=T num_elts=1
.decl C v_type=T num_elts=1
.decl F v_type=G type=f num_elts=8 align=GRF
.decl S v_type=S num_elts=1
.input X offset=64 size=32
.input F offset=96 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) A(0) 0x0:ud
movs (M1_NM, 1) B(0) 0x1:ud
movs (M1_NM, 1) C(0) 0x2:ud
movs (M1_NM, 1) S(0) 0x0:ud
"""


def read(image: str, value: str) -> str:
    return f"gather4_typed.R (M1, 1) {image} X.0 %null.0 %null.0 %null.0 {value}.0\n"


def write(image: str, value: str) -> str:
    return f"scatter4_typed.R (M1, 1) {image} X.0 %null.0 %null.0 %null.0 {value}.0\n"


def add(into: str, value: str, number: int) -> str:
    return f"add (M1, 8) {into}(0,0)<1> {value}(0,0)<1;1,0> {number:#x}:d\n"


BUFFER_LOAD = "lsc_load.ugm (M1, 1) Z:d32 bti(0x1)[X]:a32\n"

RELOAD = read("A", "Y") + add("Z", "Y", 1) + write("B", "Z") + read("A", "Y") + write("C", "Y")
KEPT = read("A", "Y") + add("Z", "Y", 1) + write("B", "Z") + write("C", "Y")

READ_WRITE = ArgumentInfo("__global", "__read_write", "image2d_t")
READ_ONLY = ArgumentInfo("__global", "__read_only", "image2d_t")
WRITE_ONLY = ArgumentInfo("__global", "__write_only", "image2d_t")
FLOATS = ArgumentInfo("__global", "", "float*")


def program(body: str, infos: Mapping[int, ArgumentInfo]) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    known = NOTHING_KNOWN.with_inputs(kernel, [("X", ArgumentValue(Argument(3))), ("F", ArgumentValue(Argument(4)))])
    names = {0: "a", 1: "b", 2: "c", 3: "x"}
    return Program(kernel, replace(known, binding_table={0: 0, 1: 1, 2: 2}, arg_names=names, infos=infos), Platform.DG2)


def asked(
    source: str,
    target: str,
    infos: Mapping[int, ArgumentInfo] | None = None,
    disjoint: tuple[tuple[str, str], ...] = (),
    alias: Alias = Alias.MAY,
) -> tuple[Comparison, Verdict]:
    scope = Scope(Assume.NONE, alias=alias, disjoint=disjoint)
    known = infos or dict.fromkeys(range(3), READ_WRITE)
    comparison = compare(program(source, known), program(target, known), scope)
    return comparison, decide(comparison, 1_000)


WRONG = {
    "read dropped": (RELOAD, KEPT, [(0, 1)]),
    "read hoisted": (
        write("A", "X") + read("B", "Y") + write("C", "Y"), read("B", "Y") + write("A", "X") + write("C", "Y"), [(0, 1)]
    ),
    "writes exchanged": (write("A", "X") + write("B", "Y"), write("B", "Y") + write("A", "X"), [(0, 1)]),
    "write dropped that a read sees": (
        write("A", "X") + read("B", "Y") + write("A", "Y"), read("B", "Y") + write("A", "Y"), [(0, 1)]
    ),
    "write moved over two": (
        write("A", "X") + write("B", "Y") + write("C", "Z"),
        write("B", "Y") + write("C", "Z") + write("A", "X"),
        [(0, 1), (0, 2)],
    ),
}  # fmt: skip
"""Right only if these pairs of images share no texel.  The values of Y and Z are the same in both kernels."""

SETTLED = add("Y", "X", 2) + add("Z", "X", 3)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("change", WRONG)
def test_a_change_that_needs_images_apart_is_undecided_and_names_them(change: str) -> None:
    source, target, pairs = WRONG[change]
    comparison, found = asked(SETTLED + source, SETTLED + target)
    assert isinstance(found, Apart), found
    assert {frozenset(f"argument {one}" for one in pair) for pair in pairs} == set(found.pairs)
    assert found.difference is None
    assert "UNKNOWN" in "\n".join(verdict_lines(comparison, found))
    assert verdict_json(comparison, found)["verdict"] == "unknown"


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("change", WRONG)
def test_the_user_may_state_that_images_are_apart(change: str) -> None:
    source, target, pairs = WRONG[change]
    named = tuple(("abc"[one], "abc"[other]) for one, other in pairs)
    for disjoint, alias in ((named, Alias.MAY), ((), Alias.NONE)):
        comparison, found = asked(SETTLED + source, SETTLED + target, disjoint=disjoint, alias=alias)
        assert isinstance(found, Refines), found
        assert {"disjoint", "buffers-apart"} & {one.name for one in comparison.assumed}


@pytest.mark.parametrize(
    "target",
    [
        RELOAD.replace(add("Z", "Y", 1), add("Z", "Y", 3) + add("Z", "Z", 0xFFFF_FFFE)),
        RELOAD.replace(write("B", "Z"), read("C", "X") .replace("X.0\n", "Y.0\n") + write("B", "Z")),
    ],
)  # fmt: skip
def test_the_same_accesses_in_one_order_refine_whatever_images_are(target: str) -> None:
    comparison, found = asked(RELOAD, target)
    assert isinstance(found, Refines), found
    assert comparison.sharing.images
    assert not {one.name for one in comparison.assumed} & {"disjoint", "kinds-apart", "buffers-apart"}


def test_the_language_keeps_images_apart() -> None:
    """No image is read_only and write_only."""
    comparison, found = asked(RELOAD, KEPT, {0: READ_ONLY, 1: WRITE_ONLY, 2: WRITE_ONLY})
    assert isinstance(found, Refines), found
    assert "kinds-apart" in [one.name for one in comparison.assumed]


@pytest.mark.parametrize(
    ("image", "apart"),
    [(None, False), ("image1d_buffer_t", False), ("image1d_t", True), ("image2d_t", True)],
)
def test_an_image_may_show_a_buffer_unless_its_type_says_otherwise(image: str | None, apart: bool) -> None:
    """A load from the buffer after a store to the image is not one from before it."""
    infos = {} if image is None else {0: ArgumentInfo("__global", "", image), 1: FLOATS, 2: READ_WRITE}
    source = write("A", "X") + BUFFER_LOAD + write("C", "Z")
    target = BUFFER_LOAD + write("A", "X") + write("C", "Z")
    infos = infos or {7: FLOATS}
    found = asked(SETTLED + source, SETTLED + target, infos)[1]
    assert isinstance(found, Refines) == apart, found
    assert isinstance(asked(SETTLED + source, SETTLED + source + SETTLED, infos)[1], Refines)


SAMPLED = "sample_lz.R (M1, 8) 0x0:uw S A {to}.0 F.0 F.0 F.0\n"


@pytest.mark.slow
@pytest.mark.parametrize("other", ["B", "A"])
def test_a_read_through_the_sampler_stays_before_a_store_to_what_may_be_its_image(other: str) -> None:
    before = SAMPLED.format(to="Y") + write(other, "X") + write("C", "Y")
    moved = write(other, "X") + SAMPLED.format(to="Y") + write("C", "Y")
    twice = SAMPLED.format(to="Z") + before
    any_images = {7: FLOATS}
    assert not isinstance(asked(before, moved, any_images)[1], Refines)
    assert not isinstance(asked(moved, before, any_images)[1], Refines)
    assert isinstance(asked(before, twice, any_images)[1], Refines)
    apart = asked(before, moved, any_images, alias=Alias.NONE)[1]
    assert isinstance(apart, Refines) == (other == "B"), apart


def test_images_that_are_only_read_need_nothing() -> None:
    body = read("A", "Y") + read("B", "Z") + add("Y", "Y", 1)
    swapped = read("B", "Z") + read("A", "Y") + add("Y", "Y", 1)
    comparison, found = asked(
        body + write("C", "Y"), swapped + write("C", "Y"), {0: READ_ONLY, 1: READ_ONLY, 2: FLOATS}
    )
    assert isinstance(found, Refines)
    assert frozenset(("argument 0", "argument 1")) not in comparison.sharing.images


def test_stores_in_another_order_are_not_compared_at_all() -> None:
    """Each memory is arbitrary after so many stores to the others, which is one value only after the same stores."""
    source, target, _ = WRONG["writes exchanged"]
    comparison, _ = asked(SETTLED + source, SETTLED + target)
    assert overlapping(comparison, comparison.sharing) is None
    assert overlapping(comparison, comparison.sharing.without(comparison.sharing.pairs)) is not None


def test_what_was_read_through_the_sampler_stays_before_the_second_of_two_stores() -> None:
    """The image that is read may be the one that is stored to last."""
    ahead, sampled, behind = write("B", "X"), SAMPLED.format(to="Y"), write("C", "X")
    source, target = ahead + sampled + behind + write("B", "Y"), ahead + behind + sampled + write("B", "Y")
    assert not isinstance(asked(source, target, {7: FLOATS})[1], Refines)
    assert not isinstance(asked(target, source, {7: FLOATS})[1], Refines)


def stored_twice(first: str, look: str, second: str = "X") -> str:
    """What the first store leaves is seen only if the images are one."""
    return add("Y", "X", 1) + write("B", first) + look + write("B", second) + write("C", "Z")


@pytest.mark.parametrize("look", [read("A", "Z"), SAMPLED.format(to="Z")], ids=["read", "sampled"])
def test_what_a_store_leaves_until_another_image_is_read_is_compared(look: str) -> None:
    images = dict.fromkeys(range(3), READ_WRITE)
    for one, other in (("X", "Y"), ("Y", "X")):
        source, target = stored_twice(one, look), stored_twice(other, look)
        assert isinstance(asked(source, target, images)[1], Apart)
        again = target.replace(write("B", other), write("B", one) + add("Y", "Y", 0), 1)
        assert isinstance(asked(source, again, images)[1], Refines)
    found = asked(stored_twice("X", add("Z", "X", 3)), stored_twice("Y", add("Z", "X", 3)), images)[1]
    assert isinstance(found, Refines)  # nothing is read between
