"""`visaproof replay --emit`: a counterexample as a test, a kernel for Intel's tool, a launch, an OpenCL host."""

import json
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.current_compiler import current_tool
from tests.genx.tool import REASON, TOOL, run_tool
from visaproof.checking.counterexample import Counterexample, read_counterexample, write_counterexample
from visaproof.checking.replay import replay
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import platform_named
from visaproof.report.emit.visaasm import visaasm
from visaproof.visaasm.reader import read_kernel

ROOT = Path(__file__).parents[2]
EXAMPLES, FOUND = ROOT / "docs" / "examples", ROOT / "counterexamples"
PAIRS = ["--kernel", EXAMPLES / "pairs.visaasm", "--launch", EXAMPLES / "pairs.bin"]
SCATTER = FOUND / "scatter4_scaled-without-bounds-breaks-out-of-bounds-write-is-dropped-simd8-grf-64.json"


@pytest.fixture(scope="module")
def conflict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from visaproof.cli import main

    folder = tmp_path_factory.mktemp("found")
    command = ["conflicts", EXAMPLES / "pairs.visaasm", "--launch", EXAMPLES / "pairs.bin", "--save", folder]
    assert main([str(word) for word in command]) == 1
    (path,) = folder.glob("*.json")
    return path


def pytest_run(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_a_pytest_file_fails_until_the_kernel_is_mended(visaproof, conflict: Path, tmp_path: Path) -> None:
    kernel = tmp_path / "pairs.visaasm"
    kernel.write_text((EXAMPLES / "pairs.visaasm").read_text("utf-8"))
    test = tmp_path / "test_pairs.py"
    test.write_text(visaproof("replay", conflict, "--emit", "pytest", "--kernel", kernel).out)
    before = pytest_run(test)
    assert "1 failed, 1 passed" in before.stdout
    assert "both write byte 0x0" in before.stdout
    kernel.write_text((EXAMPLES / "pairs_fixed.visaasm").read_text("utf-8"))
    after = pytest_run(test)
    assert "2 passed" in after.stdout, after.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["normal-form-0*", "scatter4_scaled-without*", "lane_conflict*", "typed_atomic*"])
def test_a_pytest_file_holds_the_whole_finding(visaproof, tmp_path: Path, name: str) -> None:
    test = tmp_path / "test_found.py"
    test.write_text(visaproof("replay", sorted(FOUND.glob(name))[0], "--emit", "pytest").out)
    assert "1 passed" in pytest_run(test).stdout


def findings() -> list[Path]:
    return [path for path in sorted(FOUND.glob("*.json")) if '"program"' in path.read_text("utf-8")]


def test_a_visaasm_file_begins_in_the_state(visaproof) -> None:
    found = read_counterexample(SCATTER) if SCATTER.exists() else read_counterexample(findings()[-1])
    text = visaasm(found)
    kernel = read_kernel(text, "emitted", grf_bytes=platform_named(found.platform).grf_bytes)
    assert len(list(kernel.instructions())) > len([line for line in found.program if "(M" in line]) - 1
    assert text.startswith(f"// {found.shows}\n// on {found.platform}, execution mask {found.state.exec_mask}\n")


@pytest.mark.slow
@pytest.mark.skipif(TOOL is None, reason=REASON)
def test_intels_tool_accepts_every_visaasm_file(tmp_path: Path) -> None:
    refused: list[str] = []
    for path in findings():
        found = read_counterexample(path)
        if any(one in "\n".join(found.program) for one in ("typed_atomic.predec", "block2d")):
            continue  # the tool's grammar has no predec (errata.toml), and of 2022 no 2D block in a payload
        ran = run_tool(visaasm(found), platform_named(found.platform), tmp_path / "tool")
        if not ran.accepted:
            refused.append(f"{path.name}: {ran.message}")
    assert refused == []
    assert len(findings()) > 100


@pytest.mark.slow
def test_todays_tool_accepts_every_file_with_a_2d_block(tmp_path: Path) -> None:
    tool = current_tool("GenX_IR")
    blocks = [path for path in findings() if "block2d" in path.name]
    for path in blocks:
        found = read_counterexample(path)
        (tmp_path / "t.visaasm").write_text(visaasm(found))
        command = [tool, "t.visaasm", "-platform", found.platform]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (ran.returncode, "Error Message" in ran.stdout + ran.stderr) == (0, False), path.name
    assert len(blocks) > 10


