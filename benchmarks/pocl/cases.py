"""The launches that are compared: for each kernel sizes and random inputs for which its source is defined."""

import dataclasses
import random
import struct
from collections.abc import Callable

from msgspec.structs import replace

from benchmarks.pocl import cases_2026
from benchmarks.pocl.case import (
    ITEMS,
    Case,
    Data,
    Order,
    Scalar,
    Triple,
    both_floats,
    exact,
    name_of,
    permutation,
    plain,
    rounded,
    words,
    zeros,
)
from visaproof.decode.texels import Outside
from visaproof.execution.images import ImageShape

LUT = struct.pack("<16I", *(value.bit_count() for value in range(16)))


NOT_COMPARABLE = {
    "qw_inline_asm": "its source is inline vISA",
    "slm_race": "its result depends on the order of work items, by intent",
    "vc_oword_copy": "its source is LLVM IR for the VectorCompiler",
    "vc_scatter4": "its source is LLVM IR for the VectorCompiler",
    "vc_svm": "its source is LLVM IR for the VectorCompiler",
    "vc_typed_atomic": "its source is LLVM IR for the VectorCompiler",
    "vc_typed_rw": "its source is LLVM IR for the VectorCompiler",
}
"""Kernels whose source is not run, and why."""


REQUIRED_LANES = {"blk_copy": 16} | cases_2026.REQUIRED_LANES
"""Sub-groups that a source requires.  The compiler, forced to another width, emits code that does something else: with
8 lanes it copies the half of each block, but leaves the blocks 16 lanes apart."""

PRELUDES = {
    # cl_intel_subgroups, which PoCL 3.1 lacks, in terms of the work item: a block read gives it the words of its lane.
    "blk_copy": """
uint get_sub_group_id(void) { return get_local_id(0) / 16; }
uint get_num_sub_groups(void) { return (get_local_size(0) + 15) / 16; }
#define L (get_local_id(0) % 16)
#define intel_sub_group_block_read(p) ((p)[L])
#define intel_sub_group_block_write(p, v) ((p)[L] = (v))
#define MANY(N) \
uint##N intel_sub_group_block_read##N(global const uint *p) \
{ uint w[N]; for (int k = 0; k < N; k++) w[k] = p[16 * k + L]; return vload##N(0, w); } \
void intel_sub_group_block_write##N(global uint *p, uint##N v) \
{ uint w[N]; vstore##N(v, 0, w); for (int k = 0; k < N; k++) p[16 * k + L] = w[k]; }
MANY(2) MANY(4) MANY(8)
""",
    **cases_2026.PRELUDES,
}
"""What stands before a source so that PoCL can build it."""

TRANSCRIBED = {
    # The SPIR-V of spv_vecscale, statement by statement.
    "spv_vecscale": """
kernel void spv_vecscale(global const uint *in, global uint *out, global uint *cnt)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint s = x * y + in[get_global_id(0)];
    uint old = atomic_add(cnt, 1u);
    out[get_global_id(0)] = s + old;
}
""",
    **cases_2026.TRANSCRIBED,
}
"""Sources in a language that PoCL does not read, in OpenCL C."""


def cases(kernel: str, seed: int = 1) -> list[Case]:
    """The launches of a kernel.  Raises KeyError for one without."""
    return _CASES[kernel](random.Random(f"{kernel} {seed}"))


def known() -> set[str]:
    """The kernels with launches."""
    return set(_CASES)


# ---------------------------------------------------------------- launches


def _aos2soa(generator: random.Random) -> list[Case]:
    records = b"".join(generator.randbytes(8) + rounded(generator, 1) + generator.randbytes(4) for _ in range(ITEMS))
    return [Case("random", (Data(records), *map(zeros, (4 * ITEMS, 4 * ITEMS, 4 * ITEMS, 2 * ITEMS))))]


def _atomics_mixed(generator: random.Random) -> list[Case]:
    table = words(generator, 32)
    distinct = struct.pack("<8I", *(8 * generator.randrange(1 << 29) + k for k in generator.sample(range(8), 8)))
    many = words(generator)
    return [
        Case("one item per word", (Data(table), Data(distinct), zeros(32)), (8, 1, 1), (8, 1, 1)),
        Case("random", (Data(table), Data(many), Data(bytes(4 * ITEMS), Order.NOTHING))),
    ]


