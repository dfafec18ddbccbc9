"""Formulas and tables of `visaproof explain`, and that its picture is the footprint."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from visaproof.analysis.explain import explain
from visaproof.instructions import Scatter4Scaled
from visaproof.isa.platform import Platform
from visaproof.report.kernels.explain import explained
from visaproof.report.kernels.explain_document import document_of
from visaproof.report.text.formulas import formula
from visaproof.report.text.tables import table
from visaproof.smt import (
    Term,
    add,
    bool_symbol,
    conj,
    const,
    disj,
    extract,
    ite,
    neg,
    scale,
    slt,
    sub,
    symbol,
    ult,
    zero_extend,
)
from visaproof.visaasm.printing.single_statement import read_alone

X, Y = symbol("x", 32), symbol("y", 32)
BITS = [bool_symbol(f"P[{k}]") for k in range(5)]


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (const(16, 32), "0x10"),
        (add(X, const(4, 32)), "x+4"),
        (sub(X, Y), "x-y"),
        (sub(X, const(1, 32)), "x-1"),
        (add(zero_extend(add(X, Y), 40), const(12, 40)), "(x+y)+12"),
        (add(scale(zero_extend(X, 40), 16), const(20, 40)), "16*x+0x14"),
        (ite(ult(X, Y), X, Y), "x if x < y else y"),
        (ite(slt(X, Y), X, Y), "x if x <s y else y"),
        (extract(X, 15, 0), "x[15:0]"),
        (conj(*BITS), "all of P[0..4]"),
        (disj(BITS[0], BITS[2], BITS[3]), "P[0] or any of P[2..3]"),
        (neg(disj(*BITS)), "not any of P[0..4]"),
        (neg(BITS[1]), "not P[1]"),
    ],
)
def test_a_term_is_written_as_a_formula(term: Term, text: str) -> None:
    assert formula(term) == text


def test_a_table_that_is_too_wide_is_split_and_repeats_its_first_columns() -> None:
    rows = [("0", "aaaa", "bbbb"), ("1", "cccc", "dddd")]
    assert list(table(("n", "one", "two"), rows, 80)) == ["  n  one   two ", "  0  aaaa  bbbb", "  1  cccc  dddd"]
    narrow = list(table(("n", "one", "two"), rows, 12))
    assert narrow == ["  n  one ", "  0  aaaa", "  1  cccc", "", "  n  two ", "  0  bbbb", "  1  dddd"]


def shown(width: int = 160) -> list[str]:
    found = explain(read_alone("scatter4_scaled.GA (M1, 16) T6 0x0:ud V1.0 V2.0", "x", Platform.TGLLP), Platform.TGLLP)
    return list(explained(document_of(found.spec, Platform.TGLLP, found, 0, is_example=False), width))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(len(line) for line in shown(width) if "byte code" not in line and "(M1, 16)" not in line) <= width


def test_the_picture_shows_what_the_footprint_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a wrong footprint the picture is wrong: no address is worked out a second time."""
    assert any("V2.64 → T6[o0+12]" in line for line in shown())
    right = Scatter4Scaled.footprint

    def shifted(instruction: Scatter4Scaled, state: object) -> Iterator[object]:
        for access in right(instruction, state):  # type: ignore[arg-type]
            yield replace(access, cell=(add(access.cell[0], const(100, 40)),))

    monkeypatch.setattr(Scatter4Scaled, "footprint", shifted)
    assert any("V2.64 → T6[o0+0x70]" in line for line in shown())
