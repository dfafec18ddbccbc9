"""Integer quotients by way of `inv`: the claim that they are quotients, and which statements are taken for one."""

from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.refinement.test_refinement import HEAD, program
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.launch.assumptions import Assume
from visaproof.machine.symbolic.divisions.integer_division import ABOVE_ONE, FACTOR
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.uninterpreted_results import CORRECTED
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.semantics.concrete import approximations, floats
from visaproof.semantics.concrete.choices import Unstated

F, DF, UD = DataType.F, DataType.DF, DataType.UD
MODES = [FloatMode(Rounding.ZERO, kept) for kept in (frozenset[DataType](), frozenset([F]))]
MOST = (1 << 32) - 1


def inverses(number: int, mode: FloatMode) -> tuple[int, ...]:
    try:
        return (approximations.operation("inv", (number,), F, mode),)
    except Unstated as reason:
        return reason.allowed.patterns


def quotients(x: int, y: int, mode: FloatMode, factor: int = FACTOR) -> list[int]:
    """q of the sequence, for each inverse that is allowed."""
    of, to = partial(floats.from_integer, result=F, mode=mode), partial(floats.to_integer, data_type=F, result=UD)

    def apply(opcode: str, *sources: int) -> int:
        return floats.operation(opcode, sources, F, mode)

    fx, fy = of(x), of(y)
    xl, yl = of(x - to(fx)), of(y - to(fy))
    found: list[int] = []
    for inverse in inverses(fy, mode):
        scaled = apply("mad", inverse, factor, inverse)
        first = to(apply("mul", fx, scaled))
        whole, rest = (apply("mad", number ^ 1 << 31, of(first), other) for number, other in ((fy, fx), (yl, xl)))
        found.append(first + to(apply("mul", scaled, apply("add", whole, rest))))
    return found


def quotients_by_doubles(x: int, y: int, mode: FloatMode, above: int = ABOVE_ONE) -> list[int]:
    """The quotient of the other sequence, for each inverse that is allowed of each way to round the divisor."""
    dx, dy = (floats.from_integer(one, DF, mode) for one in (x, y))
    rounded = {floats.from_integer(y, F, FloatMode(rounding, mode.kept)) for rounding in Rounding}
    found: list[int] = []
    for inverse in {each for one in rounded for each in inverses(one, mode)}:
        di = floats.converted(inverse, F, DF, mode)
        error = floats.operation("mad", (dy ^ 1 << 63, di, above), DF, mode)
        first = floats.operation("mul", (di, dx), DF, mode)
        found.append(floats.to_integer(floats.operation("mad", (first, error, first), DF, mode), DF, UD))
    return found


def numbers(bits: int = 32) -> st.SearchStrategy[int]:
    """Of all sizes, and near powers of two."""
    most, size = (1 << bits) - 1, st.integers(0, bits)
    near = st.tuples(size, st.integers(-300, 300)).map(lambda one: min(max(2 ** one[0] + one[1], 0), most))
    return st.one_of(near, st.integers(0, most), size.flatmap(lambda bits: st.integers(0, 2**bits - 1)))


