"""Names of symbols are made in one place and never taken apart; objects are keys by `Same` and no number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "model" / "visaproof"

TAKEN_APART = frozenset((
    "startswith", "endswith", "split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix",
    "find", "rfind", "index", "replace", "match", "search", "fullmatch", "sub",
))  # fmt: skip
"""What says something of a text by its parts."""

TYPED = (
    "size.", "width.", "height.", "depth.", "base.", "em.", "memory.", "loaded.", "result.", "probe.", "found.",
    "load.", "arbitrary.", "loop", "source:", "target:", "source only:", "target only:", "unmatched:", "sampler ",
    "index of ", "every dword of",
)  # fmt: skip
"""What the texts of typed names begin with."""

PLAIN_WORDS = frozenset(("refinement/testing/small_launches.py",))
"""Words of inputs have plain names still: a guess at floats goes by variable and byte."""

OF_CLAIMS = ("queries/", "semantics/symbolic/effects.py")
"""Where statements about one instruction name what they are about; nobody looks for these names."""

IDENTITY = "isa/identity.py"


def _in_package(word: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules that have this word: what a check looks for is in no other."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if re.search(rf"\b{word}\b", text):
            yield str(path.relative_to(PACKAGE)), ast.parse(text)


def taken_apart(tree: ast.AST) -> list[int]:
    """The lines of functions that take the text of a payload apart, directly or as what a name stands for there."""
    found: list[int] = []
    for scope in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda)):
        texts = {
            target.id
            for one in ast.walk(scope)
            if isinstance(one, ast.Assign) and _is_text(one.value)
            for target in one.targets
            if isinstance(target, ast.Name)
        }
        for one in ast.walk(scope):
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in TAKEN_APART:
                of = [one.func.value, *one.args]
                if any(_is_text(part) or (isinstance(part, ast.Name) and part.id in texts) for part in of):
                    found.append(one.lineno)
    return sorted(set(found))


def _is_text(node: ast.AST) -> bool:
    """Whether it is `str(….payload)` or `….payload` itself."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        node = node.args[0]
    return isinstance(node, ast.Attribute) and node.attr == "payload"


def built_from_text(tree: ast.AST) -> list[int]:
    """The lines that make a symbol from a text that is one of a typed name."""
    found: list[int] = []
    for one in ast.walk(tree):
        if not (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.args):
            continue
        first = one.args[0]
        if isinstance(first, ast.JoinedStr) and first.values:
            first = first.values[0]
        made = one.func.id in ("symbol", "bool_symbol") and isinstance(first, ast.Constant)
        if made and isinstance(first, ast.Constant) and str(first.value).startswith(TYPED):
            found.append(one.lineno)
    return found


def numbers_of_objects(tree: ast.AST) -> list[int]:
    """The lines with `id(…)`, or with `id` as a function."""
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    used = (part for one in calls for part in (one.func, *one.args))
    return sorted(one.lineno for one in used if isinstance(one, ast.Name) and one.id == "id")


def test_no_name_of_a_symbol_is_taken_apart() -> None:
    found = {name: lines for name, tree in _in_package("payload") if (lines := taken_apart(tree))}
    assert set(found) <= PLAIN_WORDS, found


def test_no_symbol_is_built_from_the_text_of_a_typed_name() -> None:
    found = {name: lines for name, tree in _in_package("(bool_)?symbol") if (lines := built_from_text(tree))}
    assert not {name for name in found if not name.startswith(OF_CLAIMS) or name.startswith("queries/kernels/")}, found


def test_no_object_is_a_key_by_its_number() -> None:
    found = {name: lines for name, tree in _in_package("id") if (lines := numbers_of_objects(tree))}
    assert set(found) == {IDENTITY}, found


def test_these_checks_find_what_they_look_for() -> None:
    apart = "def is_size(one):\n    return str(one.payload).startswith('size.')\n"
    named = "def is_size(one):\n    name = str(one.payload)\n    return name.partition('.')[0] == 'size'\n"
    by_pattern = "def is_size(one):\n    return SIZE.match(one.payload)\n"
    assert [taken_apart(ast.parse(text)) for text in (apart, named, by_pattern)] == [[2], [3], [2]]
    assert taken_apart(ast.parse("def shown(one):\n    return str(one.payload)\n")) == []
    assert built_from_text(ast.parse("symbol(f'size.{name}', 40)\nbool_symbol('em.0')\nsymbol('x', 8)\n")) == [1, 2]
    assert numbers_of_objects(ast.parse("seen = {id(one): one}\nmap(id, seen)\n")) == [1, 2]
