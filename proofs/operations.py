"""What integer and floating-point opcodes give, as claims about their symbolic results, and wrong neighbours of them.

Page 2_datatypes.md, "Saturation"; pages DIV and MOD; pages RNDD, RNDE, RNDU, RNDZ and FRC.
"""

from itertools import product

from visaproof.checking.claims.catalogue import for_each
from visaproof.isa.float_modes import Rounding
from visaproof.isa.types import DataType
from visaproof.queries.identities import computed
from visaproof.queries.query import Query
from visaproof.semantics.symbolic.alu import OPERATIONS
from visaproof.semantics.symbolic.division import divided
from visaproof.semantics.symbolic.elements import Meaning, Source
from visaproof.semantics.symbolic.float_bits import LAYOUTS, is_nan, negative
from visaproof.semantics.symbolic.float_meaning import Mode
from visaproof.semantics.symbolic.float_rounding import INTEGRAL
from visaproof.semantics.symbolic.float_rounding import computed as of_floats
from visaproof.semantics.symbolic.saturation import saturated
from visaproof.smt import BitVec, Bool, Term, add, const, eq, ite, mul, neg, symbol, true

D, UD, W, UW, B, UB, Q, F = (DataType[name] for name in ("D", "UD", "W", "UW", "B", "UB", "Q", "F"))
NARROW = (UB, B, UW, W)
TYPES = (*NARROW, UD, D)
"""Types of which a Q holds every value."""

CLAMPED = tuple(product(TYPES, TYPES))
DIVISORS = tuple(product((UB, B), (3, 7, 10, -3, -8)))


def _word(name: str, data_type: DataType, modifier: str = "") -> Source:
    return Source(symbol(f"{name}.{data_type.spelling}", data_type.bits), data_type, modifier)


def _constant(value: int, data_type: DataType) -> Source:
    return Source(const(value, data_type.bits), data_type)


def _sat(opcode: str, result: DataType, *sources: Source) -> BitVec:
    found = saturated(opcode, sources, result)
    assert found is not None
    return _value(found)


def _value(meaning: Meaning) -> BitVec:
    assert isinstance(meaning.value, BitVec)
    return meaning.value


def _ends(data_type: DataType) -> tuple[int, int]:
    most = (1 << data_type.bits - data_type.signed) - 1
    return (-most - 1 if data_type.signed else 0), most


def _between(source: Source, result: DataType, lowest: int, highest: int) -> BitVec:
    """`max` with the lowest number, then `min` with the highest, in Q, then cut to the type."""
    raised = Source(OPERATIONS["max"]((source, _constant(lowest, Q)), Q), Q)
    lowered = Source(OPERATIONS["min"]((raised, _constant(highest, Q)), Q), Q)
    return OPERATIONS["mov"]((lowered,), result)


@for_each(CLAMPED)
def prove_mov_sat_is_max_and_then_min(types: tuple[DataType, DataType]) -> Query:
    """With the ends of the destination's type."""
    source, result = types
    word = _word("x", source)
    return _claim("saturation", f"{source.spelling} to {result.spelling}", _between(word, result, *_ends(result)),
                  _sat("mov", result, word))  # fmt: skip


def refute_mov_sat_is_max_alone() -> Query:
    word = _word("x", D)
    raised = _between(word, UB, 0, 2**31 - 1)
    return _neighbour("saturation", "mov.sat of d to ub", raised, _sat("mov", UB, word), "max")


@for_each(TYPES)
def prove_add_sat_of_zero_is_the_identity(data_type: DataType) -> Query:
    word = _word("x", data_type)
    return _claim("saturation", f"add.sat of 0, {data_type.spelling}", word.bits,
                  _sat("add", data_type, word, _constant(0, data_type)))  # fmt: skip


def refute_add_sat_takes_back_what_it_added() -> Query:
    word = _word("x", UB)
    once = Source(_sat("add", UB, word, _constant(1, UB)), UB)
    return _neighbour("saturation", "add.sat of 1 and then of -1", word.bits, _sat("add", UB, once, _constant(-1, B)),
                      "the identity")  # fmt: skip


