"""The rows of the ALU pages: each machine has each opcode, and takes no type beside a row."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from visaproof.analysis.legality import legality
from visaproof.decode.opcode_check import require_described
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.float_modes import CONTROL
from visaproof.isa.opcodes import ROWS, Row
from visaproof.isa.platform import Platform, platform_named
from visaproof.isa.readings import READINGS
from visaproof.isa.types import DataType, type_named
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.compile import Compiler
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.arrays.threads import Threads
from visaproof.machine.concrete.operands import add_zeros
from visaproof.machine.concrete.run import Code, Thread
from visaproof.machine.symbolic.machine import Machine
from visaproof.program.lower import lowered
from visaproof.program.statements import Run
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt import bool_symbol, symbol, true
from visaproof.visaasm.opcode_kinds import DESTINATIONS, OPERANDS, is_known
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Instruction, Kernel, Label
from visaproof.visaasm.validity import Mode

EMITTED = Path(__file__).parents[1] / "data" / "emitted_types.txt"
TYPES = [data_type for data_type in DataType if not data_type.packed]
PLATFORM = Platform.PVCXT
APPROXIMATE = frozenset(("cos", "exp", "inv", "log", "pow", "rsqrt", "sin", "sqrt", "div"))
"""Opcodes on floats whose pages give an approximation: a run has several values for F, if any, and none for others."""
NO_VALUE = (
    "no error is stated", "that gives NaN", "(reading approximations)",
    *(f"opcode {one} on floats" for one in ("cos", "pow", "sin")),
)  # fmt: skip
DEVICES = {"bmg": "Xe2", "ptl": "Xe3", "nvl": "Xe3P", "cri": "Xe3P"}
"""The platforms of devices by how the names of dumps begin, where they are not named alike."""
UNREAD = {
    "img_invert": "load_lz of a surface in a general variable, V0053(0,0)<0;1,0>[0]",
}
"""Kernels of which some dumps cannot be read."""
NO_TYPES = ("movs", "setp", "addr_add")
"""Opcodes whose destination has no type."""


@cache
def declarations() -> str:
    """A destination R and a source A of every type, each in 4 KiB."""
    lines = [".version 4.1", '.kernel "k"']
    for root in "RA":
        lines += [
            f".decl {root}{one.spelling} v_type=G type={one.spelling} num_elts={1024 // one.size}" for one in TYPES
        ]
    lines += [".decl P1 v_type=P num_elts=32", ".decl A0 v_type=A num_elts=16", ".decl T6 v_type=T num_elts=1"]
    return "\n".join([*lines, ".kernel_attr SimdSize=16", '.function "k"', "_main:"])


def kernel_of(statements: list[str]) -> Kernel:
    return read_kernel("\n".join([declarations(), *statements, "ret (M1, 1)"]) + "\n", "k.visaasm")


def statement(opcode: str, types: tuple[DataType, ...], mask: str = "M1_NM", size: int = 8) -> str:
    """One with elements of these types, the destinations first."""
    row = ROWS[opcode]
    name = {"cmp": "cmp.lt", "bfn": "bfn.xd8"}.get(opcode, opcode)
    results = [f"R{one.spelling}(0,0)<1>" for one in types[: row.results]]
    if opcode in NO_TYPES:
        results = [{"movs": "T6(0)", "setp": "P1", "addr_add": "A0(0)<1>"}[opcode]]
    region = "<0;1,0>" if opcode == "movs" else "<1;1,0>"
    sources = [f"A{one.spelling}(0,0){region}" for one in types[row.results :]]
    if opcode == "addr_add":
        sources[0] = "&Rud"
    size = {"movs": 1, "setp": 16}.get(opcode, size)
    predicate = "(P1) " if opcode == "sel" else ""
    return f"{predicate}{name} ({mask}, {size}) {' '.join(results + sources)}"


def combinations(row: Row) -> Iterator[tuple[DataType, ...]]:
    """All operands of one type; each operand of each type beside those of a form; each pair that a form names."""
    yield from ((one,) * row.operands for one in TYPES)
    for form in row.forms:
        allowed = [types or (DataType.UD,) for types in (*form.results, *form.sources)]
        base = [types[0] for types in allowed]
        for place, one in product(range(row.operands), TYPES):
            yield (*base[:place], one, *base[place + 1 :])
        yield from zip(*(types * (12 // len(types) + 1) for types in allowed), strict=False)


def described(instruction: Instruction, kernel: Kernel, platform: Platform = PLATFORM) -> bool:
    try:
        require_described(instruction, kernel, platform)
    except NotModelled as reason:
        assert f"page {ROWS[instruction.opcode].page}" in reason.what  # noqa: PT017
        return False
    return True


def statement_of(instruction: Instruction, kernel: Kernel) -> Run:
    """What it is lowered to."""
    return next(one for one in lowered(kernel, PLATFORM).run_statements() if one.origin is instruction)


def concrete_refusal(instruction: Instruction, kernel: Kernel) -> str:
    """Why the machine for single threads does not run the statement."""
    state = ConcreteState(PLATFORM, 0xFFFF, choices=Choices(0))
    state.registers = {CONTROL: bytearray((0x4C0).to_bytes(4, "little").ljust(16, b"\0"))}
    for one in TYPES:
        bits = {2: 0x3C00, 4: 0x3F80_0000, 8: 0x3FF0 << 48}[one.size] if one.floating else 1
        state.registers[f"A{one.spelling}"] = bytearray(bits.to_bytes(one.size, "little") * (1024 // one.size))
    add_zeros(lowered(kernel, PLATFORM), state)
    thread = Thread(Code(kernel, PLATFORM), state)
    try:
        thread._step(statement_of(instruction, kernel))
    except NotModelled as reason:
        return reason.what
    return ""


def symbolic_refusal(instruction: Instruction, kernel: Kernel) -> str:
    machine = Machine(
        lowered(kernel, PLATFORM),
        lambda name, byte: (symbol(f"{name}.{byte}", 8), 0),
        [true()] * 16,
        lambda name, place: bool_symbol(f"{name}.{place}"),
    )
    try:
        machine.step(statement_of(instruction, kernel))
    except NotModelled as reason:
        return reason.what
    return ""


def run_by_arrays(instruction: Instruction, kernel: Kernel) -> bool:
    threads = Threads(lowered(kernel, PLATFORM), {}, np.array([0xFFFF]), np.array([0]), {})
    return Compiler(threads, Arena(Memories())).step(statement_of(instruction, kernel), 0) is not None


MODELLED = sorted(opcode for opcode, row in ROWS.items() if not row.not_modelled)


@pytest.mark.parametrize("opcode", MODELLED)
def test_machines_take_the_types_of_the_row_and_no_others(opcode: str) -> None:
    row = ROWS[opcode]
    chosen = list(dict.fromkeys(combinations(row)))
    kernel = kernel_of([statement(opcode, types) for types in chosen])
    instructions = [one for one in kernel.statements if not isinstance(one, Label)][:-1]
    taken = 0
    for types, instruction in zip(chosen, instructions, strict=True):
        stopped = concrete_refusal(instruction, kernel)
        if described(instruction, kernel):
            taken += 1
            assert not stopped or (opcode in APPROXIMATE and any(why in stopped for why in NO_VALUE)), stopped
        else:
            assert f"page {row.page}" in stopped, types
            assert not run_by_arrays(instruction, kernel), types
            assert f"page {row.page}" in symbolic_refusal(instruction, kernel), types
    assert taken >= len(row.forms[0].results[0] or (1,))


@pytest.mark.parametrize("opcode", MODELLED)
def test_the_symbolic_machine_has_each_opcode(opcode: str) -> None:
    form = ROWS[opcode].forms[0]
    first = tuple((types or (DataType.UD,))[0] for types in (*form.results, *form.sources))
    kernel = kernel_of([statement(opcode, first)])
    instruction = next(kernel.instructions())
    assert symbolic_refusal(instruction, kernel) == ""


def test_a_type_beside_the_row_is_named_with_what_the_page_has() -> None:
    kernel = kernel_of([statement("lzd", (DataType.UD, DataType.Q))])
    with pytest.raises(NotModelled, match=r"lzd with Src0 of type :q, not ud: page LZD"):
        require_described(next(kernel.instructions()), kernel, PLATFORM)


@pytest.mark.parametrize(
    "text",
    [
        "and.sat (M1_NM, 8) Rud(0,0)<1> Aud(0,0)<1;1,0> Aud(0,0)<1;1,0>",
        "mul.sat (M1_NM, 8) Rud(0,0)<1> Aud(0,0)<1;1,0> Aud(0,0)<1;1,0>",
        "bfrev (M1_NM, 8) Rud(0,0)<1> (-)Aud(0,0)<1;1,0>",
        "add (M1_NM, 8) Rud(0,0)<1> (~)Aud(0,0)<1;1,0> Aud(0,0)<1;1,0>",
        "and (M1_NM, 8) Rud(0,0)<1> (-)Aud(0,0)<1;1,0> Aud(0,0)<1;1,0>",
        "(P1) cmp.eq (M1_NM, 8) P1 Aud(0,0)<1;1,0> Aud(0,0)<1;1,0>",
        "bfe (M1_NM, 2) Rud(0,0)<1> Aud(0,0)<1;1,0> Aud(0,0)<1;1,0> Aud(0,0)<1;1,0>",
        "lrp (M1_NM, 1) Rf(0,0)<1> r[A0(0),0]<0;1,0>:f Af(0,0)<1;1,0> Af(0,0)<1;1,0>",
        "fcvt (M1, 8) Rub(0,0)<1> Ahf(0,0)<1;1,0>",
        "mov (M1_NM, 8) Rud(0,0)<1> P1",
        "mov (M1_NM, 1) Ruw(0,0)<1> P1",
        "setp (M1_NM, 8) P1 0x1:uv",
        "mov (M1_NM, 8) A0(0)<1> 0x4:uw",
        "mov (M1_NM, 8) A0(0)<1> Auw(0,0)<1;1,0>",
        "mov.sat (M1_NM, 8) A0(0)<1> 0x0:uw",
        "mov (M1_NM, 1) T6(0) 0x0:ud",
    ],
)
def test_what_a_row_does_not_have_is_refused_by_all_machines(text: str) -> None:
    kernel = kernel_of([text])
    instruction = next(kernel.instructions())
    page = f"page {ROWS[instruction.opcode].page}"
    assert page in concrete_refusal(instruction, kernel)
    assert page in symbolic_refusal(instruction, kernel)
    assert not run_by_arrays(instruction, kernel)


def test_every_reading_of_a_row_is_named() -> None:
    assert {form.reading for row in ROWS.values() for form in row.forms} - {""} <= READINGS.keys()


def test_opcode_facts_are_those_of_the_rows() -> None:
    assert all(OPERANDS[opcode] == row.operands for opcode, row in ROWS.items())
    assert {opcode: row.results for opcode, row in ROWS.items() if row.results > 1} == DESTINATIONS
    assert all(is_known(opcode) is not bool(row.not_modelled) for opcode, row in ROWS.items())


def test_what_the_compilers_emit_is_described() -> None:
    emitted = [line.split() for line in EMITTED.read_text().splitlines() if not line.startswith("#")]
    for mnemonic, *names in emitted:
        opcode, *suffixes = mnemonic.split(".")
        text = statement(opcode, tuple(type_named("ud" if name == "P" else name) for name in names))
        text = text.replace("Rud(0,0)<1>", "P1", 1) if names[0] == "P" else text
        kernel = kernel_of([text.replace(f"{opcode} ", f"{mnemonic} ", 1) if suffixes else text])
        require_described(next(kernel.instructions()), kernel, PLATFORM)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["corpus", "corpus-2026"])
def test_every_statement_of_the_corpora_is_described(corpus: str) -> None:
    """On the device of its dump, which begins the name of the file; nothing is excused but what cannot be read."""
    folder = Path(__file__).parents[2] / ".." / "shared" / corpus / "visaasm"
    if not folder.is_dir():
        pytest.skip(f"no {corpus} beside the repository")
    unread, refused = set[str](), set[str]()
    for path in folder.rglob("*.visaasm"):
        platform = platform_named(DEVICES.get(path.name.split("-")[0], path.name.split("-")[0]))
        try:
            kernel = read_kernel(path.read_text(), path.name, grf_bytes=platform.grf_bytes)
        except ReadError:
            unread.add(path.parent.name)
            continue
        refused |= {one.text for one in kernel.instructions() if not described(one, kernel, platform)}
    assert refused == set()
    assert unread <= UNREAD.keys()


def test_check_names_forms_beside_a_row() -> None:
    statements = [statement("lzd", (DataType.UD, DataType.Q)), "movs (M1_NM, 1) Rd(0,0)<1> T6(0)"]
    text = "\n".join([declarations(), *statements, "ret (M1, 1)"]) + "\n"
    found = legality(text, "k.visaasm", PLATFORM, Mode.PAGE).not_modelled
    assert found is not None
    assert [what.rsplit(": ", 1)[1] for what in found] == ["page LZD", "page MOVS"]


def test_arrays_end_where_a_surface_is_moved_into_a_register() -> None:
    kernel = kernel_of(["movs (M1_NM, 1) Rud(0,0)<1> T6(0)", statement("mov", (DataType.UD, DataType.UD))])
    found = run_threads(kernel, PLATFORM, {}, np.array([0xFFFF, 1]), Memories(), np.array([0, 0]))
    assert [stop.thread for stop in found.not_modelled] == [0, 1]
    assert all("page MOVS" in stop.message for stop in found.not_modelled)


@pytest.mark.parametrize(("clear", "undefined"), [("", False), ("mov (M1_NM, 8) A0(0)<1> 0x0:uw", True)])
def test_arrays_clear_address_registers(clear: str, undefined: bool) -> None:
    """Those of all threads; what is read through them then is undefined."""
    through = "mov (M1, 8) Rud(0,0)<1> r[A0(0),0]<1,0>:ud"
    kernel = kernel_of(["addr_add (M1_NM, 8) A0(0)<1> &Aud 0x0:uw", clear, through])
    found = run_threads(kernel, PLATFORM, {}, np.array([0xFFFF, 1]), Memories(), np.array([0, 0]))
    assert found.not_modelled == ()
    assert [stop.thread for stop in found.undefined] == ([0, 1] if undefined else [])