@pytest.mark.slow
def test_a_launch_that_shows_it_is_a_command_that_shows_it(visaproof, conflict: Path) -> None:
    emitted = visaproof("replay", conflict, "--emit", "run", *PAIRS)
    assert emitted.code == 0, emitted.err
    program, *words = shlex.split(emitted.out)
    assert program == "visaproof"
    ran = visaproof(*words)
    assert ran.code == 1
    assert "lanes 0 and 1 both write byte 0x0" in ran.out


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pyopencl") is None, reason="pyopencl is not installed")
def test_an_opencl_host_runs_where_there_is_a_device(visaproof, conflict: Path, tmp_path: Path) -> None:
    emitted = visaproof("replay", conflict, "--emit", "opencl", *PAIRS, "--source", EXAMPLES / "pairs.cl")
    assert emitted.code == 0, emitted.err
    (tmp_path / "host.py").write_text(emitted.out)
    ran = subprocess.run([sys.executable, "host.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    if "PLATFORM_NOT_FOUND" in ran.stderr or "choose" in ran.stderr:
        pytest.skip("no OpenCL device")
    assert ran.returncode == 0, ran.stderr
    assert "out: 65536 bytes" in ran.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--emit", "run"], 2, "--kernel FILE --launch FILE"),
        (["--emit", "opencl", *PAIRS], 2, "--source FILE"),
        (
            ["--emit", "run", "--kernel", EXAMPLES / "rows.visaasm", "--launch", EXAMPLES / "rows.bin"],
            3,
            "another kernel",
        ),
    ],
)
def test_what_is_missing_is_said(visaproof, conflict: Path, words: list[object], code: int, said: str) -> None:
    ran = visaproof("replay", conflict, *words)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err


def test_a_finding_of_an_instruction_is_no_launch(visaproof) -> None:
    ran = visaproof("replay", findings()[-1], "--emit", "run", *PAIRS)
    assert ran.code == 3
    assert "`visaproof replay` runs it" in ran.err


def test_what_does_not_replay_is_not_emitted(visaproof, conflict: Path, tmp_path: Path) -> None:
    document = json.loads(conflict.read_text("utf-8"))
    (tmp_path / "found.json").write_text(json.dumps({**document, "line": document["line"] - 1}))
    ran = visaproof("replay", tmp_path / "found.json", "--emit", "pytest")
    assert (ran.code, ran.out) == (1, "")
    assert "does not replay" in ran.err


def test_one_file_is_emitted_at_a_time(visaproof, conflict: Path) -> None:
    ran = visaproof("replay", conflict, conflict, "--emit", "pytest")
    assert ran.code == 2
    assert "name one .json file" in ran.err


# ---------------------------------------------------------------- files stay small


def long_finding(conflict: Path) -> Counterexample:
    found = read_counterexample(conflict)
    found.program += [f"// line {number} of a long kernel" for number in range(400)]
    return found


def test_a_long_kernel_lies_beside_its_findings(conflict: Path, tmp_path: Path) -> None:
    found = long_finding(conflict)
    for name in ("one.json", "two.json"):
        write_counterexample(found, tmp_path / name)
    assert len(list(tmp_path.glob("*.visaasm"))) == 1
    document = json.loads((tmp_path / "one.json").read_text("utf-8"))
    assert document["format"] == 2
    assert document["program"]["lines"] == len(found.program)
    assert any(line.startswith(f"{found.line}: ") for line in document["program"]["excerpt"])
    assert (tmp_path / "one.json").stat().st_size < 4_000
    again = read_counterexample(tmp_path / "two.json")
    assert again.program == found.program
    assert not replay(again, "two.json").differences


def test_a_kernel_that_is_missing_or_another_is_noticed(conflict: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_counterexample(long_finding(conflict), path)
    (kernel,) = tmp_path.glob("*.visaasm")
    text = kernel.read_text("utf-8")
    kernel.write_text(text.replace("line 7 ", "line 8 "))
    with pytest.raises(ReadError, match=r"is not the kernel of one\.json any more"):
        read_counterexample(path)
    kernel.unlink()
    with pytest.raises(ReadError, match="its kernel is missing"):
        read_counterexample(path)


def test_files_of_the_first_format_replay(conflict: Path) -> None:
    assert json.loads(conflict.read_text("utf-8"))["format"] == 1
    assert not replay(read_counterexample(conflict), "found").differences
