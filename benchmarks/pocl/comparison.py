"""One file of compiled vISA against the source it was compiled from."""

import random
import struct
from collections.abc import Iterator, Set
from enum import Enum
from pathlib import Path

from msgspec import Struct

from benchmarks.pocl.case import Case, Data, Order
from benchmarks.pocl.cases import NOT_COMPARABLE, PRELUDES, REQUIRED_LANES, TRANSCRIBED, cases
from benchmarks.pocl.oracle import NoOracle, Oracle
from visaproof.execution.arguments import Content, parameters, prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.choices import DependentBytes, run_with_choices
from visaproof.execution.images import ImageContent
from visaproof.execution.payload import Program, Values
from visaproof.execution.run import Engine, Memory, Ran, first_typed, run_launch
from visaproof.execution.shape import Shape
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.launch.launch import read_launch
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.floats import PRODUCT_BEYOND
from visaproof.visaasm.linking.names import read_program

OPEN = "a result that no page states"
"""What launches are refused for that are compared."""

COMPILED_TO = {
    "read_image": ("reads images", ("load_lz", "sample_lz", "sample_l")),
    "matrix_mad": ("multiplies matrices", ("dpas",)),
}
"""What a source does that has a word, and the opcodes of which one has to be there if it was compiled."""
NOT_RUN, NOT_MODELLED, UNREADABLE = "not run", "not modelled", "not readable"
PADDED = "with --pad: undefined by D6 without"


class Answer(Enum):
    """How a launch compares."""

    AGREE = "agree"
    DIFFER = "differ"
    NOT_COMPARABLE = "not comparable"


class Result(Struct, frozen=True):
    """A file, a launch of it, and how they compare."""

    kernel: str
    variant: str
    case: str
    answer: Answer
    detail: str = ""
    ulps: int = 0
    """The largest distance of two floats, in representable numbers."""
    ran: bool = False
    """Whether the compiled file was run."""


class Entry(Struct, frozen=True):
    """A compiled file: the kernel's name in the manifest, its variant, the file and its source."""

    kernel: str
    variant: str
    file: Path
    source: Path
    options: tuple[str, ...]


class Comparison:
    """Compares files; what PoCL makes of a launch is kept for all variants of its kernel."""

    def __init__(self, oracle: Oracle, manifest: Path, engine: Engine = Engine.SCALAR) -> None:
        self._oracle = oracle
        self._manifest = manifest
        self._engine = engine
        self._expected: dict[tuple[str, str], list[bytes | None] | NoOracle] = {}

    def compare(self, entry: Entry) -> Iterator[Result]:
        """A result for each launch of the kernel, or the reason why there is none."""
        try:
            kernel = read_program(entry.file)
            launch = read_launch(self._manifest, kernel)
        except ReadError as error:
            yield Result(entry.kernel, entry.variant, "", Answer.NOT_COMPARABLE, f"{UNREADABLE}: {error.message}")
            return
        assert launch.platform is not None
        program = Program(kernel, launch, launch.platform)
        if (why := NOT_COMPARABLE.get(entry.kernel)) is not None:
            ended = ending(program, self._engine)
            ran = not ended.startswith(NOT_RUN)
            yield Result(entry.kernel, entry.variant, "", Answer.NOT_COMPARABLE, f"{why}; {ended}", ran=ran)
            return
        required = REQUIRED_LANES.get(entry.kernel, program.simd)
        if program.simd != required:
            reason = f"compiled for {program.simd} lanes, where its source requires sub-groups of {required}"
            yield Result(entry.kernel, entry.variant, "", Answer.NOT_COMPARABLE, reason)
            return
        if (missing := _left_out(entry, program)) is not None:
            reason = f"its source {missing} and the compiled file does not: uninitialised registers stand there"
            yield Result(entry.kernel, entry.variant, "", Answer.NOT_COMPARABLE, reason)
            return
        for case in cases(entry.kernel):
            answer, detail, ulps = self._launch(entry, program, case)
            ran = answer is not Answer.NOT_COMPARABLE or not detail.startswith(NOT_MODELLED)
            yield Result(entry.kernel, entry.variant, case.name, answer, detail, ulps, ran)

    def _launch(self, entry: Entry, program: Program, case: Case) -> tuple[Answer, str, int]:
        try:
            ran, ours = run_case(program, case, self._engine)
            padded = ran.undefined is not None and "beyond its variable" in ran.undefined.message
            if padded:
                ran, ours = run_case(program, case, self._engine, pad=True)
        except NotModelled as error:
            return Answer.NOT_COMPARABLE, f"{NOT_MODELLED}: {error.what}", 0
        except ReadError as error:  # a message that is decoded when it is run
            return Answer.NOT_COMPARABLE, f"{NOT_MODELLED}: {error.message}", 0
        if case.undefined:
            told = ran.undefined is not None
            return (Answer.AGREE if told else Answer.DIFFER), "undefined, and said to be" if told else "not noticed", 0
        if ran.undefined is not None:
            return Answer.DIFFER, f"undefined: {ran.undefined.position}: {ran.undefined.message}", 0
        expected = self._expect(entry, program.kernel.name, case)
        if isinstance(expected, NoOracle):
            return Answer.NOT_COMPARABLE, str(expected), 0
        answer, detail, ulps = compared(case, ours, expected)
        return answer, detail or (PADDED if padded else ""), ulps

    def _expect(self, entry: Entry, name: str, case: Case) -> list[bytes | None] | NoOracle:
        key = entry.kernel, case.name
        if key not in self._expected:
            try:
                source = TRANSCRIBED.get(entry.kernel) or PRELUDES.get(entry.kernel, "") + entry.source.read_text()
                self._expected[key] = self._oracle.run(source, list(entry.options), name, case)
            except NoOracle as error:
                self._expected[key] = error
        return self._expected[key]


