"""The launches of the kernels that only the corpus of 2026 has."""

import random
import struct
from collections.abc import Callable

from benchmarks.pocl.case import (
    ITEMS,
    Case,
    Data,
    Order,
    Scalar,
    both_floats,
    name_of,
    plain,
    words,
    zeros,
)

REQUIRED_LANES = {"block2d_copy": 16, "dpas_half": 16, "sg_ops": 16}

PRELUDES = {
    "bf16_convert": """
ushort __attribute__((overloadable)) intel_convert_bfloat16_as_ushort(float x)
{ uint u = as_uint(x); return isnan(x) ? u >> 16 | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16; }
float __attribute__((overloadable)) intel_convert_as_bfloat16_float(ushort w) { return as_float((uint)w << 16); }
""",
    # The functions of the source are declared in it: here they are of the work item, whose lane has one column.
    "block2d_copy": """
#define INSIDE(K) (x >= 0 && 4 * x + 3 < w && c.y + K >= 0 && c.y + K < h)
#define AT(K) ((global uint *)((global char *)base + (c.y + K) * pitch + 4 * x))
#define BLOCK(NAME, STATEMENT) \
void __attribute__((overloadable)) NAME(global void *base, int w, int h, int pitch, int2 c, private uint *d) \
{ int x = c.x + (int)get_local_id(0) % 16; for (int k = 0; k < 8; k++) STATEMENT; }
BLOCK(intel_sub_group_2d_block_read_32b_8r16x1c, d[k] = INSIDE(k) ? *AT(k) : 0)
BLOCK(intel_sub_group_2d_block_write_32b_8r16x1c, if (INSIDE(k)) *AT(k) = d[k])
""",
    "split_barrier": """
#define intel_work_group_barrier_arrive(F)
#define intel_work_group_barrier_wait(F) barrier(F)
""",
}
"""What stands before a source so that PoCL can build it."""

TRANSCRIBED = {
    "dpas_half": """
float low(uint w, int odd) { ushort h = w >> 16 * odd; return vload_half(0, (private half *)&h); }
kernel void dpas_half(global const ushort *a, global const uint *b, global float *c)
{
    uint l = get_local_id(0), t = get_group_id(0);
    for (int k = 0; k < 8; k++) {
        float s = c[t * 128 + k * 16 + l];
        for (int j = 0; j < 16; j++) s += low(a[t * 128 + k * 16 + j], 0) * low(b[j / 2 * 16 + l], j % 2);
        c[t * 128 + k * 16 + l] = s;
    }
}
""",
    # PoCL has no generic pointers: both ways of the choice.
    "generic_ptr": """
kernel void generic_ptr(global const int *src, global int *dst, int which)
{
    local int t[64];
    uint l = get_local_id(0), g = get_global_id(0);
    t[l] = src[g] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    global const int *own = src + get_group_id(0) * get_local_size(0);
    dst[g] = (l & 1) == (uint)which ? t[l] * 2 + t[0] : own[l] * 2 + own[0];
}
""",
    # PoCL has no half arithmetic on this CPU: each operation in floats, which are exact here, and then rounded.
    "half_math": """
kernel void half_math(global const half *x, global const float *y, global half *out, global float *wide)
{
    uint i = get_global_id(0);
    ushort rounded;
    vstore_half_rte(y[i], 0, (private half *)&rounded);
    float h = vload_half(i, x), g = vload_half(0, (private half *)&rounded);
    vstore_half_rte(h * g + 1.0f, i, out);
    wide[i] = fmax(h, g) + h;
    vstore_half_rtz(y[i] * 0.5f, i + get_global_size(0), out);
}
""",
    # Sub-groups of 16, by the work items of the group.
    "sg_ops": """
kernel void sg_ops(global const int *src, global int *dst)
{
    uint i = get_global_id(0), n = get_global_size(0), l = get_local_id(0) % 16;
    global const int *v = src + i - l;
    int sum = 0, before = 0, most = v[0];
    for (uint k = 0; k < 16; k++) { sum += v[k]; if (k < l) before += v[k]; most = max(most, v[k]); }
    dst[i] = sum;
    dst[n + i] = before;
    dst[2 * n + i] = most;
    dst[3 * n + i] = v[5];
    dst[4 * n + i] = v[v[l] & 15];
    dst[5 * n + i] = v[l ^ 3];
    dst[6 * n + i] = l < 15 ? v[l + 1] : 0;
}
""",
}
"""Sources that PoCL does not build, in OpenCL C that it does."""


