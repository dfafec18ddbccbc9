"""`visaproof premises`: the table, and what headers of answers show of it."""

import json
import re
from argparse import Namespace
from pathlib import Path

import pytest

from visaproof.cli import _parsed, options_of  # pyright: ignore[reportPrivateUsage]
from visaproof.launch.premise_rows import Grantor
from visaproof.launch.premise_table import PREMISES
from visaproof.launch.premises import premise

PACKAGE = Path(__file__).parents[2] / "model" / "visaproof"


def test_the_table_is_listed_with_who_grants_what(visaproof) -> None:
    ran = visaproof("premises")
    assert ran.code == 0
    listed = [line.split("  ")[0] for line in ran.out.splitlines() if not line.startswith(" ")]
    assert listed == list(PREMISES)
    one = visaproof("premises", "atomics-alone").out
    assert "no other thread reaches" in one
    assert "granted by nobody" in one


def test_json_has_every_field(visaproof) -> None:
    ran = visaproof("premises", "ids", "--format", "json")
    (entry,) = json.loads(ran.out)["premises"]
    assert entry["granted_by"] == "driver"
    assert entry["lifted_by"] == "--assume none"
    assert json.loads(visaproof("premises", "global-ids", "--format", "json").out)["premises"][0]["lifted_by"] == (
        "--assume launch,-global-ids"
    )
    assert {"name", "sentence", "source", "commands"} <= entry.keys()


def test_a_wrong_name_is_a_usage_error_with_the_right_one(visaproof) -> None:
    ran = visaproof("premises", "buffer-apart")
    assert ran.code == 2
    assert "buffers-apart" in ran.err


def test_every_row_is_stated_somewhere_and_nothing_else_is() -> None:
    """A row that no code states is one that no answer rests on."""
    code = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    assert set(re.findall(r"\bpremise\(\s*\"([^\"]+)\"", code)) == PREMISES.keys()
    with pytest.raises(KeyError):
        premise("all-is-well")


@pytest.mark.parametrize("row", PREMISES.values(), ids=PREMISES)
def test_a_row_says_who_grants_it_and_where(row) -> None:
    assert row.sentence
    assert row.source
    assert set(row.commands) <= {"conflicts", "bounds", "refine", "tv", "run", "check", "rules"}
    assert row.lifted or row.granted is not Grantor.USER


LIFTED = [(row.name, command) for row in PREMISES.values() if row.lifted for command in row.commands]


@pytest.mark.parametrize(("name", "command"), LIFTED, ids=[f"{name}-{command}" for name, command in LIFTED])
def test_what_lifts_a_row_is_an_option_of_its_commands(name: str, command: str) -> None:
    lifted = PREMISES[name].lifted
    left_out = re.fullmatch(r"leave (--\w+) out", lifted)
    if left_out:
        assert left_out[1] in options_of(command)
        return
    files = ["a.visaasm"] if command in ("conflicts", "bounds", "tv") else ["a.visaasm", "b.visaasm"]
    parsed = _parsed([command, *files, *lifted.replace("FILE", "k.bin").split()])
    assert isinstance(parsed, Namespace), lifted


def test_a_premise_that_no_set_has_cannot_be_lifted(visaproof) -> None:
    for text, why in (("launch,-ids", "launch does not assume 'ids'"), ("some", "one of launch, none, ids, bounded")):
        ran = visaproof("conflicts", "k.visaasm", "--assume", text)
        assert ran.code == 2
        assert why in ran.err


def test_what_an_answer_rests_on_is_shown_with_who_grants_it(visaproof, tmp_path: Path) -> None:
    kernel = tmp_path / "k.visaasm"
    kernel.write_text(KERNEL, "utf-8")
    options = "--input", "X=local_id_x", "--platform", "dg2", "--assume", "ids"
    assert "  assumed: ids [granted by the driver]" in visaproof("conflicts", str(kernel), *options).out.splitlines()
    ran = visaproof("conflicts", str(kernel), *options, "-v")
    (line,) = (line for line in ran.out.splitlines() if line.startswith("  assumed: ids: "))
    assert line.endswith("[granted by the driver]")
    (file,) = json.loads(visaproof("conflicts", str(kernel), *options, "--format", "json").out)["files"]
    assert [one["name"] for one in file["premises"]] == ["ids"]
    assert file["assumptions"] == [f"ids: {file['premises'][0]['sentence']}"]


KERNEL = """.version 4.1
.kernel "k"
.decl X v_type=G type=w num_elts=8 align=GRF
.decl B v_type=G type=d num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=64 size=16
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
shl (M1, 8) B(0,0)<1> X(0,0)<1;1,0> 0x2:ud
scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 B.0
ret (M1, 1)
"""
