"""Buffers that overlap: what a target may do with its accesses of two arguments, and what only if they are apart."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue
from visaproof.launch.matching import Program
from visaproof.launch.overlap import ArgumentInfo
from visaproof.refinement import decision as module
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.refines import refines
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.strategies.strategy import Stages
from visaproof.refinement.verdicts import Apart, Refines, Verdict
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines
from visaproof.report.two_kernels.difference import difference_text
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 8) C(0,0)<1> 0x76543210:v
shl (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:d
"""

A, B, C = 0, 1, 2
"""Surfaces of three arguments of these names."""


def load(surface: int, value: str) -> str:
    return f"lsc_load.ugm (M1, 8) {value}:d32 bti({surface:#x})[C]:a32\n"


def store(surface: int, value: str) -> str:
    return f"lsc_store.ugm (M1, 8) bti({surface:#x})[C]:a32 {value}:d32\n"


def add(into: str, value: str, number: int) -> str:
    return f"add (M1, 8) {into}(0,0)<1> {value}(0,0)<1;1,0> {number:#x}:d\n"


def program(body: str, infos: Mapping[int, ArgumentInfo] | None = None) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    known = NOTHING_KNOWN.with_inputs(kernel, [("X", ArgumentValue(Argument(3)))])
    names = {0: "a", 1: "b", 2: "c", 3: "x"}
    launch = replace(known, binding_table={0: 0, 1: 1, 2: 2}, arg_names=names, infos=infos or {})
    return Program(kernel, launch, Platform.DG2)


def compared(
    source: str,
    target: str,
    infos: Mapping[int, ArgumentInfo] | None = None,
    alias: Alias = Alias.MAY,
    disjoint: tuple[tuple[str, str], ...] = (),
) -> Comparison:
    scope = Scope(Assume.NONE, alias=alias, disjoint=disjoint)
    return compare(program(source, infos), program(target), scope)


def asked(source: str, target: str, infos: Mapping[int, ArgumentInfo] | None = None) -> Verdict:
    return decide(compared(source, target, infos), 1_000)


RELOAD = load(B, "Y") + add("Z", "Y", 1) + store(A, "Z") + load(B, "Y") + store(C, "Y")
KEPT = load(B, "Y") + add("Z", "Y", 1) + store(A, "Z") + store(C, "Y")
"""`int y = b[i]; a[i] = y + 1; c[i] = b[i];` and the same without the second load."""


WRONG = {
    "reload dropped": (RELOAD, KEPT, [{A, B}]),
    "reload added": (KEPT, RELOAD, [{A, B}]),
    "load hoisted": (
        store(A, "X") + load(B, "Y") + store(C, "Y"), load(B, "Y") + store(A, "X") + store(C, "Y"), [{A, B}]
    ),
    "stores exchanged": (
        add("Y", "X", 1) + store(A, "X") + store(B, "Y"),
        add("Y", "X", 1) + store(B, "Y") + store(A, "X"),
        [{A, B}],
    ),
    "store dropped that another load sees": (
        add("Z", "X", 1) + store(A, "X") + load(B, "Y") + store(A, "Z") + store(C, "Y"),
        add("Z", "X", 1) + load(B, "Y") + store(A, "Z") + store(C, "Y"),
        [{A, B}],
    ),
    "store sunk over two": (
        add("Y", "X", 1) + store(A, "X") + store(B, "Y") + store(C, "Y"),
        add("Y", "X", 1) + store(B, "Y") + store(C, "Y") + store(A, "X"),
        [{A, B}, {A, C}],
    ),
}  # fmt: skip
"""Right only if these pairs share no byte."""

