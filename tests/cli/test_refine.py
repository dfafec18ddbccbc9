"""`visaproof refine` on real dumps: rewrites, other devices, and what must be refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
MANIFEST = str(DATA / "manifest.json")
SIMD8 = "tgllp-O2-simd8"


def dump(kernel: str, variant: str = SIMD8) -> str:
    path = DATA / "visaasm" / kernel / f"{variant}.visaasm"
    assert path.is_file(), path
    return str(path)


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["refine", "--format", "json", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["exit_code"] == code
    return code, document["asked"]


@pytest.mark.parametrize(
    ("source", "target", "variant"),
    [
        ("copy16", "copy16_b", SIMD8),
        ("copy16", "copy16_b", "tgllp-O2-simd8-bindless"),
        ("gray_bytes", "gray_bytes_b", SIMD8),
        ("swap_pairs", "swap_pairs_b", SIMD8),
        ("transpose_naive", "transpose_naive_b", SIMD8),
    ],
)
def test_a_rewrite_refines_in_both_directions(
    source: str, target: str, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = dump(source, variant), dump(target, variant)
    code, both = asked(capsys, *files, "--launch", MANIFEST, "--bidirectional")
    assert code == 0
    assert [record["verdict"] for record in both] == ["refines", "refines"]
    assert any("share no byte" in assumption for assumption in both[0]["assumptions"])


@pytest.mark.parametrize(
    ("source", "target"),
    [("transpose_naive", "transpose_naive_bad"), ("oob_offbyone", "oob_offbyone_fixed"), ("vadd", "copy16")],
)
def test_a_difference_is_shown_with_its_run(source: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, both = asked(capsys, dump(source), dump(target), "--launch", MANIFEST, "--bidirectional")
    assert code == 1
    for record in both:
        assert record["verdict"] == "does not refine"
        assert record["replayed"]
        example = record["example"]
        assert example["after_source"]["byte"] != example["after_target"]["byte"]
        assert example["after_source"]["line"] or example["after_target"]["line"]


def test_one_kernel_for_two_devices_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    files = dump("vadd"), dump("vadd", "dg2-O2-simd8")
    code, (record,) = asked(capsys, *files, "--launch", MANIFEST, "--assume", "none")
    assert code == 0
    assert record["platforms"] == ["TGLLP", "DG2"]


def test_surfaces_and_offsets_of_one_argument_are_one_memory(capsys: pytest.CaptureFixture[str]) -> None:
    files = dump("copy16"), dump("copy16", "tgllp-O2-simd8-bindless")
    code, (record,) = asked(capsys, *files, "--launch", MANIFEST)
    assert code == 0
    assert {surface["target"] for surface in record["surfaces"]} == {"bindless V0034.0", "bindless V0035.0"}


def test_the_text_shows_the_matching_the_assumptions_and_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", dump("transpose_naive"), dump("transpose_naive_bad"), "--launch", MANIFEST]) == 1
    output = capsys.readouterr().out
    assert "inputs are matched by what the launch puts there" in output
    assert "V0056 is V0035: argument 3 (h)" in output
    assert "assumed: ids:" in output
    assert "DOES NOT REFINE" in output
    assert "after the source: line" in output or "after the target: line" in output


def test_without_a_launch_inputs_are_matched_by_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    code, (record,) = asked(capsys, dump("copy16"), dump("copy16_b"), "--platform", "tgllp")
    assert code == 0
    assert record["matched_by"] == "payload byte"


def test_what_cannot_be_compared_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, (record,) = asked(capsys, dump("vadd"), dump("vc_scatter4", "tgllp-vc"), "--launch", MANIFEST)
    assert code == 4
    assert record["verdict"] == "not modelled"
    assert "SIMD widths" in record["reason"]


def test_a_surface_and_an_address_are_one_buffer_under_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    """The address is computed in 64 bits, which the surface's offset has not: one direction needs more."""
    files = dump("copy16"), dump("copy16", "tgllp-O2-simd8-a64")
    code, both = asked(capsys, *files, "--launch", MANIFEST, "--bidirectional")
    assert code == 0
    there, back = ([text for text in record["conditions"] if "64 bits" in text] for record in both)
    assert there
    assert not back
    assert all("the source stays inside its buffers" in record["conditions"] for record in both)
    assert main(["refine", *files, "--launch", MANIFEST]) == 0
    assert "where\n    buffers of different arguments" in capsys.readouterr().out


def test_a_file_that_is_not_there_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", dump("vadd"), "no-such-file.visaasm"]) == 2
    assert "no-such-file" in capsys.readouterr().err
