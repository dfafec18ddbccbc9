"""Kernels with matrices, as today's compiler builds them, against what their source says."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.pocl.case import Case, Data
from benchmarks.pocl.oracle import NoOracle, oracle
from visaproof.cli import main

FORMS = Path(__file__).parents[1] / "data" / "forms"
ROWS, PITCH = 40, 128


def elements(source: bytes, width: int, height: int, size: int) -> dict[tuple[int, int], int]:
    """What is in the matrix: (column, row) to number."""
    return {
        (x, y): int.from_bytes(source[y * PITCH + x * size :][:size], "little")
        for y in range(height)
        for x in range(width // size)
    }


def expected_tiles(source: bytes, width: int, height: int, x: int, y: int) -> bytes:
    """What the OpenCL extension says of each read, item by item; and the write at the end."""
    dwords, words = elements(source, width, height, 4), elements(source, width, height, 2)
    found = np.zeros(1024, np.uint32)
    for lane in range(16):
        for k in range(8):
            found[k * 16 + lane] = dwords.get((x + k, y + lane), 0)
            below, above = words.get((x + lane, y + 2 * k), 0), words.get((x + lane, y + 2 * k + 1), 0)
            found[128 + k * 16 + lane] = below | above << 16
            for block in range(2):
                found[256 + (8 * block + k) * 16 + lane] = words.get((x + 16 * block + lane, y + k), 0)
    for k in range(7):
        found[512 + k * 16 + 1 : 512 + k * 16 + 15] = found[k * 16 : k * 16 + 14]
    return found.tobytes()


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("engine", ["arrays", "scalar"])
@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize(("width", "height", "x", "y"), [(128, 40, 0, 0), (100, 21, -3, 9), (70, 12, 20, -5)])
def test_blocks_of_every_layout_are_what_the_source_says(
    device: str, engine: str, width: int, height: int, x: int, y: int, tmp_path: Path
) -> None:
    source = np.random.default_rng(7).integers(0, 256, ROWS * PITCH, np.uint8).tobytes()
    (tmp_path / "src").write_bytes(source)
    numbers = {"width": width, "height": height, "pitch": PITCH, "x": x % 2**32, "y": y % 2**32}
    arguments = [part for name, value in numbers.items() for part in ("--arg", f"{name}={value}")]
    folder = FORMS / "tile2d"
    code = main([
        "run", str(folder / f"{device}.visaasm"), "--launch", str(folder / f"{device}.ze_info"), "--engine", engine,
        "--global-size", "16", "--local-size", "16", "--buffer", f"src=@{tmp_path / 'src'}",
        "--buffer", "dst=zeros:4096", "--out", f"dst=@{tmp_path / 'dst'}", *arguments,
    ])  # fmt: skip
    assert code == 0
    assert (tmp_path / "dst").read_bytes() == expected_tiles(source, width, height, x, y)


PLAIN = """
/* what the OpenCL extension says: column k of A and row k of B lie in lane k, or in pairs */
kernel void halves(global const half *a, global const half *b, global float *c)
{
    uint l = get_local_id(0), first = get_group_id(0) * 16;
    for (uint r = 0; r < 8; r++)
        for (uint k = 0; k < 16; k++)
            c[(first + l) * 8 + r] += vload_half((first + k) * 8 + r, a) * vload_half((first + l) * 16 + k, b);
}
kernel void bytes(global const char *a, global const uchar *b, global int *c)
{
    uint l = get_local_id(0), first = get_group_id(0) * 16;
    for (uint r = 0; r < 8; r++)
        for (uint k = 0; k < 32; k++)
            c[(first + l) * 8 + r] += a[(first + k / 2) * 16 + 2 * r + k % 2] * b[(first + l) * 32 + k];
}
"""
ITEMS = 32
"""Two sub-groups."""


def by_pocl(kernel: str, contents: list[bytes]) -> bytes:
    """What the plain loops leave in C."""
    try:
        device = oracle()
    except NoOracle as reason:
        pytest.skip(str(reason))
    arguments = tuple(Data(content) for content in contents)
    found = device.run(PLAIN, [], kernel, Case(kernel, arguments, (ITEMS, 1, 1), (16, 1, 1)))[2]
    assert found is not None
    return found


def by_dpas(name: str, device: str, engine: str, contents: list[bytes], folder: Path) -> bytes:
    for letter, content in zip("abc", contents, strict=True):
        (folder / letter).write_bytes(content)
    dump = FORMS / name
    buffers = [part for letter in "abc" for part in ("--buffer", f"{letter}=@{folder / letter}")]
    code = main([
        "run", str(dump / f"{device}.visaasm"), "--launch", str(dump / f"{device}.ze_info"), "--engine", engine,
        "--global-size", str(ITEMS), "--local-size", "16", *buffers, "--out", f"c=@{folder / 'found'}",
    ])  # fmt: skip
    assert code == 0
    return (folder / "found").read_bytes()


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
@pytest.mark.parametrize("device", ["bmg", "pvc"])
def test_products_of_bytes_are_those_of_plain_loops(device: str, engine: str, tmp_path: Path) -> None:
    drawn = np.random.default_rng(3)
    contents = [drawn.integers(0, 256, size * ITEMS, np.uint8).tobytes() for size in (16, 32, 32)]
    assert by_dpas("dpas_bytes", device, engine, contents, tmp_path) == by_pocl("bytes", contents)


TOLERANCE = 2.0**-19
"""Of a sum of 16 products, relative to the sum of their sizes: 16 roundings on either side."""


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
@pytest.mark.parametrize("device", ["bmg", "pvc"])
def test_products_of_halves_are_near_those_of_plain_loops(device: str, engine: str, tmp_path: Path) -> None:
    drawn = np.random.default_rng(4)
    a, b = (drawn.uniform(-4, 4, (ITEMS, size)).astype(np.float16) for size in (8, 16))
    c = drawn.uniform(-4, 4, (ITEMS, 8)).astype(np.float32)
    contents = [one.tobytes() for one in (a, b, c)]
    found, expected = (
        np.frombuffer(one, np.float32).reshape(ITEMS, 8).astype(np.float64)
        for one in (by_dpas("dpas_halves", device, engine, contents, tmp_path), by_pocl("halves", contents))
    )
    rows, columns = (np.abs(one.astype(np.float64)).reshape(2, 16, -1) for one in (a, b))
    sizes = np.abs(c) + np.einsum("gkr,glk->glr", rows, columns).reshape(ITEMS, 8)
    assert (np.abs(found - expected) <= TOLERANCE * sizes).all()
    assert (found != c).all()
