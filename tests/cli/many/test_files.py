"""Which files are asked: folders, shares, and what git says has changed."""

import subprocess
from pathlib import Path

import pytest

from visaproof.cli.many.files import kernels_in

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
KERNELS = sorted(EXAMPLES.glob("*.visaasm"))


def listed(ran) -> list[str]:
    """The kernels that a run said something about."""
    return [line.split(":")[0] for line in ran.out.splitlines() if ": kernel " in line]


def test_a_folder_is_walked_and_functions_are_not_kernels(tmp_path):
    for name in ("b/k.visaasm", "a.visaasm", "b/k.f1.visaasm", "b/k_f2.visaasm", "b/self_f1.visaasm", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = [path.relative_to(tmp_path).as_posix() for path in kernels_in(tmp_path)]
    assert found == ["a.visaasm", "b/k.visaasm", "b/self_f1.visaasm"]


def test_shares_of_a_folder_are_the_whole_and_share_nothing(visaproof):
    shares = [name for k in (1, 2, 3) for name in listed(visaproof("check", EXAMPLES, "--shard", f"{k}/3"))]
    assert sorted(shares) == [str(path) for path in KERNELS]


@pytest.mark.parametrize("share", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_a_share_that_is_none_is_refused(visaproof, share):
    ran = visaproof("check", EXAMPLES, "--shard", share)
    assert (ran.code, ran.out) == (2, "")
    assert "is not K/N" in ran.err


def test_a_source_is_told_how_it_is_compiled(visaproof):
    ran = visaproof("conflicts", EXAMPLES / "mean.cl")
    assert ran.code == 2
    assert "this is OpenCL C" in ran.err
    assert "visaproof dump" in ran.err


def test_a_folder_without_kernels_is_an_error(visaproof, tmp_path):
    ran = visaproof("bounds", tmp_path)
    assert ran.code == 2
    assert f"no .visaasm file in {tmp_path}" in ran.err


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for path in KERNELS[:2]:
        (tmp_path / path.name).write_text(path.read_text())
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    return tmp_path


def test_only_changed_and_new_files_are_asked(visaproof, repository):
    nothing = visaproof("check", repository, "--changed-since", "HEAD")
    assert (nothing.code, listed(nothing)) == (0, [])
    changed, new = repository / KERNELS[1].name, repository / "new.visaasm"
    changed.write_text(changed.read_text() + "\n")
    new.write_text(KERNELS[2].read_text())
    assert listed(visaproof("check", repository, "--changed-since", "HEAD")) == [str(changed), str(new)]


def test_a_changed_launch_changes_all_its_kernels(visaproof, repository):
    (repository / "manifest.json").write_text(f"{[path.name for path in KERNELS[:2]]}")
    ran = visaproof("check", repository, "--changed-since", "HEAD", "--platform", "tgllp")
    assert len(ran.err.splitlines()) >= 2


@pytest.mark.parametrize("revision", ["no-such-branch", "--output=x"])
def test_a_revision_that_git_does_not_know_is_an_error(visaproof, repository, revision):
    ran = visaproof("check", repository, f"--changed-since={revision}")
    assert ran.code == 2
    assert "no revision of git" in ran.err
