"""The machine on arrays against the machine for single threads: whole states, byte for byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import statements
from tests.support.both_engines import FLAT_BASES, differences, random_states
from visaproof.isa.platform import Platform
from visaproof.machine.arrays import integers
from visaproof.semantics.concrete.choices import POLICIES
from visaproof.testing import random_kernels as generated
from visaproof.visaasm.reader import read_kernel


def disagreements(text: str, seed: int) -> list[str]:
    kernel = read_kernel(text, "generated.visaasm")
    policy = (None, *range(POLICIES))[seed % (POLICIES + 1)]
    return differences(kernel, Platform.TGLLP, random_states(kernel, Platform.TGLLP, seed), policy)


@pytest.mark.slow
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


BASE = f"{FLAT_BASES[-1]:#x}"
ADDRESSES = (
    f"flat({BASE})[Vud0]:a32u",
    f"flat({BASE})[0x4*Vud0-0x8]:a32s",
    f"flat({BASE})[Vuq1+0x10]:a64",
    "flat(Vuq0)[Vud0+0x4]:a32u",
    "flat(Vuq0(0,1))[0x2*Vud0]:a32s",
    "bss(Vud1)[0x4*Vud0-0x10]:a32",
    "surf(Vuq1)[Vud0-0x4]:a32u",
    "surf(Vuq1)[0x4*Vud0]:a32s",
    "bti(0x3)[Vud0]:a32",
)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("address", ADDRESSES)
def test_every_form_of_an_lsc_address_agrees(address: str) -> None:
    body = [
        f"    lsc_load.ugm (M1, 8) Vd0:d32x2 {address}",
        f"    lsc_load.ugm (M1_NM, 4) Vd1:d16u32 {address}",
        f"    lsc_atomic_iadd.ugm (M1, 8) Vd1:d32 {address} Vd0 %null",
        f"    lsc_store.ugm (M1, 8) {address} Vd1:d8u32",
    ]
    for count in range(1, len(body) + 1):
        text = "\n".join([".version 4.1", '.kernel "k"', *statements.DECLARATIONS, *body[:count], "    ret (M1, 1)"])
        for seed in range(6):
            kernel = read_kernel(text, "k.visaasm")
            assert differences(kernel, Platform.Xe2, random_states(kernel, Platform.Xe2, seed)) == []
