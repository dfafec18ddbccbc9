"""A kernel's launch by our machines and by PoCL, and how their buffers compare."""

import re
from collections.abc import Sequence
from enum import Enum
from random import Random

import numpy as np
from msgspec import Struct

from benchmarks.alu_vectors.edges import content
from benchmarks.alu_vectors.types import TYPES
from benchmarks.campaign.prelude import prelude
from benchmarks.campaign.syntax import Kernel, Parameter
from benchmarks.pocl.case import Case, Data
from benchmarks.pocl.comparison import run_case
from benchmarks.pocl.oracle import Oracle
from visaproof.execution.arguments import prepare
from visaproof.execution.payload import Program
from visaproof.execution.run import Engine, Ran, run_launch
from visaproof.execution.shape import Shape
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.launch.launch import read_launch
from visaproof.pairs.compilation import Compiled
from visaproof.semantics.concrete.choices import Choices
from visaproof.visaasm.linking.names import read_program

LANGUAGE = "-cl-std=CL3.0"
ELEMENTS = {
    "char": "b", "uchar": "ub", "short": "w", "ushort": "uw", "int": "d", "uint": "ud", "long": "q", "ulong": "uq",
    "half": "hf", "float": "f", "double": "df",
}  # fmt: skip
"""The vISA type of each base."""
_DTYPES = {"half": "<f2", "float": "<f4", "double": "<f8"}


class Answer(Enum):
    """How a run came out."""

    AGREE = "agree"
    DIFFER = "differ"
    UNDEFINED = "undefined here"
    NOT_MODELLED = "not modelled"
    BESIDE_PAGE = "beside its page"
    KNOWN = "known fault"
    NOT_COMPILED = "not compiled"
    COMPILER_CRASHED = "compiler crashed"
    NO_ORACLE = "not by PoCL"
    CRASHED = "crashed"
    REFINES = "refines"
    OPEN = "refinement open"
    REFUTED = "refuted"


SOUND = (
    Answer.AGREE,
    Answer.REFINES,
    Answer.OPEN,
    Answer.KNOWN,
    Answer.NOT_MODELLED,
    Answer.NOT_COMPILED,
    Answer.NO_ORACLE,
)
"""What needs no explanation of ours or of a compiler."""

_BESIDE = re.compile(r": page [A-Z]")
"""What a refusal says of a statement that its page does not describe."""

Buffers = Sequence[bytes | None]


class Outcome(Struct, frozen=True):
    """How a kernel came out for one target."""

    answer: Answer
    detail: str = ""


def full_text(kernels: Sequence[Kernel], *, reference: bool) -> str:
    """A source with these kernels."""
    text = "\n".join(each.text() for each in kernels)
    return prelude(text, reference=reference) + "\n" + text


def case_of(kernel: Kernel) -> Case:
    """Edge values of every type, the same for the same kernel whatever was dropped of it."""
    arguments: list[Data] = []
    for each in kernel.parameters:
        random = Random(f"{kernel.seed} {each.name}")
        kind = TYPES[ELEMENTS[each.type.base]]
        data = content(kind, each.items * each.type.lanes, random, "edges") if each.role == "in" else bytes(each.bytes)
        any_nan = each.type.base in ("float", "double") and each.ulps is None
        arguments.append(Data(data, ulps=0 if any_nan else each.ulps))
    return Case("edges", tuple(arguments), kernel.grid, kernel.group)


def by_pocl(device: Oracle, kernel: Kernel) -> Buffers:
    """Raises NoOracle."""
    return device.run(full_text([kernel], reference=True), [LANGUAGE], kernel.name, case_of(kernel))


def _run_arrays(program: Program, case: Case, *, pad: bool = False) -> tuple[Ran, Buffers]:
    return run_case(program, case, Engine.ARRAYS, pad=pad)


def _run_once(program: Program, case: Case, *, pad: bool = False) -> tuple[Ran, Buffers]:
    """One thread after the other, with the first choice of results that no page states: the one that is shown."""
    contents = {k: one.content for k, one in enumerate(case.arguments) if isinstance(one, Data)}
    values, memory = prepare(program, Shape(case.grid, case.group), {}, contents, pad=pad)
    ran = run_launch(program, values, memory, choices=Choices(0))
    return ran, [bytes(memory.buffers[k].data) if k in memory.buffers else None for k in contents]


def run_here(compiled: Compiled, kernel: Kernel, engine: Engine) -> Buffers | Outcome:
    """The buffers at the end, or why there are none."""
    try:
        read = read_program(compiled.kernels[kernel.name].path)
        launch = read_launch(compiled.zebin, read)
        assert launch.platform is not None
        program, case = Program(read, launch, launch.platform), case_of(kernel)
        run = _run_arrays if engine is Engine.ARRAYS else _run_once
        ran, buffers = run(program, case)
        if ran.undefined is not None and "beyond its variable" in ran.undefined.message:  # decision D6
            ran, buffers = run(program, case, pad=True)
    except (NotModelled, ReadError) as reason:
        detail = str(reason)
        return Outcome(Answer.BESIDE_PAGE if _BESIDE.search(detail) else Answer.NOT_MODELLED, detail)
    if ran.undefined is not None:
        return Outcome(Answer.UNDEFINED, f"line {ran.undefined.position.line}: {ran.undefined.message}")
    return buffers


def difference(kernel: Kernel, ours: Buffers, theirs: Buffers, by: str = "PoCL") -> str | None:
    """The first element that is not as it has to be."""
    for parameter, mine, other in zip(kernel.parameters, ours, theirs, strict=True):
        if parameter.role == "in" or mine is None or other is None or mine == other:
            continue
        found = _differing(parameter, mine, other)
        if found is not None:
            size = parameter.type.size
            place = slice(found * size, found * size + size)
            item = found // parameter.type.lanes
            shown = f"{mine[place][::-1].hex()} here, {other[place][::-1].hex()} by {by}"
            return f"{parameter.name}[{item}].{found % parameter.type.lanes}: {shown}"
    return None


def _differing(parameter: Parameter, mine: bytes, other: bytes) -> int | None:
    if parameter.role == "any":
        ours, theirs = (np.sort(np.frombuffer(each, "<u4")) for each in (mine, other))
        return None if np.array_equal(ours, theirs) else 0
    if parameter.type.floating:
        close = _alike(mine, other, _DTYPES[parameter.type.base], parameter.ulps or 0)
    else:
        unsigned = f"<u{parameter.type.size}"
        close = np.frombuffer(mine, unsigned) == np.frombuffer(other, unsigned)
    return None if close.all() else int(np.argmin(close))


def _alike(mine: bytes, other: bytes, dtype: str, ulps: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """NaN are alike, so are zeros; other numbers may be `ulps` representable numbers apart."""
    one, two = (np.frombuffer(each, dtype) for each in (mine, other))
    size = np.dtype(dtype).itemsize
    ranks = []
    for each in (mine, other):
        bits = np.frombuffer(each, f"<i{size}").astype(object)
        ranks.append(np.array([bit if bit >= 0 else -(bit + (1 << 8 * size - 1)) for bit in bits], dtype=object))
    near = np.array([abs(a - b) <= ulps for a, b in zip(*ranks, strict=True)], dtype=np.bool_)
    return (np.isnan(one) & np.isnan(two)) | (one == two) | (near & ~np.isnan(one) & ~np.isnan(two))
