"""Quotients of qwords by way of `inv` and doubles: that they are quotients, and which statements are taken for one."""

from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.machine.symbolic.test_integer_division import TURN, inverses, near_multiples, numbers
from tests.refinement.test_refinement import program
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.divisions.wide_division import LESS, ONE, RAISED
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.machine.symbolic.uninterpreted_results import CORRECTED
from visaproof.semantics.concrete import floats
from visaproof.semantics.symbolic.names import is_lane
from visaproof.semantics.symbolic.value_names import OpenValue
from visaproof.smt import BitVec, Op, Term, concat, const, eq, substitute, symbol, symbols_of, true
from visaproof.smt.evaluate import evaluate_all

F, DF, UD, UQ = DataType.F, DataType.DF, DataType.UD, DataType.UQ
MODE = FloatMode(Rounding.NEAREST_EVEN, frozenset([F, DF]))
HALF, MOST = (1 << 32) - 1, (1 << 64) - 1


def apply(opcode: str, *sources: int) -> int:
    return floats.operation(opcode, sources, DF, MODE)


def double(number: int) -> int:
    return floats.from_integer(number, DF, MODE)


def float_of(y: int, rounding: Rounding, by_double: bool) -> int:
    mode = FloatMode(rounding, MODE.kept)
    return floats.converted(double(y), DF, F, mode) if by_double else floats.from_integer(y, F, mode)


def parts(x: int, y: int, less: int = LESS) -> list[tuple[int, int]]:
    """h and l of the sequence, for each inverse that is allowed of each way to round the divisor."""
    rounded = {float_of(y, rounding, by_double) for rounding in Rounding for by_double in (True, False)}
    found: list[tuple[int, int]] = []
    for inverse in {each for one in rounded for each in inverses(one, MODE)}:
        i = floats.converted(inverse, F, DF, MODE)
        error = apply("add", apply("mad", double(y) ^ 1 << 63, i, ONE), less)
        c = apply("mad", i, error, i)
        h = floats.to_integer(apply("mul", c, double(x >> 32)), DF, UD)
        r = (x >> 32) - h * (y & HALF) & HALF
        number = apply("mad", double(r), RAISED, double(x & HALF))
        found.append((h, floats.to_integer(apply("mul", c, number), DF, UQ)))
    return found


def result(x: int, y: int, h: int, last: int) -> tuple[int, int]:
    """The quotient and the remainder, as the compiler corrects them, of integers modulo 2^64."""
    low, high = last & HALF, last >> 32
    upper = (x >> 32) - h * y - low * (y >> 32) - (y & HALF if high else 0)
    left = ((upper & HALF) << 32 | x & HALF) - low * (y & HALF) & MOST
    is_too_small = left >= y
    return ((high + h & HALF) << 32 | low) + is_too_small & MOST, left - (y if is_too_small else 0)