RIGHT = {
    "the same order": (RELOAD, RELOAD.replace(add("Z", "Y", 1), add("Z", "Y", 3) + add("Z", "Z", 0xFFFF_FFFE))),
    "loads exchanged": (
        load(A, "Y") + load(B, "Z") + store(C, "Y") + store(B, "Z"),
        load(B, "Z") + load(A, "Y") + store(C, "Y") + store(B, "Z"),
    ),
    "load dropped with no store between": (
        load(A, "Y") + load(A, "Z") + store(B, "Z"),
        load(A, "Y") + store(B, "Y"),
    ),
    "store dropped before one to the same place": (
        add("Y", "X", 1) + store(A, "X") + store(B, "Y") + store(A, "Y"),
        add("Y", "X", 1) + store(B, "Y") + store(A, "Y"),
    ),
}  # fmt: skip
"""Right wherever the buffers lie."""


@pytest.mark.parametrize("change", WRONG)
def test_a_change_that_needs_buffers_apart_is_refuted_with_a_run_that_replays(change: str) -> None:
    """The pairs are those that are needed, and no others; the run has overlapping buffers."""
    source, target, pairs = WRONG[change]
    found = asked(source, target)
    assert isinstance(found, Apart), found
    assert {frozenset(pair) for pair in found.pairs} == {frozenset(f"argument {one}" for one in pair) for pair in pairs}
    assert found.difference is not None
    record = refinement_record(
        found.overlapping, found.difference, difference_text(found.overlapping, found.difference)
    )
    assert replay_refinement(record, "f.json") == ()
    shown = "\n".join(verdict_lines(found.overlapping, found))
    assert "REFINES ONLY IF" in shown.splitlines()[1]
    assert re.search(r"in this run \w+ is \w+ from ", shown), shown
    assert verdict_json(found.overlapping, found)["verdict"] == "does not refine"


@pytest.mark.parametrize("change", RIGHT)
def test_a_change_that_is_right_wherever_buffers_lie_refines(change: str) -> None:
    comparison = compared(*RIGHT[change])
    assert isinstance(decide(comparison, 1_000), Refines)
    assert len(comparison.sharing.pairs) > 0
    assert not any("apart" in one.name for one in comparison.assumed)


def test_where_buffers_overlap_nothing_runs_if_a_solver_shows_it_at_once() -> None:
    """x + y is x ^ y and twice x & y."""
    one, other = (
        f"{op} (M1, 8) {into}(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n" for op, into in (("xor", "Z"), ("and", "X"))
    )
    twice = "shl (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Z(0,0)<1;1,0>\n"
    added = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
    stages = Stages()
    source, target = (load(A, "Y") + sums + store(B, "X") for sums in (added, one + other + twice))
    assert isinstance(decide(compared(source, target), 5_000, stages), Refines)
    tried = [one.name for one in stages.tried]
    assert "where buffers overlap: a solver: simple stores" in tried
    assert not any(name.endswith("runs") for name in tried)


def looping(body: str) -> str:
    """The body as often as the first input says in each lane."""
    back = "cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 8) more\n"
    return f"more:\n{body}add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> -0x1:d\n{back}"


