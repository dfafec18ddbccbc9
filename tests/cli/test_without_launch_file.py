"""Questions without --launch: what lies beside the kernel is taken, and says the same as if it were named."""

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.slow
def test_each_command_takes_the_binary_that_lies_beside(visaproof):
    pairs = EXAMPLES / "pairs.visaasm"
    for command in ("conflicts", "bounds", "check"):
        plain = visaproof(command, pairs, "--format", "json")
        named = visaproof(command, pairs, "--launch", pairs.with_suffix(".bin"), "--format", "json")
        assert (plain.code, plain.out) == (named.code, named.out)
    shape = ("--global-size", "16", "--arg", "n=8", "--buffer", "in=zeros:64", "--buffer", "out=zeros:64")
    assert (
        visaproof("run", pairs, *shape).out
        == visaproof("run", pairs, "--launch", pairs.with_suffix(".bin"), *shape).out
    )


def test_none_leaves_it_out(visaproof):
    ran = visaproof("conflicts", EXAMPLES / "pairs.visaasm", "--launch", "none")
    assert "launch: no launch information" in ran.out
    assert "what the inputs mean is not known" in ran.out


def test_a_damaged_binary_that_names_the_kernel_is_an_error(visaproof, tmp_path):
    shutil.copy(EXAMPLES / "pairs.visaasm", tmp_path)
    whole = (EXAMPLES / "pairs.bin").read_bytes()
    (tmp_path / "pairs.bin").write_bytes(whole[: len(whole) - 300])
    ran = visaproof("conflicts", tmp_path / "pairs.visaasm")
    assert ran.code == 2
    assert "pairs.bin" in ran.err


@pytest.mark.slow
def test_two_kernels_take_their_own_or_share_that_of_the_source(visaproof, tmp_path):
    def asked(*words: object) -> tuple[int, str]:
        ran = visaproof("refine", *words, "-v")
        return ran.code, ran.out.replace(str(tmp_path), str(EXAMPLES))

    one, other = EXAMPLES / "mean.visaasm", EXAMPLES / "mean_halves.visaasm"
    named = asked(one, other, "--launch", one.with_suffix(".bin"), "--launch-target", other.with_suffix(".bin"))
    assert "by what the launch puts there" in named[1]
    assert asked(one, other) == named
    assert asked(one, other, "--launch", "none") != named
    for path in (one, one.with_suffix(".bin")):
        shutil.copy(path, tmp_path)
    shutil.copy(one, tmp_path / "changed.visaasm")
    code, text = asked(tmp_path / one.name, tmp_path / "changed.visaasm")
    assert (code, "what the launch puts there" in text) == (0, True)
    (tmp_path / "mean.bin").unlink()
    code, text = asked(tmp_path / one.name, tmp_path / "changed.visaasm")
    assert "what the launch puts there" not in text
