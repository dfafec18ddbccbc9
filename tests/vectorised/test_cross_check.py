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
from visaproof.vectorised import integers

DATA = Path(__file__).parent.parent / "data" / "visaasm"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "visaasm"


def disagreements(text: str, seed: int) -> list[str]:
    kernel = read_kernel(text, "generated.visaasm")
    return differences(kernel, Platform.TGLLP, random_states(kernel, Platform.TGLLP, seed))


@settings(deadline=None, max_examples=20)
@given(statements.kernels(), st.integers(0, 2**32))
def test_every_opcode_type_and_region_agrees(text: str, seed: int) -> None:
    assert disagreements(text, seed) == []


@settings(deadline=None, max_examples=12)
@given(generated.kernels(), st.integers(0, 2**32))
def test_branches_loops_and_messages_agree(text: str, seed: int) -> None:
    assert disagreements(text, seed) == []


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.visaasm")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_real_kernels_agree(path: Path) -> None:
    platform = platform_named(path.stem.split("-")[0])
    kernel = read_kernel_file(path)
    assert differences(kernel, platform, random_states(kernel, platform, 1)) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_a_sample_of_the_corpus_agrees() -> None:
    for path in sorted(CORPUS.glob("**/*.visaasm"))[::80]:
        platform = platform_named(path.stem.split("-")[0])
        kernel = read_kernel_file(path)
        assert differences(kernel, platform, random_states(kernel, platform, 2)) == [], path


@pytest.mark.parametrize(
    ("table", "name", "body"),
    [
        (integers.WRAPPING, "add", "    add (M1, 16) Vud0(0,0)<1> Vud0(0,0)<1;1,0> Vud1(0,0)<1;1,0>"),
        (integers.EXACT, "asr", "    asr (M1, 16) Vd0(0,0)<1> Vd0(0,0)<1;1,0> 0x1:ud"),
        (integers.COMPARISONS, "lt", "    cmp.lt (M1, 16) P1 Vd0(0,0)<1;1,0> Vd1(0,0)<1;1,0>"),
    ],
)
def test_a_wrong_opcode_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch, table: dict[str, object], name: str, body: str
) -> None:
    text = "\n".join([".version 4.1", '.kernel "k"', *statements.DECLARATIONS, body, "    ret (M1, 1)"]) + "\n"
    assert disagreements(text, 1) == []
    wrong = integers.COMPARISONS["ge"] if name == "lt" else integers.WRAPPING["xor"]
    monkeypatch.setitem(table, name, wrong)
    assert disagreements(text, 1)
