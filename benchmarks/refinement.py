"""Measures how the time of one refinement grows with the length of its kernels, beside z3 on arrays of stores.

The source computes four times an id, adds, and scatters a multiple; the target adds first, and shifts.  Both are
written again for z3 as one would write them first: a chain of guarded stores to an array, read at an arbitrary place.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from benchmarks.baselines import z3
from visaproof.isa.platform import Platform
from visaproof.refinement.refines import refines
from visaproof.refinement.verdicts import Refines
from visaproof.smt.solvers import forget_answers

LANES = 8
STEPS = (1, 4, 16, 64, 256)
SOURCE, TARGET = (
    (
        "mul (M1, 8) A(0,0)<1> ID(0,0)<1;1,0> 0x4:ud",
        "add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> {bytes}:ud",
        "mul (M1, 8) V(0,0)<1> X(0,0)<1;1,0> {factor}:ud",
        "scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 V.0",
    ),
    (
        "add (M1, 8) A(0,0)<1> ID(0,0)<1;1,0> {dwords}:ud",
        "shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud",
        "mad (M1, 8) V(0,0)<1> X(0,0)<1;1,0> {less}:ud X(0,0)<1;1,0>",
        "scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 V.0",
    ),
)
TIMEOUT_S = 20
RUNS = 3

Pair = tuple[Any, Any]
"""The address and the value of a lane."""


def kernel(body: Sequence[str], steps: int) -> str:
    """A kernel that goes through the body so often, each time with other constants."""
    rounds = (
        line.format(bytes=hex(0x1000 * k), dwords=hex(0x400 * k), factor=hex(2 * k + 1), less=hex(2 * k))
        for k in range(steps)
        for line in body
    )
    names = "\n".join(f".decl {name} v_type=G type=ud num_elts=8 align=GRF" for name in ("ID", "X", "A", "V"))
    statements = "\n".join(f"    {line}" for line in (*rounds, "ret (M1, 1)"))
    return f""".version 4.1
.kernel "steps"
{names}
.decl T6 v_type=T num_elts=1
.input ID offset=32 size=32
.input X offset=64 size=32
.kernel_attr SimdSize={LANES}
.function "steps"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
{statements}
"""


def ours(source: Path, target: Path) -> float:
    """Seconds from two files to the proof."""
    forget_answers()
    start = perf_counter()
    verdict = refines(source, target, platform=Platform.TGLLP)
    assert isinstance(verdict, Refines), verdict
    return perf_counter() - start


def arrays(steps: int) -> float | None:
    """Seconds from nothing to unsat of the same question on arrays of dwords; None where z3 did not decide it."""
    start = perf_counter()
    ids, data = _words("id"), _words("x")
    size, probe = z3.BitVec("size", 34), z3.BitVec("probe", 32)
    memory: Any = z3.Array("memory", z3.BitVecSort(32), z3.BitVecSort(32))
    on = [z3.Bool(f"em.{lane}") for lane in range(LANES)]

    def after(write: Callable[[int, int], Pair]) -> Pair:
        """The memory, and that no two lanes write one dword."""
        now, apart = memory, []
        for step in range(steps):
            lanes = [write(step, lane) for lane in range(LANES)]
            for lane, (address, value) in enumerate(lanes):
                others = [z3.And(on[lane], on[other], lanes[other][0] == address) for other in range(lane)]
                apart.append(z3.Not(z3.Or(*others)))
                inside = z3.ULE(z3.ZeroExt(2, address) + 4, size)
                now = z3.If(z3.And(on[lane], inside), z3.Store(now, address, value), now)
        return now, z3.And(*apart)

    source, defined = after(lambda k, lane: (ids[lane] * 4 + 0x1000 * k, data[lane] * (2 * k + 1)))
    target, also = after(lambda k, lane: ((ids[lane] + 0x400 * k) << 2, data[lane] * (2 * k) + data[lane]))
    solver = z3.SolverFor("QF_ABV")
    solver.set(timeout=TIMEOUT_S * 1000)
    solver.add(defined, z3.Or(z3.Not(also), z3.Select(source, probe) != z3.Select(target, probe)))
    answer = solver.check()
    assert answer != z3.sat, steps
    return perf_counter() - start if answer == z3.unsat else None


def _words(name: str) -> list[Any]:
    return [z3.BitVec(f"{name}.{lane}", 32) for lane in range(LANES)]


def table() -> list[str]:
    """The rows, and what they show.  z3 is not asked beyond the first length that it does not decide."""
    rows = [f"refinement of a rewritten kernel, SIMD{LANES}; time from two files to the proof"]
    undecided = False
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "source.visaasm"), Path(folder, "target.visaasm")
        for steps in STEPS:
            source.write_text(kernel(SOURCE, steps))
            target.write_text(kernel(TARGET, steps))
            mine = median(ours(source, target) for _ in range(RUNS))
            theirs = None if undecided else arrays(steps)
            undecided = theirs is None
            ratio = f"> {TIMEOUT_S / mine:,.0f}x (undecided)" if theirs is None else f"{theirs / mine:,.1f}x"
            what = f"{len(SOURCE) * steps:,} instructions, {steps} stores"
            rows.append(f"{what:34} {mine * 1000:5.0f} ms  z3 on arrays / ours: {ratio}")
    return rows


if __name__ == "__main__":
    print("\n".join(table()))
