"""Conditions that make a refuted rule right: about the lanes that run, and the weakest of those that are tried."""

import pytest

from visaproof.rules.decision import check_rule
from visaproof.rules.language.reader import read_rule, read_rule_file, rule_files
from visaproof.rules.language.syntax import Rule
from visaproof.rules.suggest import Suggestions, suggest
from visaproof.rules.verdicts import Proved, Refuted

SCATTER = "  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0\n"
UNALIGNED = SCATTER.replace("scatter4_scaled.R", "scatter_scaled.4")
HEAD = "rule: r\nplatform: dg2\nvar: off ud[8], data ud[8]\npred: p[8]\nsurface: S\n"


def _suggested(rule: Rule) -> Suggestions:
    found = suggest(rule, check_rule(rule), 5)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("condition", "is_right"),
    [
        ("aligned(off[M1], 4)", True),
        ("aligned(off[M1, p], 4)", False),
        ("aligned(off[0:7, M1], 4)", False),
        ("aligned(off[0:7, M1], 4) and aligned(off[7], 4)", True),
        ("aligned(off[M1], 4) and p within mask[0:8]", True),
        ("aligned(off[p], 4) and p includes mask[0:8]", True),
        ("aligned(off[!p], 4) and mask[0:8] within p", False),
    ],
)
def test_conditions_are_about_the_lanes_that_they_select(condition: str, is_right: bool) -> None:
    """What a lane that runs needs has to be said of each lane that runs, and of no other one."""
    verdict = check_rule(f"{HEAD}pre: {condition}\n{UNALIGNED}=>\n{SCATTER}")
    assert isinstance(verdict, Proved if is_right else Refuted)


@pytest.mark.slow
def test_a_suggested_condition_is_proved_and_weakest() -> None:
    """Alignment to 4 of the lanes that run is suggested; alignment to 8, or of all lanes, is not."""
    found = _suggested(read_rule(f"{HEAD}{UNALIGNED}=>\n{SCATTER}", "r.rule"))
    assert found.weakest == ("aligned(off[M1], 4)",)
    assert not found.undecided
    assert found.singles > 10
    assert found.pairs > 10


@pytest.mark.slow
def test_a_stated_condition_is_compared_with_the_weakest() -> None:
    """A weaker one than what the file says is named; what says the same is seen to."""
    rule = f"{HEAD}expect: refuted\nright if: CONDITION\n{UNALIGNED}=>\n{SCATTER}"
    found = _suggested(read_rule(rule.replace("CONDITION", "aligned(off, 8)"), "r.rule"))
    assert (found.weaker, found.same) == (("aligned(off[M1], 4)",), False)
    found = _suggested(read_rule(rule.replace("CONDITION", "aligned(off[M1], 4)"), "r.rule"))
    assert (found.weaker, found.same) == ((), True)


@pytest.mark.slow
def test_incomparable_conditions_are_all_suggested() -> None:
    """Signed and unsigned minimum agree where neither side has the sign bit, and where both have it."""
    found = _suggested(read_rule_file(rule_files(["min-to-imin"])[0]))
    assert found.same
    assert found.others == ("src[M1] >= 0x80000000 and memory(S) >= 0x80000000",)


@pytest.mark.slow
def test_a_condition_under_which_nothing_happens_is_the_last_resort() -> None:
    """dec and predec return different numbers wherever they run."""
    found = _suggested(read_rule_file(rule_files(["dec-to-predec-used"])[0]))
    assert (found.weakest, found.idle) == (("mask within 0xfffffffc",), True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["oword-ld-to-lsc", "forward-store-to-load", "drop-empty-inverted-predicate"])
def test_what_the_library_states_is_weakest(name: str) -> None:
    """Nothing weaker of the grammar is proved, and everything is decided."""
    found = _suggested(read_rule_file(rule_files([name])[0]))
    assert found.same
    assert (found.weaker, found.undecided) == ((), 0)
