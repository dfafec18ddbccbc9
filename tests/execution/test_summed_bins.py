"""A kernel of today's compiler whose atomics add floats (tests/data/forms/float_sum)."""

from pathlib import Path

import numpy as np
import pytest

from visaproof.cli import main

FOLDER = Path(__file__).parents[1] / "data" / "forms" / "float_sum"
KERNEL, LAUNCH = str(FOLDER / "bmg.visaasm"), ("--launch", str(FOLDER / "bmg.ze_info"))


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
def test_every_work_item_adds_its_number_to_its_bin(engine: str, tmp_path: Path) -> None:
    """Multiples of a quarter: no sum of them is rounded, so that it is the same in every order."""
    random = np.random.default_rng(3)
    bins = random.integers(0, 8, 100, np.int32)
    weights = (random.integers(-400, 400, 100) / 4).astype(np.float32)
    for name, data in (("bin", bins), ("w", weights)):
        (tmp_path / name).write_bytes(data.tobytes())
    code = main([
        "run", KERNEL, *LAUNCH, "--engine", engine, "--global-size", "128", "--local-size", "32", "--arg", "n=100",
        "--buffer", f"bin=@{tmp_path / 'bin'}", "--buffer", f"w=@{tmp_path / 'w'}",
        "--buffer", "sum=zeros:32", "--buffer", "all=zeros:8",
        "--out", f"sum=@{tmp_path / 'sum'}", "--out", f"all=@{tmp_path / 'all'}",
    ])  # fmt: skip
    assert code == 0
    expected = [float(weights[bins == each].sum()) for each in range(8)]
    assert np.frombuffer((tmp_path / "sum").read_bytes(), np.float32).tolist() == expected
    assert np.frombuffer((tmp_path / "all").read_bytes(), np.float64).tolist() == [-float(weights.sum())]


def test_it_refines_itself() -> None:
    assert main(["refine", KERNEL, KERNEL, *LAUNCH]) == 0


@pytest.mark.slow
def test_a_sum_is_not_a_difference(tmp_path: Path) -> None:
    other = tmp_path / "other.visaasm"
    other.write_text((FOLDER / "bmg.visaasm").read_text().replace("lsc_atomic_fadd", "lsc_atomic_fsub"))
    assert main(["refine", KERNEL, str(other), *LAUNCH]) == 1
