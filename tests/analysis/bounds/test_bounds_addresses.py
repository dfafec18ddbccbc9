"""Bounds at 64-bit addresses against runs: what is called inside never leaves its buffer, wherever that lies."""

import json
from pathlib import Path
from random import Random

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.memory import launched, windows
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, Outside
from visaproof.analysis.conflicts.thread_states import Values, state_of
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.checking.buffer_space import BufferSpace
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.launch.matching import Program
from visaproof.machine.concrete.run import run
from visaproof.smt import symbols_of
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data"
CORPUS = DATA.parent.parent.parent / "shared" / "corpus"
RUNS = 150


def answers_for(folder: Path, kernel_name: str, variant: str) -> BoundsAnswers:
    path = folder / "visaasm" / kernel_name / f"{variant}.visaasm"
    if not path.is_file():
        pytest.skip("the corpus is not beside the repository")
    kernel = read_kernel_file(path)
    launch = read_launch(folder / "manifest.json", kernel)
    assert launch.platform is not None
    stated = StatedLaunch(tuple(parse_size_option(f"{name}=4*n") for name in ("src", "dst")), align=4)
    return ask_bounds(kernel, launch.platform, launch, Assume.IDS, stated, 10_000)


def misses(answers: BoundsAnswers) -> int:
    """How many messages of random launches reach outside of all buffers, which lie apart."""
    sizes = [(name, one.size) for name, one in answers.kernel.registers.items()]
    words = {answers.start.initial(name, byte)[0] for name, size in sizes for byte in range(size)}
    random, count, buffers = Random(1), 0, answers.questions[-1].buffers
    for _ in range(RUNS):
        bits = random.choice((1, 3, 3, 32))
        values: Values = {one: random.getrandbits(min(bits, one.width)) for one in symbols_of(*words)}
        moved = launched(values, buffers, answers.questions[-1].premises[:0])
        assert moved is not None
        state = state_of(answers.asked, answers.questions[-1].performed, moved)
        state.surfaces[FLAT] = BufferSpace(1 << 64, windows=windows(buffers, moved))
        state.exec_mask = 0xFF
        count += sum(bool(message.misses) for message in run(answers.kernel, state).performed)
    return count


def test_no_run_of_a_kernel_in_bounds_leaves_its_buffers() -> None:
    answers = answers_for(CORPUS, "oob_offbyone_fixed", "tgllp-O2-simd8-a64")
    assert all(isinstance(finding.bounds, Holds) for finding in answers.answers())
    assert misses(answers) == 0


def test_random_runs_leave_the_buffers_that_the_solver_says_are_left() -> None:
    answers = answers_for(DATA, "oob_offbyone", "tgllp-O2-simd8-a64")
    assert all(isinstance(finding.bounds, Outside) for finding in answers.answers())
    assert misses(answers) > 0


# ---------------------------------------------------------------- private memory

PRIVATE = """.version 4.1
.kernel "k"
.decl ID v_type=G type=uw num_elts=16 align=GRF
.decl OWN v_type=G type=uq num_elts=1 align=qword
.decl SLOT v_type=G type=ud num_elts=1
.decl IDX v_type=G type=ud num_elts=8 align=GRF
.decl OFF v_type=G type=uq num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.input ID offset=32 size=32
.input OWN offset=128 size=8
.kernel_attr SimdSize=8
.function "k"
    mul (M1_NM, 1) SLOT(0,0)<1> %hw_id(0,0)<0;1,0> STRIDE:uw
    mov (M1, 8) IDX(0,0)<1> ID(0,0)<1;1,0>
    and (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> 0x7:ud
    shl (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> 0x2:ud
    add (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> SLOT(0,0)<0;1,0>
    mov (M1, 8) OFF(0,0)<1> IDX(0,0)<1;1,0>
    add (M1, 8) A(0,0)<1> OFF(0,0)<1;1,0> OWN(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 8) A.0 IDX.0
    ret (M1, 1)
"""


