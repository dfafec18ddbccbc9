"""A surface that begins before its buffer, beside 64-bit addresses: by the distance that the launch hands over."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.launch.assumptions import Assume
from visaproof.launch.overlap import ArgumentInfo
from visaproof.refinement import comparison
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.inputs.buffer_offsets import BUFFER_OFFSETS
from visaproof.refinement.refines import Programs
from visaproof.refinement.scope import Scope
from visaproof.refinement.strategies.differences import rather_usual
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.testing.runs import again
from visaproof.refinement.verdicts import ByteDiffers, Difference, Refines
from visaproof.refinement.widths import threads
from visaproof.report.two_kernels.inputs import inputs_of
from visaproof.semantics.symbolic.names import BufferOffset
from visaproof.smt import true

HEAD = """.version 4.1
.kernel "k"
.decl ID v_type=G type=uw num_elts=16 align=GRF
.decl ADDRESS v_type=G type=uq num_elts=1 align=qword
.decl DISTANCE v_type=G type=ud num_elts=1 align=dword
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input ID offset=32 size=32
.input ADDRESS offset=128 size=8
.input DISTANCE offset=136 size=4
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    shl (M1, 8) O(0,0)<1> ID(0,0)<1;1,0> 0x2:ud
    mov (M1, 8) D(0,0)<1> ID(0,0)<1;1,0>
"""
BY_ADDRESS = """    mov (M1, 8) A(0,0)<1> O(0,0)<1;1,0>
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> ADDRESS(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 8) A.0 D.0
    ret (M1, 1)
"""
BY_SURFACE = """    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> DISTANCE(0,0)<0;1,0>
    scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 D.0
    ret (M1, 1)