def _compaction(generator: random.Random) -> list[Case]:
    source, threshold = words(generator), generator.randrange(-(1 << 30), 1 << 30)
    buffers = (Data(source), Data(bytes(4 * ITEMS), Order.ANY), zeros(4))
    return [Case("random", (*buffers, Scalar("i", threshold)))]


def _conflicting(size: int) -> Callable[[random.Random], list[Case]]:
    """One work item is defined, and more of them are not."""

    def make(generator: random.Random) -> list[Case]:
        buffers = Data(generator.randbytes(size * ITEMS)), zeros(size * ITEMS)
        return [
            Case("one item", buffers, (1, 1, 1), (1, 1, 1)),
            Case("conflicts", buffers, undefined=True),
        ]

    return make


def _dscatter(generator: random.Random) -> list[Case]:
    doubles = struct.pack(f"<{ITEMS}d", *(generator.uniform(-1e6, 1e6) for _ in range(ITEMS)))
    return [Case("random", (Data(doubles), Data(permutation(generator)), zeros(8 * ITEMS)))]


def _histogram(generator: random.Random) -> list[Case]:
    return [Case("random", (Data(generator.randbytes(500)), Data(words(generator, 256)), Scalar("I", 500)))]


def _matmul(floats: Callable[[int], bytes], ulps: int | None, _: random.Random) -> Case:
    n = 12
    out = Data(bytes(4 * n * n), ulps=ulps)
    return Case(name_of(ulps), (Data(floats(n * n)), Data(floats(n * n)), out, Scalar("I", n)), (n, n, 1), (n, 2, 1))


def _permute_gather(generator: random.Random) -> list[Case]:
    buffers = Data(words(generator)), Data(words(generator, below=ITEMS)), zeros(4 * ITEMS)
    return [Case("random", buffers)]


def _permute_scatter(generator: random.Random) -> list[Case]:
    buffers = Data(words(generator)), Data(permutation(generator)), zeros(4 * ITEMS)
    return [
        Case("permutation", buffers),
        Case("conflicts", (buffers[0], zeros(4 * ITEMS), buffers[2]), undefined=True),
    ]


def _stack(generator: random.Random) -> list[Case]:
    numbers = words(generator, 12 * ITEMS)
    return [Case("random", (Data(numbers), Data(words(generator)), Scalar("I", 12)))]


def _saxpy(floats: Callable[[int], bytes], ulps: int | None, _: random.Random) -> Case:
    y, x = Data(floats(ITEMS), ulps=ulps), Data(floats(ITEMS))
    (a,) = struct.unpack("<f", floats(1))
    return Case(name_of(ulps), (y, x, Scalar("f", a), Scalar("I", ITEMS - 7)))


def _spmv(floats: Callable[[int], bytes], ulps: int | None, generator: random.Random) -> Case:
    rows = [0]
    for _ in range(ITEMS):
        rows.append(rows[-1] + generator.randrange(6))
    row, col = struct.pack(f"<{ITEMS + 1}I", *rows), words(generator, rows[-1], below=40)
    out = Data(bytes(4 * ITEMS), ulps=ulps)
    arguments = (Data(row), Data(col), Data(floats(rows[-1])), Data(floats(40)), out, Scalar("I", ITEMS - 3))
    return Case(name_of(ulps), arguments)


def _stencil(floats: Callable[[int], bytes], ulps: int | None, _: random.Random) -> Case:
    return Case(name_of(ulps), (Data(floats(ITEMS + 2)), Data(bytes(4 * (ITEMS + 2)), ulps=ulps)))


