"""Undefined values: as data, address, branch, mask or dead, in every command that asks about a kernel."""

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.support.rows import PLUS_X
from tests.support.rows import STORE as ROWS_STORE
from tests.support.rows import asked as rows
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.findings import unreachable
from visaproof.analysis.findings import verdicts as decided
from visaproof.analysis.findings.kernel import uses_of
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.smt import Bool, conj, const, eq, mul, neg, symbol
from visaproof.smt.answers import Answer, Undecided, Unsatisfiable
from visaproof.smt.solvers import solve
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[1] / "data"
SWAPPED = DATA / "byte-swap-pvc-2022.visaasm"

HEAD = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=8 align=GRF
.decl SHORT v_type=G type=ud num_elts=4 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=4
.decl T6 v_type=T num_elts=1
.input AT offset=32 size=32
.input X offset=64 size=32
.input SHORT offset=96 size=16
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""
APART = "mov (M1, 8) AT(0,0)<1> 0x76543210:uv\nshl (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0x2:ud\n"
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud {at}.0 {data}.0\n"
STORED = APART + STORE.format(at="AT", data="X")

READS = {
    "register beyond a variable": "mov (M1, 8) R(0,0)<1> SHORT(0,0)<1;1,0>\n",
    "region past the end": "add (M1, 8) R(0,0)<1> X(0,4)<1;1,0> 0x0:ud\n",
    "uninitialised register": "mov (M1, 8) R(0,0)<1> N(0,0)<1;1,0>\n",
    "uninitialised address register": "mov (M1, 8) R(0,0)<1> r[A0(0),0]<8;8,1>:ud\n",
    "initialised for some lanes": "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x3:ud\n(P1) mov (M1, 8) N(0,0)<1> 0x1:ud\n"
    "mov (M1, 8) R(0,0)<1> N(0,0)<1;1,0>\n",
}
"""Statements that leave an undefined value in R."""

USES = {
    "data": APART + STORE.format(at="AT", data="R"),
    "address": STORE.format(at="R", data="X"),
    "branch": "cmp.eq (M1, 8) P1 R(0,0)<1;1,0> 0x7:ud\n(P1) goto (M1, 8) end\n" + STORED + "end:\n",
    "mask": APART + "cmp.eq (M1, 8) P1 R(0,0)<1;1,0> 0x7:ud\n(P1) " + STORE.format(at="AT", data="X"),
    "load address": "gather4_scaled.R (M1, 8) T6 0x0:ud R.0 X.0\n" + STORED,
}
DEAD = {
    "overwritten": "mov (M1, 8) R(0,0)<1> 0x5:ud\n" + APART + STORE.format(at="AT", data="R"),
    "masked": "and (M1, 8) R(0,0)<1> R(0,0)<1;1,0> 0x0:ud\n" + APART + STORE.format(at="AT", data="R"),
    "never used": STORED,
}
OPERANDS = {
    "data of a store beyond": APART + STORE.format(at="AT", data="SHORT"),
    "addresses of a store beyond": STORE.format(at="SHORT", data="X"),
    "addresses of a load beyond": "gather4_scaled.R (M1, 8) T6 0x0:ud SHORT.0 N.0\n" + STORED,
    "result of a load beyond": APART + "gather4_scaled.R (M1, 8) T6 0x0:ud AT.0 SHORT.0\n" + STORED,
    "data of a store uninitialised": APART + STORE.format(at="AT", data="N"),
    "addresses of a store uninitialised": STORE.format(at="N", data="X"),
    "mask of a store uninitialised": APART + "(P1) " + STORE.format(at="AT", data="X"),
    "mask of a store beyond": APART + "cmp.eq (M1, 4) P2 X(0,0)<1;1,0> 0x1:ud\n(P2) " + STORE.format(at="AT", data="X"),
    "result of an addition beyond": "add (M1, 8) SHORT(0,0)<1> X(0,0)<1;1,0> X(0,0)<1;1,0>\n" + STORED,
    "bits of a comparison beyond": "cmp.eq (M1, 8) P2 X(0,0)<1;1,0> 0x1:ud\n" + STORED,
    "mask of an addition beyond": "cmp.eq (M1, 4) P2 X(0,0)<1;1,0> 0x1:ud\n(P2) add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> "
    "0x1:ud\n" + STORED,
}
COMMANDS = ("conflicts", "bounds", "check")
OPTIONS = {
    "conflicts": ("--undefined", "collision=allow"),
    "bounds": ("--size", "0=4294967295", "--undefined", "misaligned=allow"),
    "check": (),
}
KINDS = {kind.value: kind for kind in UndefinedKind}