def _bf16(generator: random.Random) -> list[Case]:
    """Floats halfway between two neighbours as well, and those that round up to the next power of two."""
    edges = (0x3F80_8000, 0x3F81_8000, 0x3F80_8001, 0x3F80_7FFF, 0x7F7F_FFFF, 0x3FFF_FFFF, 0x8000_0000, 0x7F80_0000)
    patterns = [*edges, *(generator.randrange(0x3000_0000, 0x4F00_0000) for _ in range(ITEMS - len(edges)))]
    return [Case("random", (Data(struct.pack(f"<{ITEMS}I", *patterns)), zeros(2 * ITEMS), zeros(4 * ITEMS)))]


def _bitonic(generator: random.Random) -> list[Case]:
    return [Case("random", (Data(words(generator, 256)),), (128, 1, 1), (64, 1, 1))]


def _block2d(generator: random.Random) -> list[Case]:
    """A picture of 32 by 16 dwords in rows of 40, and one that ends in the middle of tiles."""
    size = 4 * 40 * 16
    buffers = Data(generator.randbytes(size)), Data(generator.randbytes(size))
    return [
        Case(name, (*buffers, *(Scalar("i", value) for value in (width, height, 160))), (32, 2, 1), (16, 1, 1))
        for name, width, height in (("whole tiles", 128, 16), ("cut tiles", 96, 13))
    ]


def _callee(generator: random.Random) -> list[Case]:
    return [Case("random", (Data(words(generator, 5 * ITEMS)), zeros(4 * ITEMS), Scalar("i", 5)))]


def _divmod(generator: random.Random) -> list[Case]:
    """By constants and variables of both signs, with the least and the greatest number."""
    edges = (0, 1, -1, 6, -7, 2**31 - 1, -(2**31))
    a = [*edges, *(generator.randrange(-(2**31), 2**31) for _ in range(ITEMS - len(edges)))]
    b = [generator.randrange(1 << generator.randrange(1, 33)) for _ in range(ITEMS)]
    buffers = Data(struct.pack(f"<{ITEMS}i", *a)), Data(struct.pack(f"<{ITEMS}I", *b))
    return [Case(f"by {d}", (*buffers, zeros(4 * ITEMS), zeros(4 * ITEMS), Scalar("i", d))) for d in (13, -7, 1)]


def _double_axpy(generator: random.Random) -> list[Case]:
    x, y = (struct.pack(f"<{ITEMS}d", *(generator.uniform(-1e6, 1e6) for _ in range(ITEMS))) for _ in range(2))
    return [Case("random", (Data(x), Data(y), Scalar("d", generator.uniform(-2, 2)), zeros(4 * ITEMS)))]


def _halves(values: list[float]) -> bytes:
    return struct.pack(f"<{len(values)}e", *values)


def _dpas(generator: random.Random) -> list[Case]:
    """Small whole numbers, whose sums are exact in any order."""
    a, b = (_halves([float(generator.randrange(-8, 9)) for _ in range(n)]) for n in (256, 256))
    c = struct.pack("<256f", *(float(generator.randrange(-99, 99)) for _ in range(256)))
    return [Case("random", (Data(a), Data(b), Data(c)), (32, 1, 1), (16, 1, 1))]


def _gemm(floats: Callable[[int], bytes], ulps: int | None, _: random.Random) -> Case:
    n = 16
    out = Data(bytes(4 * n * n), ulps=ulps)
    return Case(name_of(ulps), (Data(floats(n * n)), Data(floats(n * n)), out, Scalar("I", n)), (n, n, 1), (8, 8, 1))


def _generic(generator: random.Random) -> list[Case]:
    """Half of the items read local memory, the others the group's part of the buffer."""
    buffers = Data(words(generator, 64)), zeros(4 * 64)
    return [Case(f"which {k}", (*buffers, Scalar("i", k)), (64, 1, 1), (32, 1, 1)) for k in (0, 1)]


def _half_math(generator: random.Random) -> list[Case]:
    """Products are exact, so that it does not matter whether they are rounded before the sum."""
    x = _halves([generator.choice([0.0, 1.0, -1.0, 2.0, -0.5]) for _ in range(ITEMS)])
    y = struct.pack(f"<{ITEMS}f", *(generator.randrange(-(1 << 15), 1 << 15) / 4096 for _ in range(ITEMS)))
    return [Case("random", (Data(x), Data(y), zeros(4 * ITEMS), zeros(4 * ITEMS)))]


