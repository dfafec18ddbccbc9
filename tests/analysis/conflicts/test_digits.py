"""Local ids as digits: which relations are named and suffice, and that the inequalities keep lanes apart."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rows import PITCH, STORE, asked, rows
from visaproof.analysis.conflicts.after_others import Others
from visaproof.analysis.conflicts.digits.digits import STAGE, Digits
from visaproof.analysis.conflicts.digits.inequalities import Place, chain
from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.strides import Strides
from visaproof.cli import main
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, at_least

DATA = Path(__file__).parents[2] / "data" / "pitches"
TENSORS = DATA.parent / "tensors"
OF_TENSORS = {
    "strided": ["nb0 >= 4", "nb0 < 4194304"],
    "tensor": ["nb0 >= 4", "nb1 >= n0*nb0", "nb2 >= n1*nb1", "nb2 < 4194304"],
}
"""Strides of 64 bits, of which a buffer takes the low dword."""


def scatters(capsys: pytest.CaptureFixture[str], kernel: str, *relations: str) -> list[dict[str, Any]]:
    stated = [word for one in relations for word in ("--where", one)]
    folder = TENSORS if kernel in OF_TENSORS else DATA
    launch = ("--launch", str(folder / f"{folder.name}.ze_info"), "--format", "json")
    main(["conflicts", str(folder / f"{kernel}.visaasm"), *launch, *stated])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["scatters"]


NEEDED = {
    "volume": ["pitch >= local_size_x", "slice >= local_size_y*pitch", "slice < 1048576"],
    "layers": ["w >= local_size_x", "h >= local_size_y", "h*w < 1048576"],
    "padded": ["n + 2*pad >= local_size_x", "n + 2*pad < 1048576"],
    "tile": ["pitch >= local_size_x", "pitch < 1048576"],
    "eight": ["local_size_x <= 8"],
    "backwards": ["step >= 1", "step < 524288"],
    **OF_TENSORS,
}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", NEEDED)
def test_what_is_missing_is_named_and_a_launch_shown(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    found = [one for one in scatters(capsys, kernel) if one["verdict"] != "proved"]
    assert found[0]["verdict"] == "refuted"
    assert [one["free_if"]["relations"] for one in found] == [NEEDED[kernel]] * 2
    assert {one["free_if"]["by"] for one in found} == {STAGE}


@pytest.mark.parametrize(
    "kernel", [pytest.param(one, marks=[pytest.mark.slow] * (one in ("eight", "tensor"))) for one in NEEDED]
)
def test_what_is_named_suffices(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    assert {one["verdict"] for one in scatters(capsys, kernel, *NEEDED[kernel])} == {"proved"}


def test_items_that_differ_in_no_digit_are_not_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """A group of 8 by 4 writes one row of 8: no pitch keeps its items apart."""
    found = scatters(capsys, "one_row", "pitch >= 1", "pitch < 1024")
    assert [(one["verdict"], one["free_if"]) for one in found] == [("refuted", None)] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "fewer"),
    [
        ("padded", ["n >= 1", "n + 2*pad >= 1", "n + 2*pad < 1048576"]),
        ("eight", ["local_size_x <= 12"]),
        ("backwards", ["step < 524288"]),
        ("strided", ["nb0 >= 3", "nb0 < 4194304"]),
        ("strided", ["nb0 >= 4"]),
        ("tensor", ["nb0 >= 4", "nb1 >= n0*nb0", "nb2 < 4194304"]),
    ],
)
def test_less_does_not_suffice(capsys: pytest.CaptureFixture[str], kernel: str, fewer: list[str]) -> None:
    assert "refuted" in {one["verdict"] for one in scatters(capsys, kernel, *fewer)}


@pytest.mark.slow
def test_a_slice_that_only_one_row_fits_into_does_not_suffice(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatters(capsys, "volume", "pitch >= local_size_x", "slice >= pitch", "slice < 1048576")
    assert [one["free_if"]["relations"] for one in found] == [["slice >= local_size_y*pitch"]] * 2


@pytest.mark.slow
def test_shared_rows_of_the_local_size_need_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it needed to know of them that their lanes collide only where those of other scatters do."""
    monkeypatch.setattr(Others, "alike", lambda _: None)
    shared = [one for one in scatters(capsys, "tile") if one["binding"] == "%slm"]
    assert [(one["verdict"], one["by"]) for one in shared] == [("proved", STAGE)] * 2


