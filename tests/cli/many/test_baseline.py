"""`--baseline`: what is known does not fail a run, and nothing else is hidden."""

import json
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One kernel with a conflict, one without."""
    place = tmp_path / "dumps"
    place.mkdir()
    for name in ("pairs", "pairs_fixed"):
        for suffix in (".visaasm", ".bin"):
            shutil.copy(EXAMPLES / f"{name}{suffix}", place)
    return place


@pytest.fixture
def baseline(visaproof, folder, tmp_path) -> Path:
    path = tmp_path / "known.json"
    ran = visaproof("conflicts", folder, "--write-baseline", path)
    assert (ran.code, ran.err) == (0, f"{path}: 1 findings are listed\n")
    return path


def test_what_is_known_does_not_fail_the_run(visaproof, folder, baseline):
    ran = visaproof("conflicts", folder, "--baseline", baseline)
    assert ran.code == 0
    assert ran.err == f"1 findings are in {baseline}\n"
    assert ran.out.splitlines()[-1] == "2 files: 1 free of conflicts, 1 with nothing but known findings"


def test_quiet_shows_no_known_finding_but_new_ones(visaproof, folder, baseline):
    assert visaproof("conflicts", folder, "--baseline", baseline, "-q").out == ""
    for suffix in (".visaasm", ".bin"):
        shutil.copy(folder / f"pairs{suffix}", folder / f"pairs2{suffix}")
    shown = visaproof("conflicts", folder, "--baseline", baseline, "-q").out
    assert "pairs2.visaasm" in shown
    assert "pairs.visaasm" not in shown


@pytest.mark.slow
def test_lines_may_move(visaproof, folder, baseline):
    path = folder / "pairs.visaasm"
    path.write_text(path.read_text().replace("\n\n", "\n\n\n// moved\n", 1))
    assert visaproof("conflicts", folder, "--baseline", baseline).code == 0


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("change", ["statement", "kernel", "second"])
def test_what_is_new_fails_the_run(visaproof, folder, baseline, change):
    path = folder / "pairs.visaasm"
    match change:
        case "statement":
            path.write_text(path.read_text().replace("T6 0x0:ud V0055.0 V0053.0", "T6 0x4:ud V0055.0 V0053.0"))
        case "kernel":
            path.write_text(path.read_text().replace('"pairs"', '"others"'))
            for zebin in folder.glob("*.bin"):
                zebin.unlink()
        case _:
            shutil.copy(path, folder / "copy.visaasm")
            shutil.copy(path.with_suffix(".bin"), folder / "copy.bin")
    ran = visaproof("conflicts", folder, "--baseline", baseline, "--format", "json")
    assert ran.code == 1
    assert len([one for one in json.loads(ran.out)["findings"] if one["level"] == "refuted"]) >= 1


def test_what_is_gone_is_said(visaproof, folder, baseline):
    (folder / "pairs.visaasm").unlink()
    ran = visaproof("conflicts", folder, "--baseline", baseline)
    assert ran.code == 0
    assert "1 of them are gone" in ran.err


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_never_known(visaproof, folder, tmp_path):
    (folder / "bad.visaasm").write_text("nonsense")
    path = tmp_path / "all.json"
    assert visaproof("conflicts", folder, "--write-baseline", path).code == 2
    assert visaproof("conflicts", folder, "--baseline", path).code == 2


@pytest.mark.parametrize("content", ["", "[]", '{"baseline": 2, "findings": []}', '{"baseline": 1, "finding": []}'])
def test_a_file_that_is_no_baseline_is_an_error(visaproof, folder, tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_text(content)
    ran = visaproof("conflicts", folder, "--baseline", path)
    assert (ran.code, ran.out) == (2, "")
    assert "baseline" in ran.err


@pytest.mark.parametrize("option", [("--shard", "1/2"), ("--budget", "5")])
def test_a_part_of_the_files_makes_no_baseline(visaproof, folder, tmp_path, option):
    path = tmp_path / "part.json"
    assert visaproof("conflicts", folder, "--write-baseline", path, *option).code == 2
    assert not path.exists()


@pytest.mark.slow
def test_pairs_have_baselines(visaproof, folder, tmp_path):
    path = tmp_path / "pairs.json"
    first = visaproof("tv", folder, "--write-baseline", path)
    assert (first.code, path.exists()) == (0, True)
    assert visaproof("tv", folder, "--baseline", path).code == 0
    assert visaproof("tv", folder).code == 1
