"""Kernels of Intel's compiler on arrays and for single threads: whole states, byte for byte."""

from pathlib import Path

import pytest

from tests.support.both_engines import differences, random_states
from visaproof.isa.platform import platform_named
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data" / "visaasm"
CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "visaasm"


@pytest.mark.slow(but=28)
@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.visaasm")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_real_kernels_agree(path: Path) -> None:
    platform = platform_named(path.stem.split("-")[0])
    kernel = read_kernel_file(path)
    assert differences(kernel, platform, random_states(kernel, platform, 1), policy=2) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_a_sample_of_the_corpus_agrees() -> None:
    for path in sorted(CORPUS.glob("**/*.visaasm"))[::80]:
        platform = platform_named(path.stem.split("-")[0])
        kernel = read_kernel_file(path)
        assert differences(kernel, platform, random_states(kernel, platform, 2), policy=1) == [], path
