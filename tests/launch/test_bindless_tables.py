"""Constants of a program that are reached by the handle of a surface, as today's compiler does on DG2 and MTL."""

from pathlib import Path
from struct import unpack

import pytest

from benchmarks.pocl.case import Case, Data
from benchmarks.pocl.comparison import run_case
from tests.current_compiler import Compilation, compiled
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.cli import main
from visaproof.execution.payload import Program
from visaproof.execution.run import Engine
from visaproof.launch.assumptions import Assume, table_surfaces
from visaproof.launch.launch import read_launch
from visaproof.visaasm.linking.names import read_program

TABLE = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3)
SOURCE = f"""constant uint table[16] = {{{", ".join(map(str, TABLE))}}};
kernel void k(global const uint *a, global uint *o) {{ uint i = get_global_id(0); o[i] = table[a[i] & 15]; }}
"""
PLACES = (0, 5, 15, 16, 31)


def program(found: Compilation) -> Program:
    kernel = read_program(found.dump)
    launch = read_launch(found.zebin, kernel)
    assert launch.platform is not None
    return Program(kernel, launch, launch.platform)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("device", ["dg2", "mtl"])
@pytest.mark.parametrize("engine", Engine)
def test_a_run_reads_the_table_by_its_handle(device: str, engine: Engine, tmp_path: Path) -> None:
    one = program(compiled(SOURCE, device, tmp_path))
    (key,) = [key for key, name in table_surfaces(one.kernel, one.launch).items() if name == "const_base"]
    assert key.startswith("bindless ")
    asked = b"".join(place.to_bytes(4, "little") for place in PLACES)
    case = Case("", (Data(asked), Data(bytes(len(asked)))), (len(PLACES), 1, 1), (len(PLACES), 1, 1))
    ran, (_, result) = run_case(one, case, engine)
    assert ran.undefined is None
    assert result is not None
    assert unpack("<5I", result) == tuple(TABLE[place % 16] for place in PLACES)


@pytest.mark.slow
def test_loads_of_the_table_are_in_its_bounds(tmp_path: Path) -> None:
    one = program(compiled(SOURCE, "dg2", tmp_path))
    asked = ask_bounds(one.kernel, one.platform, one.launch, Assume.LAUNCH, StatedLaunch(()), 10_000)
    assert [isinstance(each.bounds, Holds) for each in asked.answers()] == [False] * 2 + [True] * 2 + [False] * 2


@pytest.mark.slow
def test_the_table_by_a_handle_is_the_one_by_an_index_if_it_holds_the_same(tmp_path: Path) -> None:
    """DG2 against TGLLP, which has it in the binding table; another entry is another program."""
    one, same = (compiled(SOURCE, device, tmp_path / device) for device in ("dg2", "tgllp"))
    other = compiled(SOURCE.replace("9, 3}", "9, 4}"), "tgllp", tmp_path / "other")
    launches = ["--launch", str(one.zebin), "--launch-target"]
    assert main(["refine", str(one.dump), str(same.dump), *launches, str(same.zebin)]) == 0
    assert main(["refine", str(one.dump), str(other.dump), *launches, str(other.zebin)]) == 1
