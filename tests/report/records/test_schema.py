"""The published schema of every command, held against what commands print; no key is printed that it lacks."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from visaproof.cli import COMMANDS, main
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.report.records.common import input_value
from visaproof.report.records.schema import DOCUMENTS, schema_of

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"
WITHOUT_JSON = {"report", "schema", "completion", "watch"}
"""They print a page, the schema itself, texts for a shell, and what another command prints."""

OUTPUTS = (
    ("conflicts", "conflicts pairs.visaasm --launch pairs.bin"),
    ("conflicts", "conflicts pairs_fixed.visaasm rows.visaasm --launch rows.bin"),
    ("conflicts", "conflicts rows.visaasm --launch rows.bin --assume weakest"),
    ("conflicts", "conflicts . --limit 0.0001"),
    ("conflicts", "conflicts absent.visaasm mean.cl"),
    ("bounds", "bounds pairs.visaasm --launch pairs.bin --size in=4*n --size out=4*n"),
    ("bounds", "bounds mean.visaasm rows.visaasm reload.visaasm"),
    ("check", "check . absent.visaasm"),
    ("check", "check ../../tests/data/visaasm/lane_conflict/tgllp-O2-simd8.visaasm"),
    ("run", "run rows.visaasm --launch rows.bin --global-size 8 --arg pitch=8 --buffer out=zeros:32"),
    ("run", "run pairs.visaasm --launch pairs.bin --global-size 2 --arg n=2 --buffer in=zeros:8 --buffer out=zeros:8"),
    ("print", "print pairs.visaasm absent.visaasm"),
    ("print", "print --check pairs.visaasm"),
    ("refine", "refine reload.visaasm reload_once.visaasm --launch reload.bin --launch-target reload_once.bin --stats"),
    ("refine", "refine mean.visaasm mean_short.visaasm --launch mean.bin --bidirectional"),
    ("refine", "refine mean.visaasm rows.visaasm"),
    ("tv", "tv ."),
    ("rules", "rules add-one-to-inc"),
    ("prove", f"prove refute_cmpxchg_stores cmpxchg_wins --proofs {ROOT / 'proofs'}"),
    ("prove --list", f"prove --list --proofs {ROOT / 'proofs'}"),
    ("readings", "readings"),
    ("premises", "premises"),
    ("explain", "explain scatter4_scaled"),
    ("replay", f"replay {ROOT / 'counterexamples'}"),
    ("doctor", "doctor"),
    ("triage", "triage . --limit 5"),
    ("cache", "cache stats --cache CACHE"),
    ("cache", "cache gc --cache CACHE"),
)
COMPILED = (("dump", "dump mean.cl --into DIR"), ("ocloc", "ocloc mean.cl mean_short.cl"))


def closed(schema: Any) -> Any:
    """The same without leave for other keys."""
    match schema:
        case dict():
            inner = {key: closed(value) for key, value in schema.items()}
            names = isinstance(inner.get("properties"), dict) and "type" in inner
            return inner | {"additionalProperties": False} if names else inner
        case list():
            return [closed(one) for one in schema]
        case _:
            return schema


def held(command: str, text: str) -> dict[str, Any]:
    """The document, once it was found to be as the schema says."""
    document = json.loads(text)
    schema = closed(schema_of(command))
    of_an_answer, of_an_error = schema.pop("anyOf")  # of two choices no error would say what is wrong
    schema |= of_an_error if "error" in document else of_an_answer
    wrong = best_match(Draft202012Validator(schema).iter_errors(document))
    assert wrong is None, (list(wrong.absolute_path), wrong.message[:400])
    return document


def asked(line: str, tmp_path: Path, monkeypatch, capsys) -> str:
    """What a command prints; paths of the test's own are put in."""
    monkeypatch.chdir(EXAMPLES)
    cache = tmp_path / "answers.sqlite"
    if "CACHE" in line:
        main(["conflicts", "mean.visaasm", "--cache", str(cache)])
    words = [{"DIR": str(tmp_path / "into"), "CACHE": str(cache)}.get(word, word) for word in line.split()]
    capsys.readouterr()
    main([*words, "--format", "json"])
    return capsys.readouterr().out


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("command", "line"), OUTPUTS, ids=[line for _, line in OUTPUTS])
def test_what_a_command_prints_is_as_its_schema_says(command, line, tmp_path, monkeypatch, capsys):
    document = held(command, asked(line, tmp_path, monkeypatch, capsys))
    assert document["complete"] == (not document["not_done"])


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("command", "line"), COMPILED, ids=[command for command, _ in COMPILED])
def test_what_comes_of_a_compiler_is_as_its_schema_says(command, line, tmp_path, monkeypatch, capsys):
    if shutil.which("ocloc") is None:
        pytest.skip("no ocloc")
    held(command, asked(line, tmp_path, monkeypatch, capsys))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("prove --enumerate", f"prove qw --enumerate 3 --proofs {ROOT / 'proofs'}"),
        ("prove --readings all", f"prove cmpxchg_wins --readings all --proofs {ROOT / 'proofs'}"),
        ("vectors", f"vectors check {ROOT / 'tests' / 'data' / 'vectors'}"),
    ],
)
def test_what_takes_long_is_as_its_schema_says(command, line, tmp_path, monkeypatch, capsys):
    held(command, asked(line, tmp_path, monkeypatch, capsys))


