"""The machine on arrays against the machine for single threads: whole states, byte for byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel import generated
from tests.vectorised import statements
from tests.vectorised.both_engines import differences, random_states
from visaproof.isa.platform import Platform
from visaproof.kernel.reader import read_kernel
from visaproof.vectorised import integers


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
