"""The recipes for CI: the steps of the action run without a container, and what the others name is there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from visaproof.cli import main

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())


def step(name: str) -> dict[str, Any]:
    (found,) = [one for one in ACTION["runs"]["steps"] if one["name"] == name]
    return found


def asked(tmp_path: Path, **inputs: str) -> tuple[int, str]:
    """The exit code and the output of the step that asks, with `${{ … }}` filled in as a runner does."""
    values = {name: given.get("default", "") for name, given in ACTION["inputs"].items()} | inputs
    values = {f"inputs.{name}": value for name, value in values.items()} | {"runner.temp": str(tmp_path)}
    filled = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found[1]], text)
        for name, text in step("Ask")["env"].items()
    }
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Ask")["run"]], text=True, cwd=ROOT,
        env=os.environ | filled | files | {"RUNNER_TEMP": str(tmp_path), "PATH": path}, capture_output=True,
    )  # fmt: skip
    return run.returncode, run.stdout + run.stderr


@pytest.mark.slow
def test_the_action_annotates_and_leaves_every_file(tmp_path):
    code, out = asked(tmp_path, paths="docs/examples/pairs.visaasm", options="--launch 'docs/examples/pairs.bin'")
    assert code == 1
    assert "::error file=docs/examples/pairs.visaasm" in out
    assert "refuted" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"sarif={tmp_path}/visaproof.sarif\n"
    assert ElementTree.parse(tmp_path / "visaproof.xml").getroot().get("failures") == "1"
    assert (tmp_path / "visaproof.sqlite").stat().st_size > 0


def test_the_action_passes_where_nothing_is_found(tmp_path):
    options = "--launch docs/examples/pairs_fixed.bin"
    assert asked(tmp_path, paths="docs/examples/pairs_fixed.visaasm", options=options)[0] == 0


@pytest.mark.slow
def test_the_action_takes_a_baseline(tmp_path):
    known = tmp_path / "known.json"
    pairs = [str(EXAMPLES / f"pairs{suffix}") for suffix in (".visaasm", ".bin")]
    assert main(["conflicts", pairs[0], "--launch", pairs[1], "--write-baseline", str(known)]) == 0
    assert asked(tmp_path, paths=pairs[0], options=f"--launch {pairs[1]}", baseline=str(known))[0] == 0


def test_the_action_fails_where_the_command_line_is_wrong(tmp_path):
    code, out = asked(tmp_path, paths="docs/examples", options="--nonsense")
    assert code == 2
    assert "unrecognized arguments" in out


@pytest.mark.parametrize(
    "hook", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()), ids=lambda hook: hook["id"]
)
def test_a_hook_runs_on_the_files_that_it_is_given(hook, capsys):
    """As pre-commit calls it: the entry, then the names of the files that match."""
    files = [str(path) for path in sorted(EXAMPLES.iterdir()) if re.search(hook["files"], path.name)]
    code = main([*hook["entry"].split()[1:], *files, "--platform", "tgllp"])
    assert code == (0 if hook["id"] == "visaproof-check" else 1)


def test_the_image_copies_what_is_there():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    copied = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    assert copied
    assert all((ROOT / name).exists() for name in copied)
