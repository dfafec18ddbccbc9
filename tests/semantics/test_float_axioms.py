"""Each axiom on floats is a theorem of IEEE 754, has a wrong neighbour, and tempting identities are not among them."""

from collections.abc import Callable
from typing import Any

import pytest
import z3
from msgspec import Struct

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType, type_named
from visaproof.semantics.concrete import floats
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.float_axioms import (
    Axiom,
    Comparison,
    as_function,
    comparison,
    constant_result,
    of_constants,
    plain,
)
from visaproof.smt import const, false, symbol
from visaproof.smt.z3_backend import Lowering

_z3: Any = z3
F = DataType.F
SORTS = {DataType.HF: z3.FPSort(5, 11), DataType.F: z3.FPSort(8, 24), DataType.DF: z3.FPSort(11, 53)}
FPS = {"eq": z3.fpEQ, "lt": z3.fpLT, "le": z3.fpLEQ, "gt": z3.fpGT, "ge": z3.fpGEQ}
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")
NAN, SIGNALLING, DENORMAL, ONE, MINUS_ZERO = 0x7FC0_0000, 0x7F80_0001, 1, 0x3F80_0000, 0x8000_0000
KEEPS, FLUSHES = FloatMode.of(0x4C0), FloatMode.of(0)


def by_theory(relation: str, left: Any, right: Any) -> Any:
    """A comparison by z3's theory of floats; `!=` is the one that NaN fulfils."""
    return _z3.Not(_z3.fpEQ(left, right)) if relation == "ne" else FPS[relation](left, right)


def holds_always(claim: Any) -> bool:
    solver = _z3.Solver()
    solver.add(_z3.Not(claim))
    return solver.check() == _z3.unsat


def numbers(data_type: DataType) -> tuple[Any, Any]:
    words = (_z3.BitVec(name, data_type.bits) for name in ("x", "y"))
    left, right = (_z3.fpBVToFP(word, SORTS[data_type]) for word in words)
    return left, right


def written(relation: str, left: Any, right: Any, data_type: DataType, one_operand: bool = False) -> Any:
    """What the axioms make of a comparison, by z3's theory of floats."""
    x, y = (Source(symbol(name, data_type.bits), data_type) for name in ("x", "y"))
    found = comparison(relation, x, x if one_operand else y)
    if not isinstance(found, Comparison):
        return _z3.BoolVal(found is not false())
    values = {id(x): left, id(y): right}
    holds = by_theory(found.relation, *(values[id(one)] for one in found.operands))
    return _z3.Not(holds) if found.negated else holds


@pytest.mark.parametrize("data_type", SORTS, ids=lambda one: one.spelling)
@pytest.mark.parametrize("relation", RELATIONS)
def test_comparisons_are_written_with_fewer_relations(relation: str, data_type: DataType) -> None:
    """CONVERSE, UNEQUAL, SYMMETRIC and IRREFLEXIVE, for all patterns."""
    left, right = numbers(data_type)
    assert holds_always(written(relation, left, right, data_type) == by_theory(relation, left, right))
    assert holds_always(written(relation, left, left, data_type, one_operand=True) == by_theory(relation, left, left))
    assert holds_always(by_theory("eq", left, right) == by_theory("eq", right, left))


@pytest.mark.parametrize("data_type", SORTS, ids=lambda one: one.spelling)
@pytest.mark.parametrize(
    ("relation", "neighbour"),
    [
        ("ge", lambda left, right: _z3.Not(_z3.fpLT(left, right))),  # NaN
        ("gt", lambda left, right: _z3.Not(_z3.fpLEQ(left, right))),
        ("gt", lambda left, right: _z3.fpLT(left, right)),
        ("ne", lambda left, right: _z3.Or(_z3.fpLT(left, right), _z3.fpLT(right, left))),
        ("le", lambda left, right: _z3.fpLT(left, right)),
    ],
)
def test_neighbours_of_the_comparisons_are_wrong(
    relation: str, neighbour: Callable[..., Any], data_type: DataType
) -> None:
    left, right = numbers(data_type)
    assert not holds_always(neighbour(left, right) == by_theory(relation, left, right))


MODES = (_z3.RNE(), _z3.RNA(), _z3.RTP(), _z3.RTN(), _z3.RTZ())
INTEGER_ORDER = {
    "eq": lambda x, y, _: x == y,
    "lt": lambda x, y, signed: x < y if signed else _z3.ULT(x, y),
    "le": lambda x, y, signed: x <= y if signed else _z3.ULE(x, y),
}


def converted_orders(relation: str, signed: bool, mode: Any, zero_left: bool, zero: float = 0.0) -> tuple[Any, Any]:
    """A comparison of a word that was converted to HF, which has no room for all words, and that of the word."""
    sort, word = SORTS[DataType.HF], _z3.BitVec("x", 16)
    number = (_z3.fpSignedToFP if signed else _z3.fpUnsignedToFP)(mode, word, sort)
    floats, words = (number, _z3.FPVal(zero, sort)), (word, _z3.BitVecVal(0, 16))
    if zero_left:
        floats, words = floats[::-1], words[::-1]
    return FPS[relation](*floats), INTEGER_ORDER[relation](*words, signed)


