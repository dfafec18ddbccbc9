"""`import visaproof`: the names, what they cost, and what they do."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import visaproof
from visaproof.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PROJECT = Path(__file__).parent / "user_project"
SCATTER = "scatter4_scaled.R (M1, 8) T6 0x0:ud off.0 src.0"


def python(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


# ---------------------------------------------------------------- the names


def test_every_public_name_is_there() -> None:
    for name in visaproof.__all__:
        assert getattr(visaproof, name) is not None, name
    assert set(visaproof.__all__) <= set(dir(visaproof))


def test_the_stub_has_the_same_table() -> None:
    stub = ast.parse((ROOT / "model" / "visaproof" / "__init__.pyi").read_text("utf-8"))
    found = {"__version__": ""}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("visaproof."):
            found |= {alias.name: node.module or "" for alias in node.names}
            assert all(alias.name == alias.asname for alias in node.names)  # re-exported
    assert found == {"__version__": ""} | {name: f"visaproof.{home}" for name, home in visaproof._HOMES.items()}


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'conflict'"):
        visaproof.conflict  # pyright: ignore  # noqa: B018


def test_importing_the_package_loads_nothing_else() -> None:
    loaded = python(
        "import sys, visaproof; print(*sorted(m for m in sys.modules if m.startswith(('visaproof', 'z3'))))"
    )
    assert loaded == "visaproof"


def test_the_version_is_printed_at_once() -> None:
    """No solver, no grammar, no arrays: the process itself takes most of it."""
    heavy = {"z3", "bitwuzla", "numpy", "lark", "rich", "msgspec"}
    code = f"import sys; from visaproof.cli import main; main(['--version']); print({heavy} & sys.modules.keys())"
    assert python(code).endswith("set()")


# ---------------------------------------------------------------- what they do


def test_a_kernel_is_asked_about_in_one_call() -> None:
    kernel = visaproof.read_kernel(EXAMPLES / "pairs.visaasm")
    assert kernel.launch.source.endswith("pairs.bin:.ze_info"), "the file beside it"
    found = visaproof.conflicts(kernel)
    assert not found.ok
    assert {type(answer.verdict) for answer in found} == {visaproof.Conflict}
    assert all(answer.word == "refuted" for answer in found.refuted)
    assert "work items 0 and 1 both write out[0]" in str(found[0])
    launch = found[0].launch
    assert launch is not None
    assert isinstance(launch.command, list)
    assert main(launch.command[1:]) == 1, "the launch has the conflict"
    fixed = visaproof.conflicts(EXAMPLES / "pairs_fixed.visaasm")
    assert fixed.ok, str(fixed)
    assert not visaproof.conflicts(EXAMPLES / "pairs_fixed.visaasm", launch="none").ok


@pytest.mark.slow
def test_bounds_and_refinement_are_asked_in_one_call() -> None:
    kernel = visaproof.read_kernel(EXAMPLES / "rows.visaasm", launch=EXAMPLES / "rows.bin")
    unstated = visaproof.bounds(kernel)
    assert not unstated.ok
    assert unstated.refuted
    assert isinstance(visaproof.refines(kernel, kernel), visaproof.Refines)


@pytest.mark.slow
def test_answers_name_what_they_rest_on(capsys: pytest.CaptureFixture[str]) -> None:
    """The same as on the command line: premises, and what was not asked."""
    kernel = EXAMPLES / "pairs_fixed.visaasm"
    for command, found in (("conflicts", visaproof.conflicts(kernel)), ("bounds", visaproof.bounds(kernel))):
        main([command, str(kernel), "--format", "json"])
        printed = json.loads(capsys.readouterr().out)["files"][0]["premises"]
        assert [(one.name, one.sentence) for one in found.premises] == [
            (one["name"], one["sentence"]) for one in printed
        ]
        assert f"assumed: {found.premises[0].name}" in str(found)
        assert f"assumed: {found.premises[0].name}" in found._repr_html_()
    assert "not asked: whether two messages" in str(visaproof.conflicts(kernel))
    assert not visaproof.conflicts(kernel, launch="none", assume="none").premises


@pytest.mark.slow
def test_a_comparison_names_what_it_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    source, target = EXAMPLES / "reload.visaasm", EXAMPLES / "reload_once.visaasm"
    assert main(["refine", str(source), str(target)]) == 1
    printed = capsys.readouterr().out
    found = visaproof.compare(source, target)
    assert (found.word, found.ok) == ("refuted", False)
    assert isinstance(found.verdict, type(visaproof.refines(source, target)))
    assert [one.name for one in found.premises][:2] == ["local-ids", "local-size"]
    assert set(str(found).splitlines()) <= set(printed.splitlines()), "as the command shows it"
    same = visaproof.compare(source, source, alias="none")
    assert (same.word, same.ok) == ("proved", True)
    assert repr(same) == f"<proved: {source} refines {source}>"
    assert "both are the same program" in same._repr_html_()


def test_what_was_not_asked_is_no_success() -> None:

    found = visaproof.conflicts(EXAMPLES / "pairs_fixed.visaasm", EXAMPLES / "pairs_fixed.bin", limit_s=1e-6)

    assert not found.ok


def test_a_claim_is_three_lines() -> None:
    store = visaproof.parse_instruction(SCATTER)
    step = visaproof.encode(store, visaproof.Arrays.arbitrary(store))
    kept = step.after.buffer("T6").bytes == step.before.buffer("T6").bytes
    verdict = visaproof.prove(kept, step)
    assert isinstance(verdict, visaproof.Refuted)
    assert visaproof.describe(verdict).startswith("refuted:\nscatter4_scaled/claim is false here:\n  " + SCATTER)


def test_an_instruction_that_cannot_be_read_says_where() -> None:
    with pytest.raises(visaproof.ReadError, match="<instruction>:1:"):
        visaproof.parse_instruction("scatter4_scaled.R (M1, 8) T6")
    with pytest.raises(visaproof.IllegalInstruction, match="D1, D2"):
        visaproof.parse_instruction(SCATTER.replace("M1", "M8"))


def test_reprs_are_short_and_say_what_it_is() -> None:
    store = visaproof.parse_instruction(SCATTER)
    step = visaproof.encode(store, visaproof.Arrays.arbitrary(store))
    kernel = visaproof.read_kernel(EXAMPLES / "pairs.visaasm", launch=EXAMPLES / "pairs.bin")
    found = visaproof.conflicts(kernel)
    claimed = visaproof.claim(step.after.exec_mask == 0, step)
    verdict = visaproof.prove(claimed)
    for thing in (step, step.before, kernel, kernel.kernel, found, found[0], claimed, verdict):
        assert len(repr(thing)) < 200, repr(thing)
    assert repr(step) == f"<Step: {SCATTER}>"
    assert repr(found[0]).startswith("<refuted: no two lanes write the same byte, ")


def test_a_notebook_shows_the_answer_as_a_page() -> None:
    found = visaproof.conflicts(EXAMPLES / "pairs.visaasm", EXAMPLES / "pairs.bin")
    page = found._repr_html_()
    assert "<b style=" in page
    assert "<pre>" in page
    assert "CONFLICT" in page
    assert not re.search(r"<(?!/?(div|b|code|pre|p)\b)", page)  # what the kernel says is escaped


# ---------------------------------------------------------------- types


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["pyright", "mypy"])
def test_a_strict_type_checker_reads_a_users_project(checker: str, tmp_path: Path) -> None:
    """What is right passes, and each line that is wrong is found."""
    for path in PROJECT.glob("*.txt"):
        (tmp_path / path.with_suffix(".py").name).write_text(path.read_text("utf-8"))
    wrong = (tmp_path / "wrong.py").read_text("utf-8").splitlines()
    marks = ("# WRONG", f"# WRONG by {checker}")
    expected = {index for index, line in enumerate(wrong, 1) if line.partition(":")[0].endswith(marks)}
    if checker == "pyright":
        (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
        command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    else:
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--cache-dir",
            str(tmp_path / "cache"),
        ]
    environment = {**os.environ, "MYPYPATH": "", "PYTHONPATH": ""}
    right = subprocess.run([*command, "main.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert right.returncode == 0, right.stdout + right.stderr
    ran = subprocess.run([*command, "wrong.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert {int(line) for line in re.findall(r"wrong\.py:(\d+):", ran.stdout)} == expected, ran.stdout
