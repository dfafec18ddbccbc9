"""Edge values of each type, and contents of variables made of them."""

from random import Random

from benchmarks.alu_vectors.types import BF8, FloatFormat, Type


def integer_edges(kind: Type) -> list[int]:
    """Bits: 0, ±1, the ends and what is beside them, powers of two and what is beside them, stripes."""
    powers = [1 << k for k in range(kind.bits)]
    near = [power + step for power in powers for step in (-1, 1)]
    ends = [kind.least, kind.least + 1, kind.most, kind.most - 1, -1, 0, 1, 2, 3, 31, 32, 33]
    stripes = [0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA, 0x0123_4567_89AB_CDEF]
    return [value & kind.mask for value in ends * 10 + powers + near + stripes]


def float_edges(form: FloatFormat) -> list[int]:
    """Bits: zeros, ones, halves for ties, denormals, the largest, infinities, NaNs, ends of integer types."""
    half, mantissa = 1 << (form.mantissa - 1), form.mantissa
    smallest, infinity, one = form.smallest_normal, form.infinity, form.one
    ties = [one - smallest, one - smallest - 1, one + half, one + smallest + half // 2, one + 2 * smallest + half // 4]
    powers = [(form.bias + k) << mantissa for k in (-3, -2, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 52, 63, 64)]
    magnitudes = [
        *[0, one, 1, 2, smallest - 1, smallest, smallest + 1, infinity - 1, infinity - 2, infinity] * 2,
        *ties, *[power for power in powers if power < infinity], *[power - 1 for power in powers if power < infinity],
        one + 1, one - 1, infinity + 1, infinity + half, infinity + (half << 1) - 1,
        smallest + (half >> 1), infinity - smallest,
    ]  # fmt: skip
    return magnitudes + [form.sign | each for each in magnitudes]


def moderate(form: FloatFormat, random: Random) -> int:
    """Bits of a small number with few binary digits: sums and products of such numbers are exact."""
    exponent = form.bias + random.randrange(-3, 4)
    top = random.randrange(8) << max(0, form.mantissa - 3)
    return random.choice([0, form.sign]) | exponent << form.mantissa | top


def value(kind: Type, random: Random) -> int:
    """Bits of one element: an edge value more often than not."""
    if kind.format is None:
        return random.choice([random.choice(integer_edges(kind)), random.getrandbits(kind.bits), random.randrange(40)])
    if random.random() < 0.25:
        return moderate(kind.format, random)
    return random.choice(float_edges(kind.format)) if random.random() < 0.7 else random.getrandbits(kind.bits)


_POOLS: dict[tuple[Type, str], list[int]] = {}


def _pool(kind: Type, taste: str) -> list[int]:
    """Values to draw from, made once: choosing from a list is fast."""
    if (kind, taste) not in _POOLS:
        random = Random(f"{kind.name} {taste}")
        if taste == "small":
            form = kind.format
            _POOLS[kind, taste] = [moderate(form, random) if form else random.randrange(70) for _ in range(200)]
        else:
            _POOLS[kind, taste] = [value(kind, random) for _ in range(2000)]
    return _POOLS[kind, taste]


def content(kind: Type, count: int, random: Random, taste: str) -> bytes:
    """`count` elements; `taste` "edges" mixes everything, "small" has small numbers, "bf8" 8-bit floats."""
    if taste == "bf8":
        return bytes(random.choice(float_edges(BF8)) for _ in range(count))
    pool = _pool(kind, taste)
    return b"".join(random.choice(pool).to_bytes(kind.bytes, "little") for _ in range(count))
