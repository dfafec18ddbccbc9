"""Quotients and remainders as digits: which relations are named and suffice, and the theorems they rest on."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.analysis.conflicts.test_digits import BITS, digits
from tests.support.rows import launch, rows
from visaproof.analysis.conflicts.digits.digits import OF_NUMBERS
from visaproof.analysis.conflicts.digits.inequalities import Place, chain
from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.parts_of_numbers import Piece, in_order, piece
from visaproof.analysis.conflicts.digits.signs import Signs
from visaproof.analysis.conflicts.digits.strides import sum_of
from visaproof.cli import main
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.ids.any_items import any_ids
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, divided, times
from visaproof.smt import (
    BitVec,
    Op,
    Term,
    add,
    const,
    eq,
    evaluate,
    extract,
    ite,
    mul,
    negate,
    slt,
    sub,
    symbol,
    udiv,
    urem,
    zero_extend,
)

DATA = Path(__file__).parents[2] / "data" / "quotients"


def scatters(capsys: pytest.CaptureFixture[str], kernel: str, *options: str, where: tuple[str, ...] = ()) -> Any:
    stated = [word for one in where for word in ("--where", one)]
    launch = ("--launch", str(DATA / "quotients.ze_info"), "--format", "json")
    main(["conflicts", str(DATA / f"{kernel}.visaasm"), *launch, *stated, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file


NEEDED = {
    "blocks": ("pitch >= 8", "local_size_x*pitch <= 8589934592"),
    "transposed": ("w >= 1", "h >= 1", "h*w <= 1073741824"),
    "channels": ("width >= 1", "rows >= 1", "planes >= 1", "images >= 1", "images*planes*rows*width <= 1073741824"),
    "pitched": ("n >= 1", "pitch*w >= n", "pitch*w <= 1073741824"),
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", NEEDED)
def test_what_is_missing_is_named(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    found = scatters(capsys, kernel)["scatters"]
    assert [tuple(one["free_if"]["relations"]) for one in found] == [NEEDED[kernel]] * 2
    assert {one["free_if"]["by"] for one in found} == {OF_NUMBERS}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", NEEDED)
def test_what_is_named_suffices(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    found = scatters(capsys, kernel, where=NEEDED[kernel])["scatters"]
    assert {(one["verdict"], one["by"]) for one in found} == {("proved", OF_NUMBERS)}


LESS = [
    (kernel, relations[:left] + relations[left + 1 :], relations[left])
    for kernel, relations in NEEDED.items()
    for left in range(len(relations))
]


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "where", "left"), LESS, ids=[f"{one[0]}-{one[2]}" for one in LESS])
def test_without_one_of_them_it_is_not_proved(
    capsys: pytest.CaptureFixture[str], kernel: str, where: tuple[str, ...], left: str
) -> None:
    for one in scatters(capsys, kernel, "--limit", "10", where=where)["scatters"]:
        assert one["verdict"] != "proved" or one["by"] != OF_NUMBERS, left


@pytest.mark.slow
def test_a_lost_quotient_is_a_conflict(capsys: pytest.CaptureFixture[str]) -> None:
    """Kernel columns writes where the remainder says alone."""
    found = scatters(capsys, "columns")["scatters"]
    assert [one["verdict"] for one in found] == ["refuted"] * 2
    assert "w >= h*w" in found[0]["free_if"]["relations"]  # rows of one place


def test_the_premise_is_stated_and_may_be_lifted(capsys: pytest.CaptureFixture[str]) -> None:
    def within_a_moment(assumed: str) -> Any:
        return scatters(capsys, "transposed", "--assume", assumed, "--limit", "1", where=NEEDED["transposed"])

    stated = within_a_moment("launch")
    assert {"integer-division", "float-mode"} <= {one["name"] for one in stated["premises"]}
    assert {one["verdict"] for one in stated["scatters"]} == {"proved"}
    lifted = within_a_moment("launch,-integer-division")
    assert "integer-division" not in {one["name"] for one in lifted["premises"]}
    assert {one["verdict"] for one in lifted["scatters"]} == {"unknown"}


# ---------------------------------------------------------------- pieces of integers

STEPS = st.lists(st.tuples(st.sampled_from((Op.UDIV, Op.UREM)), st.sampled_from((1, 2, 3, 4, 6, 12))), max_size=4)


def constant(value: int) -> Polynomial:
    return {(): value}


def applied(number: int, steps: list[tuple[Op, int]]) -> int:
    for operation, by in steps:
        number = number // by if operation is Op.UDIV else number % by
    return number


@given(STEPS, st.integers(0, 5000))
def test_steps_leave_a_piece(steps: list[tuple[Op, int]], number: int) -> None:
    found = piece([(operation, constant(by)) for operation, by in steps])
    assume(found is not None)
    assert found is not None
    quotient = number // found.low[()]
    assert applied(number, steps) == (quotient if found.radix is None else quotient % found.radix[()])


def test_a_remainder_by_no_divisor_of_the_radix_is_no_piece() -> None:
    assert piece([(Op.UREM, constant(6)), (Op.UREM, constant(4))]) is None
    assert piece([(Op.UREM, constant(6)), (Op.UDIV, constant(4))]) is None
    assert piece([(Op.UREM, {("a", "b"): 1}), (Op.UDIV, {("a",): 1})]) == Piece({("a",): 1}, {("b",): 1})


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(STEPS, min_size=1, max_size=3), st.integers(1, 300))
def test_numbers_that_differ_differ_in_some_piece(each: list[list[tuple[Op, int]]], below: int) -> None:
    found = [piece([(operation, constant(by)) for operation, by in steps]) for steps in each]
    pieces = [one for one in found if one is not None]
    order = in_order(pieces)
    assume(len(pieces) == len(each) and order is not None)
    assert order is not None
    end = pieces[order[-1]].end
    assume(end is None or end[()] >= below)
    assert len({tuple(applied(number, steps) for steps in each) for number in range(below)}) == below


def test_pieces_that_leave_something_out_or_overlap_have_no_order() -> None:
    whole, low, high = Piece(constant(1), None), Piece(constant(1), constant(4)), Piece(constant(4), None)
    assert in_order([high, low]) == [1, 0]
    assert in_order([low, Piece(constant(8), None)]) is None
    assert in_order([high]) is None
    assert in_order([whole, low]) is None


# ---------------------------------------------------------------- the lemma

PLACE = st.tuples(st.integers(1, 60), st.integers(1, 20), st.integers(1, 6))


@given(st.lists(PLACE, min_size=1, max_size=3), st.integers(1, 8))
def test_where_the_inequalities_hold_no_two_parts_meet(places: list[tuple[int, int, int]], width: int) -> None:
    """All pairs of digits below ⌈size/over⌉, modulo 2^9."""
    places_ = [Place(constant(stride), constant(size), constant(over), of_number=True) for stride, size, over in places]
    if list(chain(places_, 1, digits(width).strides)):
        return
    items = list(product(*(range(-(-size // over)) for _, size, over in places)))
    sums = [sum(one[0] * digit for one, digit in zip(places, item, strict=True)) for item in items]
    for number, one in enumerate(sums):
        for other in sums[:number]:
            assert width <= (one - other) % (1 << BITS) <= (1 << BITS) - width


def test_a_fraction_of_a_row_needs_a_whole_one() -> None:
    """⌈7/2⌉ = 4 places of 4 bytes below a stride of 16, and not of 14."""
    low = Place(constant(4), constant(7), constant(2), of_number=True)
    assert not list(chain([low, Place(constant(16), constant(2))], 1, digits(4).strides))
    assert list(chain([low, Place(constant(14), constant(2))], 1, digits(4).strides))
    assert list(chain([low, Place(constant(15), constant(2))], 1, digits(4).strides))


NAMES = st.sampled_from([(), ("a",), ("b",), ("a", "b"), ("a", "a")])
POLYNOMIAL = st.dictionaries(NAMES, st.integers(-4, 4).filter(bool), min_size=1, max_size=3)


@given(POLYNOMIAL, POLYNOMIAL)
def test_a_product_is_divided_by_its_factors(one: Polynomial, other: Polynomial) -> None:
    both = {names: count for names, count in times(one, other).items() if count}
    assert divided(both, other) == one


def test_what_is_no_multiple_is_not_divided() -> None:
    assert divided({("a",): 3}, {("a",): 0}) is None
    assert divided({("a",): 3}, {("a",): 2}) is None
    assert divided({("a",): 3}, {("b",): 3}) is None
    assert divided({("a", "b"): 1, ("a",): 1, (): 1}, {("b",): 1, (): 1}) is None


# ---------------------------------------------------------------- sums in words


def number() -> BitVec:
    (x, _, _) = any_ids(0)
    return add(zero_extend(x, 32), mul(symbol("group", 32), symbol("size", 32)))


@pytest.mark.parametrize("group", [0, 5, 0xFFFF_FFF0])
@pytest.mark.parametrize("x", [0, 7, 1000])
@pytest.mark.parametrize("radix", [1, 7, 64])
def test_the_sum_of_digits_is_the_address(group: int, x: int, radix: int) -> None:
    """Also where a compiler has n − n mod r for a product with the quotient."""
    n, w, h = number(), symbol("w", 32), symbol("h", 32)
    addresses = [
        add(mul(urem(n, w), h), udiv(n, w)),
        add(sub(n, urem(n, mul(w, h))), mul(urem(n, w), h)),
        add(mul(zero_extend(extract(n, 31, 3), 32), w), urem(n, const(8, 32))),
    ]
    values: dict[Term, int] = {any_ids(0)[0]: x, symbol("group", 32): group, symbol("size", 32): 3, w: radix, h: 5}
    for address in addresses:
        found = sum_of(address)
        assert found is not None
        assert len(found.by_digit) == 2
        total = 0
        for part, stride in found.by_digit.items():
            assert not isinstance(part, int)
            left = evaluate(part.number, values)
            for operation, by in part.steps:
                left = left // evaluate(by, values) if operation is Op.UDIV else left % evaluate(by, values)
            for factors, count in stride.items():
                for factor in factors:
                    count *= evaluate(factor, values)
                total += count * left
        assert total % (1 << 32) == evaluate(address, values)


# ---------------------------------------------------------------- signs


def remainder(number: BitVec, by: BitVec) -> BitVec:
    """As the compiler has it for int."""
    zero, down = const(0, 32), urem(number, negate(by))
    return ite(eq(by, zero), const(-1, 32), ite(slt(by, zero), down, urem(number, by)))


def signs() -> tuple[Signs, BitVec]:
    code = rows()
    launched = launch(code, "int")
    names = LaunchNames(code, launched, start_of(code, launched, Assume.LAUNCH))
    return Signs(NamedIntegers(names, ())), names.found("n").word.term


def test_signs_are_settled_by_relations() -> None:
    found, n = signs()
    item = zero_extend(any_ids(0)[0], 32)
    assert found.settled(remainder(item, n)) is urem(item, n)
    assert list(map(str, found.positive)) == ["n >= 1"]


def test_signs_of_what_has_no_name_or_may_be_negative_are_left() -> None:
    found, n = signs()
    item, loaded = zero_extend(any_ids(0)[0], 32), symbol("loaded", 32)
    assert found.settled(remainder(item, loaded)) is remainder(item, loaded)
    below = sub(item, n)
    word = ite(slt(below, const(0, 32)), urem(negate(below), n), urem(below, n))
    assert found.settled(word) is word
