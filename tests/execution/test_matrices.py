"""Kernels with matrices, as today's compiler builds them, against what their source says."""

from pathlib import Path

import numpy as np
import pytest

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
