"""Accesses outside of a buffer: undefined in the source language, and 0 or dropped on the machine."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.support.differences import kind_of
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, unusual
from visaproof.refinement import decision
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.verdicts import Difference, Refines, Vacuous, Verdict
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines
from visaproof.report.two_kernels.difference import difference_text
from visaproof.semantics.symbolic.names import surface_size
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=16 align=GRF
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 8) C(0,0)<1> 0x76543210:v
shl (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:d
"""

FORBID = FORBIDDEN | {UndefinedKind.OUTSIDE}


def load(surface: int, value: str) -> str:
    return f"lsc_load.ugm (M1, 8) {value}:d32 bti({surface:#x})[C]:a32\n"


def store(surface: int, value: str) -> str:
    return f"lsc_store.ugm (M1, 8) bti({surface:#x})[C]:a32 {value}:d32\n"


ADD = "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> {}:d\n"
LOADED = store(0, "X") + load(0, "Y") + store(1, "Y")
FORWARDED = store(0, "X") + store(1, "X")
"""`a[i] = x; b[i] = a[i];` and `a[i] = x; b[i] = x;`."""


def program(body: str) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    known = NOTHING_KNOWN.with_inputs(kernel, [("X", ArgumentValue(Argument(3)))])
    launch = replace(known, binding_table={0: 0, 1: 1}, arg_names={0: "a", 1: "b", 3: "x"})
    return Program(kernel, launch, Platform.DG2)


def asked(
    source: str, target: str, forbidden: frozenset[UndefinedKind] = FORBIDDEN, alias: Alias = Alias.NONE
) -> tuple[Comparison, Verdict]:
    comparison = compare(program(source), program(target), Scope(Assume.NONE, forbidden, alias=alias))
    return comparison, decide(comparison, 2_000)


@pytest.mark.slow
def test_a_difference_outside_of_a_buffer_of_the_source_names_the_option() -> None:
    """The source reads 0 beyond the end of a, where its store was dropped: C leaves that undefined."""
    comparison, found = asked(LOADED, FORWARDED)
    assert isinstance(found, Difference), found
    assert found.source_missed is not None
    lines = "\n".join(verdict_lines(comparison, found))
    assert "of a, outside of it" in lines
    assert "`--undefined outside=forbid`" in lines
    assert verdict_json(comparison, found)["example"]["source_accesses_outside"]["surface"] == "a"
    assert "outside of it" in difference_text(comparison, found)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("source", "target"), [(LOADED, FORWARDED), (FORWARDED, LOADED)])
def test_a_source_that_leaves_a_buffer_is_undefined_where_that_is_forbidden(source: str, target: str) -> None:
    comparison, found = asked(source, target, FORBID)
    assert isinstance(found, Refines), found
    assert "undefined" in [one.name for one in comparison.assumed]
    assert "outside" in next(unusual(FORBID)).sentence


@pytest.mark.parametrize("forbidden", [FORBIDDEN, FORBID])
def test_a_wrong_change_is_shown_in_launches_that_stay_inside(forbidden: frozenset[UndefinedKind]) -> None:
    """Whatever is allowed: a difference that needs no access outside is shown without one, and replays."""
    comparison, found = asked(LOADED, store(0, "X") + load(0, "Y") + ADD.format(4) + store(1, "Y"), forbidden)
    assert isinstance(found, Difference), found
    assert found.source_missed is None
    record = refinement_record(comparison, found, difference_text(comparison, found))
    assert replay_refinement(record, "f.json") == ()


def test_a_difference_in_a_short_buffer_is_shown_in_a_long_one_if_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison, found = asked(LOADED, store(0, "X") + load(0, "Y") + ADD.format(4) + store(1, "Y"))
    assert isinstance(found, Difference)
    short = found.values | {surface_size("argument 0"): 2}
    outside = difference(comparison, short, nothing)
    assert outside is not None
    assert outside.source_missed is not None
    monkeypatch.setattr(decision, "_wherever_buffers_lie", lambda *_: outside)
    shown = decide(comparison, 500)
    assert isinstance(shown, Difference)
    assert shown.source_missed is None


