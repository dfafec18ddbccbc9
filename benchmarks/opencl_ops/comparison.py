"""Compiles the table with one of Intel's compilers, runs each kernel, and compares every byte with PoCL."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks.alu_vectors.edges import content
from benchmarks.alu_vectors.types import TYPES, Type
from benchmarks.opencl_ops.table import PRELUDE, ROWS, Row
from benchmarks.pocl.cases import Case, Data
from benchmarks.pocl.comparison import run_case
from benchmarks.pocl.oracle import Oracle
from visaproof.execution.payload import Program
from visaproof.execution.run import Engine
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.launch.launch import read_launch
from visaproof.pairs.compilation import Compilation, Compiled, compiled
from visaproof.visaasm.linking.names import read_program

ITEMS, GROUP = 128, 64
OPTIONS = "-cl-std=CL3.0 -cl-intel-greater-than-4GB-buffer-required"
TOGETHER = 8
"""Rows of a kernel at most."""
ELEMENTS = {"int": "d", "uint": "ud", "long": "q", "ulong": "uq", "float": "f", "double": "df"}
"""The vISA type of each OpenCL type that buffers have."""
STORED = {"char": "int", "uchar": "uint", "short": "int", "ushort": "uint"}
"""Narrow numbers are passed in dwords: the table is about operations, not about messages."""


class Group(Struct, frozen=True):
    """A kernel: some rows on the same operands, each with a result buffer of its own."""

    name: str
    rows: tuple[Row, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        return self.rows[0].sources


class Found(Struct, frozen=True):
    """How a kernel came out; `opcodes` are what the compiler emitted for it."""

    group: Group
    opcodes: frozenset[str]
    difference: str | None = None
    not_run: str | None = None


class Target(Struct, frozen=True):
    """A compiler and a device of it."""

    name: str
    compiler: Path
    device: str
    rows: tuple[Row, ...]


def _today() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "current-igc" / "bin" / "ocloc"


def targets() -> list[Target]:
    """The compiler of 2022, and what today's may do otherwise: other opcodes, or 64-bit numbers in one piece."""
    rows = [row for row in ROWS.values() if not row.needs_double]
    return [
        Target("2022 tgllp", Path(shutil.which("ocloc") or "ocloc"), "tgllp", tuple(r for r in rows if not r.today)),
        Target("today dg2", _today(), "dg2", tuple(row for row in rows if not row.converts_integers)),
        Target("today pvc", _today(), "pvc", tuple(row for row in ROWS.values() if row.wide)),
    ]


def element(kind: str) -> Type:
    """The type of what a buffer has of an OpenCL type."""
    return TYPES[ELEMENTS[STORED.get(kind, kind)]]


def groups(rows: Iterable[Row]) -> list[Group]:
    """Rows with operands of the same types together: a kernel for each would take a compiler four times as long."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        apart = "_divided" * row.divides + "_today" * row.today + "_converted" * ("_to_" in row.name)
        found.setdefault("_".join(row.sources) + apart, []).append(row)
    return [
        Group(f"{name}_{start // TOGETHER}", tuple(each[start : start + TOGETHER]))
        for name, each in found.items()
        for start in range(0, len(each), TOGETHER)
    ]


def source(chosen: Iterable[Group], *, reference: bool) -> str:
    """A kernel for each group, as PoCL (`reference`) or Intel's compiler gets it."""
    kernels = ["#pragma OPENCL FP_CONTRACT OFF", PRELUDE if reference else ""]
    for group in chosen:
        pairs = list(zip("abc", group.sources, strict=False))
        taken = [f"global const {STORED.get(kind, kind)}* p{name}" for name, kind in pairs]
        taken += [f"global {STORED.get(row.result, row.result)}* r{k}" for k, row in enumerate(group.rows)]
        read = [f"{kind} {name} = ({kind})p{name}[i];" for name, kind in pairs]
        lines = [
            "size_t i = get_global_id(0);",
            *read,
            *(_statement(k, row, reference) for k, row in enumerate(group.rows)),
        ]
        kernels.append("\n    ".join([f"kernel void k_{group.name}({', '.join(taken)}) {{", *lines]) + "\n}")
    return "\n".join(kernels) + "\n"


def _statement(index: int, row: Row, reference: bool) -> str:
    value = (row.reference if reference else "") or row.expression
    value = f"({row.when}) ? ({row.result})({value}) : ({row.result})0" if row.when else value
    return f"r{index}[i] = ({row.result})({value});"


def case_of(group: Group) -> Case:
    """Edge values of every type, the same for the same operands."""
    random = Random(" ".join(group.sources))
    data = [Data(content(element(kind), ITEMS, random, "edges")) for kind in group.sources]
    results = [Data(bytes(ITEMS * element(row.result).bytes)) for row in group.rows]
    return Case("edges", (*data, *results), (ITEMS, 1, 1), (GROUP, 1, 1))


def compile_rows(compiler: str, device: str, chosen: Iterable[Group], folder: Path) -> Compiled:
    """All groups in one run of a compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "table.cl"
    file.write_text(source(chosen, reference=False))
    return compiled(Compilation(compiler, file, device, OPTIONS), folder / "compiled")


def expected(device: Oracle, chosen: Iterable[Group]) -> dict[str, list[bytes | None]]:
    """What PoCL computes, by group."""
    return {group.name: device.run(source([group], reference=True), [], f"k_{group.name}", case_of(group))
            for group in chosen}  # fmt: skip


def compared(found: Compiled, wanted: Mapping[str, list[bytes | None]], chosen: Iterable[Group]) -> Iterator[Found]:
    """Each group on arrays against PoCL."""
    for group in chosen:
        yield _one(found, group, wanted[group.name])


def _one(found: Compiled, group: Group, wanted: list[bytes | None]) -> Found:
    opcodes: frozenset[str] = frozenset()
    try:
        kernel = read_program(found.kernels[f"k_{group.name}"].path)
        opcodes = frozenset(each.opcode + ".sat" * ("sat" in each.suffixes) for each in kernel.instructions())
        launch = read_launch(found.zebin, kernel)
        assert launch.platform is not None
        ran, buffers = run_case(Program(kernel, launch, launch.platform), case_of(group), Engine.ARRAYS)
    except (NotModelled, ReadError) as error:
        return Found(group, opcodes, not_run=str(error))
    if ran.undefined is not None:
        return Found(group, opcodes, not_run=f"undefined: {ran.undefined.message}")
    differences = (_difference(group, row, buffers[len(group.sources) + k], wanted[len(group.sources) + k])
                   for k, row in enumerate(group.rows))  # fmt: skip
    return Found(group, opcodes, "; ".join(each for each in differences if each) or None)


def _difference(group: Group, row: Row, mine: bytes | None, theirs: bytes | None) -> str | None:
    """The first item that differs, with its operands."""
    assert mine is not None
    assert theirs is not None
    size = element(row.result).bytes
    for item in range(ITEMS):
        ours, other = (each[item * size : (item + 1) * size][::-1].hex() for each in (mine, theirs))
        if ours != other:
            contents = [each.content for each in case_of(group).arguments if isinstance(each, Data)]
            widths = [element(kind).bytes for kind in group.sources]
            operands = [one[item * n : (item + 1) * n][::-1].hex() for one, n in zip(contents, widths, strict=False)]
            return f"{row.name}: {row.expression} of {', '.join(operands)}: {ours} here, {other} by PoCL"
    return None
