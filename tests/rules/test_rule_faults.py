"""A fault in the target of a rule of the library is found, and a run of both sides shows it."""

from pathlib import Path

import pytest

from tests.support.faults import faults
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.rules.decision import check_rule
from visaproof.rules.language.instances import Instance
from visaproof.rules.language.reader import read_rule, rule_files
from visaproof.rules.language.syntax import Expect
from visaproof.rules.verdicts import Refuted

PROVED = [path for path in rule_files([]) if "\nexpect: refuted" not in path.read_text("utf-8")]
SHARED = pytest.mark.parametrize("path", PROVED, ids=lambda path: path.stem)


def _first(rule_text: str, path: Path) -> Refuted | None:
    """The refutation of the first instance, if it is refuted."""
    seen: list[Instance] = []

    def only_first(instance: Instance) -> bool:
        seen.append(instance)
        return len(seen) == 1

    try:
        verdict = check_rule(read_rule(rule_text, str(path)), timeout=5, chosen=only_first)
    except (ReadError, NotModelled):
        return None
    return verdict if isinstance(verdict, Refuted) else None


@pytest.mark.slow
@SHARED
def test_a_proved_rule_has_a_fault_that_is_refuted_and_replayed(path: Path) -> None:
    """Whatever is proved could have failed: with one thing wrong in the target it does."""
    text = path.read_text("utf-8")
    assert read_rule(text, str(path)).expect is Expect.PROVED
    found = next((one for _, wrong in faults(text) if (one := _first(wrong, path)) is not None), None)
    assert found is not None
    shown = found.counterexample
    assert shown.target.undefined or shown.place is not None
    assert not shown.source.undefined


def test_a_wrong_mask_offset_operand_order_and_a_lost_line_are_each_refuted() -> None:
    """In the split of a scatter each kind of fault changes what is stored."""
    path = rule_files(["split-scatter4-scaled"])[0]
    refuted: set[str] = set()
    for kind, wrong in faults(path.read_text("utf-8")):
        if kind not in refuted and _first(wrong, path) is not None:
            refuted.add(kind)
    assert {"mask", "lane offset", "operand order", "lost line"} <= refuted