@pytest.mark.parametrize("relation", INTEGER_ORDER)
@pytest.mark.parametrize("signed", [True, False])
def test_converted_integers_compare_with_0_as_before(relation: str, signed: bool) -> None:
    """SIGN_OF_INTEGER, for both zeros and in every mode, also of words that HF rounds, or makes an infinity of."""
    for mode in MODES:
        for zero_left in (False, True):
            for zero in (0.0, -0.0):
                floats, words = converted_orders(relation, signed, mode, zero_left, zero)
                assert holds_always(floats == words)


def test_neighbours_of_the_comparison_with_0_are_wrong() -> None:
    """Of two integers that are converted, of the other signedness, and with another number."""
    sort, mode = SORTS[DataType.HF], MODES[0]
    x, y = _z3.BitVecs("x y", 16)
    left, right = (_z3.fpSignedToFP(mode, one, sort) for one in (x, y))
    assert not holds_always(_z3.fpLT(left, right) == (x < y))
    assert not holds_always(_z3.fpLT(left, _z3.FPVal(0.0, sort)) == _z3.ULT(x, _z3.BitVecVal(0, 16)))
    assert not holds_always(
        converted_orders("lt", True, mode, False, 0.5)[0] == converted_orders("lt", True, mode, False)[1]
    )


@pytest.mark.parametrize("data_type", SORTS, ids=lambda one: one.spelling)
def test_a_comparison_with_itself_may_fail(data_type: DataType) -> None:
    """x == x and x <= x are no axioms: NaN."""
    left, _ = numbers(data_type)
    assert not holds_always(by_theory("eq", left, left))
    assert not holds_always(by_theory("le", left, left))


@pytest.mark.parametrize("data_type", SORTS, ids=lambda one: one.spelling)
@pytest.mark.parametrize("modifier", ["-", "abs", "-abs"])
def test_a_modifier_changes_the_sign_bit_alone(modifier: str, data_type: DataType) -> None:
    """SIGN: IEEE's negation and absolute value of a number; a negation as 0 − x is wrong at 0."""
    word = symbol("x", data_type.bits)
    (source,) = plain((Source(word, data_type, modifier),))
    assert source.modifier == ""
    raw = _z3.BitVec("x", data_type.bits)
    number = _z3.fpBVToFP(raw, SORTS[data_type])
    wanted = {"-": -number, "abs": _z3.fpAbs(number), "-abs": -_z3.fpAbs(number)}[modifier]
    observed = _z3.fpBVToFP(Lowering().lower(source.bits), SORTS[data_type])
    assert holds_always(observed == wanted)
    if modifier == "-":
        zero = _z3.FPVal(0.0, SORTS[data_type])
        assert not holds_always(observed == _z3.fpSub(_z3.RNE(), zero, number))


@pytest.mark.parametrize("data_type", [DataType.HF, DataType.BF])
def test_a_modifier_does_to_every_pattern_what_runs_do(data_type: DataType) -> None:
    """SIGN and COPY on patterns of every kind: NaN keeps its payload, a denormal its bits."""
    for modifier in ("", "-", "abs", "-abs"):
        patterns = range(0, 1 << 16, 97)
        for pattern in patterns:
            (source,) = plain((Source(const(pattern, 16), data_type, modifier),))
            assert source.bits is const(floats.modified(pattern, modifier, data_type), 16)


# ---------------------------------------------------------------- constants


def constant(value: int) -> Source:
    return Source(const(value, 32), F)


def test_constants_give_a_number_where_every_mode_gives_it() -> None:
    """CONSTANT: exact results only."""
    assert constant_result("add", [constant(ONE), constant(0x4000_0000)], F) == 0x4040_0000
    assert constant_result("lt", [constant(ONE), constant(0x4000_0000)], None) == 1
    assert constant_result("mov", [Source(const(5, 32), DataType.D)], F) == 0x40A0_0000


@pytest.mark.parametrize(
    ("opcode", "sources"),
    [
        ("add", (ONE, 0x3300_0000)),  # rounded
        ("add", (ONE, ONE | MINUS_ZERO)),  # +0, and −0 where results are rounded down
        ("mul", (DENORMAL, ONE)),
        ("add", (NAN, ONE)),
        ("max", (0, MINUS_ZERO)),
        ("mul", (0x7F7F_FFFF, 0x4000_0000)),
    ],
)
def test_constants_give_nothing_where_modes_differ(opcode: str, sources: tuple[int, ...]) -> None:
    assert constant_result(opcode, [constant(one) for one in sources], F) is None