@settings(max_examples=400)
@given(st.one_of(near_multiples(64), st.tuples(numbers(64), numbers(64).map(partial(max, 1)))))
@example((MOST, 1))
@example((MOST, 3))
@example((MOST, 2**32 - 1))
@example((MOST, 2**32 + 1))
@example((MOST - 1, 2**53 + 1))
@example(((2**32 - 1) * (2**32 - 1), 2**32 - 1))
@example((MOST, 2**63))
@example((2**63 - 1, 2**63))
@example((MOST, MOST))
@pytest.mark.slow
def test_a_wide_quotient_is_right_with_every_inverse_that_is_allowed(one: tuple[int, int]) -> None:
    x, y = one
    for h, last in parts(x, y):
        assert (h << 32) + last in (x // y, x // y - 1)
        assert last >> 32 in (0, 1)
        assert result(x, y, h, last) == (x // y, x % y)


def test_zero_leaves_the_dividend_over_whatever_the_quotient() -> None:
    assert {result(7 << 40 | 5, 0, h, last)[1] for h in (0, 3) for last in (0, 9, MOST)} == {7 << 40 | 5}


def test_without_what_is_taken_off_a_wide_quotient_may_be_too_large() -> None:
    """Then nothing corrects it."""
    some = [(x, y) for y in (3, 7, 11, 2**31 - 1, 2**52 + 1) for x in (y - 1, 2**40 // y * y - 1, MOST // y * y - 1)]
    assert any((h << 32) + last > x // y for x, y in some for h, last in parts(x, y, 0x3CF0_0000_0000_0000))


# ---------------------------------------------------------------- what is recognised

_QWORDS = {"X": 64, "Y": 128}
_OWN = {
    "uq": "Q S P U R N M",
    "df": "DY DI DE DG DC DH DP DR DL DX DQ",
    "f": "FY IY",
    "ud": "XH XL YH YL QH QL QT A1 A2 A3 A4 A5 A6 RH SL SH K B",
    "d": "J",
}
HEAD = (
    '.version 4.1\n.kernel "k"\n'
    + "".join(f".decl {name} v_type=G type=uq num_elts=8 align=GRF\n" for name in _QWORDS)
    + "".join(
        f".decl {name} v_type=G type={data_type} num_elts=8 align=GRF\n"
        for data_type, names in _OWN.items()
        for name in names.split()
    )
    + "".join(
        f".decl {name}D v_type=G type=ud num_elts=16 align=GRF alias=<{name}, 0>\n"
        for name in ["X", "Y", "Q", "S", "P", "U", "R", "N"]
    )
    + ".decl P1 v_type=P num_elts=8\n.decl P2 v_type=P num_elts=8\n.decl T6 v_type=T num_elts=1\n"
    + "".join(f".input {name} offset={start} size=64\n" for name, start in _QWORDS.items())
    + '.kernel_attr SimdSize=8\n.function "k"\n_main:\nmovs (M1_NM, 1) T6(0) 0x0:ud\n'
)


def operand(name: str) -> str:
    """`-` before it for the negative, `.lo` or `.hi` behind it for a half of its qwords."""
    if name.startswith("0x"):
        return name
    bare, sign = name.removeprefix("-"), "(-)" * name.startswith("-")
    if "." not in bare:
        return f"{sign}{bare}(0,0)<1;1,0>"
    return f"{sign}{bare[:-3]}D(0,{int(bare.endswith('hi'))})<2;1,0>"


def target_of(name: str) -> str:
    return f"{name[:-3]}D(0,{int(name.endswith('hi'))})<2>" if "." in name else f"{name}(0,0)<1>"


def op(opcode: str, target: str, *sources: str) -> str:
    return f"{opcode} (M1, 8) {target_of(target)} {' '.join(map(operand, sources))}\n"


def cmp(relation: str, predicate: str, *sources: str) -> str:
    return f"cmp.{relation} (M1, 8) {predicate} {' '.join(map(operand, sources))}\n"


def sel(target: str, *sources: str) -> str:
    return f"(P1) sel (M1, 8) {target_of(target)} {' '.join(map(operand, sources))}\n"


DIVISION = [
    op("mov", "XH", "X.hi"), op("mov", "XL", "X.lo"), op("mov", "YH", "Y.hi"), op("mov", "YL", "Y.lo"),
    op("mov", "DY", "Y"), op("mov", "FY", "DY"), op("inv", "IY", "FY"), op("mov", "DI", "IY"),
    op("mad", "DE", "-DY", "DI", "0x3ff0000000000000:df"), op("add", "DG", "DE", "0xbcf0000000000000:df"),
    op("mad", "DC", "DI", "DG", "DI"),
    op("mov", "DH", "XH"), op("mul", "DP", "DC", "DH"), op("mov", "QH", "DP"),
    op("mul", "A1", "QH", "YL"), op("add", "RH", "XH", "-A1"), op("mov", "DR", "RH"), op("mov", "DL", "XL"),
    op("mad", "DX", "DR", "0x41f0000000000000:df", "DL"), op("mul", "DQ", "DC", "DX"), op("mov", "Q", "DQ"),
]  # fmt: skip
LEFT = [
    op("mov", "QL", "Q.lo"), op("mov", "QT", "Q.hi"), op("mul", "A2", "QL", "YH"),
    cmp("eq", "P1", "QT", "0x0:ud"), sel("A3", "0x0:ud", "YL"),
    op("add", "A4", "A2", "A3"), op("add", "A5", "RH", "-A4"), op("mov", "S.lo", "XL"), op("mov", "S.hi", "A5"),
    op("mul", "P.lo", "QL", "YL"), op("mulh", "P.hi", "QL", "YL"), op("add", "R", "S", "-P"),
]  # fmt: skip
SUM = [op("add", "A6", "QT", "QH"), op("mov", "U.lo", "QL"), op("mov", "U.hi", "A6")]
IS_TOO_SMALL = [
    op("mov", "SL", "R.lo"), op("mov", "SH", "R.hi"),
    cmp("ge", "P1", "SL", "YL"), cmp("eq", "P2", "SH", "YH"), "and (M1, 8) P2 P2 P1\n",
    cmp("gt", "P1", "SH", "YH"), "or (M1, 8) P1 P1 P2\n",
]  # fmt: skip
CORRECTED_QUOTIENT = [sel("J", "0xffffffff:d", "0x0:d"), op("mov", "M", "J"), op("add", "U", "U", "-M")]
CORRECTED_REMAINDER = [sel("N.lo", "YL", "0x0:ud"), sel("N.hi", "YH", "0x0:ud"), op("add", "R", "R", "-N")]
ALL = [*DIVISION, *LEFT, *SUM, *IS_TOO_SMALL, *CORRECTED_QUOTIENT, *CORRECTED_REMAINDER]
ODD = op("or", "Y.lo", "Y.lo", "0x1:ud")


def run(statements: list[str]) -> Trace:
    one = program("".join(statements), HEAD)
    return trace(one.kernel, one.platform, divisions=True)


def is_taken_for_a_quotient(statements: list[str]) -> bool:
    return any(value.reason == CORRECTED for value in run(statements).arbitrary)


def left_in(statements: list[str], variable: str) -> BitVec:
    """The qword of the first lane after these statements, where that lane is on."""
    found = run(statements).registers.read(variable, 0, 8)
    on: dict[Term, Term] = {one: true() for one in symbols_of(found) if is_lane(one)}
    return substitute(found, on)


def is_known(word: BitVec) -> bool:
    """Whether it depends on the inputs alone."""
    return not any(isinstance(one.payload, OpenValue) for one in symbols_of(word))


def value(word: BitVec, x: int, y: int) -> int:
    halves = {"X.0": x & HALF, "X.4": x >> 32, "Y.0": y & HALF, "Y.4": y >> 32}
    (found,) = evaluate_all([word], {symbol(name, 32): half for name, half in halves.items()})
    return int(found)


PAIRS = [(MOST, 1), (MOST, 3), (5, 7), (7 << 40 | 5, 2**32 + 1), (2**63, 2**63 - 1), (MOST, MOST), (2**32, 2**32 - 1)]


def test_the_wide_sequence_is_the_quotient_and_the_remainder() -> None:
    quotient, remainder = (left_in([ODD, *ALL], one) for one in "UR")
    assert is_known(quotient)
    assert is_known(remainder)
    assert [(value(quotient, x, y), value(remainder, x, y)) for x, y in PAIRS] == [
        (x // (y | 1), x % (y | 1)) for x, y in PAIRS
    ]


def test_the_wide_sequence_gives_anything_and_the_dividend_by_zero() -> None:
    quotient, remainder = (left_in(ALL, one) for one in "UR")
    assert is_known(remainder)
    assert not is_known(quotient)
    assert value(remainder, 7 << 40 | 5, 0) == 7 << 40 | 5
    nothing = eq(concat(symbol("Y.4", 32), symbol("Y.0", 32)), const(0, 64))
    assert quotient.op is Op.ITE
    assert quotient.args[0] is nothing


def test_comparisons_the_other_way_round_correct_a_wide_quotient_as_well() -> None:
    below = [one.replace("cmp.ge", "cmp.lt").replace("cmp.gt", "cmp.lt") for one in IS_TOO_SMALL]
    picked = [sel("J", "0x0:d", "0xffffffff:d"), *CORRECTED_QUOTIENT[1:]]
    left = [sel("N.lo", "0x0:ud", "YL"), sel("N.hi", "0x0:ud", "YH"), CORRECTED_REMAINDER[-1]]
    found = left_in([ODD, *DIVISION, *LEFT, *SUM, *below, *picked, *left], "U")
    assert is_known(found)
    assert [value(found, x, y) for x, y in PAIRS] == [x // (y | 1) for x, y in PAIRS]


@pytest.mark.parametrize(
    ("statement", "instead", "variable"),
    [
        (CORRECTED_QUOTIENT[-1], "", "U"),
        (CORRECTED_REMAINDER[-1], "", "R"),
        (cmp("gt", "P1", "SH", "YH"), cmp("ge", "P1", "SH", "YH"), "U"),
        (cmp("eq", "P2", "SH", "YH"), cmp("eq", "P2", "SH", "YL"), "U"),
        (cmp("ge", "P1", "SL", "YL"), cmp("gt", "P1", "SL", "YL"), "U"),
        (op("add", "A6", "QT", "QH"), op("mov", "A6", "QT"), "U"),
        (op("mul", "A2", "QL", "YH"), op("mul", "A2", "QL", "YL"), "U"),
        (sel("A3", "0x0:ud", "YL"), sel("A3", "0x0:ud", "YH"), "U"),
        (op("mulh", "P.hi", "QL", "YL"), op("mulh", "P.hi", "QT", "YL"), "U"),
        (sel("N.hi", "YH", "0x0:ud"), sel("N.hi", "YL", "0x0:ud"), "R"),
    ],
)
def test_a_wide_quotient_with_another_correction_stays_unknown(statement: str, instead: str, variable: str) -> None:
    assert statement in ALL
    body = [ODD, *(instead if one == statement else one for one in ALL)]
    assert is_taken_for_a_quotient(body)
    assert not is_known(left_in(body, variable))


def test_the_wide_sequence_is_taken_for_a_quotient() -> None:
    assert is_taken_for_a_quotient(DIVISION)
    short = [op("mov", "DY", "YL"), op("mov", "FY", "YL")]
    assert is_taken_for_a_quotient([*DIVISION[:4], op("mov", "Y.hi", "0x0:ud"), *short, *DIVISION[6:]])


@pytest.mark.parametrize("dividend", [5, 7 << 40 | 5, MOST])
def test_a_constant_is_divided_by_words(dividend: int) -> None:
    """What is known is converted at once."""
    body = [op("mov", "X.hi", f"{dividend >> 32:#x}:ud"), op("mov", "X.lo", f"{dividend & HALF:#x}:ud"), ODD, *ALL]
    quotient, remainder = (left_in(body, one) for one in "UR")
    assert is_known(quotient)
    assert is_known(remainder)
    assert [(value(quotient, 0, y), value(remainder, 0, y)) for _, y in PAIRS] == [
        divmod(dividend, y | 1) for _, y in PAIRS
    ]


def test_another_constant_is_no_half_of_the_dividend() -> None:
    constant = [op("mov", "X.hi", "0x700:ud"), op("mov", "X.lo", "0x5:ud"), ODD]
    for one, other in (("XH", "0x701:ud"), ("XH", "0xffffffff:ud")):
        body = [op("mov", "DH", other) if each == op("mov", "DH", one) else each for each in DIVISION]
        assert not is_taken_for_a_quotient([*constant, *body])


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        (DIVISION[0], TURN + DIVISION[0]),
        (op("mov", "DY", "Y"), op("mov", "DY", "X")),
        (op("mov", "FY", "DY"), op("mov", "FY", "YH")),
        (op("inv", "IY", "FY"), op("mov", "IY", "FY")),
        (op("mad", "DE", "-DY", "DI", "0x3ff0000000000000:df"), op("mad", "DE", "DY", "DI", "0x3ff0000000000000:df")),
        (op("mad", "DE", "-DY", "DI", "0x3ff0000000000000:df"), op("mad", "DE", "-DY", "DI", "0x3ff0000000004000:df")),
        (op("add", "DG", "DE", "0xbcf0000000000000:df"), op("mov", "DG", "DE")),
        (op("add", "DG", "DE", "0xbcf0000000000000:df"), op("add", "DG", "DE", "0x3cf0000000000000:df")),
        (op("mad", "DC", "DI", "DG", "DI"), op("mad", "DC", "DI", "DE", "DI")),
        (op("mad", "DC", "DI", "DG", "DI"), op("mov", "DC", "DI")),
        (op("mov", "DH", "XH"), op("mov", "DH", "XL")),
        (op("mul", "DP", "DC", "DH"), op("mul", "DP", "DI", "DH")),
        (op("mul", "A1", "QH", "YL"), op("mul", "A1", "QH", "YH")),
        (op("add", "RH", "XH", "-A1"), op("add", "RH", "XL", "-A1")),
        (op("add", "RH", "XH", "-A1"), op("add", "RH", "XH", "A1")),
        (op("mad", "DX", "DR", "0x41f0000000000000:df", "DL"), op("mad", "DX", "DR", "0x41e0000000000000:df", "DL")),
        (op("mad", "DX", "DR", "0x41f0000000000000:df", "DL"), op("mad", "DX", "DH", "0x41f0000000000000:df", "DL")),
        (op("mul", "DQ", "DC", "DX"), op("mul", "DQ", "DI", "DX")),
    ],
)
def test_no_other_sequence_is_a_wide_quotient(statement: str, instead: str) -> None:
    assert statement in DIVISION
    assert not is_taken_for_a_quotient([instead if one == statement else one for one in DIVISION])
