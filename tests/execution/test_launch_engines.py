"""Both engines of `visaproof run`: the same bytes, the same ending, the same place where a launch is undefined."""

import dataclasses
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks.pocl.__main__ import entries
from benchmarks.pocl.case import Case, Data, Scalar
from benchmarks.pocl.cases import NOT_COMPARABLE, REQUIRED_LANES, cases
from benchmarks.pocl.comparison import Entry, run_case
from visaproof.execution import arrays as launch_arrays
from visaproof.execution.arguments import LocalBytes, prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.payload import Payloads, Program
from visaproof.execution.payload_arrays import GroupPayload
from visaproof.execution.run import Engine, Ran, run_launch
from visaproof.execution.shape import Shape, ThreadId
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option, read_launch
from visaproof.machine.arrays.result import Result, Stop
from visaproof.machine.arrays.run import run_threads
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parent.parent / "data"
LAUNCHES = DATA / "launches"
FOLDERS = (DATA, LAUNCHES)
FILES = [(folder, entry) for folder in FOLDERS for entry in entries(folder / "manifest.json", folder)]


def program(file: str, folder: Path = DATA) -> Program:
    kernel = read_program(folder / "visaasm" / f"{file}.visaasm")
    launch = read_launch(folder / "manifest.json", kernel)
    assert launch.platform is not None
    return Program(kernel, launch, launch.platform)


Ending = tuple[object, ...]


def ending(ran: Ran) -> Ending:
    outside = sorted((one.memory, str(one.position), one.size, one.count) for one in ran.outside)
    return ran.undefined, ran.threads, ran.barriers, outside


def both(
    code: Program, shape: Shape, buffers: dict[int, bytes], arguments: dict[int, str] | None = None
) -> list[Ending]:
    """How the launch ends, and what the buffers hold if it is defined, by either engine."""
    found: list[Ending] = []
    for run in (run_launch, run_on_arrays):
        values, memory = prepare(code, shape, arguments or {}, dict[int, bytes | LocalBytes](buffers))
        ran = run(code, values, memory)
        held = [bytes(each.data) for each in memory.buffers.values()] if ran.undefined is None else []
        found.append((*ending(ran), held))
    return found


@cache
def first_cases(kernel: str) -> tuple[Case, ...]:
    return tuple(cases(kernel))[:2]


def compiled(entry: Entry) -> bool:
    return entry.kernel not in NOT_COMPARABLE


def endings(code: Program, case: Case) -> list[Ending]:
    """How the launch ends by either engine, and what the buffers hold if it is defined."""
    found: list[Ending] = []
    for engine in Engine:
        try:
            ran, held = run_case(code, case, engine)
            found.append((*ending(ran), held if ran.undefined is None else None))
        except NotModelled as error:
            found.append((str(error),))
    return found


