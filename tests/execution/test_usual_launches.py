"""The launches that are tried: what only some of them show is found."""

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from visaproof.cli import main
from visaproof.execution.payload import Program
from visaproof.execution.shape import Shape, Triple
from visaproof.execution.usual_launches import Example, Stated, UsualLaunches
from visaproof.isa.platform import Platform
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option
from visaproof.launch.overlap import ArgumentInfo
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl OTHER v_type=G type=uq num_elts=1 align=qword
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl IDY v_type=G type=uw num_elts=16 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input IDX offset=32 size=32
.input IDY offset=64 size=32
.input PTR offset=128 size=8
.input OTHER offset=136 size=8
.kernel_attr SimdSize=8
.function "k"
k:
"""
SCATTERED = """    cmp.gt (M1, 8) P1 IDX(0,0)<1;1,0> 0x4:uw
    shl (M1, 8) A(0,0)<1> IDX(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
    svm_gather.4.1 (M1, 8) A.0 D.0
    shl (M1, 8) A(0,0)<1> D(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> OTHER(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 8) A.0 D.0
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x40:uq
    (P1) svm_gather.4.1 (M1, 8) A.0 D.0
    ret (M1, 1)
"""
"""Where two of six lanes write one element, the run ends before the last statement."""


def last_launch(body: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    path = folder / "k.visaasm"
    path.write_text(HEAD + body)
    meanings = ("PTR=buffer_address:arg0", "OTHER=buffer_address:arg1", "IDX=local_id_x")
    main(["bounds", str(path), "--platform", "TGLLP", *(word for one in meanings for word in ("--input", one)),
          "--format", "json"])  # fmt: skip
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"][-1]["launch"]


@pytest.mark.slow
def test_indices_of_which_no_two_are_alike_come_behind_a_scatter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    launch = last_launch(SCATTERED, tmp_path, capsys)
    assert launch["found"]
    assert launch["buffers"]["arg0"].startswith("counting:")
    assert main(launch["command"][1:]) == 1
    assert "in no buffer" in capsys.readouterr().out


@pytest.mark.parametrize(("ids", "largest"), [("x", {(1024, 1, 1)}), ("xy", {(1024, 1, 1), (32, 32, 1)})])
def test_of_the_largest_groups_one_alone_is_tried(ids: str, largest: set[Triple]) -> None:
    """A table in shared local memory may be too short in them alone."""
    read = "".join(f"    mov (M1, 8) D(0,0)<1> {name}(0,0)<1;1,0>\n" for name in ("IDX", "IDY")[: len(ids)])
    kernel = read_kernel(HEAD + read, "k.visaasm")
    options = [parse_input_option(f"{name}=local_id_{d}") for name, d in zip(("IDX", "IDY"), ids, strict=False)]
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, options), simd=8)
    shapes = {one.shape for one in UsualLaunches(Program(kernel, launch, Platform.TGLLP), Stated())}
    assert {shape.local_size for shape in shapes if prod(shape.local_size) == 1024} == largest
    assert all(shape.group_total == 1 for shape in shapes if shape.local_size in largest)
    required = Program(kernel, replace(launch, group_size=(8, 1, 1)), Platform.TGLLP)
    assert {one.shape.local_size for one in UsualLaunches(required, Stated())} == {(8, 1, 1)}


def test_numbers_that_count_are_no_seeded_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.visaasm"
    path.write_text(HEAD + SCATTERED)
    assert main(["run", str(path), "--buffer", "0=counting:4:1"]) == 2


@pytest.mark.parametrize(("type_name", "text"), [("uint2", "9,9"), ("ushort4", "9,9,9,9"), ("ulong", "9"), ("", "9")])
def test_each_number_of_a_vector_is_passed(type_name: str, text: str) -> None:
    """The payload has a vector in one piece."""
    kernel = read_kernel(HEAD.replace("OTHER", "PAIR") + "    ret (M1, 1)\n", "k.visaasm")
    inputs = [parse_input_option(one) for one in ("IDX=local_id_x", "PAIR=arg_byvalue:arg0")]
    infos = {0: ArgumentInfo("__private", "", type_name)}
    known = replace(NOTHING_KNOWN.with_inputs(kernel, inputs), infos=infos)
    launches = UsualLaunches(Program(kernel, known, Platform.TGLLP), Stated())
    (index,) = launches.takes.values
    candidate = replace(next(iter(launches)), numbers={index: (9,) * (text.count(",") + 1)})
    assert launches.arguments(candidate) == {0: text}


def test_small_launches_of_usual_numbers_come_before_the_example() -> None:
    """Local ids in x alone: one work item, two, and 72 as the example has; of each first with what hosts pass as n."""
    number = ".decl N v_type=G type=d num_elts=1 align=dword\n.input N offset=144 size=4\n"
    kernel = read_kernel(HEAD.replace(".decl PTR", f"{number}.decl PTR"), "k.visaasm")
    options = [parse_input_option(one) for one in ("IDX=local_id_x", "N=arg_byvalue:arg0")]
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, options), simd=8)
    shape = Shape((72, 1, 1), (72, 1, 1))
    tried = list(
        UsualLaunches(Program(kernel, launch, Platform.TGLLP), Stated(example=Example(shape, {0: (1 << 30,)})))
    )
    sizes = [(one.shape.items, one.numbers[0][0], one.like_the_example) for one in tried[:6]]
    own = 1 << 30
    assert sum((one.shape.items, one.numbers[0]) == (1, (own,)) for one in tried) == 1  # not again among the usual ones
    assert sizes == [(1, 1, False), (1, own, False), (2, 2, False), (2, own, False), (72, 72, False), (72, own, True)]
