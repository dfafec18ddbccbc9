"""Rules about two surfaces, which a host may pass as one."""

from pathlib import Path

import pytest

from visaproof.refinement.verdicts import Unknown
from visaproof.report.rules.rewrite import counterexample_lines
from visaproof.rules.decision import check_rule
from visaproof.rules.verdicts import Proved, Refuted

RULES = Path(__file__).parents[2] / "proofs" / "rules"

TWO_SURFACES = ("hoist-load-over-store-of-another-surface", "reorder-scatters-of-two-surfaces")


def text_of(name: str) -> str:
    return (RULES / f"{name}.rule").read_text()


def without(text: str, start: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(start))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", TWO_SURFACES)
def test_a_rule_that_needs_surfaces_apart_is_refuted_where_both_are_one(name: str) -> None:
    """The run has one surface of two names; with the condition the rule is proved."""
    found = check_rule(without(text_of(name), "pre:"))
    assert isinstance(found, Refuted), found
    assert found.counterexample.instance.same_surfaces == (("S", "T"),)
    assert any("`pre: apart(S, T)`" in line for line in counterexample_lines(found.counterexample))
    assert isinstance(check_rule(text_of(name)), Proved)


def test_a_rule_that_is_right_on_one_surface_is_undecided_where_two_overlap() -> None:
    """Both may overlap at any offset: that it is right where they are one is no proof."""
    same = without(text_of("reorder-scatters-of-two-surfaces"), "pre:").replace(
        "T 0x0:ud other.0 more.0", "T 0x0:ud off.0 data.0"
    )
    found = check_rule(same)
    assert isinstance(found, Unknown), found
    assert "apart(S, T)" in found.reason


def test_a_condition_on_the_other_surface_leaves_the_rule_undecided() -> None:
    """The instance of one surface has no surface of that name."""
    text = text_of("reorder-scatters-of-two-surfaces").replace("pre: apart(S, T)", "pre: inside(T, other, 4)")
    assert isinstance(check_rule(text), Unknown)