def near_multiples(bits: int = 32) -> st.SearchStrategy[tuple[int, int]]:
    """Dividends just below and above a multiple of the divisor, where a quotient is off most easily."""
    most = (1 << bits) - 1

    def of(divisor: int) -> st.SearchStrategy[tuple[int, int]]:
        times, off = st.one_of(st.integers(0, most // divisor), st.just(most // divisor)), st.integers(-2, 2)
        return st.tuples(times, off).map(lambda one: (min(max(one[0] * divisor + one[1], 0), most), divisor))

    return numbers(bits).map(partial(max, 1)).flatmap(of)


@settings(max_examples=300)
@given(st.one_of(near_multiples(), st.tuples(numbers(), numbers().map(partial(max, 1)))), st.sampled_from(MODES))
@example((MOST, 1), MODES[0])
@example((3 * (2**30 + 127) - 1, 2**30 + 127), MODES[0])
@example((MOST, 2**24 + 1), MODES[0])
@example((2**32 - 256, 2**31 + 255), MODES[0])
def test_a_quotient_is_right_or_one_too_small_with_every_inverse_that_is_allowed(
    one: tuple[int, int], mode: FloatMode
) -> None:
    x, y = one
    for found in quotients(x, y, mode):
        assert found in (x // y, x // y - 1)
        left = (x - found * y) % 2**32
        assert found + (left >= y) == x // y
        assert left - (y if left >= y else 0) == x % y


@settings(max_examples=300)
@given(st.one_of(near_multiples(), st.tuples(numbers(), numbers().map(partial(max, 1)))), st.sampled_from(MODES))
@example((MOST, 1), MODES[0])
@example((3 * (2**30 + 127) - 1, 2**30 + 127), MODES[0])
@example((MOST, MOST), MODES[0])
def test_a_quotient_by_doubles_is_right_with_every_inverse_that_is_allowed(
    one: tuple[int, int], mode: FloatMode
) -> None:
    x, y = one
    assert {*quotients_by_doubles(x, y, mode)} == {x // y}


def test_without_more_than_one_a_quotient_by_doubles_is_too_small() -> None:
    assert any(3 * y // y - 1 in quotients_by_doubles(3 * y, y, MODES[0], 0x3FF0_0000_0000_0000) for y in (3, 7, 11))


def test_a_smaller_factor_gives_wrong_quotients() -> None:
    """Without any, 3·y − 1 divided by y is 3 with the largest inverse, and then nothing corrects it."""
    y = 2**30 + 127
    wrong = [found for x in (3 * y - 1, 2 * y - 1, y - 1) for found in quotients(x, y, MODES[0], 0) if found > x // y]
    assert wrong


# ---------------------------------------------------------------- what is recognised

DIVISION = HEAD.replace(
    ".decl P1 v_type=P num_elts=8\n",
    "".join(
        f".decl {name} v_type=G type={data_type} num_elts=8 align=GRF\n"
        for data_type, names in {
            "f": "FX FY IY SC QF PF NY XL YL NL WH RE SU SF",
            "ud": "HX HY LX LY QI QL QU LE BA",
        }.items()
        for name in names.split()
    )
    + "".join(
        f".decl {name} v_type=G type=df num_elts=8 align=GRF\n" for name in ("DX", "DY", "DN", "DI", "DE", "DQ", "DR")
    )
    + ".decl UX v_type=G type=ud num_elts=8 align=GRF alias=<X, 0>\n"
    ".decl UY v_type=G type=ud num_elts=8 align=GRF alias=<Y, 0>\n"
    ".decl MA v_type=G type=ud num_elts=8 align=GRF\n"
    ".decl P1 v_type=P num_elts=8\n",
)


def op(opcode: str, target: str, *sources: str) -> str:
    operands = [one if one.startswith("0x") else f"{one.replace('-', '(-)')}(0,0)<1;1,0>" for one in sources]
    return f"{opcode} (M1, 8) {target}(0,0)<1> {' '.join(operands)}\n"


TURN = "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\n"
FLOATS = [
    TURN,
    op("mov", "FX", "UX"), op("mov", "FY", "UY"), op("mov", "HX", "FX"), op("mov", "HY", "FY"),
    op("add", "LX", "UX", "-HX"), op("add", "LY", "UY", "-HY"), op("mov", "XL", "LX"), op("mov", "YL", "LY"),
    op("inv", "IY", "FY"), op("mad", "SC", "IY", "0xb4c00000:f", "IY"),
    op("mul", "QF", "FX", "SC"), op("mov", "QI", "QF"), op("mov", "PF", "QI"),
    op("mov", "NY", "-FY"), op("mov", "NL", "-YL"),
    op("mad", "WH", "NY", "PF", "FX"), op("mad", "RE", "NL", "PF", "XL"),
    op("add", "SU", "WH", "RE"), op("mul", "SF", "SC", "SU"),
    TURN,
    op("mov", "QL", "SF"),
]  # fmt: skip
SUM = op("add", "QU", "QI", "QL")
LEFT = op("mul", "LE", "QU", "UY") + op("add", "LE", "UX", "-LE")
CORRECTION = (
    op("cmp.ge", "MA", "LE", "UY")
    + op("and", "BA", "UY", "MA")
    + op("add", "LE", "LE", "-BA")
    + op("add", "QU", "QU", "-MA")
)
ODD = op("or", "UY", "UY", "0x1:ud")
DOUBLES = [
    op("mov", "FY", "UY"), op("inv", "IY", "FY"), op("mov", "DY", "UY"), op("mov", "DN", "-DY"),
    op("mov", "DI", "IY"), op("mov", "DX", "UX"),
    TURN,
    op("mad", "DE", "DN", "DI", "0x3ff0000000004000:df"), op("mul", "DQ", "DI", "DX"),
    op("mad", "DR", "DQ", "DE", "DQ"),
    TURN,
    op("mov", "QU", "DR"),
]  # fmt: skip
STORES = "".join(
    f"shl (M1, 8) B(0,0)<1> 0x76543210:uv 0x2:ud\nadd (M1, 8) B(0,0)<1> B(0,0)<1;1,0> {offset}:ud\n"
    f"scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 {name}.0\n"
    for offset, name in (("0x0", "QU"), ("0x20", "LE"))
)
NATIVE = op("div", "QU", "UX", "UY") + op("mod", "LE", "UX", "UY")


def compared(source: str, target: str, assume: str = "none") -> Comparison:
    both = [program(body + STORES, DIVISION) for body in (source, target)]
    return compare(both[0], both[1], Scope(Assume.of(assume)))


def verdict(source: str, target: str, assume: str = "none") -> Verdict:
    return decide(compared(source, target, assume), 2_000)


def is_taken_for_a_quotient(statements: list[str]) -> bool:
    one = program("".join(statements), DIVISION)
    return any(value.reason == CORRECTED for value in trace(one.kernel, one.platform, divisions=True).arbitrary)


def test_the_sequence_is_the_quotient_and_the_remainder() -> None:
    target = "".join(FLOATS) + SUM + LEFT + CORRECTION
    found = verdict(ODD + NATIVE, ODD + target)
    assert isinstance(found, Refines), found
    assert found.by == "the same stores in normal form"
    assert isinstance(verdict(ODD + target, ODD + NATIVE), Refines)


@pytest.mark.usefixtures("few_runs")
def test_without_the_premise_nothing_is_taken_for_a_quotient() -> None:
    bodies = ODD + NATIVE, ODD + "".join(FLOATS) + SUM + LEFT + CORRECTION
    stated = {one.name for one in compared(*bodies).assumed}
    assert {"integer-division", "float-mode"} <= stated
    lifted = "none,-integer-division"
    assert "integer-division" not in {one.name for one in compared(*bodies, lifted).assumed}
    assert not isinstance(verdict(*bodies, lifted), Refines)


def test_a_comparison_the_other_way_round_corrects_it_as_well() -> None:
    below = LEFT + "cmp.lt (M1, 8) P1 LE(0,0)<1;1,0> UY(0,0)<1;1,0>\n" + op("mov", "BA", "UY")
    picked = "(P1) sel (M1, 8) MA(0,0)<1> 0x0:ud 0x1:ud\n(P1) sel (M1, 8) BA(0,0)<1> 0x0:ud UY(0,0)<1;1,0>\n"
    last = op("add", "LE", "LE", "-BA") + op("add", "QU", "QU", "MA")
    assert isinstance(verdict(ODD + NATIVE, ODD + "".join(FLOATS) + SUM + below + picked + last), Refines)


@pytest.mark.usefixtures("few_runs")
@pytest.mark.slow(but=1)
@pytest.mark.parametrize("missing", [CORRECTION, op("add", "QU", "QU", "-MA"), op("add", "LE", "LE", "-BA")])
def test_a_quotient_without_its_correction_is_none(missing: str) -> None:
    target = "".join(FLOATS) + SUM + (LEFT + CORRECTION).replace(missing, "")
    assert not isinstance(verdict(ODD + NATIVE, ODD + target), Refines)


def test_the_sequence_of_doubles_is_the_quotient() -> None:
    target = "".join(DOUBLES) + LEFT
    assert isinstance(verdict(ODD + NATIVE, ODD + target), Refines)
    assert isinstance(verdict(ODD + "".join(FLOATS) + SUM + LEFT + CORRECTION, ODD + target), Refines)


@pytest.mark.slow
def test_signs_that_are_taken_off_and_put_back_are_those_of_a_signed_quotient() -> None:
    signs = "".join(
        op("asr", f"S{one}", one, "0x1f:d") + op("add", one, one, f"S{one}") + op("xor", one, one, f"S{one}")
        for one in "XY"
    )
    last = op("xor", "SQ", "SX", "SY") + op("add", "QD", "QD", "SQ") + op("xor", "QD", "QD", "SX")
    last += op("xor", "QD", "QD", "SY") + op("add", "LD", "LD", "SX") + op("xor", "LD", "LD", "SX")
    head = DIVISION.replace(
        ".decl P1 v_type=P num_elts=8\n",
        "".join(f".decl {one} v_type=G type=d num_elts=8 align=GRF\n" for one in ("SX", "SY", "SQ"))
        + ".decl QD v_type=G type=d num_elts=8 align=GRF alias=<QU, 0>\n"
        ".decl LD v_type=G type=d num_elts=8 align=GRF alias=<LE, 0>\n.decl P1 v_type=P num_elts=8\n",
    )
    odd, native = op("or", "Y", "Y", "0x1:d"), op("div", "QD", "X", "Y") + op("mod", "LD", "X", "Y")
    sequence = "".join(FLOATS) + SUM + LEFT + CORRECTION
    both = [program(odd + body + STORES, head) for body in (native, signs + sequence + last)]
    found = decide(compare(both[0], both[1], Scope(Assume.NONE)), 2_000)
    assert isinstance(found, Refines), found
    wrong = program(odd + signs + sequence + last.replace(op("xor", "QD", "QD", "SY"), "") + STORES, head)
    assert not isinstance(decide(compare(both[0], wrong, Scope(Assume.NONE)), 2_000), Refines)


@pytest.mark.parametrize("divisor", [4, 64, 2**31])
def test_a_constant_that_is_a_float_divides_too(divisor: int) -> None:
    """What the compiler cuts off of it is 0."""
    constant = op("mov", "UY", f"{divisor:#x}:ud")
    target = constant + "".join(FLOATS) + SUM + LEFT + CORRECTION
    found = verdict(constant + NATIVE, target)
    assert isinstance(found, Refines), found
    assert isinstance(verdict(op("shr", "QU", "UX", f"{divisor.bit_length() - 1:#x}:ud") + op("mov", "LE", "0x0:ud"),
                              target + op("mov", "LE", "0x0:ud")), Refines)  # fmt: skip
    other = op("mov", "UY", f"{2 * divisor % 2**32 or 1:#x}:ud")
    assert not isinstance(verdict(other + NATIVE, target), Refines)


@pytest.mark.parametrize("divisor", [3, 1000, 2**24 - 1, 2**24 + 1, 2**31 + 255])
def test_other_constants_are_divisors(divisor: int) -> None:
    """Some of them are no floats; then it is said of the operations what the divisor is."""
    constant = op("mov", "UY", f"{divisor:#x}:ud")
    native, target = op("div", "QU", "UX", "UY"), "".join(FLOATS) + SUM + LEFT + CORRECTION
    nothing = op("mov", "LE", "0x0:ud")
    assert isinstance(verdict(constant + native + nothing, constant + target + nothing), Refines)
    other = op("mov", "UY", f"{divisor + 1:#x}:ud")
    assert not isinstance(verdict(other + native + nothing, constant + target + nothing), Refines)


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        (op("mov", "YL", "LY"), op("mov", "YL", "0x1:ud")),
        (op("mov", "YL", "LY"), op("mov", "YL", "LX")),
        (op("mov", "NY", "-FY"), op("mov", "NY", "FY")),
        (op("mov", "NY", "-FY"), op("mov", "NY", "0xc0a00000:f")),
        (op("inv", "IY", "FY"), op("inv", "IY", "FX")),
        (op("mov", "FY", "UY"), op("mov", "FY", "0x40900000:f")),
        (op("mov", "FY", "UY"), op("mov", "FY", "0xc0800000:f")),
    ],
)
def test_no_other_sequence_is_a_quotient_by_a_constant(statement: str, instead: str) -> None:
    constant = op("mov", "UY", "0x4:ud")
    assert is_taken_for_a_quotient([constant, *FLOATS])
    assert not is_taken_for_a_quotient([constant, *(instead if one == statement else one for one in FLOATS)])


def test_the_sequence_is_taken_for_a_quotient() -> None:
    assert is_taken_for_a_quotient(FLOATS)
    assert is_taken_for_a_quotient(DOUBLES)


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        (TURN, ""),
        (TURN, TURN.replace("0x30", "0x10")),
        (op("mad", "SC", "IY", "0xb4c00000:f", "IY"), op("mad", "SC", "IY", "0xb4800000:f", "IY")),
        (op("mad", "SC", "IY", "0xb4c00000:f", "IY"), op("mov", "SC", "IY")),
        (op("inv", "IY", "FY"), op("inv", "IY", "FX")),
        (op("mov", "HX", "FX"), op("mov", "HX", "FY")),
        (op("mov", "YL", "LY"), op("mov", "YL", "LX")),
        (op("mov", "NL", "-YL"), op("mov", "NL", "YL")),
        (op("mov", "NY", "-FY"), op("mov", "NY", "FY")),
        (op("mov", "PF", "QI"), op("mov", "PF", "HX")),
        (op("mad", "RE", "NL", "PF", "XL"), op("mad", "RE", "NL", "PF", "FX")),
        (op("add", "SU", "WH", "RE"), op("add", "SU", "WH", "WH")),
        (op("mul", "SF", "SC", "SU"), op("mul", "SF", "IY", "SU")),
        (op("mul", "QF", "FX", "SC"), op("mul", "QF", "FX", "IY")),
        (op("mov", "FX", "UX"), op("mov", "FX", "X")),
    ],
)
def test_no_other_sequence_is(statement: str, instead: str) -> None:
    assert statement in FLOATS
    assert not is_taken_for_a_quotient([instead if one == statement else one for one in FLOATS])


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        (TURN, ""),
        (op("mov", "FY", "UY"), op("mov", "FY", "UX")),
        (op("inv", "IY", "FY"), op("mov", "IY", "FY")),
        (op("mov", "DN", "-DY"), op("mov", "DN", "DY")),
        (op("mov", "DY", "UY"), op("mov", "DY", "UX")),
        (op("mov", "DX", "UX"), op("mov", "DX", "FY")),
        (op("mad", "DE", "DN", "DI", "0x3ff0000000004000:df"), op("mad", "DE", "DN", "DI", "0x3ff0000000000000:df")),
        (op("mad", "DE", "DN", "DI", "0x3ff0000000004000:df"), op("mad", "DE", "DN", "DX", "0x3ff0000000004000:df")),
        (op("mad", "DR", "DQ", "DE", "DQ"), op("mad", "DR", "DQ", "DE", "DX")),
        (op("mul", "DQ", "DI", "DX"), op("mul", "DQ", "DI", "DI")),
    ],
)
def test_no_other_sequence_of_doubles_is(statement: str, instead: str) -> None:
    assert statement in DOUBLES
    assert not is_taken_for_a_quotient([instead if one == statement else one for one in DOUBLES])


