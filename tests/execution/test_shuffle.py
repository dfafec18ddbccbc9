"""Address registers of 32 elements, with which Xe3P reads a register of another lane."""

from pathlib import Path

import numpy as np
import pytest

from visaproof.cli import main

FOLDER = Path(__file__).parents[1] / "data" / "forms" / "shuffle"


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
def test_every_lane_reads_the_element_that_its_address_register_names(engine: str, tmp_path: Path) -> None:
    numbers = np.random.default_rng(5).integers(0, 2**31, 64, np.int32)
    (tmp_path / "a").write_bytes(numbers.tobytes())
    code = main([
        "run", str(FOLDER / "cri.visaasm"), "--launch", str(FOLDER / "cri.ze_info"), "--engine", engine,
        "--global-size", "64", "--local-size", "32", "--buffer", f"a=@{tmp_path / 'a'}",
        "--out", f"a=@{tmp_path / 'a'}",
    ])  # fmt: skip
    assert code == 0
    expected = [numbers[item - item % 32 + 7 * item % 32] for item in range(64)]
    assert np.frombuffer((tmp_path / "a").read_bytes(), np.int32).tolist() == expected
