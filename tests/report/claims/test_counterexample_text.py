"""Counterexamples as people read them."""

from tests.support.examples import colliding_kernel, dwords, exchange_in_two_orders, wrong_scatter
from visaproof.checking.counterexample import Outcome, PredicateState
from visaproof.report.claims.counterexample import counterexample_lines, outcome_text


def test_a_scatter_is_shown_with_its_lanes_its_surface_and_both_outcomes():
    assert list(counterexample_lines(wrong_scatter(), 100)) == [
        "without-bounds writes outside:",
        "  scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0",
        "lane    0     1",
        "VO.0    0  0x10",
        "VS.0  0x5   0x7",
        "on TGLLP, execution mask 0x3",
        "T6: 16 bytes, all zero",
        "execute         T6[0x0] = 0x05",
        "without-bounds  T6[0x0] = 0x05, T6[0x10] = 0x07",
    ]


def test_two_orders_are_two_runs():
    assert list(counterexample_lines(exchange_in_two_orders(), 100))[4:] == [
        "on TGLLP",
        "T6: 1x1x1 texels, all zero",
        "execute 0x1, 0x2  VD.4 = 0x1, T6[0,0,0,0] = 0x2",
        "execute 0x2, 0x1  VD.0 = 0x2, T6[0,0,0,0] = 0x1",
    ]


def test_of_a_kernel_the_statement_is_shown_that_is_at_fault():
    lines = list(counterexample_lines(colliding_kernel(), 100))
    assert lines[1:3] == ["  scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0", "on TGLLP, execution mask 0x3"]


def test_the_data_of_a_qword_message_are_shown_as_qwords():
    found = wrong_scatter()
    found.program[6] = "    qw_scatter.1 (M1, 8) T6 VO.0 VS.0"
    found.state.registers["VS"] = dwords(0, 0, 0, 1)
    assert list(counterexample_lines(found, 100))[2:5] == [
        "lane            1",
        "VO.0         0x10",
        "VS.0  0x100000000",
    ]


def test_lanes_that_do_not_fit_the_width_go_below():
    found = wrong_scatter()
    found.state.registers = {"VO": dwords(*range(1, 9))}
    assert list(counterexample_lines(found, 23))[2:8] == [
        "lane    0    1    2",
        "VO.0  0x1  0x2  0x3",
        "lane    3    4    5",
        "VO.0  0x4  0x5  0x6",
        "lane    6    7",
        "VO.0  0x7  0x8",
    ]


def test_a_block_message_has_dwords_and_predicates_are_shown():
    found = wrong_scatter()
    found.program[6] = "    oword_ld (1) T6 0x0:ud VO.0"
    found.state.predicates["P1"] = PredicateState(count=8, bits="0x5")
    lines = list(counterexample_lines(found, 100))
    assert lines[2] == "dword    0     1"
    assert "P1 = 0x5" in lines


def test_an_outcome_changes_places_is_undefined_or_changes_nothing():
    assert outcome_text(Outcome()) == "changes nothing"
    assert outcome_text(Outcome(undefined="misaligned")) == "undefined: misaligned"
    assert outcome_text(Outcome(changes={"a": "1", "b": "2"})) == "a = 1, b = 2"
