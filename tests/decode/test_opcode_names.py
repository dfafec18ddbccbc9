"""A misspelt opcode is told from one without semantics."""

from pathlib import Path

import pytest

from visaproof.cli import main
from visaproof.decode.opcode_names import KNOWN, meant, not_modelled


@pytest.mark.parametrize(
    ("typo", "name"), [("scatter4_scaeld", "scatter4_scaled"), ("lsc_laod", "lsc_load"), ("adc", "addc")]
)
def test_what_was_meant(typo: str, name: str) -> None:
    assert meant(typo) == name


@pytest.mark.parametrize("opcode", [*sorted(KNOWN), "sample_b_c", "lsc_atomic_fadd", "vme_ime", "urb_write"])
def test_an_opcode_that_there_is_is_none_that_was_misspelt(opcode: str) -> None:
    assert not_modelled(opcode) == f"opcode {opcode}"


def test_check_and_conflicts_say_what_was_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.visaasm"
    path.write_text(
        '.version 4.1\n.kernel "k"\n.decl A v_type=G type=ud num_elts=8 align=GRF\n.decl T6 v_type=T num_elts=1\n'
        '.kernel_attr SimdSize=8\n.function "k"\n    scater4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n    ret (M1, 1)\n'
    )
    for command in ("check", "conflicts"):
        main([command, str(path), "--platform", "dg2"])
        captured = capsys.readouterr()
        assert "did you mean scatter4_scaled?" in captured.out + captured.err