def of_slots(folder: Path, text: str, bytes_each: int, platform: Platform) -> Program:
    """A kernel of which each of eight work items has so many bytes of private memory."""
    path, manifest, ids = folder / "k.visaasm", folder / "manifest.json", 96
    if platform.grf_bytes == 64:  # each dimension's ids take a register
        for narrow, wide in (
            ("num_elts=16", "num_elts=32"),
            ("=32 size=32", "=64 size=64"),
            ("offset=128", "offset=256"),
        ):
            text = text.replace(narrow, wide)
        ids = 192
    path.write_text(text)
    zeinfo = {
        "env": {"simd_size": 8},
        "payload": [f"per_thread:local_id@0+{ids}", "private_base_stateless@0+8"],
        "private": [["private_space", bytes_each], ["spill_fill_space", 4096]],
    }
    entry = {"kernel": "k", "file": "k.visaasm", "platform": platform.name, "zeinfo": zeinfo}
    manifest.write_text(json.dumps({"entries": [entry], "kernels": []}))
    kernel = read_kernel_file(path)
    launch = read_launch(manifest, kernel)
    assert launch.private_bytes == 8 * bytes_each
    return Program(kernel, launch, platform)


def asked_of_slots(folder: Path, text: str, bytes_each: int, platform: Platform) -> BoundsFinding:
    """Its one message."""
    code = of_slots(folder, text, bytes_each, platform)
    (finding,) = ask_bounds(code.kernel, platform, code.launch, Assume.IDS, StatedLaunch(align=4), 5_000).answers()
    assert finding.surfaces == ("private memory",)
    return finding


@pytest.mark.parametrize(
    ("stride", "bytes_each", "inside"), [(32, 4, True), (32, 3, False), (64, 4, False), (64, 8, True)]
)
def test_private_memory_is_the_slot_of_the_hardware_thread(
    stride: int, bytes_each: int, inside: bool, tmp_path: Path
) -> None:
    """Eight work items with so many bytes each: a kernel that reaches beyond them, or into another slot, is outside."""
    finding = asked_of_slots(tmp_path, PRIVATE.replace("STRIDE", hex(stride)), bytes_each, Platform.TGLLP)
    assert isinstance(finding.bounds, Holds if inside else Outside)


def number_from(mask: int, *skipped: int, high: int = 0) -> str:
    """Statements that put a thread's number together from `%sr0` without some bits, and `high` bits of `%msg0`."""
    kept, one = "(M1_NM, 1) KEPT(0,0)<1>", "(M1_NM, 1) SLOT(0,0)<1>"
    lines = [f"and {one} %sr0(0,0)<0;1,0> {mask:#x}:ud"]
    for bit in reversed(skipped):
        low = (1 << bit) - 1
        lines += [
            f"and {kept} SLOT(0,0)<0;1,0> {low:#x}:ud",
            f"shr {one} SLOT(0,0)<0;1,0> 0x1:ud",
            f"and {one} SLOT(0,0)<0;1,0> {low ^ 0xFFFFFFFF:#x}:ud",
            f"or {one} SLOT(0,0)<0;1,0> KEPT(0,0)<0;1,0>",
        ]
    if high:
        lines += [
            f"and {kept} %msg0(0,0)<0;1,0> {(1 << high) - 1:#x}:ud",
            f"shl {kept} KEPT(0,0)<0;1,0> {(mask >> len(skipped)).bit_length():#x}:ud",
            f"or {one} SLOT(0,0)<0;1,0> KEPT(0,0)<0;1,0>",
        ]
    return "".join(f"    {line}\n" for line in lines) + f"    mul {one} SLOT(0,0)<0;1,0> 0x20:uw\n"


@pytest.mark.parametrize(
    ("platform", "number", "inside"),
    [
        (Platform.DG2, number_from(0x3FFF, 3, 6), True),
        (Platform.DG2, number_from(0x3FFF, 3, 5), False),
        (Platform.PVC, number_from(0x7FFF, 3, 6, 7), True),
        (Platform.PVC, number_from(0x3FFF, 3, 6), False),
        (Platform.Xe2, number_from(0x7F, 3, high=8), True),
        (Platform.Xe2, number_from(0x7F, 3, high=7), False),
        (Platform.Xe2, number_from(0x7F, 3), False),
    ],
)
def test_the_number_of_a_thread_is_in_its_state_registers(
    platform: Platform, number: str, inside: bool, tmp_path: Path
) -> None:
    """Other bits than those of its number lead into slots of others."""
    text = PRIVATE.replace("    mul (M1_NM, 1) SLOT(0,0)<1> %hw_id(0,0)<0;1,0> STRIDE:uw\n", number)
    text = text.replace(".decl IDX", ".decl KEPT v_type=G type=ud num_elts=1\n.decl IDX")
    assert isinstance(asked_of_slots(tmp_path, text, 4, platform).bounds, Holds if inside else Outside)
