"""What is seen without a run: that nothing a kernel does depends on uninitialised values."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.analysis.findings.kernel import uses_of
from visaproof.analysis.findings.verdicts import NoEffect, UndefinedUse, undefined_uses
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.machine.symbolic.data_results import DataResults
from visaproof.machine.symbolic.run import trace
from visaproof.program.lower import lowered
from visaproof.queries.kernels.initialised_values import nothing_depends, nothing_undefined_matters
from visaproof.queries.kernels.uninitialised import launched_variables
from visaproof.smt import Term, true
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEAD = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=8 align=GRF
.decl M v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl P3 v_type=P num_elts=8
.decl P4 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input AT offset=32 size=32
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""


def kernel(body: str) -> Kernel:
    return read_kernel(HEAD + body + "\nret (M1, 1)\n", "k.visaasm")


def matters_not(body: str) -> bool:
    return nothing_undefined_matters(lowered(kernel(body), Platform.DG2))


def stored(data: str = "R") -> str:
    return f"\nscatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 {data}.0"


SOME = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x3:ud\n"
SET = "mov (M1, 8) R(0,0)<1> 0x1:ud"
SET_N = "mov (M1, 8) N(0,0)<1> 0x1:ud"
COPY = "\nmov (M1, 8) R(0,0)<1> N(0,0)<1;1,0>"
HERE = "cmp.eq (M1, 8) P3 X(0,0)<1;1,0> 0x5:ud\n"
"""For the lanes that are there."""


@pytest.mark.parametrize(
    ("with_it", "without"),
    [
        (SET + stored(), stored()),
        (f"{SET_N}{COPY}{stored()}", f"(P1) {SET_N}{COPY}{stored()}"),
        (f"{SOME}{SET_N}\n(P1) {SET_N}{COPY}{stored()}", f"{SOME}(P1) {SET_N}{COPY}{stored()}"),
        (
            f"{SET}\n{SOME}(P1) goto (M1, 8) end\n{SET}\nend:{stored()}",
            f"{SOME}(P1) goto (M1, 8) end\n{SET}\nend:{stored()}",
        ),
        (
            f"{SET_N}\nloop:{COPY}{stored()}\n{SET_N}\n{SOME}(P1) goto (M1, 8) loop",
            f"mov (M1, 1) N(0,0)<1> 0x1:ud\nloop:{COPY}{stored()}\n{SET_N}\n{SOME}(P1) goto (M1, 8) loop",
        ),
        (
            f"mov (M1_NM, 8) N(0,0)<1> 0x1:ud\nmov (M1, 8) R(0,0)<1> N(0,0)<0;1,0>{stored()}",
            f"{SET_N}\nmov (M1, 8) R(0,0)<1> N(0,1)<0;1,0>{stored()}",
        ),
        (
            f"{SET_N}\nmov (M1_NM, 8) R(0,0)<1> N(0,0)<1;1,0>{stored()}",
            f"{SET_N}\nmov (M1_NM, 8) R(0,0)<1> N(0,1)<0;1,0>{stored()}",
        ),
        (
            f"{SOME}(P1) goto (M1, 8) end\n{HERE}not (M1_NM, 8) P2 P3\n(!P2) goto (M1, 8) end\n{SET}{stored()}\nend:",
            f"{SOME}(P1) goto (M1, 8) end\n{HERE}not (M1_NM, 8) P2 P3\nend:\n(!P2) {stored('X').strip()}",
        ),
        (
            "(P1) goto (M1, 8) end\n".join((SOME, f"{SET}{stored()}\nend:")),
            f"(P1) goto (M1, 8) end\n{SET}{stored()}\nend:\n{SOME}",
        ),
        (
            f"{SET_N}{stored('N')}\nmov (M1, 8) M(0,0)<1> 0x0:ud",
            f"{SET_N}{stored('N')}\nadd (M1, 8) R(0,0)<1> M(0,0)<1;1,0> 0x1:ud",
        ),
        (f"{SET}{stored()}", f"{SET}\nadd (M1, 8) R(0,0)<1> X(0,1)<1;1,0> 0x1:ud{stored()}"),
        (
            f"{SET_N}\n{SOME}(P1) {SET_N}{COPY}{stored()}",
            f"mov (M1_NM, 8) R(0,0)<1> 0x1:ud\n(P1) {SET_N}{COPY}{stored()}",
        ),
    ],
    ids=[
        "stored", "on no path", "under a predicate", "on one path", "in the iteration before", "by another lane",
        "of another lane", "predicates of lanes that are elsewhere", "branch", "read for nothing", "beyond",
        "in place of what was written",
    ],
)  # fmt: skip
def test_a_kernel_depends_on_what_was_initialised_alone(with_it: str, without: str) -> None:
    assert matters_not(with_it)
    assert not matters_not(without)


def test_what_others_write_while_a_lane_waits_is_not_the_same() -> None:
    """P3 holds nothing for lanes that wait; what is computed of it for all lanes replaces their bits."""
    body = "{some}cmp.eq (M1, 8) P2 X(0,0)<1;1,0> 0x5:ud\n(P1) goto (M1, 8) end\n{here}not (M1_NM, 8) {to} P3\nend:\n"
    body += f"(P2) {SET.replace('R(', 'X(')}{stored('X')}"
    assert matters_not(body.format(some=SOME, here=HERE, to="P4"))
    assert not matters_not(body.format(some=SOME, here=HERE, to="P2"))


def test_what_another_lane_writes_while_one_waits_is_not_the_same() -> None:
    """Lane 0 may write its element with what lane 1 has not written, while others wait to read it."""
    body = "mov (M1_NM, 8) R(0,0)<1> 0x1:ud\n{some}{n}\n(P1) goto (M1, 8) end\n"
    body += "mov (M1, 8) R(0,0)<1> N(0,{at})<0;1,0>\nend:\n"
    body += "mov (M1, 8) M(0,0)<1> R(0,0)<0;1,0>" + stored("M")
    assert matters_not(body.format(some=SOME, n=SET_N.replace("M1,", "M1_NM,"), at=1))
    assert not matters_not(body.format(some=SOME, n=SET_N, at=1))


OF_LANE_0 = "mov (M1, 1) N(0,0)<1> 0x1:ud\n"
TAKEN = "mov (M1, 8) R(0,0)<1> N(0,0)<0;1,0>"
LOOP = f"""{SOME}loop:
(P1) goto (M1, 1) end
{OF_LANE_0}{TAKEN}{stored()}
end:
cmp.ne (M1_NM, 8) P1 X(0,0)<1;1,0> 0x7:ud
(P1) goto (M1, {{lanes}}) loop"""
BACK = f"""{SOME}(P1) mov (M1, 8) M(0,0)<1> 0x1:ud
loop:
{OF_LANE_0}{TAKEN}{stored()}
(P1) goto (M1, {{lanes}}) end
mov (M1_NM, 1) N(0,0)<1> M(0,0)<0;1,0>
(!P1) goto (M1, 1) loop
end:"""


@pytest.mark.parametrize(
    ("with_it", "without"),
    [
        (f"{OF_LANE_0}{TAKEN}{stored()}", f"{OF_LANE_0.replace('0,0', '0,1')}{TAKEN}{stored()}"),
        (
            f"{SOME}(P1) goto (M1, 8) end\n{SET}\nend:\n{OF_LANE_0}{TAKEN}{stored()}",
            f"{SOME}(P1) goto (M1, 8) end\n{OF_LANE_0}{TAKEN}{stored()}\nend:\n{SET}",
        ),
        (
            f"{SOME}(P1) goto (M1, 1) end\n{OF_LANE_0}{TAKEN}{stored()}\nend:",
            f"{SOME}(P1) goto (M1, 1) end\n{OF_LANE_0}end:\n{TAKEN}{stored()}",
        ),
        (
            f"{SOME}(P1) goto (M1, 1) here\n(P1) goto (M1, 1) end\nhere:\n{OF_LANE_0}{TAKEN}{stored()}\nend:",
            f"{SOME}(P1) goto (M1, 8) here\n(P1) goto (M1, 1) end\nhere:\n{OF_LANE_0}{TAKEN}{stored()}\nend:",
        ),
        (
            f"{SOME}(P1) goto (M1, 8) here\n{SET}\nhere:\n{OF_LANE_0}{TAKEN}{stored()}",
            f"{SOME}(P1) goto (M1, 8) here\nret (M1, 1)\nhere:\n{OF_LANE_0}{TAKEN}{stored()}",
        ),
        (LOOP.format(lanes=1), LOOP.format(lanes=8)),
        (BACK.format(lanes=1), BACK.format(lanes=8)),
    ],
    ids=["lane 0", "when others wait", "on one path", "after a jump of some", "after an end of some", "loop", "back"],
)  # fmt: skip
def test_what_lane_0_does_is_done_wherever_all_lanes_run(with_it: str, without: str) -> None:
    assert matters_not(with_it)
    assert not matters_not(without)


def test_all_lanes_run_of_a_kernel_that_states_no_width() -> None:
    body = f"{SET_N}\nmov (M1_NM, 8) R(0,0)<1> N(0,1)<0;1,0>{stored()}"
    assert not matters_not(body)
    text = HEAD.replace(".kernel_attr SimdSize=8\n", "") + body + "\nret (M1, 1)\n"
    assert nothing_undefined_matters(lowered(read_kernel(text, "k.visaasm"), Platform.DG2))


@pytest.mark.parametrize(("of", "as_well"), [("A", "R"), ("B", "R"), ("C", "R"), ("A", "M"), ("B", "M"), ("C", "M")])
def test_a_product_depends_on_a_row_and_on_its_own_columns(of: str, as_well: str) -> None:
    """A lane has all of A, and its own column of B and of the accumulator."""
    of_lane, of_all = "mov (M1, 8) {}(0,0)<1> 0x1:ud\n", "mov (M1_NM, 8) {}(0,0)<1> 0x1:ud\n"
    names = {"A": "X(0,0)", "B": "X.0", "C": "%null.0"} | {of: "N(0,0)" if of == "A" else "N.0"}
    product = f"dpas.s8.s8.1.1 (M1, 8) {as_well}.0 {names['C']} {names['B']} {names['A']}"
    body = product + stored(as_well)
    assert not matters_not(body)
    assert matters_not(of_all.format("N") + body)
    assert matters_not(of_lane.format("N") + body)
    assert matters_not(of_lane.format("N").replace("8)", "1)") + body) == (of == "A")


POOL = (
    "mov (M1, 8) R(0,0)<1> 0x1:ud",
    "mov (M1_NM, 8) R(0,0)<1> N(0,0)<1;1,0>",
    "mov (M1, 8) N(0,0)<1> X(0,0)<1;1,0>",
    "mov (M1_NM, 8) N(0,0)<1> 0x2:ud",
    "mov (M1, 8) M(0,0)<1> N(0,0)<0;1,0>",
    "(P1) mov (M1, 8) M(0,0)<1> R(0,0)<1;1,0>",
    "(P2) sel (M1, 8) R(0,0)<1> M(0,0)<1;1,0> N(0,0)<1;1,0>",
    "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x3:ud",
    "cmp.eq (M1_NM, 8) P2 N(0,0)<1;1,0> 0x3:ud",
    "cmp.lt (M1, 8) P2 R(0,0)<1;1,0> 0x3:ud",
    "not (M1_NM, 8) P2 P1",
    "or (M1, 8) P1 P1 P2",
    "setp (M1_NM, 8) P1 N(0,0)<0;1,0>",
    "mov (M1, 4) M(0,4)<1> X(0,0)<1;1,0>",
    "mov (M1_NM, 1) N(0,0)<1> M(0,3)<0;1,0>",
    "gather4_scaled.R (M1, 8) T6 0x0:ud AT.0 M.0",
    "(P1) gather4_scaled.R (M1, 8) T6 0x0:ud AT.0 R.0",
    "(P1) goto (M1, 8) first",
    "(!P2) goto (M1, 8) second",
    "(P2) goto (M1, 8) first",
    "mov (M1, 1) N(0,0)<1> X(0,2)<0;1,0>",
    "mov (M1, 8) R(0,0)<1> N(0,0)<0;1,0>",
    "(P1) goto (M1, 1) second",
    "dpas.s8.s8.1.1 (M1, 8) R.0 M.0 X.0 N(0,0)",
    "first:",
    "second:",
    stored("R").strip(),
    stored("M").strip(),
    "(P2) " + stored("X").strip(),
)


BEFORE = (
    "mov (M1_NM, 8) {}(0,0)<1> 0x{}:ud",
    "mov (M1_NM, 8) {}(0,0)<1> 0x{}:ud",
    "mov (M1, 8) {}(0,0)<1> 0x{}:ud",
    "(P1) mov (M1, 8) {}(0,0)<1> 0x{}:ud",
)


def programs(seed: str, count: int) -> Iterator[str]:
    """Statements in any order, with both labels behind the branches to them."""
    random = Random(seed)
    for _ in range(count):
        lines = [random.choice(POOL) for _ in range(random.randrange(5, 14))]
        lines = [one for one in lines if not one.endswith(":")]
        for label in ("first:", "second:"):
            last = max((at for at, one in enumerate(lines) if one.endswith(label[:-1])), default=-1)
            lines.insert(random.randrange(last + 1, len(lines) + 1), label)
        first = (random.choice(BEFORE).format(one, random.choice((3, 7, 64))) for one in "NMR")
        yield "\n".join(
            (SOME.strip(), *first, random.choice(("", "not (M1, 8) P2 P1", "not (M1_NM, 8) P2 P1")), *lines)
        )


def uses(body: str) -> list[UndefinedUse]:
    """Those that a run shows, or leaves open."""
    some = kernel(body)
    start = start_of(some, NOTHING_KNOWN, Assume.NONE)
    ran = trace(some, Platform.DG2, start.initial, nondeterministic=True, launched=launched_variables(some))
    asked = Asked(some, Platform.DG2, ran, start, 5_000)
    return list(undefined_uses(asked, start.premises(launched_lanes(some))))


def test_no_run_of_such_a_kernel_shows_a_use() -> None:
    found = list(programs("initialised", 150))
    known = [body for body in found if matters_not(body)]
    assert len(known) > 20
    assert not [body for body in known if uses(body)]


def test_no_run_shows_an_effect_where_both_runs_are_seen_to_be_alike() -> None:
    some = [body.replace("X(", "M(") for body in programs("alike", 150)]
    alike = [body for body in some if nothing_depends(lowered(kernel(body), Platform.DG2)) and not matters_not(body)]
    found = [(body, one) for body in alike for one in uses(body)]
    assert len(found) > 5
    assert not [body for body, one in found if not isinstance(one.answer, NoEffect)]


NOTED = "\nadd (M1, 8) N(0,0)<1> N(0,0)<1;1,0> 0x1:ud"


@pytest.mark.parametrize("body", [f"{SET}{NOTED}{stored()}", f"{SET}{NOTED}{stored()}\n(P1) {SET_N}{stored('N')}"])
def test_what_is_seen_to_have_no_effect_is_asked_no_solver(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    some = kernel(body)
    known = nothing_depends(lowered(some, Platform.DG2))
    asked = list[Term]()

    def of_a_read(self: object, found: object) -> NoEffect:
        asked.append(true())
        return NoEffect()

    monkeypatch.setattr("visaproof.analysis.findings.verdicts._Question.of_a_read", of_a_read)
    found = uses_of(some, Platform.DG2, {}, 5_000).undefined
    assert [type(one.answer) for one in found][:1] == [NoEffect]
    assert bool(asked) != known


@pytest.mark.parametrize("command", ["conflicts", "check"])
@pytest.mark.parametrize(("body", "runs"), [(SET + stored(), False), (f"{SOME}(P1) {SET}{stored()}", True)])
def test_the_whole_run_is_made_where_a_use_may_be_found(
    command: str, body: str, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.visaasm").write_text(HEAD + body + "\nret (M1, 1)\n")
    made = list[str]()
    monkeypatch.setattr(DataResults, "step", lambda self, one, run: made.append(one.origin.opcode) or run(one))
    main([command, str(tmp_path / "k.visaasm"), "--platform", "DG2", "--cache-mode", "off"])
    assert bool(made) == runs