def test_operations_with_saturation_are_not_folded_after_renaming() -> None:
    one, two = constant(ONE), constant(0x4000_0000)
    assert of_constants(("add",), [one, two], F) is const(0x4040_0000, 32)
    assert of_constants(("cmp", "lt"), [two, one], None) is false()
    assert of_constants(("add", "sat"), [one, two], F) is None
    assert of_constants(("fcvt",), [one], DataType.HF) is None


@pytest.mark.parametrize("opcode", ["add", "mul"])
@pytest.mark.parametrize("types", [("f", "hf", "f"), ("hf", "hf", "f"), ("f", "f", "hf"), ("f", "bf", "f")])
def test_constants_of_mixed_floats_are_not_folded(opcode: str, types: tuple[str, str, str]) -> None:
    *of_sources, result = map(type_named, types)
    sources = [Source(const(1 << one.bits - 4, one.bits), one) for one in of_sources]
    assert constant_result(opcode, sources, result) is None


# ---------------------------------------------------------------- tempting identities


class Tempting(Struct, frozen=True):
    """An identity that is no axiom: operands for which runs, or the pages, do not give it."""

    said: str
    opcode: str
    operands: tuple[int, ...]
    expected: int
    mode: FloatMode = KEEPS


TEMPTING = (
    Tempting("x + 0 is x", "add", (MINUS_ZERO, 0), MINUS_ZERO),
    Tempting("x · 0 is 0", "mul", (ONE | MINUS_ZERO, 0), 0),
    Tempting("x · 1 is x", "mul", (DENORMAL, ONE), DENORMAL, FLUSHES),
    Tempting("x + −0 is x", "add", (DENORMAL, MINUS_ZERO), DENORMAL, FLUSHES),
    Tempting("x − x is +0", "add", (ONE, ONE | MINUS_ZERO), 0, FloatMode(Rounding.DOWN, KEEPS.kept)),
    Tempting("mad(x, 1, 0) is x", "mad", (DENORMAL, ONE, 0), DENORMAL, FLUSHES),
)


@pytest.mark.parametrize("one", TEMPTING, ids=lambda one: one.said)
def test_tempting_identities_fail_on_numbers(one: Tempting) -> None:
    assert floats.operation(one.opcode, one.operands, F, one.mode) != one.expected


@pytest.mark.parametrize(
    ("opcode", "operands", "mode"),
    [
        ("add", (NAN, SIGNALLING), KEEPS),  # commutes but for which NaN comes out
        ("mul", (SIGNALLING, ONE), KEEPS),  # x · 1 is x but for a signalling NaN
        ("max", (0, MINUS_ZERO), KEEPS),  # max(x, y) is max(y, x) but for which zero comes out
        ("min", (DENORMAL, DENORMAL), FLUSHES),  # min(x, x) is x where denormals are kept
    ],
)
def test_tempting_identities_are_left_open_by_the_pages(
    opcode: str, operands: tuple[int, ...], mode: FloatMode
) -> None:
    with pytest.raises(NotModelled):
        floats.operation(opcode, operands, F, mode)


def test_every_axiom_has_its_proof_here() -> None:
    comparisons = {Axiom.CONVERSE, Axiom.SYMMETRIC, Axiom.UNEQUAL, Axiom.IRREFLEXIVE, Axiom.SIGN_OF_INTEGER}
    assert {Axiom.COPY, Axiom.SIGN, Axiom.CONSTANT} | comparisons == set(Axiom)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_numbers_are_added_and_multiplied_in_either_order(mode: Any) -> None:
    """What the premise `either-order` adds is the NaN; of the operands of mad the factors alone may change places."""
    sort = _z3.FPSort(2, 3)
    x, y, z = (_z3.FP(name, sort) for name in "xyz")

    def same(one: Any, other: Any) -> Any:
        return _z3.Or(_z3.And(_z3.fpIsNaN(one), _z3.fpIsNaN(other)), one == other)

    assert holds_always(same(_z3.fpAdd(mode, x, y), _z3.fpAdd(mode, y, x)))
    assert holds_always(same(_z3.fpMul(mode, x, y), _z3.fpMul(mode, y, x)))
    assert holds_always(same(_z3.fpFMA(mode, x, y, z), _z3.fpFMA(mode, y, x, z)))
    assert not holds_always(same(_z3.fpFMA(mode, x, y, z), _z3.fpFMA(mode, x, z, y)))
    assert not holds_always(same(_z3.fpSub(mode, x, y), _z3.fpSub(mode, y, x)))


def test_operands_of_sums_and_products_alone_have_either_order() -> None:
    x, y, z = (Source(symbol(name, 32), F) for name in "xyz")
    for operation in ("add", "mul", "mad"):
        assert as_function((operation,), (x, y, z), True) == as_function((operation,), (y, x, z), True)
        assert as_function((operation,), (x, y, z)) != as_function((operation,), (y, x, z))
    assert as_function(("mad",), (x, y, z), True) != as_function(("mad",), (x, z, y), True)
    for operation in ("div", "pow", "max", "frc"):
        assert as_function((operation,), (x, y), True) != as_function((operation,), (y, x), True)
