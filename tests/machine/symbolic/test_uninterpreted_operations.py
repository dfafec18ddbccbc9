"""An unknown verdict names the uninterpreted operations that it depends on, with their lines."""

import pytest

from tests.analysis.bounds.test_questions_on_floats import SCATTER, bounds, conflict
from tests.refinement.test_refinement_floats import op, verdict
from visaproof.analysis.bounds.verdicts import Undecided as OutOfReach
from visaproof.analysis.conflicts.verdicts import Conflict, Undecided
from visaproof.isa.float_modes import CONTROL
from visaproof.launch.float_results import Floats
from visaproof.refinement.verdicts import Difference, Refines, Unknown
from visaproof.rules.decision import check_rule
from visaproof.rules.verdicts import Proved, Refuted
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import BitVec

SOURCES = dict.fromkeys(("inv", "log", "exp", "sqrt", "rsqrt", "sin", "cos"), 1) | {"pow": 2, "div": 2}
"""Opcodes on floats whose pages give no exact result, and how many sources they have."""

EXACT_AT_0 = ("inv", "div", "pow")
"""An infinity or 0, of which no error is allowed."""

LINE = 30
"""Of the first statement after the preamble."""


def applied(opcode: str, first: str) -> str:
    return op(opcode, "R", *(first, "H")[: SOURCES[opcode]])


@pytest.mark.slow
@pytest.mark.parametrize("opcode", [one for one in SOURCES if one not in EXACT_AT_0])
def test_a_difference_of_kernels_names_the_operation(opcode: str) -> None:
    """Of both, for either may be what a reader has to look at."""
    found = verdict(applied(opcode, "F"), applied(opcode, "G"), Floats.IEEE)
    assert isinstance(found, Unknown), found
    for side in ("source", "target"):
        assert f"`{opcode}` (line {LINE} of the {side}), which is uninterpreted" in found.reason


@pytest.mark.slow
@pytest.mark.parametrize("opcode", EXACT_AT_0)
def test_a_difference_of_results_that_are_stated_is_shown(opcode: str) -> None:
    assert isinstance(verdict(applied(opcode, "F"), applied(opcode, "G"), Floats.IEEE), Difference)


def test_one_uninterpreted_operation_on_the_same_operands_is_the_same() -> None:
    assert isinstance(verdict(applied("inv", "F"), applied("inv", "F")), Refines)


@pytest.mark.usefixtures("few_runs")
def test_a_division_by_zero_is_named_as_without_a_result() -> None:
    """The quotients are interpreted; by 0 each is one that the other need not be."""
    found = verdict("div (M1, 8) K(0,0)<1> I(0,0)<1;1,0> 0x0:d\n", "div (M1, 8) K(0,0)<1> I(0,0)<1;1,0> 0x0:w\n")
    assert isinstance(found, Unknown), found
    assert f"`div` (line {LINE} of the source), whose result no page states there" in found.reason
    one = "div (M1, 8) K(0,0)<1> I(0,0)<1;1,0> 0x7:d\n"
    assert isinstance(verdict(one, one.replace("0x7:d", "0x7:w")), Refines)


ADDRESS = "    {opcode} (M1, 8) S(0,0)<1> F(0,0)<1;1,0>\n    mov (M1, 8) V(0,0)<1> S(0,0)<1;1,0>\n"
ALIGNED = "    and (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0xfffffffc:ud\n    "


@pytest.mark.parametrize("opcode", ["inv", "sqrt"])
def test_an_address_that_may_be_out_of_bounds_names_the_operation(opcode: str) -> None:
    found = bounds(ADDRESS.format(opcode=opcode) + ALIGNED + SCATTER, Floats.IEEE)
    assert isinstance(found, OutOfReach), found
    assert f"`{opcode}` (line 22), which is uninterpreted" in found.reason


def test_the_control_register_is_read_once_for_all_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    read, reads = GuardedRegisters.read_under, list[str]()

    def counted(self: GuardedRegisters, variable: str, start: int, width: int, assumed: Literals) -> BitVec:
        reads.append(variable)
        return read(self, variable, start, width, assumed)

    monkeypatch.setattr(GuardedRegisters, "read_under", counted)
    lanes = 8
    bounds(ADDRESS.format(opcode="inv") + ALIGNED + SCATTER, Floats.IEEE)
    assert 0 < reads.count(CONTROL) < lanes


def test_lanes_that_may_meet_name_the_operation() -> None:
    """That they do whatever a power is no run shows."""
    power = ADDRESS.format(opcode="pow").replace("F(0,0)<1;1,0>", "F(0,0)<1;1,0> F(0,0)<1;1,0>")
    found = conflict(power + ALIGNED + SCATTER, Floats.IEEE)
    assert isinstance(found, Undecided), found
    assert "`pow` (line 22), which is uninterpreted" in found.reason


@pytest.mark.parametrize("opcode", ["inv", "sqrt"])
def test_lanes_that_meet_whatever_an_approximation_gives_are_a_conflict(opcode: str) -> None:
    """Equal operands have equal results: every choice of what a run may take for them shows it."""
    assert isinstance(conflict(ADDRESS.format(opcode=opcode) + ALIGNED + SCATTER, Floats.IEEE), Conflict)


RULE = """rule: r
platform: dg2
var: off ud[8], a f[8], b f[8], data d[8]
temp: t f[8]
pred: p[8]
surface: S
"""
POWER = "  pow (M1, 8) t(0,0)<1> {0}(0,0)<1;1,0> {0}(0,0)<1;1,0>\n  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 t.0\n"
COMPARED = """  cmp.lt (M1, 8) p {0}(0,0)<1;1,0> {1}(0,0)<1;1,0>
  (p) scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
"""


def test_a_rule_names_the_operation_and_its_line_in_the_rule() -> None:
    found = check_rule(f"{RULE}{POWER.format('a')}=>\n{POWER.format('b')}")
    assert isinstance(found, Unknown), found
    assert "`pow` (line 7 of the source), which is uninterpreted" in found.reason


def test_a_rule_between_approximations_of_two_values_is_refuted_by_a_run() -> None:
    inverse = POWER.replace("pow", "inv").replace(" {0}(0,0)<1;1,0>", "", 1)
    assert isinstance(check_rule(f"{RULE}{inverse.format('a')}=>\n{inverse.format('b')}"), Refuted)
    assert isinstance(check_rule(f"{RULE}{inverse.format('a')}=>\n{inverse.format('a')}"), Proved)


@pytest.mark.parametrize(("second", "same"), [("b a", False), ("a b", True)])
def test_comparisons_of_both_sides_of_a_rule_are_one_only_of_the_same_operands(second: str, same: bool) -> None:
    """Though they stand on the same line of their sides: a < b is not b < a."""
    verdict = check_rule(f"{RULE}{COMPARED.format('a', 'b')}=>\n{COMPARED.format(*second.split())}")
    assert isinstance(verdict, Proved) == same
