"""Launches whose global size is no multiple of the local size: the last group of a dimension has what is left."""

import struct
from argparse import Namespace
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.cli import main
from visaproof.cli.options.errors import UsageError
from visaproof.cli.options.run_options import launch_shape
from visaproof.execution.payload import Program
from visaproof.isa.platform import Platform
from visaproof.launch.launch import read_launch
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[1] / "data" / "smaller"
WORDS = 6
"""Of each work item."""


def program(uniform: bool | None = None) -> Program:
    kernel = read_kernel((DATA / "ids.visaasm").read_text(), "ids.visaasm")
    return Program(kernel, replace(read_launch(DATA / "ids.ze_info", kernel), uniform=uniform), Platform.DG2)


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
@pytest.mark.parametrize(
    ("sizes", "local"), [((10, 3), (4, 2)), ((5, 1), (16, 1)), ((33, 2), (32, 1)), ((6, 5), (3, 5))]
)
def test_ids_and_sizes_are_those_of_opencl(
    engine: str, sizes: tuple[int, int], local: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, size = tmp_path / "out.bin", 4 * WORDS * sizes[0] * sizes[1]
    launch = ["--launch", str(DATA / "ids.ze_info"), "--engine", engine, "--buffer", f"out=zeros:{size}"]
    shape = ["--global-size", f"{sizes[0]},{sizes[1]}", "--local-size", f"{local[0]},{local[1]}"]
    assert main(["run", str(DATA / "ids.visaasm"), *launch, *shape, "--out", f"out=@{out}"]) == 0
    assert "ran to the end" in capsys.readouterr().out
    found = list(struct.iter_unpack(f"<{WORDS}I", out.read_bytes()))
    for (y, x), item in zip(product(range(sizes[1]), range(sizes[0])), found, strict=True):
        (group_x, own_x), (group_y, own_y) = divmod(x, local[0]), divmod(y, local[1])
        left = min(local[0], sizes[0] - group_x * local[0]), min(local[1], sizes[1] - group_y * local[1])
        groups = -(-sizes[0] // local[0])
        assert item == (own_x, own_y, *left, group_x + 1000 * group_y, local[0] + 1000 * groups)


def asked(one: Program) -> None:
    launch_shape(Namespace(global_size="10", group="4", global_offset="0"), one)


@pytest.mark.parametrize("uniform", [None, False])
def test_a_smaller_last_group_is_taken(uniform: bool | None) -> None:
    asked(program(uniform))


def test_build_options_may_refuse_it() -> None:
    with pytest.raises(UsageError, match="no multiple"):
        asked(program(uniform=True))


def test_level_zero_launches_whole_groups(capsys: pytest.CaptureFixture[str]) -> None:
    launch = ["--launch", str(DATA / "ids.ze_info"), "--host", "level-zero", "--buffer", "out=zeros:240"]
    assert main(["run", str(DATA / "ids.visaasm"), *launch, "--global-size", "10", "--local-size", "4"]) == 2
    assert "Level Zero launches whole groups" in capsys.readouterr().err
