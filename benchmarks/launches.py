"""Measures how fast whole launches run: lane-instructions per second on one core."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from visaproof.isa.platform import Platform
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.result import Result
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import Kernel

ITEMS = 100_000
LANES = 8
THREADS = ITEMS // LANES
ALONE = 40
"""Threads that the machine for single threads is measured with."""
RUNS = 3

VADD = Path(__file__).parent.parent / "tests" / "data" / "visaasm" / "vadd" / "tgllp-O2-simd8.visaasm"

COLLATZ = """.version 4.1
.kernel "collatz"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl ODD v_type=G type=ud num_elts=8 align=GRF
.decl STEPS v_type=G type=ud num_elts=8 align=GRF
.decl PLACE v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "collatz"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
again:
    and (M1, 8) ODD(0,0)<1> X(0,0)<1;1,0> 0x1:ud
    cmp.ne (M1, 8) P1 ODD(0,0)<1;1,0> 0x0:ud
    (P1) goto (M1, 8) odd
    shr (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud
    goto (M1, 8) counted
odd:
    mad (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x3:ud 0x1:ud
counted:
    add (M1, 8) STEPS(0,0)<1> STEPS(0,0)<1;1,0> 0x1:ud
    cmp.gt (M1, 8) P2 X(0,0)<1;1,0> 0x1:ud
    (P2) goto (M1, 8) again
    scatter4_scaled.R (M1, 8) T6 0x0:ud PLACE.0 STEPS.0
    ret (M1, 1)
"""
"""Counts the steps of each number to 1: lanes part at every step, and each leaves the loop at another one."""

Registers = dict[str, Any]


def vadd(threads: int) -> tuple[Kernel, Registers]:
    """c = a + b of four bytes per work item."""
    r0 = np.zeros((threads, 16), "<u4")
    r0[:, 1] = np.arange(threads)
    ids, size = np.tile(np.arange(16, dtype="<u2"), (threads, 1)), np.tile(np.array([LANES, 1, 1], "<u4"), (threads, 1))
    return read_kernel_file(VADD), {name: rows.view(np.uint8) for name, rows in
                                    (("%r0", r0), ("V0038", ids), ("V0037", size))}  # fmt: skip


def collatz(threads: int) -> tuple[Kernel, Registers]:
    items = np.arange(threads * LANES, dtype="<u4").reshape(threads, LANES)
    registers = {"X": (items % 1000 + 1).view(np.uint8), "PLACE": (4 * items).view(np.uint8)}
    return read_kernel(COLLATZ, "collatz.visaasm"), registers


def together(kernel: Kernel, registers: Registers) -> tuple[float, Result]:
    """Seconds of a whole launch on arrays, from registers to memory, and what it did."""
    memories = Memories({f"bti {k}": np.zeros(4 * ITEMS, np.uint8) for k in range(3)})
    masks, groups = np.full(THREADS, 2**LANES - 1), np.zeros(THREADS, np.intp)
    start = process_time()
    result = run_threads(kernel, Platform.TGLLP, registers, masks, memories, groups)
    return process_time() - start, result


def alone(kernel: Kernel, registers: Registers) -> float:
    """Seconds for a few threads of the launch, one after the other."""
    start = process_time()
    for k in range(ALONE):
        state = ConcreteState(Platform.TGLLP, 2**LANES - 1)
        state.registers = {name: bytearray(rows[k].tobytes()) for name, rows in registers.items()}
        state.surfaces = {f"bti {k}": Buffer(4 * ITEMS) for k in range(3)}
        run(kernel, state)
    return process_time() - start


def measured(name: str, launch: Callable[[int], tuple[Kernel, Registers]]) -> str:
    """One row of the table."""
    kernel, registers = launch(THREADS)
    runs = [together(kernel, registers) for _ in range(RUNS)]
    seconds, result = median(seconds for seconds, _ in runs), runs[0][1]
    assert not result.undefined
    assert not result.not_modelled
    rate = result.lane_instructions / seconds
    ratio = alone(kernel, registers) / ALONE * THREADS / seconds
    return f"{name:34} {seconds:5.2f} s  {rate / 1e6:5.1f} million/s  {ratio:,.0f}x one thread after the other"


def table() -> list[str]:
    """The rows, and what they show."""
    head = f"launches of {ITEMS:,} work items, SIMD{LANES}; CPU time, and lane-instructions per second"
    return [head, measured("vadd, no branches", vadd), measured("collatz, a divergent loop", collatz)]


if __name__ == "__main__":
    print("\n".join(table()))
