"""The pytest plugin in a project of a user's: claims and file tests are collected, and their failures are readable."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from visaproof.testing.file_tests import FileTestError, perform

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
INSTALLED = any(one.name == "visaproof" for one in entry_points(group="pytest11"))
"""Else it is named, as in a checkout that was installed before there was a plugin."""
PLUGIN = (*(() if INSTALLED else ("-p", "visaproof.pytest_plugin")), "-p", "no:cacheprovider")

CLAIMS = """
import z3
import visaproof
from visaproof import Query

STORE = visaproof.parse_instruction("scatter4_scaled.R (M1, 8) T6 0x0:ud off.0 src.0")
STEP = visaproof.encode(STORE, visaproof.Arrays.arbitrary(STORE))
BEFORE, AFTER = STEP.before.buffer("T6").bytes, STEP.after.buffer("T6").bytes


def prove_the_mask_stays() -> Query:
    return visaproof.claim(STEP.after.exec_mask == STEP.before.exec_mask, STEP)


def refute_nothing_is_written() -> Query:
    return visaproof.claim(AFTER == BEFORE, STEP)


@visaproof.for_each((1, 0x80))
def prove_a_lane_writes_nothing(lanes: int) -> Query:
    return visaproof.claim(z3.Implies(STEP.before.exec_mask & ~lanes == 0, AFTER == BEFORE), STEP, name="silent")


def prove_with_a_mistake() -> Query:
    return visaproof.claim(AFTER.no_such_method(), STEP)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in ("pairs.visaasm", "pairs.bin", "pairs_fixed.visaasm", "pairs_fixed.bin"):
        (pytester.path / name).write_bytes((EXAMPLES / name).read_bytes())
    return pytester


@pytest.mark.slow
def test_claims_of_a_test_module_and_of_a_folder_are_tests(project: pytest.Pytester) -> None:
    project.makepyfile(test_mine=CLAIMS)
    folder = project.mkpydir("proofs")
    (folder / "mine.py").write_text(CLAIMS)
    (folder / "other.py").write_text("def prove_nothing_of_ours():\n    raise SystemExit\n")
    ran = project.runpytest_subprocess(*PLUGIN, "-rA")
    ran.assert_outcomes(passed=4, failed=6)
    printed = ran.stdout.str()
    assert "scatter4_scaled/silent: expected proved, found refuted:" in printed
    assert "T6[0x" in printed  # what the run leaves
    assert "no_such_method" in printed
    assert "catalogue.py" not in printed
    assert "prove_a_lane_writes_nothing[128]" in printed


@pytest.mark.slow
def test_folders_of_claims_may_have_another_name(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nvisaproof_proofs = claims more\n")
    for name in ("claims", "more"):
        (project.mkpydir(name) / "mine.py").write_text(CLAIMS.replace("prove_the_mask_stays", f"prove_{name}"))
    ran = project.runpytest_subprocess(*PLUGIN, "-rA", "-k", "prove_claims or prove_more")
    ran.assert_outcomes(passed=2)
    assert "prove_more" in ran.stdout.str()


FREE = "// RUN: visaproof conflicts %s --launch %S/pairs_fixed.bin\n// CHECK: kernel pairs\n// CHECK: free: no two\n"
CONFLICT = """// RUN: visaproof conflicts %s --launch %S/pairs.bin
// EXPECT: refuted
// CHECK: CONFLICT: work items {{[0-9]+}} and {{[0-9]+}} both write
// CHECK-NOT: internal error
"""


@pytest.mark.parametrize(
    ("name", "lines", "problem"),
    [
        ("pairs_fixed", FREE, ""),
        ("pairs", CONFLICT, ""),
        ("pairs", FREE.replace("_fixed", ""), "exit code 1 (refuted), expected 0 (proved)"),
        ("pairs_fixed", FREE + "// CHECK-NEXT: no such line\n", "'no such line' is not in the output any more"),
        ("pairs_fixed", FREE + "// CHECK-NEXT: readings used\n", "CHECK-NEXT: 'readings used' is not on the next line"),
        ("pairs_fixed", FREE + "// CHECK-NOT: readings used\n", "CHECK-NOT: 'readings used' is in the output"),
        ("pairs_fixed", FREE + "// EXPECT: right\n", "EXPECT: right: say one of proved, refuted"),
        ("pairs_fixed", "// CHECK: x\n" + FREE, "CHECK: stands above every RUN:"),
        ("pairs_fixed", "// RUN: rm -rf %t\n", "begins with visaproof: nothing else is run"),
        ("pairs_fixed", FREE + "// CHECK: {{(}}\n", "no regular expression"),
    ],
)
def test_a_file_says_what_is_asked_and_answered(tmp_path: Path, name: str, lines: str, problem: str) -> None:
    for suffix in ("visaasm", "bin"):
        (tmp_path / f"{name}.{suffix}").write_bytes((EXAMPLES / f"{name}.{suffix}").read_bytes())
    path = tmp_path / f"{name}.visaasm"
    path.write_text(lines + path.read_text("utf-8"))
    if not problem:
        perform(path)
        return
    with pytest.raises(FileTestError, match=re.escape(problem)) as caught:
        perform(path)
    assert str(caught.value).startswith(f"{path}:")


@pytest.mark.slow
def test_file_tests_are_collected_and_say_what_was_printed(project: pytest.Pytester) -> None:
    for name, lines in (("pairs_fixed", FREE), ("pairs", FREE.replace("_fixed", ""))):
        path = project.path / f"{name}.visaasm"
        path.write_text(lines + path.read_text("utf-8"))
    ran = project.runpytest_subprocess(*PLUGIN, "-rA")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*pairs.visaasm:1: exit code 1 (refuted), expected 0 (proved)", "*| *CONFLICT*"])


def test_files_without_a_question_are_not_collected(project: pytest.Pytester) -> None:
    assert project.runpytest_subprocess(*PLUGIN).ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_plugin_loads_nothing_before_it_is_needed(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import sys

        def test_nothing_is_loaded():
            assert not {"z3", "visaproof.smt", "visaproof.cli", "hypothesis"} & sys.modules.keys()
    """)
    project.runpytest_subprocess(*PLUGIN, "-p", "no:hypothesispytest").assert_outcomes(passed=1)