def shortened(data: Data | Scalar) -> Data | Scalar:
    """A buffer without its last third, in whole dwords."""
    if not isinstance(data, Data) or data.image is not None:
        return data
    return replace(data, content=data.content[: len(data.content) // 6 * 4])


COMPILED = pytest.mark.parametrize(
    ("folder", "entry"),
    [pair for pair in FILES if compiled(pair[1])],
    ids=lambda item: f"{item.kernel}/{item.variant}" if isinstance(item, Entry) else "",
)


def compared(folder: Path, entry: Entry) -> Program:
    code = program(str(entry.file.relative_to(folder / "visaasm").with_suffix("")), folder)
    if code.simd != REQUIRED_LANES.get(entry.kernel, code.simd):
        pytest.skip("its source requires another SIMD width")
    return code


@pytest.mark.slow(but=6)
@COMPILED
def test_the_engines_agree(folder: Path, entry: Entry) -> None:
    """Surfaces, addresses, shared local memory, barriers, atomics, undefined launches: bytes, counts, place, lane."""
    code = compared(folder, entry)
    for case in first_cases(entry.kernel):
        one, other = endings(code, case)
        assert one == other, case.name


@pytest.mark.slow(but=6)
@COMPILED
def test_the_engines_see_the_same_accesses_outside(folder: Path, entry: Entry) -> None:
    code = compared(folder, entry)
    case = first_cases(entry.kernel)[0]
    one, other = endings(code, dataclasses.replace(case, arguments=tuple(map(shortened, case.arguments))))
    assert one == other


@pytest.mark.parametrize("engine", [run_launch, run_on_arrays])
def test_accesses_outside_are_counted_with_the_first_of_them(engine: Callable[..., Ran]) -> None:
    """96 dwords of `out`, of which 64 are there, in groups of 8 on one thread each; the inputs are whole."""
    code, sizes = program("vadd/tgllp-O2-simd8"), (384, 384, 256)
    values, memory = prepare(code, Shape((96, 1, 1), (8, 1, 1)), {}, {k: bytes(size) for k, size in enumerate(sizes)})
    (found,) = engine(code, values, memory).outside
    assert (found.memory, found.size, found.address, found.count) == ("argument 2 (c)", 256, 256, 32)
    assert found.thread == ThreadId((8, 0, 0), 0)


# ---------------------------------------------------------------- where a launch is undefined


def test_the_first_thread_without_a_meaning_is_told_with_its_lane() -> None:
    """Threads of many groups leave the buffer at once; the groups run thread after thread until the first does."""
    one, other = both(
        program("vadd/tgllp-O2-simd8-a64"), Shape((96, 1, 1), (8, 1, 1)), {index: bytes(84) for index in range(3)}
    )
    assert one == other
    undefined = one[0]
    assert getattr(undefined, "thread", None) == ThreadId((2, 0, 0), 0)
    assert getattr(undefined, "lane", None) == 5


def test_groups_behind_the_first_chunk_are_named_by_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """One group at a time."""
    monkeypatch.setattr(launch_arrays, "MOST_BYTES", 1)
    code, buffers = program("vadd/tgllp-O2-simd8-a64"), {index: bytes(84) for index in range(3)}
    one, other = both(code, Shape((96, 1, 1), (8, 1, 1)), buffers)
    assert one == other
    one, other = both(code, Shape((20, 1, 1), (4, 1, 1)), buffers)
    assert one == other
    assert one[0] is None


def small(body: str) -> Program:
    text = f"""
.version 4.1
.kernel "k"
.decl ID v_type=G type=w num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input ID offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>
{body}
_end:
    ret (M1, 1)
"""
    kernel = read_kernel(text.lstrip(), "k.visaasm")
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, [parse_input_option("ID=local_id_x")]), slm_bytes=64)
    return Program(kernel, launch, Platform.TGLLP)


def test_atomics_on_qwords_add_up() -> None:
    """The arrays leave them to the machine for single threads: two groups, and lanes 0 to 7 on two qwords."""
    body = """    and (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x1:ud
    mul (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x8:ud
    mov (M1, 8) Q(0,0)<1> X(0,0)<1;1,0>
    mul (M1, 8) Q(0,0)<1> Q(0,0)<1;1,0> 0x40000000:ud
    lsc_atomic_iadd.ugm (M1, 8) %null:d64 bti(0x0)[A]:a32 Q %null"""
    code = small(body)
    code = replace(code, platform=Platform.DG2, launch=replace(code.launch, binding_table={0: 0}))
    one, other = both(code, Shape((16, 1, 1), (8, 1, 1)), {0: bytes(16)})
    assert one == other
    sums = [2 * sum(range(first, 8, 2)) << 30 for first in (0, 1)]
    assert one[-1] == [b"".join(each.to_bytes(8, "little") for each in sums)]


@pytest.mark.parametrize(("limit", "message"), [("0x3", "divergent"), ("0x8", "thread 0 has ended")])
def test_a_barrier_that_not_all_reach_has_no_meaning(limit: str, message: str) -> None:
    body = f"    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> {limit}:ud\n    (P1) goto (M1, 8) _end\n    barrier"
    one, other = both(small(body), Shape((32, 1, 1), (16, 1, 1)), {})
    assert one == other
    assert message in str(one[0])


def test_tagged_addresses_of_shared_local_memory_are_the_others() -> None:
    """What is written with the tag is read without; lane 0 without it and lane 1 with it are on one byte."""
    four_times = "    mul (M1, 8) A(0,0)<1> {}(0,0)<1;1,0> 0x4:ud\n"
    tagged = four_times.format("X") + "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x10000000:ud\n"
    store = "    scatter4_scaled.R (M1, 8) %slm 0x0:ud A.0 X.0\n"
    shape = Shape((8, 1, 1), (8, 1, 1))
    one, other = both(small(tagged + store), shape, {})
    assert one == other
    assert one[0] is None
    lane_0 = "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x1:ud\n    (P1) mov (M1, 8) A(0,0)<1> 0x4:ud\n"
    one, other = both(small(tagged + lane_0 + store), shape, {})
    assert one == other
    assert "lanes 0 and 1 both write byte 0x" in str(one[0])
    load = four_times.format("X") + "    gather4_scaled.R (M1, 8) %slm 0x0:ud A.0 A.0\n"
    differ = "    xor (M1, 8) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<1;1,0>\n" + four_times.format("A")
    one, other = both(
        small(tagged + store + load + differ + store), shape, {}
    )  # all lanes write byte 0 if they are equal
    assert one == other
    assert "lanes 0 and 1 both write byte 0x0" in str(one[0])


