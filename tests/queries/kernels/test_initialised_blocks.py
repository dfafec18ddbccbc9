"""What is seen without a run of kernels with 2D blocks: lane 0 moves them, for all lanes of full sub-groups."""

from pathlib import Path

import pytest

from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.data_results import DataResults
from visaproof.program.lower import lowered
from visaproof.queries.kernels.initialised_values import nothing_undefined_matters
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.2
.kernel "k"
.decl IN v_type=G type=ud num_elts=16 align=wordx32
.decl X v_type=G type=ud num_elts=16 align=wordx32
.decl AT v_type=G type=ud num_elts=16 align=wordx32
.decl N v_type=G type=ud num_elts=16 align=wordx32
.decl R v_type=G type=ud num_elts=16 align=wordx32
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.input IN offset=64 size=64
.input X offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""

PLACE = "mov (M1_NM, 16) AT(0,0)<1> IN(0,0)<1;1,0>\n"
LOAD = "lsc_load_block2d.ugm (M1, 1) R:d32.8x1nn flat[AT + (0,0)]\n"
STORE = "lsc_store_block2d.ugm (M1, 1) flat[AT + (0,0)] R:d32.16x1nn\n"
SCATTERED = "scatter4_scaled.R (M1, 16) T6 0x0:ud X.0 R.0\n"
SET = "mov (M1, 16) R(0,0)<1> 0x1:ud\n"
OF_ALL = "mov (M1, 16) N(0,0)<1> 0x1:ud\ndpas.s8.s8.1.1 (M1, 16) R.0 %null.0 X.0 N(0,15)\n"
"""A row of the matrix is what lane 15 has."""
BRANCH = "cmp.eq (M1_NM, 16) P1 R(0,0)<0;1,0> 0x0:ud\n(P1) goto (M1, 1) end\nend:\n"
SOME = "cmp.eq (M1, 16) P1 X(0,0)<1;1,0> 0x3:ud\n(P1) goto (M1, 16) end\n"


def text(body: str) -> str:
    return HEAD + body + "ret (M1, 1)\n"


def matters_not(body: str, full: bool = False) -> bool:
    return nothing_undefined_matters(lowered(read_kernel(text(body), "k.visaasm"), Platform.Xe2), full)


def test_a_block_is_loaded_for_all_lanes_with_zeros_where_it_ends() -> None:
    """Lane 0 loads eight elements; what is stored for lanes 8 to 15 are the zeros between rows."""
    assert matters_not(PLACE + LOAD + SCATTERED)
    assert not matters_not(PLACE + LOAD.replace("R:", "%null:") + SCATTERED)


def test_blocks_depend_on_their_payload() -> None:
    for message in (LOAD + SCATTERED, SET + STORE):
        assert matters_not(PLACE + message, full=True)
        assert not matters_not(PLACE.replace("16)", "4)") + message, full=True)


def test_a_block_is_loaded_for_those_who_are_with_lane_0() -> None:
    assert matters_not(PLACE + SOME + "end:\n" + LOAD + SCATTERED)
    assert not matters_not(PLACE + SOME + LOAD + "end:\n" + SCATTERED)
    assert not matters_not(PLACE + SOME + LOAD + SCATTERED + "end:\n")
    assert not matters_not(PLACE + "cmp.eq (M1, 16) P1 X(0,0)<1;1,0> 0x3:ud\n(P1) " + LOAD + SCATTERED)


@pytest.mark.parametrize(
    ("body", "of_any", "of_full"),
    [
        (SET + STORE, False, True),
        (OF_ALL + STORE, False, True),
        (OF_ALL + SCATTERED, False, False),
        (OF_ALL + STORE + SCATTERED, False, False),
        (OF_ALL + BRANCH + STORE, False, False),
        (OF_ALL.replace("(0,15)", "(0,0)") + BRANCH + STORE, False, True),
        (OF_ALL.replace("M1, 16", "M1_NM, 16") + STORE, True, True),
        (STORE, False, False),
        (SOME.replace("goto (M1, 16) end", SET.strip()) + STORE, False, False),
    ],
    ids=["lanes", "row", "scattered", "both", "branch", "row of lane 0", "no mask", "nothing written",
         "under a predicate"],
)  # fmt: skip
def test_full_sub_groups_are_those_that_come_to_blocks(body: str, of_any: bool, of_full: bool) -> None:
    """Of others nothing else may depend on the lanes that are off."""
    assert (matters_not(PLACE + body), matters_not(PLACE + body, full=True)) == (of_any, of_full)


@pytest.mark.parametrize(("assumed", "runs"), [("launch", False), ("launch,-full-sub-groups", True)])
def test_the_whole_run_is_made_where_the_premise_is_lifted(
    assumed: str, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.visaasm").write_text(text(PLACE + OF_ALL + STORE))
    made = list[str]()
    monkeypatch.setattr(DataResults, "step", lambda self, one, run: made.append(one.origin.opcode) or run(one))
    main(["conflicts", str(tmp_path / "k.visaasm"), "--platform", "Xe2", "--cache-mode", "off", "--assume", assumed])
    assert bool(made) == runs