def test_every_command_has_a_schema():
    assert {name.split()[0] for name in DOCUMENTS} == set(COMMANDS) - WITHOUT_JSON


def test_a_key_that_no_schema_has_is_found(tmp_path, monkeypatch, capsys):
    document = json.loads(asked("conflicts pairs.visaasm", tmp_path, monkeypatch, capsys))
    document["files"][0]["scatters"][0]["colour"] = "red"
    with pytest.raises(AssertionError, match="colour"):
        held("conflicts", json.dumps(document))


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - WITHOUT_JSON))
def test_stdout_is_a_document_even_where_the_command_line_is_wrong(command, capsys):
    assert main([command, "--no-such-option", "--format", "json"]) == ExitCode.USAGE
    assert held(command, capsys.readouterr().out)["complete"] is False


NOTHING_THERE = """prove no_such_claim
replay absent.json
rules no-such-rule
tv absent
triage absent
run x.visaasm
explain nosuch
readings nosuch
dump absent.cl
ocloc absent.cl
vectors check absent
refine a b
bounds absent.visaasm
print absent.visaasm
premises nosuch
cache stats --cache absent"""


@pytest.mark.parametrize("line", NOTHING_THERE.split("\n"))
def test_stdout_is_a_document_where_there_is_nothing_to_ask(line, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main([*line.split(), "--format=json"])
    held(line.split()[0], capsys.readouterr().out)


def test_a_run_that_was_cut_off_says_so(tmp_path, monkeypatch, capsys):
    document = json.loads(asked("conflicts . --budget 0.0001", tmp_path, monkeypatch, capsys))
    assert not document["complete"]
    assert all("budget" in reason for reason in document["not_done"])


def test_the_command_prints_the_schema(capsys):
    assert main(["schema", "conflicts"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(schema_of("conflicts")))
    assert main(["schema", "conflict"]) == ExitCode.USAGE
    assert "did you mean conflicts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "register", "byte"),
    [
        ("V0034.12", "V0034", 12),
        ("%r0.4", "%r0", 4),
        ("local_size_x", None, None),
        ("buffer offset of s.4", None, None),
    ],
)
def test_an_input_is_in_a_register_where_its_name_says_so(name: str, register: str | None, byte: int | None) -> None:
    found = input_value(name, "n", 7)
    assert (found.register, found.byte, found.words) == (register, byte, f"{name} (n)")
