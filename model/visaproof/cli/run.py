"""`visaproof run`: run a whole launch of a kernel concretely."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.many.files import one_kernel
from visaproof.cli.options.arguments import Subparsers, add_format, add_host, add_limit, add_platform
from visaproof.cli.options.errors import UsageError, show_error
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.cli.options.kernel_files import read_with_launch
from visaproof.cli.options.launch_files import add_launch
from visaproof.isa.errors import LimitReached, NotModelled, ReadError
from visaproof.launch.beside import launch_for

if TYPE_CHECKING:
    from visaproof.execution.choices import Launch
    from visaproof.execution.payload import Program, Values
    from visaproof.execution.run import Engine, Memory, Ran
    from visaproof.execution.watching import WatcherOf
    from visaproof.semantics.concrete.choices import Choices

SAMPLERS = ("clamp-to-edge", "clamp", "none")
"""The values of `kernel.texels.Outside`."""

EPILOG = """examples:
  visaproof run vadd.visaasm --launch vadd.bin --global-size 64 \\
      --buffer a=random:256:1 --buffer b=@b.bin --buffer c=zeros:256 --out c=@c.bin
  visaproof run saxpy.visaasm --launch manifest.json --global-size 100 --local-size 10 --arg a=0.5 --arg n=100 \\
      --buffer y=random:400 --buffer x=random:400
  visaproof run transpose.visaasm --launch transpose.bin --global-size 32,16 --local-size 16,16 ... \\
      --trace group=0,thread=1,lane=3
  visaproof run invert.visaasm --launch invert.bin --global-size 32,4 --local-size 32,4 ... --host level-zero

Every thread of every group runs concretely: r0, local ids, arguments and addresses as the launch lays them out, the
threads of a group from barrier to barrier.  An access outside a surface reads 0 and is dropped when it writes; one at a
64-bit address that is in no buffer is undefined.  Where the launch is undefined by the pages the run stops there and
says which lane it was.

Statements that leave a surface are shown as notes, with the first access of each.

Engines: `arrays` runs all threads at once, statement by statement; `scalar` one after another, and only it traces, and
shows as notes accesses of two threads to one byte that nothing puts in an order, and reads of shared local and private
uninitialised memory.  Where the result depends on the order of the threads, the two may end with other bytes.

Buffers: @FILE, zeros:BYTES, zeros:BYTES:OFFSET=HEX,… (but for these bytes), random:BYTES[:SEED] (bytes),
floats:COUNT[:SEED] (32-bit, between -1 and 1), small:COUNT[:SEED] (unsigned, 32-bit, below 16), counting:COUNT (from 0
on, no two alike), and local:BYTES for a `local` argument.  BUFFER+OFFSET is the buffer of another argument from that
byte on: --buffer 1=0+16.

Images: W:CONTENT, WxH:CONTENT or WxHxD:CONTENT with @FILE, zeros, random[:SEED] or floats[:SEED]; a texel has four
channels of 32 bits, or as WxH:FORMAT:CONTENT says: r, rg or rgba with 8 or 16 (unorm), 8ui, 8i, 16ui, 16i, 16f or 32,
as in rgba8 or r16f, converted as OpenCL C does; atomics need r32.  Only the scalar engine reaches texels.  sample_lz
needs --sampler: it takes the nearest texel at coordinates that count texels; load_lz must stay inside of its image.

Results that no page states (of a division by 0, the bits of a NaN, a negative float as an unsigned integer, min of +0
and -0, …) are nondeterministic values.  If some lane has one, the launch is run under 4 choices of them: what is not
the same under all, of the buffers, of which lanes jump and of which bytes are reached, depends on them and is shown as
UNKNOWN, with the exit code 3; buffers hold one of the choices.  That 4 choices agree is no proof that all do.

Registers beyond a variable are undefined to read.  If all that is seen is the same under 4 choices of what is there,
the launch goes on, with a note (`visaproof premises beyond-unseen`).

