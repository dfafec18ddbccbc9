"""max(row) and min(row): bounds on the integers that a kernel loads of a buffer."""

from pathlib import Path

import pytest

from visaproof.cli import main
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.launch.relations.expression_reader import parse_expression, parse_relation
from visaproof.launch.relations.expressions import Name, Number, Relation

DATA = Path(__file__).parents[2] / "data" / "elements"
LAUNCH = ("--launch", str(DATA / "elements.ze_info"))


@pytest.mark.parametrize("text", ["max(row) < n", "max( row )<n", "max (row) < n"])
def test_an_extreme_is_a_name(text: str) -> None:
    assert parse_relation(text, "where") == Relation("<", Name("max(row)", 0), Name("n", text.index("n")), text)


def test_an_argument_may_be_called_max() -> None:
    assert str(parse_expression("4*max + min(arg2)", "size")) == "4*max + min(arg2)"
    assert parse_relation("min(2) >= 0", "where") == Relation(">=", Name("min(2)", 0), Number(0), "min(2) >= 0")


@pytest.mark.parametrize(
    ("relation", "error"),
    [
        ("max(rows) < n", "no buffer is called 'rows'"),
        ("max(n) < 4", "no buffer is called 'n'"),
        ("max(val) < n", "argument 2 (val) is no buffer of integers but float*"),
    ],
)
def test_what_has_no_elements_has_no_extreme(relation: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["bounds", str(DATA / "products.visaasm"), *LAUNCH, "--where", relation])
    assert (code, error in capsys.readouterr().err) == (ExitCode.USAGE, True)


def test_what_contradicts_itself_is_vacuous(capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--where", "max(row) <= 100", "--where", "min(row) > max(row)")
    assert main(["bounds", str(DATA / "products.visaasm"), *LAUNCH, *where]) == ExitCode.VACUOUS
    assert "(max(row): upper bound of the elements loaded of argument 0 (row))" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["conflicts", "refine"])
def test_other_commands_say_that_they_know_no_elements(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = str(DATA / "products.visaasm")
    files = [kernel] if command == "conflicts" else [kernel, str(DATA / "products.visaasm")]
    assert main([command, *files, *LAUNCH, "--where", "max(row) < n"]) == ExitCode.USAGE
    assert "elements of buffers have no bounds here" in capsys.readouterr().err
