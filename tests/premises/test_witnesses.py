"""Each premise is needed: a kernel or a pair is right with it, and wrong or not decided without."""

import ast
from pathlib import Path

import pytest

from tests.premises.elsewhere import ELSEWHERE, WITHOUT
from tests.premises.launches import LAUNCHES
from visaproof.launch.premise_rows import Grantor
from visaproof.launch.premise_table import PREMISES

ROOT = Path(__file__).parents[2]
NOTHING_ASSUMED = {name for name, row in PREMISES.items() if row.granted is Grantor.OPEN}
"""Rows that say what was left open: no answer is wrong without them."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LAUNCHES)
def test_a_premise_decides_and_is_stated_where_it_does(name: str) -> None:
    witness = LAUNCHES[name]
    with_it, without = witness.ask(witness.given), witness.ask(witness.without)
    assert with_it.right, with_it
    assert not without.right, without
    assert name in with_it.premises
    assert name not in without.premises


def test_every_row_has_a_witness_or_a_reason() -> None:
    groups = (LAUNCHES, ELSEWHERE, WITHOUT, NOTHING_ASSUMED)
    assert sorted(name for group in groups for name in group) == sorted(PREMISES)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_witnesses_elsewhere_exist(name: str) -> None:
    for file, test in ELSEWHERE[name]:
        (path,) = (ROOT / "tests").rglob(file)
        module = ast.parse(path.read_text("utf-8"))
        assert test in {one.name for one in module.body if isinstance(one, ast.FunctionDef)}, (path, test)


@pytest.mark.parametrize("name", LAUNCHES)
def test_what_the_table_says_lifts_a_premise_is_what_does(name: str) -> None:
    lifted = PREMISES[name].lifted
    assert lifted in (f"--assume {LAUNCHES[name].without}", "--host opencl")
