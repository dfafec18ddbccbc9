"""Where the language has full sub-groups alone make a message, partial ones are no reason for an undefined value."""

import json
from pathlib import Path

import pytest

from visaproof.cli import main

DATA = Path(__file__).parents[2] / "data" / "blocks"
LAUNCH = ("--launch", str(DATA / "blocks.ze_info"))
PREMISE = "full-sub-groups"


def asked(capsys: pytest.CaptureFixture[str], command: str, kernel: str, *options: str) -> tuple[int, str]:
    code = main([command, str(DATA / f"{kernel}.visaasm"), *LAUNCH, *options])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("command", ["conflicts", "bounds"])
def test_a_block_is_stored_by_full_sub_groups(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = asked(capsys, command, "filled")
    assert PREMISE in out
    assert "UNDEFINED" not in out


def test_lanes_that_are_off_are_uninitialised_where_sub_groups_may_be_partial(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out = asked(capsys, "conflicts", "filled", "--assume", f"launch,-{PREMISE}")
    assert code == 1
    assert "UNDEFINED: uninitialised" in out
    assert PREMISE not in out


def test_launches_of_blocks_have_full_sub_groups(capsys: pytest.CaptureFixture[str]) -> None:
    _, out = asked(capsys, "bounds", "filled", "--format", "json")
    (message,) = json.loads(out)["files"][0]["messages"]
    assert message["launch"]["found"]
    assert message["launch"]["local_size"][0] % 16 == 0


def test_a_line_that_one_message_stores_for_all_lanes_hints_at_full_sub_groups(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The compiler may make such a message of a store of one work item, too: it is no premise."""
    code, out = asked(capsys, "conflicts", "filled_line")
    assert code == 1
    assert PREMISE not in out
    assert "hint: `--local-size 16`" in out
    code, out = asked(capsys, "conflicts", "filled_line", "--local-size", "16")
    assert code == 0
    assert "UNDEFINED" not in out
