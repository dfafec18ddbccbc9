"""OpenCL kernels compiled with and without `restrict`, by today's ocloc: what does each refine?

    python -m benchmarks.overlap [--device dg2 --device tgllp --device bmg] [--kernel NAME …] [--most-seconds 30]

What is compiled with `restrict` may need buffers apart: then it may not refine what is compiled without, and a run on
buffers that overlap has to show it.  The other way round the source grants what is needed.  Exit code 1 where a verdict
rests on buffers that nothing keeps apart, or where a direction that the source grants is refuted.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from msgspec import Struct

from visaproof.isa.errors import LimitReached, NotModelled
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import launch_of
from visaproof.launch.matching import Program
from visaproof.pairs.compilation import Compilation, Compiled, compiled
from visaproof.queries.kernels.undefined import FORBIDDEN, OF_THE_SOURCE
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide_within
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Apart, Bounded, Difference, Refines, Verdict
from visaproof.smt.limit import Limit
from visaproof.visaasm.linking.names import read_program

DEVICES = ("dg2", "tgllp", "bmg")

TIMEOUT_MS = 3_000

SCOPE = Scope(Assume.IDS, FORBIDDEN | OF_THE_SOURCE, timeout_ms=TIMEOUT_MS)
"""Both are compiled from one source: what that accesses outside of a buffer is undefined."""

INTS = "global int P a, global int P b, global int P c"

KERNELS = {
    # ------------------------------------------------------------ loads again
    "reload": (INTS, "int x = b[i]; a[i] = x + 1; c[i] = b[i] * 3;"),
    "reload_twice": (INTS, "int x = b[i]; a[i] = x + 1; c[i] = b[i] * 3; a[i + 64] = b[i] + 2;"),
    "reload_uniform": (INTS, "int x = b[0]; a[i] = x + 1; c[i] = b[0] * 3;"),
    "reload_float": ("global float P a, global float P b", "float x = b[i]; a[i] = x + 1.0f; a[i + 64] = b[i] * 3.0f;"),
    "reload_bytes": ("global uchar P a, global uchar P b", "uchar x = b[i]; a[i] = x + 1; a[i + 64] = b[i] * 3;"),
    "reload_other_type": ("global int P a, global float P b, global int P c",
                          "float x = b[i]; a[i] = (int)x; c[i] = (int)b[i] * 3;"),
    "reload_vector": ("global int4 P a, global int4 P b", "int4 x = b[i]; a[i] = x + 1; a[i + 64] = b[i] * 3;"),
    "reload_one_of_two": ("global int P a, global int P b, global int P c, global int P d",
                          "a[i] = b[i] + c[i]; d[i] = b[i] - c[i];"),
    # ------------------------------------------------------------ forwarding
    "forward": (INTS, "int x = c[i] * 5; a[i] = x; b[i] = 7; c[i] = a[i] + 1;"),
    "forward_same": ("global int P a, global int P b", "a[i] = 5; int x = a[i]; b[i] = x + 1;"),
    # ------------------------------------------------------------ dead stores
    "dead_store": (INTS, "a[i] = 5; int x = b[i]; a[i] = x; c[i] = x + 1;"),
    "dead_store_plain": ("global int P a, global int P b", "a[i] = 5; b[i] = 6; a[i] = 7;"),
    # ------------------------------------------------------------ hoisting and sinking
    "hoist": (INTS, "a[i] = 1; c[i] = b[i] * 3;"),
    "hoist_two": (INTS, "a[i] = 1; int x = b[i]; a[i + 64] = 2; int y = b[i + 64]; c[i] = x * y;"),
    "hoist_branch": (INTS, "a[i] = 1; if (i & 1) c[i] = b[i] * 3; else c[i] = b[i] * 5;"),
    "swap": ("global int P a, global int P b", "int x = a[i]; int y = b[i]; a[i] = y; b[i] = x;"),
    "stores": ("global int P a, global int P b", "a[i] = i; b[i] = i + 1; a[i + 64] = i + 2; b[i + 64] = i + 3;"),
    # ------------------------------------------------------------ loops
    "loop_invariant": ("global int P a, global int P b, int n", "for (int j = 0; j < n; j++) a[i * n + j] = b[i] + j;"),
    "loop_four": ("global int P a, global int P b", "for (int j = 0; j < 4; j++) a[i * 4 + j] = b[i] + j;"),
    "loop_sum": ("global int P a, global int P b, int n", "for (int j = 0; j < n; j++) a[i] += b[j];"),
    "loop_copy": ("global int P a, global int P b, int n", "for (int j = 0; j < n; j++) a[i * n + j] = b[i * n + j];"),
    # ------------------------------------------------------------ atomics, barriers, images, others
    "atomic": (INTS, "int x = b[i]; atomic_add(a + i, 1); c[i] = b[i] * 3 + x;"),
    "atomic_only": ("global int P a, global int P b", "atomic_inc(a); b[i] = 5;"),
    "barrier": (INTS, "int x = b[i]; a[i] = x + 1; barrier(CLK_GLOBAL_MEM_FENCE); c[i] = b[i] * 3;"),
    "image": ("read_only image2d_t m, global float P a, global float P b",
              "float x = b[i]; a[i] = read_imagef(m, (int2)(i, 0)).x; a[i + 64] = b[i] * x;"),
    "image_written": ("write_only image2d_t m, global float P a, global float P b",
                      "float x = b[i]; write_imagef(m, (int2)(i, 0), x); a[i] = x; a[i + 64] = b[i] * x;"),
    "of_constant": ("global int P a, constant int *k, global int P b", "int x = k[i]; a[i] = x + 1; b[i] = k[i] * 3;"),
    "of_volatile": ("global int P a, global volatile int P b", "int x = b[i]; a[i] = x + 1; a[i + 64] = b[i] * 3;"),
    "of_local": ("global int P a, local int *l, global int P b",
              "l[i & 15] = i; a[i] = l[i & 15]; b[i] = l[i & 15] + 1;"),
}  # fmt: skip
"""The arguments, with P for the pointer, and the statements of each kernel."""


def source(names: Sequence[str], pointer: str) -> str:
    """All kernels of these names in one file."""
    head = f"#define P {pointer}\n"
    kernels = (f"kernel void {name}({KERNELS[name][0]}) {{ int i = get_global_id(0); {KERNELS[name][1]} }}\n"
               for name in names)  # fmt: skip
    return head + "".join(kernels)


class Answer(Struct, frozen=True):
    """A kernel in one direction."""

    kernel: str
    device: str
    granted: bool
    """Whether the source says `restrict`."""
    text: str
    seconds: float
    wrong: bool = False


def answers(device: str, names: Sequence[str], compiler: Path, most_seconds: float, folder: Path) -> Iterator[Answer]:
    """Both directions of each kernel."""
    plain, restrict = (
        _compiled(compiler, device, source(names, pointer), folder / f"{device}{number}")
        for number, pointer in enumerate(("*", "*restrict"))
    )
    for name in names:
        one, other = _program(plain, name), _program(restrict, name)
        yield _answer(name, device, one, other, most_seconds, granted=False)
        yield _answer(name, device, other, one, most_seconds, granted=True)


def _compiled(compiler: Path, device: str, text: str, folder: Path) -> Compiled:
    folder.mkdir(parents=True)
    (folder / "k.cl").write_text(text)
    return compiled(Compilation(str(compiler), folder / "k.cl", device), folder / "compiled")


def _program(made: Compiled, name: str) -> Program:
    kernel = read_program(made.kernels[name].path)
    return Program(kernel, *launch_of(made.zebin, kernel, None))


def _answer(name: str, device: str, source: Program, target: Program, most_seconds: float, *, granted: bool) -> Answer:
    start = process_time()
    try:
        limit = Limit(most_seconds)
        with limit.within():
            comparison = compare(source, target, SCOPE)
        verdict = decide_within(limit, comparison, TIMEOUT_MS)
    except (NotModelled, LimitReached) as reason:
        return Answer(name, device, granted, f"{type(reason).__name__}: {reason}", process_time() - start)
    text, wrong = _judged(verdict, granted)
    return Answer(name, device, granted, text, process_time() - start, wrong)


def _judged(verdict: Verdict, granted: bool) -> tuple[str, bool]:
    """The verdict in words, and whether it cannot be right."""
    match verdict:
        case Refines(by):
            return f"refines ({by})", False
        case Bounded():
            return "bounded", False
        case Apart(pairs, _, _, difference):
            needed = "; ".join(" ".join(sorted(pair)) for pair in pairs)
            return f"only if apart: {needed}: {'a run' if difference else 'no run'}", granted
        case Difference():
            return "differs", True
        case other:
            return str(other)[:80], False


def main(words: Sequence[str] | None = None) -> int:
    """Prints a row for each kernel, device and direction."""
    parser = ArgumentParser(prog="python -m benchmarks.overlap", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", action="append", default=[], choices=DEVICES)
    parser.add_argument("--kernel", action="append", default=[], choices=list(KERNELS))
    parser.add_argument("--most-seconds", type=float, default=30.0, help="for one question (default: 30)")
    options = parser.parse_args(words)
    cache = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    compiler = cache / "current-igc" / "bin" / "ocloc"
    if not compiler.is_file():
        print(f"{compiler}: today's compiler is not there", file=sys.stderr)
        return 2
    wrong = False
    with TemporaryDirectory() as folder:
        for device in options.device or DEVICES:
            for one in answers(device, options.kernel or list(KERNELS), compiler, options.most_seconds, Path(folder)):
                direction = "restrict → plain" if one.granted else "plain → restrict"
                mark = "WRONG " if one.wrong else ""
                print(f"{one.device:6} {one.kernel:18} {direction}  {mark}{one.text} ({one.seconds:.1f} s)", flush=True)
                wrong |= one.wrong
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