def run_case(
    program: Program, case: Case, engine: Engine = Engine.SCALAR, *, pad: bool = False
) -> tuple[Ran, list[bytes | None]]:
    """The launch on the machine of numbers, and what its buffers then hold.  Raises NotModelled."""
    by_value = {k: repr(one.value) for k, one in enumerate(case.arguments) if not isinstance(one, Data)}
    buffers = {k: _passed(one) for k, one in enumerate(case.arguments) if isinstance(one, Data)}
    buffers |= dict(zip(parameters(program).symbols, case.symbols, strict=False))
    values, memory = prepare(program, Shape(case.grid, case.group), by_value, buffers, sampler=case.sampler, pad=pad)
    near = {k for k, one in enumerate(case.arguments) if isinstance(one, Data) and one.ulps is not None}
    ran = _launched(engine, program, values, memory, near)
    found = [bytes(memory.buffers[k].data) if k in memory.buffers else None for k in range(len(case.arguments))]
    return ran, found


def _passed(data: Data) -> Content:
    return data.content if data.image is None else ImageContent(data.image, data.content)


def _left_out(entry: Entry, program: Program) -> str | None:
    """What the source does and the compiled file does not."""
    source = entry.source.read_text() if entry.source.suffix == ".cl" else ""
    opcodes = {each.opcode for each in program.kernel.instructions()}
    named = (what for word, (what, some) in COMPILED_TO.items() if word in source and not opcodes & {*some})
    return next(named, None)


def _launched(engine: Engine, program: Program, values: Values, memory: Memory, near: Set[int] = frozenset()) -> Ran:
    """Raises NotModelled where something was seen to depend on results that no page states.

    The arguments in `near` may, but for infinities: they are compared by how far their floats are apart."""
    scalar = engine is Engine.SCALAR or first_typed(program) is not None

    def launch(choices: Choices, most: int) -> Ran:
        if scalar:
            return run_launch(program, values, memory, choices=choices, most=most)
        return run_on_arrays(program, values, memory, choices, most)

    ran, found = run_with_choices(launch, memory)
    exact = [
        one for one in (found.dependent if found is not None else ())
        if not (isinstance(one, DependentBytes) and one.argument in near) or any(
            cause.what == PRODUCT_BEYOND for cause in one.on
        )
    ]  # fmt: skip
    if exact:
        cause = exact[0].on[0]
        raise NotModelled(f"what depends on {OPEN}: {cause.what}", cause.position)
    return ran


def ending(program: Program, engine: Engine) -> str:
    """How a launch with random buffers ends, where there is nothing to compare it with."""
    if (typed := first_typed(program)) is not None:
        return f"{NOT_RUN}: {typed.opcode} needs an image"
    takes, generator = parameters(program), random.Random(1)
    buffers = {index: generator.randbytes(4096) for index in takes.buffers}
    try:
        values, memory = prepare(program, Shape((64, 1, 1), (64, 1, 1)), dict.fromkeys(takes.values, "4"), buffers)
        ran = _launched(engine, program, values, memory)
    except NotModelled as error:
        return f"{NOT_RUN}: {error.what} is not modelled"
    except ReadError as error:
        return f"{NOT_RUN}: {error.message}"
    if ran.undefined is not None:
        return f"a launch with random buffers is undefined: {ran.undefined.message}"
    return "a launch with random buffers runs to its end" + (", with races" if ran.races else "")


def compared(case: Case, ours: list[bytes | None], expected: list[bytes | None]) -> tuple[Answer, str, int]:
    """Whether the buffers are equal, as far as the source determines them."""
    worst = 0
    for index, (argument, mine, theirs) in enumerate(zip(case.arguments, ours, expected, strict=True)):
        if not isinstance(argument, Data) or mine is None or theirs is None or argument.order is Order.NOTHING:
            continue
        if argument.order is Order.ANY:
            mine, theirs = (b"".join(sorted(_dwords(content))) for content in (mine, theirs))
        if argument.ulps is not None:
            worst = max(worst, _distance(mine, theirs))
            if worst <= argument.ulps:
                continue
        elif mine == theirs:
            continue
        place = next(k for k in range(len(mine)) if mine[k] != theirs[k]) // 4 * 4
        shown = f"{mine[place : place + 4][::-1].hex()} here, {theirs[place : place + 4][::-1].hex()} by PoCL"
        return Answer.DIFFER, f"argument {index}, byte {place:#x}: {shown}", worst
    return Answer.AGREE, "", worst


def _dwords(content: bytes) -> list[bytes]:
    return [content[k : k + 4] for k in range(0, len(content), 4)]


def _distance(left: bytes, right: bytes) -> int:
    """The largest distance of two 32-bit floats in the order of all floats."""
    pairs = zip(*(struct.unpack(f"<{len(content) // 4}I", content) for content in (left, right)), strict=True)
    return max((abs(_rank(one) - _rank(other)) for one, other in pairs), default=0)


def _rank(pattern: int) -> int:
    """The place of a float among all: neighbours differ by 1, and both zeros are 0."""
    return pattern if pattern < 1 << 31 else (1 << 31) - pattern
