"""`visaproof refine --observe`: registers at the end, on files."""

import json
from pathlib import Path

import pytest

KERNEL = """.version 4.1
.kernel "NAME"
.decl X v_type=G type=d num_elts=8 align=GRF
.decl REG v_type=G type=d num_elts=8 align=GRF
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "NAME"
_main:
add (M1, 8) REG(0,0)<1> X(0,0)<1;1,0> BY:d
ret (M1, 1)
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two kernels that add 1 and 2, to registers of different names."""
    paths = tmp_path / "one.visaasm", tmp_path / "two.visaasm"
    for path, name, register, by in zip(paths, ("one", "two"), ("R", "S"), ("0x1", "0x2"), strict=True):
        path.write_text(KERNEL.replace("NAME", name).replace("REG", register).replace("BY", by))
    return paths


def test_a_register_that_differs_is_shown_saved_and_replayed(files, tmp_path, visaproof):
    """In both directions, each with the names of its source and target."""
    options = ("--platform", "dg2", "--observe", "R=S", "--bidirectional", "--save", tmp_path / "found")
    found = visaproof("refine", *files, *options)
    assert found.code == 1
    assert "observed at the end, where the source defines it: R (S in the target) (32 bytes)" in found.out
    assert "observed at the end, where the source defines it: S (R in the target) (32 bytes)" in found.out
    assert "0x01 after the source, in R." in found.out
    assert "(lane " in found.out
    saved = sorted((tmp_path / "found").iterdir())
    assert len(saved) == 2
    assert visaproof("replay", *saved).code == 0
    record = json.loads(saved[0].read_text())
    record["differs"]["target"] = "0x7"
    saved[0].write_text(json.dumps(record))
    assert visaproof("replay", saved[0]).code == 1


def test_without_the_option_registers_may_differ(files, visaproof):
    found = visaproof("refine", *files, "--platform", "dg2")
    assert found.code == 0
    assert "observed" not in found.out


def test_the_json_names_the_registers(files, visaproof):
    found = visaproof("refine", *files, "--platform", "dg2", "--observe", "R=S", "--format", "json")
    (record,) = json.loads(found.out)["asked"]
    assert record["observed"] == ["R (S in the target)"]
    assert (record["example"]["register"], record["example"]["target_register"]) == ("R", "S")
    assert record["example"]["lane"] == record["example"]["byte"] // 4


@pytest.mark.parametrize(
    ("names", "hint"), [("RX=S", "did you mean"), ("R", "two.visaasm declares no"), ("R=", "V32=V40")]
)
def test_unknown_names_are_usage_errors(names, hint, files, visaproof):
    found = visaproof("refine", *files, "--platform", "dg2", "--observe", names)
    assert found.code == 2
    assert found.err.startswith("error: --observe: ")
    assert hint in found.err
