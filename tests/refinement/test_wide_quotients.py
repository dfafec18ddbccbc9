"""Quotients of 64 bits as two devices compute them, and wrong ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parents[1] / "data" / "quotients"
STORE = "    lsc_store.ugm"


def refined(capsys: pytest.CaptureFixture[str], source: Path, target: Path, *options: str) -> Any:
    launches = (f"{DATA}/wide{'_pvc' * one.stem.endswith('_pvc')}.ze_info" for one in (source, target))
    named = ("--launch", next(launches), "--launch-target", next(launches), "--format", "json", "--limit", "60")
    main(["refine", str(source), str(target), *named, *options])
    (found,) = json.loads(capsys.readouterr().out)["asked"]
    return found


@pytest.mark.parametrize("kernel", ["wide_quotient", "wide_remainder"])
def test_what_two_devices_make_of_a_wide_division_is_the_same(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For halves that are 0 one has floats, the other doubles."""
    one, other = DATA / f"{kernel}.visaasm", DATA / f"{kernel}_pvc.visaasm"
    for source, target in ((one, other), (other, one)):
        found = refined(capsys, source, target)
        assert found["verdict"] == "refines", found
        assert "integer-division" in {each["name"] for each in found["premises"]}


@pytest.mark.slow
def test_one_more_than_a_wide_quotient_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = DATA / "wide_quotient.visaasm"
    text = source.read_text()
    assert text.count(STORE) == 1
    more = "    add (M1, 32) V0185(0,0)<1> V0185(0,0)<1;1,0> 0x1:d\n"
    target = tmp_path / "wrong.visaasm"
    target.write_text(text.replace(STORE, more + STORE))
    assert refined(capsys, source, target)["verdict"] == "does not refine"


@pytest.mark.slow
def test_a_wide_remainder_that_is_not_corrected_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = DATA / "wide_remainder.visaasm"
    text, last = source.read_text(), "add (M1, 32) V0142(0,0)<1> V0130(0,0)<1;1,0> (-)V0140(0,0)<1;1,0>"
    assert text.count(last) == 1
    target = tmp_path / "wrong.visaasm"
    target.write_text(text.replace(last, "mov (M1, 32) V0142(0,0)<1> V0130(0,0)<1;1,0>"))
    assert refined(capsys, source, target)["verdict"] != "refines"