def _local(size: int, grid: Triple, group: Triple, *scalars: int) -> Callable[[random.Random], list[Case]]:
    """A launch of a kernel that moves what `size` bytes hold, with groups as its source requires."""

    def make(generator: random.Random) -> list[Case]:
        arguments = Data(rounded(generator, size // 4)), zeros(size), *(Scalar("I", value) for value in scalars)
        return [Case("random", arguments, grid, group)]

    return make


def _block_copy(generator: random.Random) -> list[Case]:
    """Groups of two sub-groups of 16 work items, each of which copies 240 dwords."""
    size = 4 * 240 * 2 * 3
    return [Case("random", (Data(generator.randbytes(size)), zeros(size)), (96, 1, 1), (32, 1, 1))]


def _vecscale(generator: random.Random) -> list[Case]:
    """One row of work items at a time; the counter's old value tells which one came first."""
    buffers = Data(words(generator)), Data(bytes(4 * ITEMS), Order.NOTHING), Data(words(generator, 1))
    one = Data(words(generator)), zeros(4 * ITEMS), Data(words(generator, 1))
    return [Case("random", buffers), Case("one item", one, (1, 1, 1), (1, 1, 1))]


_W, _H = 16, 8
_transpose = _local(4 * _W * _W, (_W, _H, 1), (8, 4, 1), _W, _H)
_gray = plain(4 * ITEMS, ITEMS, 2 * ITEMS, outputs=2)
_copy16 = plain(16 * ITEMS, 16 * ITEMS, scalars=(Scalar("I", ITEMS - 5),))
_pairs = plain(4 * ITEMS, 4 * ITEMS)
_oob = plain(4 * ITEMS, 4 * ITEMS, scalars=(Scalar("I", ITEMS - 10),))

# ---------------------------------------------------------------- images


PICTURE = ImageShape((24, 8))
PICTURE_GROUP = (12, 2, 1)


def _picture(case: Case) -> Case:
    return dataclasses.replace(case, grid=(*PICTURE.extents, 1), group=PICTURE_GROUP)


def _img_invert(generator: random.Random) -> list[Case]:
    source = Data(generator.randbytes(PICTURE.size), image=PICTURE)
    return [_picture(Case("random", (source, replace(source, content=bytes(PICTURE.size)))))]


def _img_rw(generator: random.Random) -> list[Case]:
    content = exact(generator, PICTURE.size // 4)
    return [_picture(Case("in place", (Data(content, ulps=0, image=PICTURE), Scalar("i", 0))))]


def _img_box3(generator: random.Random) -> list[Case]:
    source = Data(exact(generator, PICTURE.size // 4), ulps=1, image=PICTURE)
    target = replace(source, content=bytes(PICTURE.size))
    return [_picture(Case("edges", (source, target), sampler=Outside.EDGE))]


_CASES: dict[str, Callable[[random.Random], list[Case]]] = {
    "aos2soa": _aos2soa,
    "aos2soa_b": _aos2soa,
    "atomics_mixed": _atomics_mixed,
    "blk_copy": _block_copy,
    "compaction": _compaction,
    "conflict_div": _conflicting(1),
    "const_lut": lambda generator: [
        dataclasses.replace(case, symbols=(LUT,)) for case in plain(4 * ITEMS, 16, 4 * ITEMS)(generator)
    ],
    "copy16": _copy16,
    "copy16_b": _copy16,
    "dscatter": _dscatter,
    "gray_bytes": _gray,
    "gray_bytes_b": _gray,
    "histogram_slm": _histogram,
    "img_box3": _img_box3,
    "img_invert": _img_invert,
    "img_rw": _img_rw,
    "lane_conflict": _conflicting(4),
    "lane_conflict_b": _pairs,
    "lane_conflict_fixed": _pairs,
    "matmul4": both_floats(_matmul, 12),
    "oob_offbyone": _oob,
    "oob_offbyone_fixed": _oob,
    "permute_gather": _permute_gather,
    "permute_scatter": _permute_scatter,
    "priv_array": plain(64 * ITEMS, 4 * ITEMS),
    "priv_stack": _stack,
    "qw_reverse": plain(8 * ITEMS, 8 * ITEMS, scalars=(Scalar("I", ITEMS),)),
    "saxpy_guard": both_floats(_saxpy, 1),
    "scan_slm": _local(512, (128, 1, 1), (64, 1, 1)),
    "slm_race_fixed": _local(512, (128, 1, 1), (64, 1, 1)),
    "spmv_csr": both_floats(_spmv, 6),
    "spv_vecscale": _vecscale,
    "stencil3": both_floats(_stencil, 2),
    "swap_pairs": _pairs,
    "swap_pairs_b": _pairs,
    "swap_pairs_c": _pairs,
    "tile_copy_slm": _local(16 * 256, (16, 16, 1), (8, 8, 1), 16),
    "transpose_naive": _transpose,
    "transpose_naive_b": _transpose,
    "transpose_naive_bad": _transpose,
    "transpose_slm": _local(4 * 512, (32, 16, 1), (16, 16, 1), 32, 16),
    "uniform_sum": plain(64, 4 * ITEMS),
    "vadd": plain(4 * ITEMS, 4 * ITEMS, 4 * ITEMS),
    **cases_2026.CASES,
}
