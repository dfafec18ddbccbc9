"""Refinement of kernels that compute with floats: functions of which nothing is known, or IEEE 754's."""

import pytest

from tests.refinement.test_refinement import HEAD, program
from tests.support.differences import byte_of
from visaproof.launch.assumptions import Assume
from visaproof.launch.float_results import IEEE_ASSUMED, Floats
from visaproof.refinement.assumed import FUNCTIONS
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import FLOAT_HINT, decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Verdict

FLOATS = HEAD.replace(
    ".decl P1 v_type=P num_elts=8\n",
    ".decl H v_type=G type=f num_elts=8 align=GRF\n"
    ".decl R v_type=G type=f num_elts=8 align=GRF\n"
    ".decl S v_type=G type=f num_elts=8 align=GRF\n"
    ".decl I v_type=G type=d num_elts=8 align=GRF alias=<F, 0>\n"
    ".decl K v_type=G type=d num_elts=8 align=GRF alias=<R, 0>\n"
    ".decl P1 v_type=P num_elts=8\n",
).replace(".kernel_attr", ".input G offset=160 size=32\n.input H offset=192 size=32\n.kernel_attr")
"""Inputs F, G and H, and results R and S."""

KEEP = "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n"
STORE = "shl (M1, 8) B(0,0)<1> 0x76543210:uv 0x2:ud\nscatter4_scaled.R (M1, 8) T6 0x0:ud B.0 R.0\n"


def op(opcode: str, target: str, *sources: str) -> str:
    operands = [source if ":" in source else source_of(source) for source in sources]
    return f"{opcode} (M1, 8) {target}(0,0)<1> {' '.join(operands)}\n"


def source_of(name: str) -> str:
    modifier = name[:-1]
    return f"{modifier}{name[-1]}(0,0)<1;1,0>"


def verdict(source: str, target: str, floats: Floats = Floats.UNINTERPRETED, preamble: str = KEEP) -> Verdict:
    both = [program(preamble + body + STORE, FLOATS) for body in (source, target)]
    return decide(compare(both[0], both[1], Scope(Assume.NONE, floats=floats)), 20_000)


TWICE, SUM = op("mul", "R", "F", "0x40000000:f"), op("add", "R", "F", "F")
LEFT = op("add", "S", "F", "G") + op("add", "R", "S", "H")
RIGHT = op("add", "S", "G", "H") + op("add", "R", "F", "S")
PLUS_ZERO, COPY = op("add", "R", "F", "0x0:f"), op("mov", "R", "F")


@pytest.mark.slow
def test_twice_is_the_sum_with_itself_by_ieee_and_unknown_without() -> None:
    found = verdict(TWICE, SUM)
    assert isinstance(found, Unknown), found
    assert found.reason.endswith(FLOAT_HINT)
    assert isinstance(verdict(TWICE, SUM, Floats.IEEE), Refines)


@pytest.mark.slow
def test_twice_is_the_sum_where_denormals_are_flushed_or_the_register_is_not_known() -> None:
    flush = "and (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0xfffffb3f:ud\n"
    for preamble in (flush, ""):
        assert isinstance(verdict(TWICE, SUM, Floats.IEEE, preamble), Refines)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("floats", Floats)
def test_addition_is_not_associative(floats: Floats) -> None:
    assert isinstance(verdict(LEFT, RIGHT, floats), Difference)


def smaller(left: str, right: str, relation: str = "lt") -> str:
    choice = "(P1) sel (M1, 8) R(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0>\n"
    return f"cmp.{relation} (M1, 8) P1 {left} {right}\n{choice}"


CONVERTED = op("mov", "S", "X")


@pytest.mark.parametrize(
    ("source", "target", "proved"),
    [
        (smaller("S(0,0)<1;1,0>", "0x0:f"), smaller("X(0,0)<1;1,0>", "0x0:d"), True),
        (smaller("0x80000000:f", "S(0,0)<1;1,0>", "ge"), smaller("X(0,0)<1;1,0>", "0x0:d", "le"), True),
        (smaller("S(0,0)<1;1,0>", "0x0:f"), smaller("X(0,0)<1;1,0>", "0x0:d", "le"), False),
        (smaller("S(0,0)<1;1,0>", "0x3f800000:f"), smaller("X(0,0)<1;1,0>", "0x0:d"), False),
        (smaller("S(0,0)<1;1,0>", "F(0,0)<1;1,0>"), smaller("X(0,0)<1;1,0>", "0x0:d"), False),
    ],
)
def test_an_integer_that_was_converted_is_below_0_as_before(source: str, target: str, proved: bool) -> None:
    assert isinstance(verdict(CONVERTED + source, CONVERTED + target), Refines) is proved


