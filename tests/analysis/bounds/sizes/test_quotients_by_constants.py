"""Sizes of kernels that take their ids apart by numbers, which compilers write as masks, shifts and products."""

import json
from pathlib import Path
from random import Random

import pytest

from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.analysis.bounds.sizes.quotients_by_constants import QuotientsByConstants, is_part
from visaproof.cli import main
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, add, bit_and, const, evaluate, extract, mul, scale, sub, subterms, symbol, zero_extend

DATA = Path(__file__).parents[3] / "data" / "parts_of_ids"
X, Y = symbol("x", 32), symbol("y", 32)
NAMES = {"x": X, "y": Y}
LAUNCH = ("--launch", str(DATA / "parts_of_ids.ze_info"))


SIZES = {
    "joined": {"in": "4*global_size_x", "out": "4*global_size_x"},
    "thirds": {"out": "5*global_size_x + 22"},
    "sevenths": {"in": "28", "out": "n + 3"},
    "signed_sevenths": {"in": "28", "out": "n + 3"},
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", SIZES)
def test_sizes_follow_from_parts_of_ids(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *LAUNCH, "--format", "json", "--limit", "60"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    sizes = [(one["surface"], one["inside_if"]["bytes"]) for one in file["messages"]]
    assert set(SIZES[kernel].items()) <= set(sizes)
    assert all(one["inside_if"] for one in file["messages"])


def test_what_is_between_a_number_and_its_seventh_limits_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A product of 64 bits is there, of which the low half does not matter."""
    main(["bounds", str(DATA / "sevenths.visaasm"), *LAUNCH, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [one["inside_if"]["where"] for one in file["messages"]] == [[]] * 4


@pytest.mark.slow
@pytest.mark.parametrize(("size", "code"), [("20*17 + 240", 0), ("20*17 + 239", 1)])
def test_a_feature_in_a_block_of_its_own_needs_what_is_named(
    size: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last one of 17 features is in a block of its own."""
    launch = (*LAUNCH, "--quiet", "--global-size", "5,17", "--where", "local_size_x == 5", "--size", f"out={size}")
    assert main(["bounds", str(DATA / "blocks.visaasm"), *launch, "--limit", "60"]) == code
    capsys.readouterr()


def _divided(word: BitVec, divisor: int, *, wrong: int = 0) -> BitVec:
    """As compilers divide: by the high bits of a product, and where its factor has 33 bits, of two sums."""
    for place in range(32, 64):
        factor = -(-(1 << place) // divisor)
        if factor < 1 << 32 and factor * divisor <= (1 << place) + (1 << place - 32):
            return extract(mul(zero_extend(word, 64), const(factor + wrong, 64)), 63, place)
    places = divisor.bit_length() - 1
    factor = -(-(1 << 33 + places) // divisor) - (1 << 32)
    high = extract(mul(zero_extend(word, 64), const(factor + wrong, 64)), 63, 32)
    return extract(add(zero_extend(extract(sub(word, high), 31, 1), 32), high), 31, places)


def _value(one: Polynomial, values: dict[str, int], of: QuotientsByConstants) -> int:
    total = 0
    for part, count in one.items():
        for name in part:
            own = of.found.get(name)
            count *= values[name] if own is None else _value(own.dividend, values, of) // own.divisor
        total += count
    return total


def _read(word: BitVec) -> tuple[Polynomial, QuotientsByConstants]:
    found = QuotientsByConstants(Integers({word: {(name,): 1} for name, word in NAMES.items()}, {}, {}))
    for one in subterms(word):
        found.read(one)
    read = found.reader.read(word)
    assert read is not None
    return read, found


def _sums(random: Random) -> BitVec:
    """A sum of parts of one number."""
    rows = mul(zero_extend(extract(X, 31, 2), 32), Y)
    number = random.choice(
        [X, add(scale(X, 16), Y), add(scale(X, 9), scale(Y, 2)), add(X, const(5, 32)), add(X, Y), rows]
    )
    total = random.choice([number, const(0, 32)])
    for _ in range(random.randrange(1, 4)):
        low = random.randrange(9)
        high = random.choice([31, 29, random.randrange(low, 12)])
        divisor = random.choice([3, 5, 6, 7, 9, 10])
        third = zero_extend(_divided(number, 3), 32)
        part = random.choice([
            bit_and(const((2 << high) - (1 << low), 32), number),
            zero_extend(extract(number, 31, low), 32),
            zero_extend(_divided(number, divisor), 32),
            zero_extend(_divided(third, 3), 32),
        ])  # fmt: skip
        total = add(total, scale(part, random.choice([1, 4, 16, 48, -1, -3, -16])))
    return total


def test_parts_are_what_the_word_is_and_at_most_what_is_said() -> None:
    random = Random(5)
    for _ in range(300):
        word, most = _sums(random), {name: random.choice([5, 20, 300]) for name in NAMES}
        read, of = _read(word)
        least, last = of.with_remainders(read), of.with_remainders(read, largest_of_each=True)

        def largest(one: Polynomial, of: QuotientsByConstants = of, most: dict[str, int] = most) -> Polynomial:
            return {(): _value({part: count for part, count in one.items() if count > 0}, most, of)}

        end = of.at_most(read, largest)
        assert end is not None
        for _ in range(10):
            values = {name: random.choice([number, random.randrange(number + 1)]) for name, number in most.items()}
            value = _value(read, values, of)
            assert (value - evaluate(word, {NAMES[name]: number for name, number in values.items()})) % (1 << 32) == 0
            assert _value(least, values, of) <= value <= _value(last, values, of)
            assert value <= largest(end)[()]


@pytest.mark.parametrize("divisor", [3, 5, 6, 7, 9, 10, 14, 641, 1000])
def test_a_product_divides_by_the_number_that_it_is_made_for(divisor: int) -> None:
    read, of = _read(_divided(X, divisor))
    (name,) = (name for part in read for name in part)
    assert (of.found[name].dividend, of.found[name].divisor) == ({("x",): 1}, divisor)
    for number in (0, divisor - 1, divisor, (1 << 32) - 1 - (1 << 32) % divisor, (1 << 32) - 1):
        assert _value(read, {"x": number}, of) == evaluate(_divided(X, divisor), {X: number})


@pytest.mark.parametrize("wrong", [-1, 2])
def test_another_factor_divides_by_no_number(wrong: int) -> None:
    """One number is divided otherwise than by 3."""
    word = _divided(X, 3, wrong=wrong)
    assert any(evaluate(word, {X: number}) != number // 3 for number in (3, (1 << 32) - 1))
    assert not is_part(word)


def test_a_product_with_a_quotient_is_divided_as_a_whole() -> None:
    """⌊⌊x/4⌋·y/8⌋ is not ⌊x/32⌋, though ⌊⌊x/4⌋/8⌋ is."""
    quotient = zero_extend(extract(X, 31, 2), 32)
    for number, divisor, dividend in ((quotient, 32, [("x",)]), (mul(quotient, Y), 8, [("quotient 0", "y")])):
        read, of = _read(zero_extend(extract(number, 31, 3), 32))
        ((name,),) = read
        assert (of.found[name].divisor, [*of.found[name].dividend]) == (divisor, dividend)
        assert _value(read, {"x": 70, "y": 100}, of) == evaluate(number, {X: 70, Y: 100}) // 8


def test_remainders_of_one_number_are_not_those_of_another() -> None:
    """16·⌊x/16⌋ + y mod 16 is no multiple of anything."""
    read, of = _read(add(bit_and(const(~15 % (1 << 32), 32), X), bit_and(const(15, 32), Y)))
    assert read == {
        ("y",): 1,
        **{(name,): 16 if one.dividend == {("x",): 1} else -16 for name, one in of.found.items()},
    }
    assert of.at_most(read, lambda one: {(): 40} if one == {("x",): 1} else None) == {(): 32 + 15}


def test_a_quotient_that_is_subtracted_is_left_out_where_its_dividend_is_natural() -> None:
    read, of = _read(add(X, scale(zero_extend(extract(Y, 31, 4), 32), -16)))
    assert not of.are_natural(read)
    assert of.at_most(read, lambda one: one) == {("x",): 1}
    assert of.are_natural(read)
    assert [one.sum for one in of.natural.values()] == [{("y",): 1}]
