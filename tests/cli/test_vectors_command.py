"""`visaproof vectors` on vectors that were worked by hand from the pages."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ran

BY_HAND = Path(__file__).parents[1] / "data" / "vectors" / "by_hand.jsonl"
LINES = BY_HAND.read_text().splitlines()

Visaproof = Callable[..., Ran]


def named(name: str) -> dict[str, Any]:
    return next(row for row in map(json.loads, LINES) if row["id"] == name)


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def document(ran: Ran) -> dict[str, Any]:
    return json.loads(ran.out)


def test_every_vector_that_can_be_compared_agrees(visaproof: Visaproof) -> None:
    ran = visaproof("vectors", BY_HAND)
    assert ran.code == 0, ran.out
    assert ran.out.splitlines()[-1] == "12 agree, 0 disagree, 5 not comparable"


def test_json_has_a_reason_for_what_is_not_compared(visaproof: Visaproof) -> None:
    found = document(visaproof("vectors", BY_HAND, "--format", "json"))
    assert (found["schema"], found["command"], found["exit_code"]) == (1, "vectors", 0)
    reasons = {group["instruction"]: group["not_comparable"] for group in found["groups"]}
    assert reasons["MEDIA_LD"] == {"not modelled: vectors of MEDIA_LD": 1}
    assert reasons["TYPED_ATOMIC"] == {
        "NaN, on which the sources differ (D29)": 1,
        "lanes on one texel may have acted in another order (D30)": 1,
    }
    assert sorted(reasons["SCATTER4_SCALED"]) == [
        "illegal: execution size 4 is not one of 8, 16 (SCATTER4_SCALED.md)",
        "undefined on the page",
    ]
    assert sum(group["agree"] for group in found["groups"]) == 12


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("scatter-ra", "T6[0xc]: 0x0c in the vector"),
        ("oword-half", "dst byte 4: 0x3 in the vector, 0x2 by the page"),
        ("layer", "dst byte 0: 0x5 in the vector, 0x4 by the page"),
        ("dwords", "dst byte 0: 0x0 in the vector, 0xffffffff by the page"),
        ("qwords", "dst byte 0: 0x1 in the vector, 0xffffffffffffffff by the page"),
        ("compared-first", "dst byte 0: 0x9 in the vector, 0x5 by the page"),
        ("outside", "dst byte 0: 0xffffffff in the vector, 0x0 by the page"),
    ],
)
def test_a_vector_that_the_page_contradicts_is_shown(
    name: str, where: str, visaproof: Visaproof, tmp_path: Path
) -> None:
    row = named(name)
    if name == "scatter-ra":
        row["surface"]["after"] = row["surface"]["after"].replace("0b", "0c")
    else:
        place = {"oword-half": 1}.get(name, 0)
        row["dst_after"][place] = {"oword-half": 3, "layer": 5, "outside": 0xFFFF_FFFF, "dwords": 0, "qwords": 1}.get(
            name, 9
        )
    path = written(tmp_path / "wrong.jsonl", named("qword"), row)
    ran = visaproof("vectors", path)
    assert ran.code == 1
    assert f"DISAGREES {path}:2: {row['instr']} {name}: {where}" in ran.out
    (shown,) = document(visaproof("vectors", path, "--format", "json"))["disagreements"]
    assert (shown["line"], shown["id"]) == (2, name)


def test_lanes_that_may_not_be_compared_are_not(visaproof: Visaproof, tmp_path: Path) -> None:
    row = named("layer")
    row["dst_after"][0], row["check"]["dst_lanes"] = 0, 0
    assert visaproof("vectors", written(tmp_path / "some.jsonl", row)).code == 0


def test_compressed_files_are_read_too(visaproof: Visaproof, tmp_path: Path) -> None:
    path = tmp_path / "by_hand.jsonl.gz"
    path.write_bytes(gzip.compress(BY_HAND.read_bytes()))
    assert visaproof("vectors", path).code == 0


def test_nothing_to_compare_is_no_agreement(visaproof: Visaproof, tmp_path: Path) -> None:
    assert visaproof("vectors", written(tmp_path / "none.jsonl", named("other"))).code == 5


BROKEN = {
    "no JSON": ("{", "not a vector"),
    "a field is missing": (json.dumps({"id": "x"}), "missing required field"),
    "a size that is none": (
        json.dumps(named("qword") | {"surface": {"size": 3, "before": "", "after": ""}}),
        "3 bytes",
    ),
    "no such lanes": (json.dumps(named("gather-outside") | {"params": {"exec_size": 2**40}}), "execution size"),
    "an operand is missing": (json.dumps(named("qword") | {"operands": {"src": [0]}}), "KeyError: 'offset'"),
    "a number that does not fit": (json.dumps(named("qword") | {"mask": 2**32}), "does not fit 32 bits"),
    "other texels": (
        json.dumps(named("layer") | {"params": {"op": "add", "dim": "1D", "width": 3}}),
        "does not have (3, 1, 1) texels",
    ),
    "deep": ("[" * 100_000, "not a vector"),
    "long": ("9" * (2**20 + 1), "a line of more than"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_line_that_is_no_vector_is_named(broken: str, visaproof: Visaproof, tmp_path: Path) -> None:
    text, message = BROKEN[broken]
    path = tmp_path / "broken.jsonl"
    path.write_text(f"{LINES[0]}\n{text}\n")
    ran = visaproof("vectors", path)
    assert ran.code == 2
    assert f"{path}:2:1: " in ran.err
    assert message in ran.err


def test_files_that_cannot_be_read_are_named(visaproof: Visaproof, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(BY_HAND.read_bytes())[:-30])
    for path in (tmp_path / "missing.jsonl", torn, tmp_path):
        ran = visaproof("vectors", path)
        assert ran.code == 2
        assert str(path) in ran.err


def test_a_small_file_with_a_huge_text_is_refused(
    visaproof: Visaproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visaproof.vectors.comparison.MAX_FILE_BYTES", 10_000)
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(b"\n" * 20_000))
    ran = visaproof("vectors", bomb)
    assert ran.code == 2
    assert "too long a file" in ran.err