@pytest.mark.parametrize(("number", "proved"), [("0xbf800000", True), ("0x3f800000", False), ("0xc0000000", False)])
def test_a_number_chosen_for_an_open_quotient_is_converted(number: str, proved: bool) -> None:
    """-1 is what the source may give where compilers divide by 0, and -1.0 is that in each mode."""
    quotient = op("div", "I", "X", "0x0:d") + op("mov", "R", "I")
    assert isinstance(verdict(quotient, op("mov", "R", f"{number}:f")), Refines) is proved


def test_adding_zero_changes_minus_zero() -> None:
    found = verdict(COPY, PLUS_ZERO, Floats.IEEE)
    assert isinstance(found, Difference), found
    assert (byte_of(found).source, byte_of(found).target) == (0x80, 0x00)


@pytest.mark.slow
def test_adding_minus_zero_changes_nothing_but_nan() -> None:
    """What a NaN becomes no page says, so no run shows it."""
    minus_zero = op("add", "R", "F", "0x80000000:f")
    found = verdict(COPY, minus_zero, Floats.IEEE)
    assert isinstance(found, Unknown), found
    not_nan = op("max", "S", "F", "0xff800000:f")  # of a number and NaN, the number
    assert isinstance(
        verdict(not_nan + op("mov", "R", "S"), not_nan + op("add", "R", "S", "0x80000000:f"), Floats.IEEE), Refines
    )


@pytest.mark.slow
def test_addition_commutes_by_ieee_alone() -> None:
    """Which of two NaN comes out may depend on their order."""
    one, other = op("add", "R", "F", "G"), op("add", "R", "G", "F")
    assert isinstance(verdict(one, other), Unknown)
    assert isinstance(verdict(one, other, Floats.IEEE), Refines)
    assert isinstance(verdict(one, one), Refines)


def test_comparisons_have_a_converse_and_signs_are_bits() -> None:
    def chosen(relation: str, left: str, right: str, sense: str = "") -> str:
        compare_them = f"cmp.{relation} (M1, 8) P1 {source_of(left)} {source_of(right)}\n"
        return compare_them + f"({sense}P1) sel (M1, 8) R(0,0)<1> {source_of('F')} {source_of('G')}\n"

    assert isinstance(verdict(chosen("gt", "F", "G"), chosen("lt", "G", "F")), Refines)
    assert isinstance(verdict(chosen("eq", "F", "G"), chosen("ne", "G", "F", "!")), Refines)
    assert isinstance(verdict(chosen("lt", "F", "F"), op("mov", "R", "G")), Refines)
    assert isinstance(verdict(chosen("ge", "F", "G"), chosen("lt", "F", "G", "!")), Difference)  # not for NaN
    flipped = "xor (M1, 8) K(0,0)<1> I(0,0)<1;1,0> 0x80000000:d\n"
    assert isinstance(verdict(op("mov", "R", "(-)F"), flipped), Refines)


def test_a_subtraction_is_not_a_negated_sum_by_ieee_at_zero() -> None:
    """−(a + b) and (−a) + (−b) differ at a = −b: −0 and +0."""
    negated = op("add", "S", "F", "G") + op("mov", "R", "(-)S")
    found = verdict(negated, op("add", "R", "(-)F", "(-)G"), Floats.IEEE)
    assert isinstance(found, Difference), found


def test_integers_that_floats_hold_survive_conversion() -> None:
    low = "and (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0xffff:d\n"
    through = op("mov", "S", "X") + op("mov", "K", "S")
    assert isinstance(verdict(low + op("mov", "K", "X"), low + through, Floats.IEEE), Refines)
    assert isinstance(verdict(op("mov", "K", "X"), through, Floats.IEEE), Difference)


def test_fused_and_separate_rounding_differ() -> None:
    fused = op("mad", "R", "F", "G", "H")
    assert isinstance(verdict(fused, op("mul", "S", "F", "G") + op("add", "R", "S", "H"), Floats.IEEE), Difference)


def test_a_verdict_says_what_floats_are_taken_for() -> None:
    both = program(KEEP + SUM + STORE, FLOATS), program(KEEP + TWICE + STORE, FLOATS)
    assert FUNCTIONS in compare(*both, Scope(Assume.NONE)).assumed
    assert set(IEEE_ASSUMED) <= set(compare(*both, Scope(Assume.NONE, floats=Floats.IEEE)).assumed)


COPIED, DOUBLED = op("mov", "S", "F"), op("mul", "R", "S", "0x40000000:f")