exit codes: 0 ran, 1 undefined behaviour (with --races error also a race), 2 usage or unreadable, 3 ran, but something
depends on results that no page states, or not ended within --limit, 4 not modelled."""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "run",
        help="run a whole launch of a kernel concretely",
        description="Runs all threads of a launch of a kernel, and shows what they wrote.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="FILE", type=Path, help="a .visaasm file, or a folder with one kernel")
    add_launch(parser)
    add("--input", action="append", default=[], metavar="VAR=MEANING", help="what an input holds (see `conflicts`)")
    add_platform(parser)
    add_host(parser)
    add("--global-size", required=True, metavar="X[,Y[,Z]]", help="work items of the launch")
    what = "work items of a group (default: what the kernel requires, or one thread)"
    add("--local-size", dest="group", metavar="X[,Y[,Z]]", help=what)
    add("--global-offset", default="0", metavar="X[,Y[,Z]]", help="the first global id (default: 0)")
    add("--arg", action="append", default=[], metavar="ARG=VALUE", help="an argument by value, by name or index")
    add("--buffer", action="append", default=[], metavar="ARG=CONTENT", help="a buffer: @FILE, zeros:BYTES, …")
    add("--image", action="append", default=[], metavar="ARG=EXTENTS:CONTENT", help="an image: 16x8:@FILE, …")
    add("--sampler", choices=SAMPLERS, help="nearest texels, and what is read outside of an image")
    add("--out", action="append", default=[], metavar="ARG=@FILE", help="where a buffer goes when the launch has ended")
    add("--engine", choices=("arrays", "scalar"), help="what runs it (default: arrays; scalar with --trace)")
    add(
        "--races",
        choices=("note", "error"),
        help="look for races (--engine scalar); error: exit code 1 if there are any",
    )
    add("--trace", metavar="group=G,thread=T[,lane=L]", help="show each statement of one thread, or of a lane of it")
    add("--pad", action="store_true", help="what lies behind a variable in its last register is 0, not undefined (D6)")
    add_limit(parser, "the launch", default=600)
    add_format(parser)
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")


def run(arguments: Namespace) -> int:
    """Reads, runs, writes the buffers and reports."""
    arguments.file = one_kernel(arguments.file)
    try:
        return _run(arguments)
    except ReadError as error:
        if error.position.path.startswith("--"):  # it is about an option
            raise UsageError(f"{error.position.path}: {error.message}", error.hint) from None
        raise


def _run(arguments: Namespace) -> int:
    from visaproof.cli.options.run_images import images, sampler
    from visaproof.cli.options.run_options import engine_option, launch_shape, outputs, passed, traced
    from visaproof.execution.arguments import parameters, prepare
    from visaproof.execution.choices import run_with_choices
    from visaproof.execution.payload import Program
    from visaproof.execution.run import first_typed
    from visaproof.report.execution.run import RunReport
    from visaproof.smt.limit import Limit

    launch = launch_for(arguments.launch, arguments.file)
    program = Program(*read_with_launch(arguments.file, launch, arguments))
    shape = launch_shape(arguments, program)
    takes = parameters(program)
    by_value, buffers = passed(arguments, takes)
    buffers |= images(arguments, takes, buffers)
    files = outputs(arguments, takes)
    values, memory = prepare(program, shape, by_value, buffers, sampler=sampler(arguments), pad=arguments.pad)
    before = {index: bytes(buffer.data) for index, buffer in memory.buffers.items()}
    trace = traced(arguments, shape, program)
    engine = engine_option(arguments, reaches_texels=bool(memory.images) or first_typed(program) is not None)
    report = RunReport(sys.stdout, program, values, as_text=arguments.format == "text")
    report.header()
    try:
        tracer = None if trace is None else report.tracer(trace)
        with Limit(arguments.limit).within():
            ran, unstated = run_with_choices(_launched(engine, program, values, memory, tracer), memory)
    except LimitReached as reached:
        report.stopped(NotModelled(f"the launch has not ended: {reached}"), engine, ExitCode.UNKNOWN)
        print(f"error: the launch has not ended: {reached}", file=sys.stderr)
        return ExitCode.UNKNOWN
    except NotModelled as error:
        report.stopped(error, engine, ExitCode.NOT_MODELLED)
        return show_error(error)
    if ran.undefined is None:
        for index, path in files.items():
            _write(path, bytes(memory.buffers[index].data))
    code = ExitCode.OK if unstated is None or not unstated.dependent else ExitCode.UNKNOWN
    code = code if ran.undefined is None and not (arguments.races == "error" and ran.races) else ExitCode.REFUTED
    report.finish(ran, memory, before, files, code, unstated)
    return code


def _launched(
    engine: "Engine", program: "Program", values: "Values", memory: "Memory", tracer: "WatcherOf | None"
) -> "Launch":
    """The launch; only its first run is traced."""
    from visaproof.execution.run import Engine, run_launch

    def alone(choices: "Choices", most: int) -> "Ran":
        traced = None if choices.trail is not None else tracer
        return run_launch(program, values, memory, traced, choices=choices, most=most)

    if engine is Engine.SCALAR:
        return alone
    from visaproof.execution.arrays import run_on_arrays

    return lambda choices, most: run_on_arrays(program, values, memory, choices, most)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"--out: {path}: {error.strerror or error}") from None