# ---------------------------------------------------------------- by 0


@pytest.mark.slow
def test_a_source_may_give_anything_by_zero_where_it_alone_divides() -> None:
    bit = op("and", "UY", "UY", "0x1:ud")
    picked = "cmp.eq (M1, 8) P1 UY(0,0)<1;1,0> 0x0:ud\n(P1) sel (M1, 8) QU(0,0)<1> {}:ud UX(0,0)<1;1,0>\n"
    one, source = op("mov", "LE", "0x0:ud"), op("div", "QU", "UX", "UY")
    bodies = bit + one + source, bit + one + picked.format("0xffffffff")
    assert isinstance(verdict(*bodies), Refines)
    assert "quotient-by-zero" in {each.name for each in compared(*bodies).assumed}
    assert "quotient-by-zero" not in {each.name for each in compared(bodies[0], bodies[0] + bodies[0]).assumed}
    other = verdict(bit + one + source, bit + one + picked.format("0x7"))
    assert not isinstance(other, Difference), "no run says what the source gives"
    wrong = picked.format("0xffffffff").replace("UX(", "UY(")
    assert isinstance(verdict(bit + one + source, bit + one + wrong), Difference)
    assert not isinstance(verdict(bit + one + picked.format("0xffffffff"), bit + one + source), Refines)
