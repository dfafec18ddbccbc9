"""What sums of quotients and remainders are as digits."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.records import Part
from visaproof.analysis.conflicts.digits.strides import sum_of
from visaproof.cli import main
from visaproof.launch.ids.any_items import any_ids
from visaproof.smt import Op, add, const, evaluate, scale, symbol, udiv, urem, zero_extend


@given(
    divisors=st.lists(st.sampled_from([2, 3, 4, 5, 6, 12, 24]), min_size=1, max_size=3),
    counts=st.lists(st.integers(0, 1000), min_size=4, max_size=4),
    radix=st.integers(2, 24),
    ids=st.tuples(*[st.integers(0, 1023)] * 2),
    group=st.integers(0, 1 << 20),
)
def test_digits_add_up_to_what_addresses_differ_by(
    divisors: list[int], counts: list[int], radix: int, ids: tuple[int, int], group: int
) -> None:
    x = any_ids(0)[0]
    base = symbol("base", 32)
    number = add(base, zero_extend(x, 32))
    quotients = [udiv(number, const(one, 32)) for one in divisors]
    parts = [number, *quotients, urem(number, const(radix, 32))]
    address = add(*(scale(one, count) for one, count in zip(parts, [*counts, 1], strict=False)))
    found = sum_of(address)
    assert found is not None

    def digits(own: int) -> int:
        total = 0
        for digit, stride in found.by_digit.items():
            assert set(stride) <= {()}
            total += stride.get((), 0) * (_part(digit, group + own) if isinstance(digit, Part) else own)
        return total

    one, other = (evaluate(address, {base: group, x: own}) for own in ids)
    assert (digits(ids[0]) - digits(ids[1]) - one + other) % (1 << 32) == 0


def _part(part: Part, value: int) -> int:
    for operation, by in part.steps:
        divisor = evaluate(by, {})
        value = value // divisor if operation is Op.UDIV else value % divisor
    return value


DATA = Path(__file__).parents[2] / "data" / "parts_of_ids"


def scatter(capsys: pytest.CaptureFixture[str], kernel: Path, *relations: str) -> dict[str, Any]:
    stated = [one for relation in relations for one in ("--where", relation)]
    main(["conflicts", str(kernel), "--launch", str(DATA / "parts_of_ids.ze_info"), *stated, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["scatters"][0]


def test_sevenths_of_ids_below_seven_rows_are_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Compilers clear low bits of what is left of a number, where they multiply its seventh by the bytes of a word."""
    needed = ("w >= 1", "w <= 153391689")  # 28·w bytes are less than 2^32
    assert scatter(capsys, DATA / "sevens.visaasm")["free_if"]["relations"] == [*needed]
    assert scatter(capsys, DATA / "sevens.visaasm", *needed)["verdict"] == "proved"


@pytest.mark.slow
def test_eighths_of_ids_below_seven_rows_meet(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The second message takes what time there is."""
    needed = ("w >= 1", "w <= 153391689")
    text = (DATA / "sevens.visaasm").read_text()
    assert text.count(" 0x7:w") == 1
    (kernel := tmp_path / "sevens.visaasm").write_text(text.replace(" 0x7:w", " 0x8:w"))
    assert scatter(capsys, kernel, *needed)["verdict"] == "refuted"


@pytest.mark.parametrize(("kernel", "most"), [("signed_rows", 357_913_941), ("signed_eighths", 134_217_728)])
def test_signed_ids_are_divided_as_numbers_that_are_not_negative(
    kernel: str, most: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = scatter(capsys, DATA / f"{kernel}.visaasm")["free_if"]
    assert found["relations"] == ["w >= 1", f"w <= {most}"]
    monkeypatch.setattr(NamedIntegers, "is_not_negative", lambda *_: False)
    assert scatter(capsys, DATA / f"{kernel}.visaasm")["free_if"] is None
