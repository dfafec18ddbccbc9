"""Addresses of buffers are multiples of what their arguments point to."""

import pytest
from msgspec.structs import replace

from tests.refinement.test_refinement_addresses import address, program
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.launch.overlap import ArgumentInfo
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.inputs import overlap
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict

LOW_BITS = "and (M1_NM, 1) PH(0,0)<1> PH(0,0)<0;1,0> {mask:#x}:ud\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> PH(0,0)<0;1,0>\n"
"""The value that is stored, and bits of the pointer: they are 0 where it is aligned."""
STORE = "svm_scatter.1.1 (M1, 8) A.0 X.0\n"
COPY = "mov (M1_NM, 1) OTHER(0,0)<1> PTR(0,0)<0;1,0>\n"
PLAIN = COPY + address("OTHER") + STORE
WITH_BITS = COPY + address("OTHER") + LOW_BITS + STORE


def of_type(code: Program, type_name: str) -> Program:
    infos = {0: ArgumentInfo("__global", "", type_name)} if type_name else {}
    return replace(code, launch=replace(code.launch, infos=infos))


def compared(type_name: str, mask: int, scope: Scope) -> tuple[Comparison, Verdict]:
    source, target = (of_type(program(body), type_name) for body in (PLAIN, WITH_BITS.format(mask=mask)))
    comparison = compare(source, target, scope)
    return comparison, decide(comparison, 10_000)


def align_of(comparison: Comparison) -> str:
    aligned = (one.sentence for one in comparison.assumed if one.name == "elements-aligned")
    return "".join(sentence.partition("multiples of ")[2] for sentence in aligned)


@pytest.mark.parametrize("alias", Alias)
@pytest.mark.parametrize(
    ("type_name", "mask", "zero", "said"),
    [
        ("int*", 3, True, "4"), ("int*", 7, False, "4"), ("", 3, True, "4"), ("struct point*", 3, True, "4"),
        ("char*", 1, False, "4; of argument 0: 1"), ("half*", 1, True, "4; of argument 0: 2"),
        ("half*", 3, False, "4; of argument 0: 2"), ("uint4*", 15, True, "4; of argument 0: 16"),
    ],
)  # fmt: skip
def test_low_bits_of_an_address_are_those_of_an_element(
    type_name: str, mask: int, zero: bool, said: str, alias: Alias
) -> None:
    comparison, verdict = compared(type_name, mask, Scope(Assume.NONE, alias=alias))
    assert isinstance(verdict, Refines if zero else Difference)
    assert align_of(comparison) == said


def test_without_the_net_of_elements_a_wrong_change_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """All buffers would begin at multiples of 4."""
    from visaproof.refinement import comparison

    monkeypatch.setattr(comparison, "elements_of", lambda source: {})
    monkeypatch.setattr(overlap, "elements_of", lambda source: {})
    assert isinstance(compared("char*", 1, Scope(Assume.NONE))[1], Refines)