@for_each(DIVISORS)
def prove_quotient_times_divisor_and_the_remainder_are_the_dividend(case: tuple[DataType, int]) -> Query:
    data_type, divisor = case
    left, right = _word("x", data_type), _constant(divisor, W)
    quotient, remainder = (_value(divided(opcode, (left, right), W, saturates=False)) for opcode in ("div", "mod"))
    return _claim("division", f"{data_type.spelling} by {divisor}", left.modulo(16),
                  add(mul(quotient, const(divisor, 16)), remainder))  # fmt: skip


def refute_a_division_by_four_is_an_arithmetic_shift() -> Query:
    word = _word("x", D)
    shifted = OPERATIONS["asr"]((word, _constant(2, D)), D)
    quotient = _value(divided("div", (word, _constant(4, D)), D, saturates=False))
    return _neighbour("division", "a quotient of d by 4", shifted, quotient, "rounded down")


def refute_a_division_by_zero_gives_what_smt_lib_says() -> Query:
    """Its result is left open, whatever the word."""
    meaning = divided("div", (_word("x", UD), _constant(0, UD)), UD, saturates=False)
    return _neighbour("division", "a division by 0", true(), neg(meaning.open), "a result")


# ---------------------------------------------------------------- floats

KEEPS = Mode(Rounding.NEAREST_EVEN, {F: true()})
FLOAT = _word("x", F)
IS_NUMBER = neg(is_nan(FLOAT.bits, LAYOUTS[F]))


def _float(opcode: str, *sources: Source) -> BitVec:
    found = of_floats(opcode, sources, F, KEEPS)
    assert found is not None
    return _value(found)


def prove_rndz_rounds_down_above_zero_and_up_below() -> Query:
    either = ite(negative(FLOAT.bits), _float("rndu", FLOAT), _float("rndd", FLOAT))
    return _claim("rounding", "rndz", either, _float("rndz", FLOAT), IS_NUMBER)


def refute_rndz_rounds_down() -> Query:
    return _neighbour("rounding", "rndz", _float("rndd", FLOAT), _float("rndz", FLOAT), "rndd", IS_NUMBER)


@for_each(tuple(INTEGRAL))
def prove_a_rounded_float_is_rounded_already(opcode: str) -> Query:
    once = _float(opcode, FLOAT)
    return _claim("rounding", opcode, once, _float("rndd", Source(once, F)), IS_NUMBER)


def prove_rndu_is_rndd_of_the_negated_source_negated() -> Query:
    down = _float("rndd", Source(FLOAT.bits, F, "-"))
    flipped = add(down, const(1 << 31, 32))
    return _claim("rounding", "rndu", flipped, _float("rndu", FLOAT), IS_NUMBER)


def refute_rndu_of_the_negated_source_is_rndd_negated_twice() -> Query:
    down = _float("rndd", Source(FLOAT.bits, F, "-"))
    return _neighbour("rounding", "rndu", down, _float("rndu", FLOAT), "rndd of the negated source", IS_NUMBER)


def prove_the_fraction_of_a_rounded_float_is_zero() -> Query:
    """Of infinities it is NaN."""
    rounded = Source(_float("rnde", FLOAT), F)
    infinite = eq(add(FLOAT.bits, FLOAT.bits), const(LAYOUTS[F].infinity << 1, 32))
    return _claim("rounding", "frc of rnde", const(0, 32), _float("frc", rounded), IS_NUMBER, neg(infinite))


def refute_the_fraction_of_a_float_is_zero() -> Query:
    return _neighbour("rounding", "frc", const(0, 32), _float("frc", FLOAT), "0", IS_NUMBER)


def _claim(family: str, name: str, term: Term, made: Term, *assumptions: Bool) -> Query:
    return computed(f"operations/{family}", name, term, made, assumptions)


def _neighbour(family: str, name: str, term: Term, made: Term, variant: str, *assumptions: Bool) -> Query:
    return computed(f"operations/{family}", name, term, made, assumptions, variant)
