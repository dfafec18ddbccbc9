"""Every rule of the library is what its file says: proved, or refuted and right under its condition."""

from pathlib import Path

import pytest

from visaproof.rules.decision import check_rule, is_as_stated
from visaproof.rules.language.instances import instances
from visaproof.rules.language.reader import read_rule, rule_files
from visaproof.rules.verdicts import Proved

LIBRARY = rule_files([])


@pytest.mark.slow
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_a_rule_of_the_library_is_as_stated(path: Path) -> None:
    """And no instance of a proved one is excluded by its preconditions."""
    rule = read_rule(path.read_text("utf-8"), str(path))
    verdict = check_rule(rule)
    right = check_rule(rule, when_right=True) if rule.right_if else None
    assert is_as_stated(rule, verdict, right), (verdict, right)
    for proof in (verdict, right):
        if isinstance(proof, Proved):
            assert proof.instances == sum(1 for _ in instances(rule))
