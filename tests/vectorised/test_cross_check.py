"""The machine on arrays against the machine for single threads: whole states, byte for byte."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel import generated
from tests.vectorised import statements
from tests.vectorised.both_engines import differences, random_states
from visaproof.isa.platform import Platform, platform_named
from visaproof.kernel.reader import read_kernel, read_kernel_file

DATA = Path(__file__).parent.parent / "data" / "visaasm"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "visaasm"


def disagreements(text: str, seed: int) -> list[str]:
    kernel = read_kernel(text, "generated.visaasm")
    return differences(kernel, Platform.TGLLP, random_states(kernel, Platform.TGLLP, seed))


@settings(deadline=None, max_examples=150)
@given(statements.kernels(), st.integers(0, 2**32))
def test_every_opcode_type_and_region_agrees(text: str, seed: int) -> None:
    assert disagreements(text, seed) == []


@settings(deadline=None, max_examples=100)
@given(generated.kernels(), st.integers(0, 2**32))
def test_branches_loops_and_messages_agree(text: str, seed: int) -> None:
    assert disagreements(text, seed) == []


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.visaasm")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_real_kernels_agree(path: Path) -> None:
    platform = platform_named(path.stem.split("-")[0])
    kernel = read_kernel_file(path)
    assert differences(kernel, platform, random_states(kernel, platform, 1)) == []
