"""What is said of rewrite rules: proved, refuted with a run, illegal, vacuous, not modelled."""

from pathlib import Path

import pytest

from visaproof.isa.errors import NotModelled, ReadError
from visaproof.refinement.verdicts import Vacuous
from visaproof.report.rules.rewrite import counterexample_lines
from visaproof.rules.decision import check_rule
from visaproof.rules.verdicts import Illegal, Proved, Refuted

SCATTER = "  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0\n"
HEAD = "rule: r\nplatform: dg2\nvar: off ud[8], data ud[8], other ud[8]\npred: p[8]\nsurface: S\n"


def _rule(source: str, target: str, *clauses: str) -> str:
    return HEAD + "".join(f"{clause}\n" for clause in clauses) + f"{source}=>\n{target}"


def test_an_instruction_refines_itself() -> None:
    """Any sequence may stand for itself."""
    assert isinstance(check_rule(_rule(SCATTER, SCATTER)), Proved)


def test_a_scatter_may_not_be_dropped() -> None:
    """A lane that runs leaves its datum."""
    verdict = check_rule(_rule(SCATTER, ""))
    assert isinstance(verdict, Refuted)
    shown = verdict.counterexample
    assert shown.difference.exec_mask.bit_count() == 1
    assert shown.source.memory
    assert not shown.target.memory


def test_a_target_that_is_undefined_more_often_is_refuted() -> None:
    """SCATTER4_SCALED is undefined for offsets that are no multiples of 4; SCATTER_SCALED is defined."""
    verdict = check_rule(_rule(SCATTER.replace("scatter4_scaled.R", "scatter_scaled.4"), SCATTER))
    assert isinstance(verdict, Refuted)
    assert "multiple of 4" in verdict.counterexample.target.undefined


def test_lanes_beyond_a_variable_are_named() -> None:
    """`data` has 8 dwords: of 16 lanes the last 8 have none, unless a condition keeps them off."""
    doubled = "  add (M1, 16) data(0,0)<1> off(0,0)<1;1,0> off(0,0)<1;1,0>\n"
    shifted = "  shl (M1, 16) data(0,0)<1> off(0,0)<1;1,0> 0x1:ud\n"
    all_lanes = check_rule(_rule(doubled, shifted, "observe: data"))
    first_eight = check_rule(_rule(doubled, shifted, "observe: data", "pre: mask within 0xff"))
    assert isinstance(all_lanes, Proved)
    assert isinstance(first_eight, Proved)
    assert (all_lanes.undefined_lanes, first_eight.undefined_lanes) == (tuple(range(8, 16)), ())
    wide = SCATTER.replace("(M1, 8)", "(M1, 16)")
    assert check_rule(_rule(wide, wide)) == Proved(all_lanes.stages, 1, all_lanes.undefined_lanes)


def test_an_undefined_source_allows_anything() -> None:
    """Two lanes on one address leave a scatter without meaning."""
    anything = "  scatter4_scaled.G (M1_NM, 8) S 0x0:ud other.0 off.0\n"
    always = "pre: uniform(off) and inside(S, off, 4) and mask includes 0x3"
    assert isinstance(check_rule(_rule(SCATTER, anything, always)), Vacuous)


def test_preconditions_that_exclude_each_other_prove_nothing() -> None:
    """No offset is below 4 and above 8."""
    assert isinstance(check_rule(_rule(SCATTER, SCATTER, "pre: off < 4", "pre: off > 8")), Vacuous)


def test_a_target_that_breaks_its_page_is_illegal() -> None:
    """SCATTER4_SCALED has 8 or 16 lanes."""
    verdict = check_rule(_rule(SCATTER, SCATTER.replace("(M1, 8)", "(M1, 4)")))
    assert isinstance(verdict, Illegal)
    assert (verdict.position.line, verdict.position.column) == (8, 3)