def test_a_bit_that_no_constant_sets_is_no_tag() -> None:
    """Then lanes write outside, and not one byte of shared local memory, by either engine."""
    computed = "    shl (M1, 8) A(0,0)<1> 0x1:ud 0x1c:ud\n"
    store = "    scatter4_scaled.R (M1, 8) %slm 0x0:ud A.0 X.0\n"
    one, other = both(small(computed + store), Shape((8, 1, 1), (8, 1, 1)), {})
    assert one == other
    assert one[0] is None


def test_what_is_not_modelled_is_told_alike() -> None:
    code = small("    nothing_known (M1, 8) X(0,0)<1> X(0,0)<1;1,0>")
    values, memory = prepare(code, Shape((8, 1, 1), (8, 1, 1)), {}, {})
    told: list[str] = []
    for run in (run_launch, run_on_arrays):
        with pytest.raises(NotModelled) as error:
            run(code, values, memory)
        told.append(str(error.value))
    assert told == ["k.visaasm:13:5: opcode nothing_known"] * 2


def test_a_surface_of_no_known_argument_is_refused() -> None:
    code = replace(program("vadd/tgllp-O2-simd8"), launch=NOTHING_KNOWN)
    values, memory = prepare(code, Shape((8, 1, 1), (8, 1, 1)), {}, {})
    for run in (run_launch, run_on_arrays):
        with pytest.raises(ReadError, match="which argument surface 'bti 0' is"):
            run(code, values, memory)


@pytest.mark.slow
@pytest.mark.parametrize(("first", "times"), [(64, 2), (1 << 10, 1), (1 << 14, 0)])
def test_groups_get_more_private_memory_where_it_was_too_little(
    first: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scalar machine runs a group for which it is not enough, whose private memory grows with its use."""
    code = program("scan_slm/tgllp-O0-simd8", LAUNCHES)
    monkeypatch.setattr(launch_arrays, "FIRST_PRIVATE", first)
    alone: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Ran:
        alone.append(first)
        return run_launch(*arguments, **options)

    monkeypatch.setattr(launch_arrays, "run_launch", counted)
    buffers = {0: bytes(range(256)) * 3, 1: bytes(768)}
    endings: list[Ending] = []
    for run in (run_launch, run_on_arrays):
        values, memory = prepare(code, Shape((192, 1, 1), (64, 1, 1)), {}, buffers, pad=True)
        endings.append((*ending(run(code, values, memory)), bytes(memory.buffers[1].data)))
    assert endings[0] == endings[1]
    assert endings[0][0] is None
    assert len(alone) == times


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("group", [0, 2, 4])
def test_a_group_that_is_run_alone_comes_in_its_turn(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays stop a thread that is defined, as if memory were missing; each group counts once."""

    def stopping(*arguments: Any, **options: Any) -> Result:
        result = run_threads(*arguments, **options)
        if len(result.barriers) < 5:
            return result
        stop = Stop(Position("k", 1, 1), len(arguments[5]) // 5 * group + 1, "stopped")
        return replace(result, undefined=(stop,))

    monkeypatch.setattr(launch_arrays, "run_threads", stopping)
    monkeypatch.setattr(launch_arrays, "_takes_private", lambda _: True)
    source = bytes(k % 7 for k in range(160))
    code, shape = program("histogram_slm/tgllp-O2-simd8", LAUNCHES), Shape((160, 1, 1), (32, 1, 1))
    one, other = both(code, shape, {0: source, 1: bytes(1024)}, {2: "160"})
    assert one == other
    assert one[0] is None


# ---------------------------------------------------------------- the payload


@pytest.mark.parametrize("variant", ["tgllp-O2-simd8-a64", "pvc-O2-simd16", "dg2-O2-lsc-simd16"])
def test_each_thread_has_its_row_of_the_payload(variant: str) -> None:
    code = program(f"vadd/{variant}")
    shape = Shape((12, 6, 4), (6, 3, 2), (7, 8, 9))
    values, _ = prepare(code, shape, {}, {0: bytes(4), 1: bytes(4), 2: bytes(4)})
    payload, one_by_one = GroupPayload(code, values), Payloads(code, values)
    arrays = payload.of(range(3, 7))
    for row, mask in enumerate(arrays.masks.tolist()):
        group, number = shape.group(3 + row // payload.threads), row % payload.threads
        state = one_by_one.state(ThreadId(group, number), number, {})
        assert state.exec_mask == mask
        assert {name: bytes(rows[row]) for name, rows in arrays.registers.items()} == {
            name: bytes(held) for name, held in state.registers.items()
        }
    assert arrays.groups.tolist() == [k // payload.threads for k in range(4 * payload.threads)]