@pytest.mark.parametrize("change", [one for one in RIGHT if not one.startswith("store dropped")])
def test_iterations_that_were_unrolled_are_not_put_into_one_memory(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that stands for all decides; each load of all iterations would be compared with each store before."""
    source, target = map(looping, RIGHT[change])
    comparison = compared(source, target)
    monkeypatch.delattr(module, "questions")
    found = decide(comparison, 1_000)
    assert isinstance(found, Refines)
    assert not found.conditions


@pytest.mark.parametrize("change", ["store sunk over two", pytest.param("reload dropped", marks=pytest.mark.slow)])
def test_a_change_in_a_loop_that_needs_buffers_apart_names_them(change: str) -> None:
    source, target, pairs = WRONG[change]
    found = asked(looping(source), looping(target))
    assert isinstance(found, Apart), found
    assert {frozenset(pair) for pair in found.pairs} == {frozenset(f"argument {one}" for one in pair) for pair in pairs}
    assert found.difference is not None


@pytest.mark.slow
@pytest.mark.parametrize("change", WRONG)
def test_the_user_may_state_that_buffers_are_apart(change: str) -> None:
    """Of all pairs, or of those that are needed, by the names or the numbers of their arguments; it is printed."""
    source, target, pairs = WRONG[change]
    comparison = compared(source, target, alias=Alias.NONE)
    assert isinstance(decide(comparison, 1_000), Refines)
    assert "buffers-apart" in [one.name for one in comparison.assumed]
    for named in (lambda one: "abc"[one], str):
        disjoint = tuple((named(min(pair)), named(max(pair))) for pair in pairs)
        comparison = compared(source, target, disjoint=disjoint)
        assert isinstance(decide(comparison, 1_000), Refines)
        assert [one.name for one in comparison.assumed].count("disjoint") == len(pairs)


@pytest.mark.parametrize("pair", [("a", "nobody"), ("a", "a"), ("0", "a"), ("a", "²")])
def test_a_pair_of_no_two_arguments_is_an_error(pair: tuple[str, str]) -> None:
    with pytest.raises(ReadError):
        compared(RELOAD, KEPT, disjoint=(pair,))


BUFFER = ArgumentInfo("__global", "", "int*")
RESTRICT = ArgumentInfo("__global", "", "int*", frozenset({"restrict"}))
CONSTANT = ArgumentInfo("__constant", "", "int*", frozenset({"const"}))


@pytest.mark.parametrize(
    ("argument", "info", "named"),
    [(A, RESTRICT, "restrict"), (B, RESTRICT, "restrict"), (B, CONSTANT, "constant-unwritten")],
)
def test_the_source_grants_that_a_buffer_is_apart(argument: int, info: ArgumentInfo, named: str) -> None:
    """`restrict` of one of both is enough, and nothing writes what is `constant`; of the target it grants nothing."""
    infos = {A: BUFFER, B: BUFFER, C: BUFFER} | {argument: info}
    comparison = compared(RELOAD, KEPT, infos)
    assert isinstance(decide(comparison, 1_000), Refines)
    assert named in [one.name for one in comparison.assumed]
    back = compare(program(RELOAD), program(KEPT, infos), Scope(Assume.NONE))
    assert isinstance(decide(back, 1_000), Apart)


def test_restrict_of_a_third_argument_grants_nothing_of_two_others() -> None:
    infos = {A: BUFFER, B: BUFFER, C: RESTRICT}
    found = asked(RELOAD, KEPT, infos)
    assert isinstance(found, Apart)
    assert found.pairs == (frozenset(("argument 0", "argument 1")),)


def test_surfaces_of_unknown_launches_may_overlap() -> None:
    """Without launch information a surface is known by its number alone."""
    source, target = (replace(program(body), launch=NOTHING_KNOWN) for body in (RELOAD, KEPT))
    found = decide(compare(source, target, Scope(Assume.NONE)), 1_000)
    assert isinstance(found, Apart)
    assert found.difference is not None
    stated = compare(source, target, Scope(Assume.NONE, disjoint=(("0", "1"),)))
    assert isinstance(decide(stated, 1_000), Refines)


def test_the_run_has_each_buffer_where_its_base_is() -> None:
    """A later element of one buffer is the first one of another."""
    source = store(A, "X") + load(B, "Y") + store(C, "Y")
    target = load(B, "Y") + store(A, "X") + store(C, "Y")
    found = asked(source, target)
    assert isinstance(found, Apart)
    comparison, shown = found.overlapping, found.difference
    assert shown is not None
    assert not comparison.sharing.apart
    text = verdict_json(comparison, found)["example"]["overlaps"]
    assert {one["buffer"] for one in text} | {one["is"] for one in text} <= {f"argument {n}" for n in range(3)}


CORPUS = Path(__file__).parents[4] / "shared" / "corpus-2026"


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus of today's compiler is not beside the repository")
def test_in_overlapping_buffers_an_address_beyond_its_own_one_shows_nothing() -> None:
    """The place is what an atomic counted: 4 GiB behind the buffer the target is in another, and the source wraps."""
    files = [CORPUS / "visaasm" / "compaction" / f"{name}-O2-simd16.visaasm" for name in ("tgllp", "bmg")]
    assert isinstance(refines(*files, launch=CORPUS / "manifest.json", assume="ids"), Refines)