def test_registers_are_compared_where_they_are_observed() -> None:
    """A temporary register may be written, an observed one has to be the same."""
    target = "  mov (M1, 8) other(0,0)<1> 0x0:ud\n" + SCATTER
    assert isinstance(check_rule(_rule(SCATTER, target)), Proved)
    verdict = check_rule(_rule(SCATTER, target, "observe: other"))
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.place is not None
    assert verdict.counterexample.place[0] == "other"


def test_atomics_with_results_may_be_split_but_not_joined() -> None:
    """16 lanes come in any order; of two halves the first comes first."""
    head = "rule: r\nplatform: dg2\nvar: off ud[4], src ud[4], dst ud[4]\nsurface: S\nobserve: dst\n"
    one = "  dword_atomic.xchg (M1, 4) S off.0 src.0 %null.0 dst.0\n"
    two = "".join(
        f"  dword_atomic.xchg (M1_NM, 1) S off.{4 * lane} src.{4 * lane} %null.0 dst.{4 * lane}\n" for lane in range(4)
    )
    assert isinstance(check_rule(f"{head}{one.replace('M1,', 'M1_NM,')}=>\n{two}"), Proved)
    verdict = check_rule(f"{head}{two}=>\n{one.replace('M1,', 'M1_NM,')}")
    assert isinstance(verdict, Refuted)


def test_memory_conditions_are_invariants() -> None:
    """Where memory and operands are not negative, the signed minimum is the unsigned one; each turn keeps that."""
    head = "rule: r\nplatform: dg2\nvar: off ud[2], src ud[2]\nsurface: S\n"
    source = "  dword_atomic.min (M1, 2) S off.0 src.0 %null.0 %null.0\n"
    rule = f"{head}pre: nonneg(src)\npre: nonneg(memory(S))\n{source}=>\n{source.replace('.min', '.imin')}"
    assert isinstance(check_rule(rule), Proved)
    assert isinstance(check_rule(rule.replace("pre: nonneg(src)\n", "")), Refuted)
    assert isinstance(check_rule(rule.replace("pre: nonneg(memory(S))\n", "")), Refuted)


def test_control_flow_is_not_modelled() -> None:
    """A template is a sequence."""
    with pytest.raises(NotModelled, match="control flow"):
        check_rule(_rule(SCATTER, "  ret (M1, 1)\n"))


def test_an_operand_that_does_not_fit_is_an_error_in_the_rule() -> None:
    """The place is that of the rule, not of an instance."""
    with pytest.raises(ReadError) as error:
        check_rule(_rule(SCATTER, SCATTER.replace("data.0", "0x0:ud")))
    assert (error.value.position.path, error.value.position.line) == ("<rule>", 8)


def test_preconditions_on_memory_that_exclude_each_other_prove_nothing() -> None:
    """No dword is below 4 and above 8, and no texel of 16 bits has a sign bit of a dword."""
    head = "rule: r\nplatform: dg2\nvar: off ud[2], src ud[2]\nsurface: S\n"
    source = "  dword_atomic.min (M1, 2) S off.0 src.0 %null.0 %null.0\n"
    rule = f"{head}pre: memory(S) < 4 and memory(S) > 8\n{source}=>\n{source.replace('.min', '.imin')}"
    assert isinstance(check_rule(rule), Vacuous)
    texels = "  typed_atomic.min.16 (M1, 8) S off.0 %null.0 %null.0 %null.0 src.0 %null.0 %null.0\n"
    head = head.replace("[2]", "[8]")
    rule = f"{head}pre: memory(S) >= 0x80000000\n{texels}=>\n{texels.replace('.min', '.imin')}"
    assert isinstance(check_rule(rule), Vacuous)


LIBRARY = Path(__file__).parents[2] / "proofs" / "rules"


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("mov-sat-to-max-and-min", "0xff:d", "0x7f:d"),
        ("mov-sat-to-max-and-min", "max (M1", "min (M1"),
        ("drop-saturating-add-of-zero", "0x0:d", "0x1:d"),
        ("remainder-to-mask", "var: src ud[8], dst ud[8]", "var: src d[8], dst d[8]"),
        ("remainder-to-mask", "0x1f:ud", "0x3f:ud"),
    ],
)
def test_a_wrong_neighbour_of_a_rule_on_integers_is_refuted(name: str, right: str, wrong: str) -> None:
    """As by 127, without the lower end, with a sum that saturates, and with a dividend that may be negative."""
    text = (LIBRARY / f"{name}.rule").read_text(encoding="utf-8")
    assert isinstance(check_rule(text), Proved)
    assert isinstance(check_rule(text.replace(right, wrong)), Refuted)


