"""Shared local memory of two kernels: its size, and what of it others may read."""

import json
from pathlib import Path

import pytest

from visaproof.isa.operands import SLM_TAG
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
from visaproof.semantics.symbolic.state import SymbolicLocal
from visaproof.smt import add, bool_symbol, const, ite, symbol, symbols_of
from visaproof.smt.evaluate import evaluate

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


LSC_HEAD = """.version 4.1
.kernel "k"
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=1 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl P v_type=G type=uq num_elts=1 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl I v_type=G type=ud num_elts=1 align=GRF
.input P offset=32 size=8
.input I offset=40 size=4
.input X offset=64 size=32
.kernel_attr SimdSize=8
.kernel_attr SLMSize=1
.function "k"
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    mul (M1_NM, 8) O(0,0)<1> O(0,0)<1;1,0> 0x4:ud
    mov (M1_NM, 8) A(0,0)<1> O(0,0)<1;1,0>
    add (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> P(0,0)<0;1,0>
"""
IN_LOCAL = """    mul (M1_NM, 1) B(0,0)<1> I(0,0)<0;1,0> 0x20:ud
    add (M1_NM, 1) B(0,0)<1> B(0,0)<0;1,0> {store}:ud
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> B(0,0)<0;1,0>
    lsc_store.slm (M1, 8)  flat[O]:a32  X:d32
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> {more}:ud
    lsc_load.slm (M1, 8)  Y:d32  flat[O]:a32
    lsc_store.ugm (M1, 8)  flat[A]:a64  Y:d32
    ret (M1, 1)
"""


def tags_asked(store: str, more: str, than: tuple[str, str] = ("0x0", "0x0")) -> tuple[Comparison, Verdict]:
    """Whether a kernel that adds so much to the addresses of its store and its load refines one that adds `than`."""
    from visaproof.launch.input_meaning import Argument, ArgumentValue, BufferAddress
    from visaproof.launch.launch import NOTHING_KNOWN
    from visaproof.launch.matching import Program
    from visaproof.visaasm.reader import read_kernel

    programs: list[Program] = []
    for one, other in (than, (store, more)):
        kernel = read_kernel(LSC_HEAD + IN_LOCAL.format(store=one, more=other), "k.visaasm")
        held = [("P", BufferAddress(Argument(0))), ("I", ArgumentValue(Argument(1))), ("X", ArgumentValue(Argument(2)))]
        programs.append(Program(kernel, NOTHING_KNOWN.with_inputs(kernel, held), dg2()))
    comparison = compare(programs[0], programs[1], Scope(Assume.IDS))
    return comparison, decide(comparison, 2000)


def dg2():
    from visaproof.isa.platform import Platform

    return Platform.DG2


@pytest.mark.parametrize("more", ["0x0", "0xf0000000"])
def test_an_address_with_the_tag_is_that_without_it(more: str) -> None:
    """Of the store and the load, or of the store alone."""
    comparison, verdict = tags_asked("0x10000000", more)
    assert isinstance(verdict, Refines), verdict
    assert any(one.name == "slm-tag" for one in comparison.assumed)


@pytest.mark.parametrize(
    ("store", "more"),
    [("0x10000000", "0x20"), ("0x8000000", "0x0"), ("0x20000000", "0x0"), ("0x10000400", "0x0"), ("0x0", "0x8000000")],
)
def test_another_byte_is_another_one_with_the_tag_too(store: str, more: str) -> None:
    """Nor is any other bit a tag."""
    comparison, verdict = tags_asked(store, more)
    assert isinstance(verdict, Difference), verdict
    assert not run_again(replayed_record(comparison, verdict), "k.json").differences


def test_bytes_before_those_of_the_tag_alone_are_those_before_the_first() -> None:
    """s[i - 4] with the tag: its constant is less than the tag."""
    _, verdict = tags_asked("0x10000000", "0xfffffffc", ("0x0", "0xfffffffc"))
    assert isinstance(verdict, Refines), verdict
    comparison, verdict = tags_asked("0x10000000", "0xfffffff8", ("0x0", "0xfffffffc"))
    assert isinstance(verdict, Difference), verdict
    assert not run_again(replayed_record(comparison, verdict), "k.json").differences


def test_choices_of_tagged_addresses_are_looked_at_once() -> None:
    """As many as of 2^40 ways, in a chain that is longer than Python recurses."""
    word = add(symbol("a", 32), const(SLM_TAG, 32))
    plain = symbol("a", 32)
    for place in range(2000):
        other, condition = add(word, const(4, 32)), bool_symbol(f"c.{place}")
        word = ite(condition, word, other) if place < 40 else ite(condition, word, symbol(f"b.{place}", 32))
        plain = ite(condition, plain, add(plain, const(4, 32)) if place < 40 else symbol(f"b.{place}", 32))
    found = SymbolicLocal(const(64, 40)).untagged(word)
    values = dict.fromkeys(symbols_of(word), 1)
    assert evaluate(found, values) == evaluate(plain, values) == 1


def test_without_a_tag_nothing_is_assumed_of_it() -> None:
    comparison, verdict = tags_asked("0x8", "0x0", ("0x8", "0x0"))
    assert isinstance(verdict, Refines)
    assert not any(one.name == "slm-tag" for one in comparison.assumed)