@pytest.mark.parametrize("floats", Floats)
def test_what_is_computed_in_lanes_that_are_off_does_not_matter_where_they_stay_off(floats: Floats) -> None:
    unmasked = DOUBLED.replace("(M1, 8)", "(M1_NM, 8)")
    assert isinstance(verdict(COPIED + DOUBLED, COPIED + unmasked, floats), Refines)
    compared = (
        "cmp.lt (M1, 8) P1 S(0,0)<1;1,0> G(0,0)<1;1,0>\n(P1) sel (M1, 8) R(0,0)<1> " + source_of("F") + " 0x0:f\n"
    )
    everywhere = compared.replace("cmp.lt (M1, 8)", "cmp.lt (M1_NM, 8)")
    assert isinstance(verdict(COPIED + compared, COPIED + everywhere, floats), Refines)


def test_nor_does_it_inside_of_a_sum_that_is_converted() -> None:
    """J is no copy of I in lanes that are off; the sum of J and I is made a float in the others alone."""
    copied, summed = "mov (M1, 8) J(0,0)<1> I(0,0)<1;1,0>\n", "add (M1, 8) J(0,0)<1> J(0,0)<1;1,0> I(0,0)<1;1,0>\n"
    converted, other = op("mov", "R", "J"), op("mov", "R", "I")
    head = FLOATS.replace(".decl I ", ".decl J v_type=G type=d num_elts=8 align=GRF alias=<S, 0>\n.decl I ")

    def found(target: str) -> Verdict:
        both = [program(KEEP + copied + body + STORE, head) for body in (summed + converted, target)]
        return decide(compare(both[0], both[1], Scope(Assume.NONE)), 20_000)

    everywhere = summed.replace("(M1, 8)", "(M1_NM, 8)")
    assert isinstance(found(everywhere + converted), Refines)
    assert isinstance(found(everywhere + other), Difference)


def test_what_another_lane_computed_does_matter() -> None:
    """A lane that is off has no copy of its input."""
    unmasked, shifted = DOUBLED.replace("(M1, 8)", "(M1_NM, 8)"), "mov (M1, 4) R(0,0)<1> R(0,4)<1;1,0>\n"
    everywhere = TWICE.replace("(M1, 8)", "(M1_NM, 8)")
    assert isinstance(verdict(everywhere + shifted, COPIED + unmasked + shifted), Difference)


XE2 = KEEP.replace("0x4c0", "0x400004c0")


def with_preambles(source: str, target: str, body: str) -> Verdict:
    both = [program(preamble + body + STORE, FLOATS) for preamble in (source, target)]
    return decide(compare(both[0], both[1], Scope(Assume.NONE)), 2_000)


@pytest.mark.parametrize("body", [LEFT, op("inv", "R", "F"), op("frc", "R", "F")])
def test_the_bit_of_dpas_changes_no_other_result(body: str) -> None:
    assert isinstance(with_preambles(KEEP, XE2, body), Refines)


@pytest.mark.usefixtures("few_runs")
@pytest.mark.slow(but=1)
@pytest.mark.parametrize("bit", [0, 4, 5, 7, 12, 29, 31])
def test_the_other_bits_may_change_a_result(bit: int) -> None:
    other = KEEP.replace("0x4c0", hex(0x4C0 ^ 1 << bit))
    assert not isinstance(with_preambles(KEEP, other, op("inv", "R", "F")), Refines)


def asked(source: str, target: str, assume: str = "launch") -> Verdict:
    both = [program(KEEP + body + STORE, FLOATS) for body in (source, target)]
    return decide(compare(both[0], both[1], Scope(Assume.of(assume))), 20_000)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (op("add", "R", "F", "G"), op("add", "R", "G", "F")),
        (op("mul", "R", "0x3e4ccccd:f", "F"), op("mul", "R", "F", "0x3e4ccccd:f")),
        (op("mad", "R", "F", "G", "H"), op("mad", "R", "G", "F", "H")),
    ],
)
def test_sums_and_products_are_those_of_the_other_order(source: str, target: str) -> None:
    assert isinstance(asked(source, target), Refines)
    assert isinstance(asked(source, target, "launch,-either-order"), Unknown)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (op("add", "R", "F", "G"), op("add", "R", "F", "H")),
        (op("mad", "R", "F", "G", "H"), op("mad", "R", "F", "H", "G")),
        (LEFT, RIGHT),
    ],
)
def test_other_orders_than_that_are_no_refinement(source: str, target: str) -> None:
    assert not isinstance(asked(source, target), Refines)


def test_an_answer_on_floats_says_that_it_rests_on_either_order() -> None:
    both = [program(KEEP + SUM + STORE, FLOATS) for _ in range(2)]
    assert "either-order" in [one.name for one in compare(both[0], both[1], Scope(Assume.LAUNCH)).assumed]
    assert "either-order" not in [one.name for one in compare(both[0], both[1], Scope(Assume.NONE)).assumed]