@pytest.mark.slow
def test_a_recorded_source_that_leaves_a_buffer_shows_nothing_where_that_is_forbidden() -> None:
    comparison, found = asked(LOADED, FORWARDED)
    assert isinstance(found, Difference)
    record = refinement_record(comparison, found, difference_text(comparison, found))
    assert replay_refinement(record, "f.json") == ()
    strict = msgspec.structs.replace(record, source_inside=True)
    assert "the source leaves its buffers" in replay_refinement(strict, "f.json")


FAR = "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1000:d\n"


def test_the_target_may_read_outside_of_a_buffer() -> None:
    """The machine reads 0 there; but a load that the target uses is compared, and it excuses nothing."""
    ahead = store(1, "X")
    unused = ahead + FAR + load(0, "Y")
    assert isinstance(asked(ahead, unused, FORBID)[1], Refines)
    used = load(0, "Y") + store(1, "X")
    assert isinstance(asked(used, FAR + load(0, "Y") + store(1, "Y"), FORBID)[1], Difference)


def test_an_access_of_the_target_outside_excuses_nothing() -> None:
    """Only the target stores to b at C + 0x1000: that it may be outside leaves the launches where it is inside."""
    found = asked(store(0, "X"), store(0, "X") + FAR + store(1, "X"), FORBID)[1]
    assert isinstance(found, Difference), found
    assert found.source_missed is None


def test_a_source_that_is_always_outside_is_vacuous() -> None:
    """No surface has more than 4 GiB, and the second of these two dwords is beyond that."""
    outside = "mov (M1_NM, 16) Y(0,0)<1> 0x0:ud\nmov (M1_NM, 1) C(0,0)<1> 0xfffffffc:ud\n" + store(0, "Y")
    outside = outside.replace("(M1, 8)", "(M1_NM, 1)").replace("Y:d32", "Y:d32x2")
    assert isinstance(asked(outside, outside + store(1, "X"), FORBID)[1], Vacuous)
    assert isinstance(asked(outside, outside + store(1, "X"))[1], Difference)


def test_other_kinds_count_as_before_where_accesses_outside_are_forbidden() -> None:
    """A collision of the target is one, though nothing outside of a buffer is."""
    same = "mov (M1, 8) C(0,0)<1> 0x0:ud\n"
    one = same + store(0, "X").replace("(M1, 8)", "(M1, 1)")
    found = asked(one, same + store(0, "X"), FORBID)[1]
    assert isinstance(found, Difference), found
    assert kind_of(found) is UndefinedKind.COLLISION


def test_buffers_that_overlap_are_asked_of_launches_that_stay_inside() -> None:
    """Forwarding over a store to another buffer needs both apart; the run has the source inside."""
    source = store(0, "X") + store(1, "C") + load(0, "Y") + store(0, "Y")
    target = store(0, "X") + store(1, "C") + store(0, "X")
    comparison, found = asked(source, target, FORBID, Alias.MAY)
    assert "REFINES ONLY IF" in "\n".join(verdict_lines(comparison, found))
    shown = getattr(found, "difference", None)
    assert isinstance(shown, Difference)
    assert shown.source_missed is None


@pytest.mark.slow
def test_tv_asks_of_one_folder_inside_and_of_two_folders_as_the_pages_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Variants of one source rest on the source language, and a pass on the machine."""
    for folder, name, body in (
        ("one", "k_O0", LOADED), ("one", "k_O2", FORWARDED), ("before", "k", LOADED), ("after", "k", FORWARDED),
    ):  # fmt: skip
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}.visaasm").write_text(HEAD + body + "ret (M1, 1)\n")
    options = ["--platform", "dg2", "--alias", "none", "--assume", "none"]
    one, before, after = (str(tmp_path / name) for name in ("one", "before", "after"))
    assert main(["tv", one, "--source", "*O0*", *options]) == 0
    assert main(["tv", one, "--source", "*O0*", "--undefined", "outside=allow", *options]) == 1
    assert main(["tv", before, after, *options]) == 1
    assert main(["tv", before, after, "--undefined", "outside=forbid", *options]) == 0
    capsys.readouterr()