def asked(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, body: str, *options: str
) -> tuple[int, dict[str, Any]]:
    path = folder / "k.visaasm"
    path.write_text(HEAD + body + "ret (M1, 1)\n")
    capsys.readouterr()
    code = main([command, str(path), "--platform", "DG2", "--format", "json", *OPTIONS[command], *options])
    return code, json.loads(capsys.readouterr().out)["files"][0]


def verdicts(file: dict[str, Any]) -> set[str]:
    return {one["verdict"] for one in file["undefined"]}


@pytest.mark.slow(but=35)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("read", "use"), list(product(READS, USES)))
def test_an_undefined_value_with_an_effect_is_a_finding(
    command: str, read: str, use: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, file = asked(tmp_path, capsys, command, READS[read] + USES[use])
    assert code == 1, file
    assert "refuted" in verdicts(file), file["undefined"]
    assert file.get("not_modelled") in (None, {})


@pytest.mark.slow(but=22)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("read", "use"), list(product(READS, DEAD)))
def test_an_undefined_value_without_an_effect_is_a_note(
    command: str, read: str, use: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    defined = asked(tmp_path, capsys, command, DEAD[use].replace("R(0,0)<1;1,0>", "X(0,0)<1;1,0>"))
    code, file = asked(tmp_path, capsys, command, READS[read] + DEAD[use])
    assert code == defined[0] == 0, file
    assert verdicts(file) == (set() if read == "initialised for some lanes" else {"note"})


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("operand", OPERANDS)
def test_an_operand_that_is_undefined_is_a_finding(
    command: str, operand: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, file = asked(tmp_path, capsys, command, OPERANDS[operand])
    assert code == 1
    assert "refuted" in verdicts(file) or file["legal"] is False  # `check` has rules for some, and stops there


@pytest.mark.parametrize("command", COMMANDS)
def test_lanes_that_are_off_use_nothing_undefined(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "mov (M1, 4) R(0,0)<1> SHORT(0,0)<1;1,0>\nmov (M1, 4) SHORT(0,0)<1> R(0,0)<1;1,0>\n" + STORED
    code, file = asked(tmp_path, capsys, command, body)
    assert (code, file["undefined"]) == (0, [])
    never = "cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x0:ud\n(P1) mov (M1, 8) R(0,0)<1> SHORT(0,0)<1;1,0>\n" + STORED
    code, file = asked(tmp_path, capsys, command, never)
    assert (code, file["undefined"]) == (0, [])


@pytest.mark.parametrize("command", COMMANDS)
def test_what_comes_after_registers_beyond_a_variable_is_answered(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dead = READS["register beyond a variable"]
    _, alone = asked(tmp_path, capsys, command, STORED)
    _, file = asked(tmp_path, capsys, command, dead + STORED)
    for key in ("scatters", "messages"):
        assert [one | {"line": 0} for one in file.get(key, ())] == [one | {"line": 0} for one in alone.get(key, ())]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("read", READS)
def test_the_user_says_what_is_a_finding(
    command: str, read: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, file = asked(tmp_path, capsys, command, READS[read] + USES["data"])
    kinds = {one["kind"] for one in file["undefined"]}
    allowed = [word for kind in kinds for word in ("--undefined", f"{kind}=allow")]
    code, file = asked(tmp_path, capsys, command, READS[read] + USES["data"], *allowed)
    assert (code, verdicts(file)) == (0, {"allowed"})
    forbidden = [word for kind in kinds for word in ("--undefined", f"{kind}=forbid")]
    assert asked(tmp_path, capsys, command, READS[read] + STORED, *forbidden)[0] == 1


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("use", ["data", "never used"])
@pytest.mark.parametrize(("simd", "lanes"), [(".kernel_attr SimdSize=8\n", "its first lanes"), ("", "all lanes")])
def test_what_undefined_uses_assume_of_the_lanes_is_printed(
    command: str, use: str, simd: str, lanes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.visaasm"
    head = HEAD.replace(".kernel_attr SimdSize=8\n", simd)
    for body, shown in ((STORED, 0), (READS["register beyond a variable"] + (USES | DEAD)[use], 1)):
        path.write_text(head + body + "ret (M1, 1)\n")
        capsys.readouterr()
        main([command, str(path), "--platform", "DG2", *OPTIONS[command]])
        assert capsys.readouterr().out.count(f"assumed: a thread starts with {lanes} enabled") == shown


@pytest.mark.parametrize("command", [*COMMANDS, "refine", "tv"])
def test_every_command_names_the_kinds(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert command == "tv" or all(f"  {kind} " in told for kind in KINDS)
    assert "--undefined" in told


@pytest.mark.parametrize("command", COMMANDS)
def test_a_write_that_no_lane_reaches_is_listed(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """x & 1 is never 2: no normal form knows that, a solver does."""
    odd = "and (M1, 8) R(0,0)<1> X(0,0)<1;1,0> 0x1:ud\ncmp.eq (M1, 8) P1 R(0,0)<1;1,0> 0x2:ud\n"
    body = APART + odd + "(P1) " + STORE.format(at="AT", data="X") + STORE.format(at="AT", data="X")
    _, file = asked(tmp_path, capsys, command, body)
    first = HEAD.count("\n") + 5
    assert [one["line"] for one in file["unreachable"]] == [first]


def test_no_solver_is_asked_whether_a_run_reaches_what_one_has_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the scatter whose lanes collide; of the other one it is."""
    asked_of = list[Bool]()
    monkeypatch.setattr(unreachable, "_never", lambda _, __, reached: bool(asked_of.append(reached)))
    _, file = asked(
        tmp_path, capsys, "conflicts", STORED + "mov (M1, 8) AT(0,0)<1> 0x8:ud\n" + STORE.format(at="AT", data="X")
    )
    assert [one["verdict"] for one in file["scatters"]] == ["proved", "refuted"]
    assert len(asked_of) == 1


def test_values_that_reach_one_write_are_tried_of_the_next_and_hide_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what holds where x is 64, where it also is not 3, and where its square is 3, which it never is."""
    looked_for, simple = list[Bool](), unreachable.simple_words_for
    monkeypatch.setattr(unreachable, "simple_words_for", lambda *of: (looked_for.append(of[1]), simple(*of))[1])
    x, of_rows, came = symbol("x", 32), rows(PLUS_X + ROWS_STORE).asked, list[Values]()
    is_64, is_3 = eq(x, const(64, 32)), eq(x, const(3, 32))
    assert not unreachable._never(of_rows, came, is_64)
    assert (len(looked_for), len(came)) == (1, 1)
    assert not unreachable._never(of_rows, came, conj(is_64, neg(is_3)))
    assert len(looked_for) == 1
    assert unreachable._never(of_rows, came, eq(mul(x, x), const(3, 32)))
    assert len(looked_for) == 2


@pytest.mark.parametrize(("limit", "most"), [("10", 2_000), ("60", 5_000)])
def test_a_question_about_undefined_values_has_a_share_of_the_limit(
    limit: str, most: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []

    def noted(_: Sequence[Bool], timeout_ms: int) -> Answer:
        given.append(timeout_ms)
        return Undecided("slow")

    monkeypatch.setattr(decided, "solve", noted)
    monkeypatch.setattr(decided, "TOGETHER_MS", 60_000)
    monkeypatch.setattr(decided._Question, "_simple", lambda *_: None)
    body = READS["uninitialised register"] + USES["data"]
    _, file = asked(tmp_path, capsys, "conflicts", body, "--limit", limit, "--timeout", "5")
    assert verdicts(file) == {"unknown"}
    assert most / 2 < max(given) <= most


@pytest.mark.parametrize("command", COMMANDS)
def test_the_byte_swap_of_2022_is_found(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """intel-graphics-compiler issue 414: rows of 32 bytes on a device whose registers have 64."""
    assert main([command, str(SWAPPED), "--platform", "PVC", "--format", "json"]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    found = {(one["kind"], one["verdict"], one.get("effect")) for one in file["undefined"]}
    assert ("beyond-variable", "refuted", "written") in found
    assert ("uninitialised", "refuted", "output") in found


def refined(folder: Path, capsys: pytest.CaptureFixture[str], source: str, target: str) -> tuple[int, dict[str, Any]]:
    for name, body in (("source", source), ("target", target)):
        (folder / f"{name}.visaasm").write_text(HEAD + body + "ret (M1, 1)\n")
    capsys.readouterr()
    files = [str(folder / f"{name}.visaasm") for name in ("source", "target")]
    code = main(["refine", *files, "--platform", "DG2", "--assume", "none", "--format", "json"])
    return code, json.loads(capsys.readouterr().out)["asked"][0]


BEYOND = [name for name in READS if name.startswith("re")]


@pytest.mark.parametrize("read", BEYOND)
def test_registers_beyond_a_variable_refute_a_target_and_excuse_a_source(
    read: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only lanes whose x is 3 use them, so that the source is defined for other inputs."""
    some = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x3:ud\n(P1) " + READS[read]
    code, verdict = refined(tmp_path, capsys, STORED, some + STORED)
    assert code == 1
    assert verdict["example"]["target_undefined"]["kind"] == "beyond-variable"
    code, verdict = refined(tmp_path, capsys, some + STORED, STORED)
    assert (code, verdict["excused"]) == (0, ["beyond-variable"])


@pytest.mark.parametrize("read", BEYOND)
def test_a_source_that_always_uses_what_a_variable_has_not_is_vacuous(
    read: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    always = READS[read].replace("(M1, 8)", "(M1_NM, 8)")
    code, verdict = refined(tmp_path, capsys, always + STORED, STORED)
    assert (code, verdict["verdict"], verdict["undefined"]) == (5, "vacuous", ["beyond-variable"])


def _in_one_row(line: str) -> str:
    """The statement with byte 32 + c of a row in the place of byte c of row 1, and with row 1 in the place of row 2."""
    line = re.sub(r"(V00(?:59|60))\(1,(\d)\)", lambda found: f"{found[1]}(0,{32 + int(found[2])})", line)
    return line.replace("V0055(2,", "V0055(1,")


def test_a_right_byte_swap_does_not_refine_to_that_of_2022(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The right one counts rows of 64 bytes: row 0 and byte 32 in the place of row 1."""
    right = tmp_path / "right.visaasm"
    lines = [_in_one_row(line) for line in SWAPPED.read_text().splitlines()]
    right.write_text("\n".join(lines) + "\n")
    options = ["--platform", "PVC", "--launch", str(SWAPPED.with_suffix(".ze_info")), "--format", "json"]
    assert main(["check", str(right), "--platform", "PVC"]) == 0
    capsys.readouterr()
    assert main(["refine", str(right), str(SWAPPED), *options]) == 1
    (asked,) = json.loads(capsys.readouterr().out)["asked"]
    assert asked["example"]["target_undefined"]["kind"] == "beyond-variable"
    assert main(["refine", str(SWAPPED), str(right), *options]) == 0
    (asked,) = json.loads(capsys.readouterr().out)["asked"]
    assert asked["excused"] == ["beyond-variable"]


@pytest.mark.parametrize("most", [decided.MOST_TOGETHER, 0])
def test_one_question_says_of_many_values_that_nothing_depends_on_them(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three registers are initialised in part, and several terms are made of each of them."""
    asked: list[Answer] = []

    def counted(formulas: Sequence[Bool], timeout_ms: int) -> Answer:
        asked.append(solve(formulas, timeout_ms))
        return asked[-1]

    monkeypatch.setattr(decided, "solve", counted)
    monkeypatch.setattr(decided, "MOST_TOGETHER", most)
    kernel = read_kernel_file(DATA / "visaasm/vc_oword_copy/tgllp-vc.visaasm")
    assert not uses_of(kernel, Platform.TGLLP, {}, 5000).undefined
    assert all(isinstance(one, Unsatisfiable) for one in asked)
    assert (len(asked) == 1) == (most > 0)


@pytest.mark.parametrize(
    ("count", "said"), [(3, "the same in lines 20, 21"), (12, "11 more statements, lines 20 to 30")]
)
def test_statements_in_a_row_with_one_verdict_are_shown_once(count: int, said: str, visaproof, tmp_path: Path) -> None:
    file = tmp_path / "k.visaasm"
    file.write_text(HEAD + READS["register beyond a variable"] * count + STORED + "ret (M1, 1)\n")
    out = visaproof("check", str(file), "--platform", "TGLLP").out
    assert out.count("beyond-variable: it reads") == 1
    assert said in out
