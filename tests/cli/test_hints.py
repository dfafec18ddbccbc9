"""A hint names only options that its command has, wherever in the code it comes from."""

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import visaproof
from visaproof.cli import COMMANDS, main, options_of
from visaproof.report.text.hints import OPTIONS, fitting

PACKAGE = Path(visaproof.__file__).parent
BELOW = [path for path in sorted(PACKAGE.rglob("*.py")) if "cli" not in path.relative_to(PACKAGE).parts]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
IN_FULL = re.compile(r"(?:visaproof|ocloc) [^`;]*")
DATA = Path(__file__).parent.parent / "data"
ALL_KERNELS = {"--launch", "--input", "--platform", "--unroll", "--timeout", "--float", "--limit"}


@contextmanager
def command(name: str) -> Iterator[frozenset[str]]:
    token = OPTIONS.set(options_of(name))
    try:
        yield options_of(name)
    finally:
        OPTIONS.reset(token)


@cache
def texts() -> set[str]:
    """Every text of the code below the command line that names an option, with `x` for what is filled in."""
    found: set[str] = set()
    for path in BELOW:
        tree = ast.parse(path.read_text())
        documentation = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(one.value) if isinstance(one, ast.Constant) else "x" for one in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                text = node.value
            else:
                continue
            if OPTION.search(text):
                found.add(text)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_is_told_of_an_option_that_it_lacks(name: str) -> None:
    assert len(texts()) > 20
    with command(name) as options:
        for text in texts():
            assert {*OPTION.findall(IN_FULL.sub("", fitting(text)))} <= options, text


def test_what_the_command_has_stays() -> None:
    hint = "give `--launch FILE` (a zebin) or `--input V38=local_id_x …`"
    with command("conflicts"):
        assert fitting(hint) == hint
    with command("refine"):
        assert fitting(hint) == "give `--launch FILE` (a zebin)"
    with command("ocloc"):
        assert fitting(hint) == ""
    assert fitting(hint) == hint


def test_options_are_those_that_the_parser_takes() -> None:
    assert options_of("conflicts") >= {*ALL_KERNELS, "--assume", "--save", "--format"}
    assert "--input" not in options_of("refine")
    assert options_of("readings") >= {"--help"}


def test_refine_does_not_recommend_what_it_rejects(capsys: pytest.CaptureFixture[str]) -> None:
    """Without launch information the hint for `conflicts` was `--input`, too."""
    dump = str(DATA / "visaasm" / "vadd" / "tgllp-O2-simd8.visaasm")
    main(["refine", dump, dump, "--platform", "tgllp"])
    shown = capsys.readouterr()
    assert "--launch" in shown.out
    assert "--input" not in shown.out + shown.err
    main(["conflicts", str(DATA / "visaasm" / "permute_scatter" / "tgllp-O2-simd8.visaasm"), "--platform", "tgllp"])
    assert "--input" in capsys.readouterr().out


def test_a_binary_of_the_compiler_is_named(visaproof, tmp_path):
    (path := tmp_path / "k.visaasm").write_bytes(b"\x7fELF\x02\x01\xff")
    ran = visaproof("conflicts", path)
    assert (ran.code, "this is a binary of the compiler" in ran.err, "--launch" in ran.err) == (2, True, True)
