"""How large a buffer has to be: named where it is proved, and only there; stated so, the kernel is in bounds."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parents[3] / "data" / "sizes"
OF_GROUPS = "4*global_size_x"
"""Of in[8·group] with groups of 8: a last one may be smaller."""
ITEMS = ["global_size_x <= 2147483648", "global_size_y <= 2147483648"]


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    launch = ("--launch", str(DATA / "sizes.ze_info"), "--format", "json")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


def sizes(messages: list[dict[str, Any]]) -> dict[str, set[tuple[str, ...]]]:
    """By argument, each size with its relations; nothing where none is named."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for one in messages:
        named = one["inside_if"]
        found.setdefault(one["surface"] if one["argument"] is not None else "", set()).add(
            (named["bytes"], *named["where"]) if named else ()
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("guarded", {"in": ("4*w*h",), "out": ("4*w*h",)}),
        ("guarded_by_one_more", {"out": ("4*w*h + 4",)}),
        ("of_all_items", dict.fromkeys(("in", "out"), ("4*global_size_x*global_size_y",))),
        ("neighbours", {"in": ("4*n + 4",), "out": ("16*n",)}),
        ("of_groups", {"in": (OF_GROUPS,), "out": ("4*group_count_x",)}),
    ],
)
def test_the_size_follows_from_guards_and_launch(
    kernel: str, expected: dict[str, tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sizes(asked(capsys, kernel)) == {name: {size} for name, size in expected.items()}


@pytest.mark.slow
def test_ids_of_any_size_need_a_relation(capsys: pytest.CaptureFixture[str]) -> None:
    """A guard lets negative ids through."""
    found = sizes(asked(capsys, "guarded_by_one_more", "--assume", "launch,-int-ids"))
    assert found == {"out": {("4*w*h + 4", *ITEMS)}}


@pytest.mark.slow
def test_local_memory_is_measured_in_local_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    """A half that is filled, and one that is read."""
    named = [one["inside_if"]["bytes"] for one in asked(capsys, "two_halves") if one["binding"] == "%slm"]
    assert set(named) == {"4*local_size_x", "8*local_size_x"}


def test_addresses_of_64_bits_are_of_elements_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    data = DATA.parent
    dump = data / "visaasm" / "vadd" / "tgllp-O2-simd8-a64.visaasm"
    main(["bounds", str(dump), "--launch", str(data / "manifest.json"), "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert {one["inside_if"]["bytes"] for one in file["messages"]} == {"4*global_size_x"}


def test_no_size_helps_an_index_before_the_buffer(capsys: pytest.CaptureFixture[str]) -> None:
    assert sizes(asked(capsys, "one_before")) == {"in": {(), ("4*n",)}, "out": {("4*n",)}}


@pytest.mark.slow
def test_what_is_named_is_in_bounds_once_stated(capsys: pytest.CaptureFixture[str]) -> None:
    """And the next smaller size is not."""
    where = [option for one in ITEMS for option in ("--where", one)]
    stated = asked(capsys, "guarded_by_one_more", "--size", "out=4*w*h + 4", *where)
    assert {one["bounds"]["verdict"] for one in stated} == {"proved"}
    smaller = asked(capsys, "guarded_by_one_more", "--size", "out=4*w*h", *where)
    assert "refuted" in {one["bounds"]["verdict"] for one in smaller}


@pytest.mark.slow
def test_rows_need_a_length_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    """out[y * pitch + x] of all items, where nothing else bounds x."""
    examples = Path(__file__).parents[4] / "docs" / "examples"
    main(["bounds", str(examples / "rows.visaasm"), "--launch", str(examples / "rows.bin"), "--format", "json"])
    ((message,),) = [file["messages"] for file in json.loads(capsys.readouterr().out)["files"]]
    assert message["inside_if"]["bytes"] == "4*pitch*global_size_y"
    assert message["inside_if"]["where"] == ["pitch >= global_size_x"]


def test_the_text_says_what_states_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bounds", str(DATA / "neighbours.visaasm"), "--launch", str(DATA / "sizes.ze_info")])
    out = capsys.readouterr().out
    assert "has at least 4*n + 4 bytes (proved: " in out
    assert "hint: --size 'in=4*n + 4'" in out