def _hash_insert(generator: random.Random) -> list[Case]:
    """Keys with slots of their own, and keys that meet: then only what the table holds is determined."""
    mask, inverse = 255, pow(2654435761, -1, 1 << 32)
    apart = [inverse * (h | generator.randrange(1, 1 << 24) << 8) % (1 << 32) for h in generator.sample(range(256), 96)]
    meeting = [inverse * (h % 64 | (k + 1) << 8) % (1 << 32) for k, h in enumerate(generator.sample(range(256), 96))]

    def case(name: str, keys: list[int], table: Order, slot: Order) -> Case:
        content = Data(struct.pack("<96I", *keys))
        return Case(name, (content, Data(bytes(1024), table), Scalar("I", mask), Data(bytes(384), slot)))

    return [
        case("apart", apart, Order.EXACT, Order.EXACT),
        case("meeting", meeting, Order.ANY, Order.NOTHING),
    ]


def _prefetch(floats: Callable[[int], bytes], ulps: int | None, _: random.Random) -> Case:
    """As many iterations as the buffer has rows: what is fetched ahead of the last ones is outside."""
    n = 6
    return Case(name_of(ulps), (Data(floats(4 * n * ITEMS)), Data(bytes(4 * ITEMS), ulps=ulps), Scalar("I", n)))


def _printf(generator: random.Random) -> list[Case]:
    """Few items print."""
    numbers = [generator.randrange(1 << 31) for _ in range(ITEMS)]
    silent = struct.pack(f"<{ITEMS}i", *numbers)
    numbers[3], numbers[50] = -7, -8
    return [
        Case(name, (Data(source), zeros(4 * ITEMS)), symbols=(b"item %u has %d\n\0",))
        for name, source in (("silent", silent), ("prints", struct.pack(f"<{ITEMS}i", *numbers)))
    ]


def _sub_groups(generator: random.Random) -> list[Case]:
    return [Case("random", (Data(words(generator)), zeros(4 * 7 * ITEMS)), (ITEMS, 1, 1), (32, 1, 1))]


def _softmax(generator: random.Random) -> list[Case]:
    """OpenCL leaves the precision of native_exp to the device."""
    n = 150
    x = struct.pack(f"<{2 * n}f", *(generator.uniform(-4, 4) for _ in range(2 * n)))
    return [Case("native", (Data(x), Data(bytes(8 * n), ulps=64), Scalar("I", n)), (128, 1, 1), (64, 1, 1))]


def _split_barrier(generator: random.Random) -> list[Case]:
    return [Case("random", (Data(words(generator)), zeros(4 * ITEMS)), (ITEMS, 1, 1), (48, 1, 1))]


def _tree_walk(generator: random.Random) -> list[Case]:
    """A search tree of 40 keys; every second query is one of them."""
    keys = generator.sample(range(-1000, 1000), 40)
    nodes: list[list[int]] = []
    for key in keys:
        nodes.append([key, -1, -1, generator.randrange(1 << 31)])
        at = 0
        while len(nodes) > 1:
            side = 1 if key < nodes[at][0] else 2
            if nodes[at][side] == -1:
                nodes[at][side] = len(nodes) - 1
                break
            at = nodes[at][side]
    queries = [generator.choice(keys) if k % 2 else generator.randrange(-1000, 1000) for k in range(ITEMS)]
    tree = struct.pack(f"<{4 * len(nodes)}i", *(number for node in nodes for number in node))
    return [Case("random", (Data(tree), Data(struct.pack(f"<{ITEMS}i", *queries)), zeros(4 * ITEMS)))]


def _wg_scan(generator: random.Random) -> list[Case]:
    return [Case("random", (Data(words(generator, 256)), zeros(1024), zeros(8)), (256, 1, 1), (128, 1, 1))]


CASES: dict[str, Callable[[random.Random], list[Case]]] = {
    "bf16_convert": _bf16,
    "bitonic_sort": _bitonic,
    "block2d_copy": _block2d,
    "callee": _callee,
    "divmod": _divmod,
    "double_axpy": _double_axpy,
    "dpas_half": _dpas,
    "gemm_tiled": both_floats(_gemm, 16),
    "generic_ptr": _generic,
    "half_math": _half_math,
    "hash_insert": _hash_insert,
    "prefetch_sum": both_floats(_prefetch, 12),
    "printf_item": _printf,
    "sg_ops": _sub_groups,
    "softmax_row": _softmax,
    "split_barrier": _split_barrier,
    "tree_walk": _tree_walk,
    "unaligned": plain(7 * ITEMS, 12 * ITEMS, 4 * ITEMS, 3 * ITEMS, outputs=2),
    "vec_bytes": plain(4 * ITEMS, 16 * ITEMS, 4 * ITEMS, 16 * ITEMS, outputs=2),
    "wg_scan": _wg_scan,
}