# ---------------------------------------------------------------- surfaces that may overlap

OTHER = "  scatter4_scaled.R (M1, 8) T 0x0:ud other.0 data.0\n"
LOADED = "  gather4_scaled.R (M1, 8) T 0x0:ud other.0 data.0\n"


def _of_two(source: str, target: str, *clauses: str) -> str:
    return _rule(source, target, *clauses).replace("surface: S\n", "surface: S, T\n")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("first", [OTHER, LOADED.replace("data", "off")])
def test_messages_to_two_surfaces_are_exchanged_only_if_they_are_apart(first: str) -> None:
    """Two names may be two surfaces of one buffer."""
    found = check_rule(_of_two(first + SCATTER, SCATTER + first))
    assert not isinstance(found, Proved)
    assert isinstance(check_rule(_of_two(OTHER + SCATTER, SCATTER + OTHER, "pre: apart(S, T)")), Proved)


def test_a_difference_on_surfaces_that_overlap_names_what_states_that_they_do_not() -> None:
    found = check_rule(_of_two(OTHER + SCATTER, SCATTER + OTHER))
    assert isinstance(found, Refuted)
    assert any("pre: apart(" in line for line in counterexample_lines(found.counterexample))


def test_surfaces_that_are_only_read_may_overlap() -> None:
    loads = LOADED + LOADED.replace("T", "S").replace("data", "off")
    assert isinstance(check_rule(_of_two(loads, loads)), Proved)


@pytest.mark.parametrize(
    "condition", ["apart(S)", "apart(S, S)", "apart(S, off)", "not apart(S, T)", "apart(S, T) or off == 0"]
)
def test_apart_is_a_condition_of_its_own_on_two_surfaces(condition: str) -> None:
    with pytest.raises(ReadError):
        check_rule(_of_two(OTHER + SCATTER, SCATTER + OTHER, f"pre: {condition}"))


def _exchanged(one: str, other: str) -> str:
    """A rule that turns two atomics of one lane round; a store beside them, so that they are no list of turns."""
    atomics: list[str] = []
    for op, operands in ((one, "off.0 data.0"), (other, "other.0 more.0")):
        compared = "off.0" if op == "cmpxchg" else "%null.0"
        atomics.append(f"  dword_atomic.{op} (M1, 1) S {operands} {compared} %null.0\n")
    store = "  lsc_store.ugm (M1, 1) bti(0x2)[off.0]:a32 data.0:d32\n"
    variables = "var: off ud[8], data ud[8], other ud[8], more ud[8]\nsurface: S bti 1\nsurface: T bti 2\n"
    head = f"rule: r\nplatform: dg2\n{variables}pre: apart(S, T)\n"
    return f"{head}{''.join(atomics)}{store}=>\n{''.join(reversed(atomics))}{store}"


@pytest.mark.parametrize("pair", [("add", "add"), ("add", "sub"), ("max", "max"), ("xor", "xor")])
def test_atomics_of_two_messages_may_be_exchanged_if_they_commute(pair: tuple[str, str]) -> None:
    """Both may reach one cell."""
    assert isinstance(check_rule(_exchanged(*pair)), Proved)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("pair", [("xchg", "xchg"), ("cmpxchg", "cmpxchg"), ("fmin", "fmin"), ("add", "xor")])
def test_atomics_of_two_messages_keep_their_order_if_it_shows(pair: tuple[str, str]) -> None:
    """One operation twice need not commute with itself: of two exchanges the last one stays."""
    verdict = check_rule(_exchanged(*pair))
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.source.memory != verdict.counterexample.target.memory
