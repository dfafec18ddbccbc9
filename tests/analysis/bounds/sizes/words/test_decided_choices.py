"""Rows that are left out at the edge, each counted on only if the one before was one."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes import at_ends
from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.analysis.bounds.sizes.words.decided_choices import decided_choices
from visaproof.analysis.bounds.sizes.words.never_together import NeverTogether
from visaproof.cli import main
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    is_false,
    ite,
    mul,
    neg,
    slt,
    subterms,
    symbol,
    ult,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.evaluate import evaluate
from visaproof.smt.solvers import solve

DATA = Path(__file__).parents[4] / "data" / "decided"
ASKED = AnyNumbers((), lambda formula: isinstance(solve([formula], 1000), Unsatisfiable))
Y, N, P, ON = symbol("y", 8), symbol("n", 8), symbol("p", 8), bool_symbol("on")


def asked(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any] | None]:
    """What is named for each message."""
    launch = ("--launch", str(DATA / "decided.ze_info"), "--format", "json", "--limit", "300")
    main(["bounds", str(DATA / "chained.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return [one["inside_if"] for one in file["messages"]]


@pytest.mark.slow
def test_each_of_four_rows_needs_all_rows(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys)
    assert len(found) == 16
    for one in found:
        assert one is not None
        assert sorted(one["bytes"].split(" ")) == sorted(["4*h*pitch", "+", "4*w", "-", "4*pitch"])


@pytest.mark.slow
def test_later_rows_have_no_size_where_no_choice_is_decided(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_ends, "decided_choices", lambda address, guard, *_: (address, guard))
    found = asked(capsys)
    assert [*map(bool, found)] == 4 * [True] + 12 * [False]


def next_row(row: BitVec, *, times: int = 1) -> BitVec:
    for _ in range(times):
        row = ite(slt(row, N), add(row, const(1, 8)), row)
    return row


CHOICES: list[tuple[BitVec, Bool, int]] = [
    (next_row(Y), slt(next_row(Y), N), 0),
    (next_row(Y, times=3), slt(next_row(Y, times=3), N), 0),
    (next_row(Y), slt(Y, N), 0),
    (next_row(Y), neg(slt(Y, N)), 0),
    (next_row(Y), slt(next_row(Y), P), 1),
    (next_row(Y, times=2), slt(next_row(Y), P), 2),
    (ite(ON, Y, N), conj(ON, slt(Y, N)), 1),  # said by a symbol of which nothing else is known
    (ite(ult(mul(Y, P), N), Y, N), ult(mul(Y, P), N), 0),
    (ite(ult(mul(Y, P), N), Y, N), ult(mul(P, N), Y), 1),
]


@pytest.mark.parametrize("place", range(len(CHOICES)))
@given(y=st.integers(0, 255), n=st.integers(0, 255), p=st.integers(0, 255), on=st.booleans())
def test_what_is_decided_is_equal_where_the_guard_holds(place: int, y: int, n: int, p: int, on: bool) -> None:
    word, guard, _ = CHOICES[place]
    decided, under = decided_choices(word, guard, ASKED, NeverTogether())
    values: dict[Term, int] = {Y: y, N: n, P: p, ON: on}
    if evaluate(guard, values):
        assert evaluate(under, values)
        assert evaluate(decided, values) == evaluate(word, values)


def test_choices_are_left_that_the_guard_does_not_decide() -> None:
    for word, guard, left in CHOICES:
        decided, _ = decided_choices(word, guard, ASKED, NeverTogether())
        assert sum(one.op is Op.ITE for one in subterms(decided)) == left


def test_an_access_under_what_never_holds_is_not_made() -> None:
    """Of the rest of an unrolled loop: fewer than 4 are left, and none of 0 to 3."""
    rest = add(N, mul(const(-1, 8), Y))
    few = ult(rest, const(4, 8))
    unequal = [neg(eq(rest, const(each, 8))) for each in range(4)]
    _, under = decided_choices(Y, conj(few, *unequal), ASKED, NeverTogether())
    assert is_false(under)
    _, under = decided_choices(Y, conj(few, *unequal[1:]), ASKED, NeverTogether())
    assert not is_false(under)
