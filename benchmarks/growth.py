"""Measures how the time of one kernel grows: with its length where it is straight, and with the depth of its loops."""

from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from visaproof.cli import main as visaproof
from visaproof.smt.solvers import forget_answers

LENGTHS = (100, 1_000, 10_000)
DEPTHS = (1, 2, 3, 4, 5)
LIMIT_S = 20
"""Of processor time, for one question."""

STEP = (
    "mul (M1, 8) V(0,0)<1> V(0,0)<1;1,0> {odd}:ud",
    "add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> X(0,0)<1;1,0>",
    "xor (M1, 8) V(0,0)<1> V(0,0)<1;1,0> {odd}:ud",
    "add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x20:ud",
    "scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 V.0",
)
"""Statements that are repeated; the last one writes each lane's own dword."""

HEADER = """.version 4.1
.kernel "growth"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1
.decl C v_type=G type=ud num_elts=8
.decl P1 v_type=P num_elts=1
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.input V offset=64 size=32
.input N offset=96 size=4
.kernel_attr SimdSize=8
.function "growth"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mul (M1_NM, 8) A(0,0)<1> 0x76543210:v 0x4:uw
"""


def straight(statements: int) -> str:
    """A kernel of so many statements."""
    lines = (STEP[k % len(STEP)].format(odd=hex(2 * k + 1)) for k in range(statements))
    return _kernel(lines)


def nested(depth: int) -> str:
    """So many loops, one in the other, each of a length that an argument says; the innermost one scatters."""
    return _kernel(_loops(0, depth))


def _loops(level: int, depth: int) -> Iterator[str]:
    if level == depth:
        yield "add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> X(0,0)<1;1,0>"
        yield STEP[-1]
        return
    yield f"mov (M1_NM, 1) C(0,{level})<1> 0x0:ud"
    yield f"again{level}:"
    yield from _loops(level + 1, depth)
    yield f"add (M1_NM, 1) C(0,{level})<1> C(0,{level})<0;1,0> 0x1:ud"
    yield f"cmp.lt (M1_NM, 1) P1 C(0,{level})<0;1,0> N(0,0)<0;1,0>"
    yield f"(P1) goto (M1, 1) again{level}"


def _kernel(lines: Iterator[str]) -> str:
    body = "\n".join(line if line.endswith(":") else f"    {line}" for line in lines)
    return f"{HEADER}{body}\n    ret (M1, 1)\n"


def asked(text: str, command: str) -> tuple[float, int]:
    """Seconds of processor time of a command about a kernel (`refine`: by itself), and its exit code."""
    forget_answers()
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        path = Path(folder) / "growth.visaasm"
        path.write_text(text)
        files = [str(path)] * (2 if command == "refine" else 1)
        start = process_time()
        code = visaproof([command, *files, "--platform", "TGLLP", "--limit", str(LIMIT_S)])
        return process_time() - start, code


def table() -> Iterator[str]:
    """A line for each length and depth."""
    yield "one kernel: seconds of processor time (exit code)"
    for name, sizes, write in (("statements", LENGTHS, straight), ("loops in loops", DEPTHS, nested)):
        for size in sizes:
            answers = [(command, *asked(write(size), command)) for command in ("conflicts", "refine")]
            shown = "   ".join(f"{command} {seconds:6.2f} s ({code})" for command, seconds, code in answers)
            yield f"{size:6} {name:16} {shown}"
