"""Shared local memory of two kernels: its size, and what of it others may read."""

import json
from pathlib import Path

import pytest

from visaproof.launch.assumptions import Assume
from visaproof.launch.local_memory import ANY_LOCAL_MEMORY
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.refines import Programs
from visaproof.refinement.replay import run_again
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.runs import LOCAL_SIZE
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.report.two_kernels.refinement_file import replayed_record

HEAD = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input AT offset=64 size=32
.input X offset=96 size=32
.kernel_attr SimdSize=8
{attributes}.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    shl (M1_NM, 8) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud
"""
LOAD = "    gather4_scaled.R (M1, 8) %slm 0x0:ud AT.0 Y.0\n"
STORE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 Y.0\n"
LOCAL_STORE = "    scatter4_scaled.R (M1, 8) %slm 0x0:ud O.0 X.0\n"
OTHER_STORE = "    scatter4_scaled.R (M1, 8) %slm 0x0:ud O.0 AT.0\n"
INC = "    dword_atomic.inc (M1, 8) %slm O.0 %null.0 %null.0 Y.0\n"
BARRIER, FENCE = "    barrier\n", "    fence_local.E\n"
WORD = "    and (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> -4:d\n"
READ = WORD + LOAD + STORE


def compared(
    folder: Path, one: str, other: str, sizes: tuple[int, int] = (0, 0), attributes: tuple[str, str] = ("", "")
) -> Comparison:
    """The question; `sizes` are those of the launch information, which is not given where they are 0."""
    entries: list[dict[str, object]] = []
    for name, text, size, own in zip(("source", "target"), (one, other), sizes, attributes, strict=True):
        (folder / f"{name}.visaasm").write_text(HEAD.format(attributes=own) + text + "    ret (M1, 1)\n")
        zeinfo = {
            "env": {"simd_size": 8, "slm_size": size},
            "payload": ["arg_byvalue@0+32 arg1", "arg_byvalue@32+32 arg2"],
            "bti": {"0": 0},
        }
        entries.append({"kernel": "k", "file": f"{name}.visaasm", "platform": "ICLLP", "zeinfo": zeinfo})
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps({"entries": entries}))
    launches = [manifest if size else None for size in sizes]
    read = Programs().read
    programs = [
        read(folder / f"{name}.visaasm", launch, None if launch else platform())
        for name, launch in zip(("source", "target"), launches, strict=True)
    ]
    return compare(programs[0], programs[1], Scope(Assume.IDS))


def platform():
    from visaproof.isa.platform import Platform

    return Platform.ICLLP


def asked(*arguments: object, **more: object) -> Verdict:
    return decide(compared(*arguments, **more), 2000)  # pyright: ignore[reportArgumentType]


def test_less_shared_memory_is_a_difference_where_it_is_read(tmp_path: Path) -> None:
    """Both kernels are one text: only what lies beside it differs."""
    comparison = compared(tmp_path, READ, READ, (16384, 32))
    verdict = decide(comparison, 2000)
    assert isinstance(verdict, Difference)
    record = replayed_record(comparison, verdict)
    assert (record.source.slm, record.target.slm) == ("0x4000", "0x400")
    assert not run_again(record, "k.json").differences


def test_the_net_of_sizes_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut, the smaller memory is not seen."""
    from visaproof.refinement import comparison as module

    monkeypatch.setattr(module, "with_local_sizes", lambda source, target: (source, target, ANY_LOCAL_MEMORY))
    assert isinstance(asked(tmp_path, READ, READ, (16384, 32)), Refines)


def test_less_shared_memory_is_none_where_it_is_not_reached(tmp_path: Path) -> None:
    near = READ.replace("-4:d", "0x1c:ud")
    assert isinstance(asked(tmp_path, near, near, (16384, 32)), Refines)


def test_sizes_that_the_driver_rounds_to_one_are_one(tmp_path: Path) -> None:
    assert isinstance(asked(tmp_path, READ, READ, (520, 32)), Refines)


def test_the_attribute_of_the_kernel_says_the_size(tmp_path: Path) -> None:
    """Without launch information: 4 KiB against 1 KiB."""
    attributes = (".kernel_attr SLMSize=4\n", ".kernel_attr SLMSize=1\n")
    assert isinstance(asked(tmp_path, READ, READ, attributes=attributes), Difference)
    assert isinstance(asked(tmp_path, READ, READ, attributes=(attributes[0], "")), Refines)


BEYOND = "    mov (M1_NM, 8) AT(0,0)<1> 0x{at:x}:ud\n" + LOAD + STORE
NOTHING_THERE = "    mov (M1_NM, 8) Y(0,0)<1> 0x0:ud\n" + STORE


@pytest.mark.parametrize(("at", "attribute"), [(0x400, ".kernel_attr SLMSize=1\n"), (0x20000, "")])
def test_beyond_all_shared_memory_there_is_nothing(at: int, attribute: str, tmp_path: Path) -> None:
    """A load at 1 KiB of 1 KiB; and without a known size at 128 KiB, which no device has."""
    both = (attribute, attribute)
    assert isinstance(asked(tmp_path, BEYOND.format(at=at), NOTHING_THERE, attributes=both), Refines)
    inside = asked(tmp_path, BEYOND.format(at=at - 4), NOTHING_THERE, attributes=both)
    assert isinstance(inside, Difference)


def test_a_run_has_a_size_that_the_launch_allows(tmp_path: Path) -> None:
    found = asked(tmp_path, BEYOND.format(at=0), NOTHING_THERE, (2100, 2100))
    assert isinstance(found, Difference)
    assert 3072 <= found.values[LOCAL_SIZE] <= 4096


@pytest.mark.parametrize("before", ["", LOCAL_STORE + BARRIER, LOCAL_STORE + FENCE + BARRIER])
@pytest.mark.parametrize(("one", "other"), [(LOCAL_STORE, ""), ("", LOCAL_STORE), (LOCAL_STORE, OTHER_STORE)])
def test_what_is_stored_at_last_to_shared_memory_is_not_observed(
    before: str, one: str, other: str, tmp_path: Path
) -> None:
    end = "    mov (M1, 8) Y(0,0)<1> X(0,0)<1;1,0>\n" + STORE
    assert isinstance(asked(tmp_path, before + one + end, before + end + other), Refines)


@pytest.mark.parametrize("after", [BARRIER, FENCE])
@pytest.mark.parametrize(("one", "other"), [(LOCAL_STORE, ""), (LOCAL_STORE, OTHER_STORE)])
def test_what_is_stored_before_others_may_read_it_is_observed(after: str, one: str, other: str, tmp_path: Path) -> None:
    """A barrier or a fence comes after it; the fence may come before a flag."""
    assert isinstance(asked(tmp_path, one + after, other + after), Difference)


def test_a_store_before_an_atomic_is_observed(tmp_path: Path) -> None:
    """The atomic may be a flag for others."""
    flag = INC.replace("%slm", "T6")
    assert not isinstance(asked(tmp_path, LOCAL_STORE + flag, flag), Refines)


@pytest.mark.slow
def test_atomics_on_shared_memory_are_observed(tmp_path: Path) -> None:
    assert not isinstance(asked(tmp_path, INC, ""), Refines)


def test_a_load_still_finds_what_was_stored(tmp_path: Path) -> None:
    """The net: the end alone is not observed."""
    back = LOAD.replace("AT.0", "O.0") + STORE
    assert isinstance(asked(tmp_path, LOCAL_STORE + back, OTHER_STORE + back), Difference)