@pytest.mark.slow
def test_examples_are_the_first_groups_of_launches(capsys: pytest.CaptureFixture[str]) -> None:
    for kernel in NEEDED:
        for one in scatters(capsys, kernel):
            shown = one.get("inputs", {})
            assert not [name for name in shown if "group id" in name], (kernel, shown)


def test_digits_that_depend_on_more_than_ids_prove_nothing() -> None:
    """Where the row is chosen by what x is, the sum is another one for each lane."""
    body = PITCH + "    and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0xff:ud\n" + STORE
    answers = asked(body, "n >= local_size_x", "n < 0x100000")
    (position,) = answers.positions
    found = answers.items.digits(position, 1)
    assert found is None or (not list(found.missing()) and not found.apart(()))


# ---------------------------------------------------------------- the lemma

BITS = 9
SMALL = st.integers(-40, 40)
SIZE = st.integers(1, 5)


def digits(width: int) -> Digits:
    code = rows()
    start = start_of(code, NOTHING_KNOWN, Assume.NONE)
    return Digits(Strides({}, None, BITS, 1, width), NamedIntegers(LaunchNames(code, NOTHING_KNOWN, start), ()))


def constants(stride: int, size: int, over: int = 1) -> Place:
    return Place({(): abs(stride)}, {(): size}, {(): over}, of_number=over > 1)


@given(st.lists(st.tuples(SMALL, SIZE), min_size=1, max_size=3), st.integers(1, 8))
def test_where_the_inequalities_hold_no_two_places_meet(sums: list[tuple[int, int]], width: int) -> None:
    """All pairs of digits, modulo 2^9, with strides of either sign."""
    if list(chain([constants(*one) for one in sums], 1, digits(width).strides)):
        return
    items = list(product(*(range(size) for _, size in sums)))
    places = [sum(stride * digit for (stride, _), digit in zip(sums, item, strict=True)) for item in items]
    for number, one in enumerate(places):
        for other in places[:number]:
            distance = (one - other) % (1 << BITS)
            assert width <= distance <= (1 << BITS) - width


@pytest.mark.parametrize(
    ("sums", "width"),
    [
        ([(4, 2), (7, 2)], 4),  # 7 < 4·2
        ([(4, 2)], 5),
        ([(4, 4), (16, 33)], 4),  # 16·33 > 2^9
        ([(4, 129)], 4),
    ],
)
def test_each_inequality_is_needed(sums: list[tuple[int, int]], width: int) -> None:
    assert False in list(chain([constants(*one) for one in sums], 1, digits(width).strides))


NAMES = st.sampled_from([(), ("a",), ("b",), ("a", "b")])
POLYNOMIAL = st.dictionaries(NAMES, st.integers(-6, 6), max_size=4)


def value(polynomial: Polynomial, a: int, b: int) -> int:
    return sum(count * a ** names.count("a") * b ** names.count("b") for names, count in polynomial.items())


@given(POLYNOMIAL, POLYNOMIAL, st.integers(-9, 9), st.integers(-9, 9))
def test_a_relation_says_what_the_polynomials_do(left: Polynomial, right: Polynomial, a: int, b: int) -> None:
    found = at_least(left, right)
    holds = found.holds({"a": a, "b": b}) if isinstance(found, Relation) else found
    assert holds == (value(left, a, b) >= value(right, a, b))
    if isinstance(found, Relation):
        assert "-" not in str(found)
