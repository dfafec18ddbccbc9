"""The errata ledger: every entry runs again, and nothing is left out."""

from pathlib import Path

import msgspec
import pytest

from visaproof.checking.claims.errata import Erratum, differences, read_ledger
from visaproof.isa.errors import ReadError
from visaproof.report.claims.errata import page_of
from visaproof.visaasm.validity.hazards import HAZARDS

FOLDER = Path(__file__).parents[3] / "counterexamples"
LEDGER = read_ledger(FOLDER / "errata.toml")

CONTRADICTIONS = (
    "D1", "D2", "D4", "D5", "D8", "D12", "D14", "D15", "D16", "D22", "D23", "D24", "D27", "D28", "D29", "D38", "D41",
    "D42", "D44", "D46", "D48", "D49", "D50",
)  # fmt: skip
"""Decisions about places where the manual contradicts itself, other sources or the tool."""


@pytest.mark.parametrize("finding", LEDGER.finding, ids=lambda each: each.id)
def test_an_entry_says_what_is_worked_out(finding: Erratum) -> None:
    assert list(differences(finding, LEDGER)) == []


@pytest.mark.parametrize("finding", LEDGER.finding, ids=lambda each: each.id)
def test_an_entry_shows_a_difference(finding: Erratum) -> None:
    """By the page and otherwise are not the same, except for a slip, which has no effect."""
    page, other = finding.by_page, finding.otherwise
    legal = not page.rules and not page.refused
    if finding.kind == "hazard":
        assert finding.by_tool.accepted
        assert finding.by_tool.hazards
    elif not legal or finding.by_tool.accepted != legal or other.rejected:
        return  # they part on what is legal
    elif finding.id != "two-versions-of-scatter4":
        assert (page.undefined, page.changes) != (other.undefined, other.changes or {})


def test_every_contradiction_of_the_decisions_has_an_entry() -> None:
    assert set(CONTRADICTIONS) <= {decision for finding in LEDGER.finding for decision in finding.decisions}


def test_every_hazard_has_an_entry() -> None:
    assert {rule.id for rule in HAZARDS} == {hazard for finding in LEDGER.finding for hazard in finding.by_tool.hazards}


def test_names_are_unique() -> None:
    names = [finding.id for finding in LEDGER.finding]
    assert len(names) == len(set(names))


def test_the_page_is_made_from_the_ledger() -> None:
    """`make errata` writes it."""
    assert (FOLDER / "ERRATA.md").read_text() == page_of(LEDGER)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda each: msgspec.structs.replace(each.by_page, changes={"T6[0x1]": "0x05"}),
        lambda each: msgspec.structs.replace(each.by_page, undefined=True),
        lambda each: msgspec.structs.replace(each.by_page, rules=["page.mask"]),
    ],
)
def test_a_wrong_entry_is_noticed(wrong) -> None:
    (right,) = [each for each in LEDGER.finding if each.id == "address-of-scatter4"]
    changed = msgspec.structs.replace(right, by_page=wrong(right))
    assert len(list(differences(changed, LEDGER))) == 1


def test_a_wrong_alternative_and_a_wrong_verdict_of_the_tool_are_noticed() -> None:
    (right,) = [each for each in LEDGER.finding if each.id == "masks-that-become-m1"]
    other = msgspec.structs.replace(right.otherwise, changes={})
    tool = msgspec.structs.replace(right.by_tool, hazards=[])
    changed = msgspec.structs.replace(right, otherwise=other, by_tool=tool)
    assert len(list(differences(changed, LEDGER))) == 2


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    for text in ("x", "finding = []", "declarations = []\nfinding = []\nmore = 1"):
        (tmp_path / "errata.toml").write_text(text)
        with pytest.raises(ReadError):
            read_ledger(tmp_path / "errata.toml")