"""
BYTES_BY_SURFACE = BY_SURFACE.replace("scatter4_scaled.R", "scatter_scaled.1")
TWICE = BY_SURFACE.replace("0x0:ud", "0x4:ud")
INPUT = ".input DISTANCE offset=136 size=4\n"
FROM_ITS_BEGIN = BY_SURFACE.replace("DISTANCE(0,0)<0;1,0>", "0x0:ud")
PAYLOAD = ["per_thread:local_id@0+96", "buffer_address@0+8 arg0", "buffer_offset@8+4 arg0"]


def compared(folder: Path, source: str, target: str, *, handed: bool = True, of_type: str = "") -> Comparison:
    """The question; `handed` says whether the launch of the target has the distance."""
    entries: list[dict[str, object]] = []
    for name, text in (("source", source), ("target", target)):
        has = handed or name == "source"
        (folder / f"{name}.visaasm").write_text((HEAD if has else HEAD.replace(INPUT, "")) + text)
        zeinfo = {
            "env": {"simd_size": 8},
            "payload": PAYLOAD if has else PAYLOAD[:2],
            "bti": {"0": 0},
        }
        entries.append({"kernel": "k", "file": f"{name}.visaasm", "platform": "TGLLP", "zeinfo": zeinfo})
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps({"entries": entries}))
    one, other = (Programs().read(folder / f"{name}.visaasm", manifest) for name in ("source", "target"))
    if of_type:
        infos = {0: ArgumentInfo("__global", "", of_type)}
        one, other = (replace(code, launch=replace(code.launch, infos=infos)) for code in (one, other))
    return compare(one, other, Scope(Assume.IDS))


@pytest.mark.parametrize(("source", "target"), [(BY_ADDRESS, BY_SURFACE), (BY_SURFACE, BY_ADDRESS)])
def test_a_surface_beside_an_address_begins_before_the_buffer(source, target, tmp_path):
    """By the distance that the kernel adds; the verdict says where surfaces begin."""
    asked = compared(tmp_path, source, target)
    assert BUFFER_OFFSETS in asked.assumed
    assert isinstance(decide(asked, 2000), Refines)


def test_another_place_is_still_a_difference(tmp_path):
    verdict = decide(compared(tmp_path, BY_ADDRESS, TWICE), 2000)
    assert isinstance(verdict, Difference)


def test_between_surfaces_the_distance_stays_arbitrary(tmp_path):
    """But that it is a multiple of the element; a kernel that leaves it out is wrong."""
    asked = compared(tmp_path, BY_SURFACE, BY_SURFACE)
    assert BUFFER_OFFSETS not in asked.assumed
    assert "elements-aligned" in {one.name for one in asked.assumed}
    assert isinstance(decide(asked, 2000), Refines)
    assert isinstance(decide(compared(tmp_path, BY_SURFACE, FROM_ITS_BEGIN), 2000), Difference)


@pytest.mark.parametrize(
    ("of_type", "bits", "zero", "said"),
    [
        ("int*", 3, True, "4"), ("int*", 7, False, "4"), ("", 3, True, "4"), ("uint4*", 7, False, "4"),
        ("char*", 1, False, "4; of argument 0: 1"), ("half*", 1, True, "4; of argument 0: 2"),
    ],
)  # fmt: skip
def test_a_distance_between_surfaces_is_a_multiple_of_the_element(of_type, bits, zero, said, tmp_path):
    """A surface itself begins at a multiple of 4."""
    cleared = f"    and (M1_NM, 1) DISTANCE(0,0)<1> DISTANCE(0,0)<0;1,0> {~bits % 2**32:#x}:ud\n"
    asked = compared(tmp_path, BYTES_BY_SURFACE, cleared + BYTES_BY_SURFACE, of_type=of_type)
    assert isinstance(decide(asked, 2000), Refines if zero else Difference)
    (aligned,) = (one.sentence for one in asked.assumed if one.name == "elements-aligned")
    assert aligned == f"addresses and offsets of buffers in the payload are multiples of {said}"


def test_inputs_of_a_run_have_the_distance_in_bytes(tmp_path):
    """By the name of the buffer; a condition that is known is no input."""
    asked = compared(tmp_path, BY_SURFACE, FROM_ITS_BEGIN)
    found = decide(asked, 2000)
    assert isinstance(found, Difference)
    (offset,) = (term for term in found.values if isinstance(term.payload, BufferOffset))
    shown = inputs_of(asked, replace(found, values={offset: 5, true(): 1}))
    assert {one.words: one.value for one in shown if one.value < 1 << 32} == {"buffer offset of argument 0": 20}


@pytest.mark.slow
@pytest.mark.parametrize("source", [BY_ADDRESS, BY_SURFACE])
def test_the_addition_of_the_distance_cannot_be_deleted(source, tmp_path):
    """Premises: then the target writes before the buffer of an interior pointer."""
    verdict = decide(compared(tmp_path, source, FROM_ITS_BEGIN), 2000)
    assert not isinstance(verdict, Refines), verdict


def test_without_the_net_of_distances_it_can(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "distances", lambda program, begins, keys: {})
    assert isinstance(decide(compared(tmp_path, BY_ADDRESS, FROM_ITS_BEGIN), 2000), Refines)


@pytest.mark.slow
def test_a_kernel_without_the_distance_adds_none(tmp_path):
    """One that is handed the distance adds it, and one that is not has a surface that begins at the buffer."""
    assert not isinstance(decide(compared(tmp_path, FROM_ITS_BEGIN, FROM_ITS_BEGIN, handed=False), 2000), Refines)


def test_beside_a_launch_without_the_distance_it_is_none(tmp_path):
    """The compiler leaves the input out where it need not know: then surfaces begin where buffers do."""
    asked = compared(tmp_path, BY_SURFACE, FROM_ITS_BEGIN, handed=False)
    assert BUFFER_OFFSETS in asked.assumed
    assert isinstance(decide(asked, 2000), Refines)


NEVER_RUN = BY_SURFACE + BY_ADDRESS
"""It has a message by address behind its end."""


def test_kernels_with_addresses_are_run_in_one_way(tmp_path, monkeypatch):
    """They are run at distances at once, and not first without."""
    ways: list[bool] = []
    monkeypatch.setattr(comparison, "one_to_one", watched(ways))
    compared(tmp_path, BY_ADDRESS, BY_SURFACE)
    assert ways == [True]


def test_addresses_that_no_run_reaches_need_no_distances(tmp_path, monkeypatch):
    """Then nothing is assumed of where surfaces begin, and a kernel that leaves the distance out is wrong."""
    ways: list[bool] = []
    monkeypatch.setattr(comparison, "one_to_one", watched(ways))
    asked = compared(tmp_path, NEVER_RUN, FROM_ITS_BEGIN)
    assert ways == [True, False]
    assert BUFFER_OFFSETS not in asked.assumed
    assert isinstance(decide(asked, 2000), Difference)


def test_kernels_that_cannot_be_run_at_distances_are_without(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "one_to_one", watched([], refused=True))
    asked = compared(tmp_path, NEVER_RUN, BY_SURFACE)
    assert BUFFER_OFFSETS not in asked.assumed


def test_kernels_that_cannot_be_run_at_needed_distances_are_open(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "one_to_one", watched([], refused=True))
    with pytest.raises(NotModelled, match="at distances"):
        compared(tmp_path, BY_ADDRESS, BY_SURFACE)


def watched(ways: list[bool], *, refused: bool = False) -> Callable[..., tuple[Runner, Runner]]:
    """Runs both kernels and notes whether at distances, where that is not `refused`."""

    def run(programs, matching, starts, lanes, scope, begins, itself):
        ways.append(begins.at_distances)
        if refused and begins.at_distances:
            raise NotModelled("runs at distances")
        return threads.one_to_one(programs, matching, starts, lanes, scope, begins, itself)

    return run


def test_a_difference_is_shown_where_buffers_begin_at_offset_0(tmp_path):
    """A host that hands over one is rare."""
    asked = compared(tmp_path, "    ret (M1, 1)\n", BY_SURFACE)
    found = decide(asked, 2000)
    assert isinstance(found, Difference)
    (offset,) = (term for term in found.values if isinstance(term.payload, BufferOffset))
    later = again(asked, replace(found, values=found.values | {offset: 1}))
    assert later is not None
    usual = rather_usual(asked, later)
    assert isinstance(usual.what, ByteDiffers)
    assert usual.values[offset] == 0
