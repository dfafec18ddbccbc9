"""The mutants of a module: one change each, in the source text, so that the changed line can be shown."""

import ast
from collections import Counter
from collections.abc import Iterator
from types import CodeType
from typing import Any

from msgspec import Struct

from benchmarks.mutation.operators import OPERATORS, Source
from benchmarks.mutation.targets import Target, Writing

Part = ast.FunctionDef | ast.Assign


class Mutant(Struct, frozen=True):
    """A module with one change."""

    target: Target
    writing: Writing
    function: str
    operator: str
    line: str
    """The line as it is; where the change covers several, their text in one line."""
    changed: str
    occurrence: int
    """Which of the same changes to the same line of this function it is, from 1 on."""
    source: str
    """The whole module with the change."""

    @property
    def id(self) -> str:
        """Free of line numbers and of what else stands in the file."""
        again = f" #{self.occurrence}" if self.occurrence > 1 else ""
        return f"{self.target.name}.{self.function} {self.operator}{again}: {self.line} => {self.changed}"


def mutants_of(target: Target) -> list[Mutant]:
    """Every mutant of the two writings in a module; those that compile to the same byte code only once."""
    text = target.path.read_text(encoding="utf-8")
    module = ast.parse(text)
    seen = {_fingerprint(compile(text, "", "exec"))}
    found: list[Mutant] = []
    for writing, (name, part, operands) in _parts_of_writings(target, module):
        occurrences: Counter[tuple[str, str, str]] = Counter()
        for operator, node, replacement in _changes(part, Source(text, operands)):
            changed_text, line, changed = _edited(text, node, replacement)
            print_ = _fingerprint(compile(changed_text, "", "exec"))
            if print_ in seen:
                continue
            seen.add(print_)
            key = operator, line, changed
            occurrences[key] += 1
            found.append(Mutant(target, writing, name, operator, line, changed, occurrences[key], changed_text))
    return found


def _changes(part: Part, source: Source) -> Iterator[tuple[str, ast.AST, str]]:
    roots: list[ast.AST] = list(part.body) if isinstance(part, ast.FunctionDef) else [part.value]
    for root in roots:
        for node in _code(root):
            for name, operator in OPERATORS.items():
                for changed, replacement in operator(node, source):
                    yield name, changed, replacement


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, except for annotations, the words of messages, and guards against misuse."""
    match node:
        case ast.JoinedStr() | ast.arguments() | ast.Assert() | ast.keyword(arg="strict"):
            return
        case ast.If(body=[ast.Raise(exc=ast.Call(func=ast.Name(id="TypeError")))]):  # misuse of the model, not a page
            return
        case _:
            pass
    yield node
    if isinstance(node, ast.Raise):
        return
    for child in _children(node):
        yield from _code(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.AnnAssign(target=target, value=value):
            yield from (child for child in (target, value) if child)
        case ast.Subscript(value=ast.Name(id="dict" | "list" | "set")):
            return  # the type of an empty one
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Tuple(elts=elements)]):
            yield from (left, *elements)  # a set: its order is no choice
        case _:
            yield from ast.iter_child_nodes(node)


def _edited(text: str, node: Any, replacement: str) -> tuple[str, str, str]:
    """The text with the replacement, and the lines concerned before and after, each as one line."""
    data = text.encode()
    lines = data.splitlines(keepends=True)
    first, last = sum(map(len, lines[: node.lineno - 1])), sum(map(len, lines[: node.end_lineno - 1]))
    start, end, line_end = first + node.col_offset, last + node.end_col_offset, last + len(lines[node.end_lineno - 1])
    after = data[:start] + replacement.encode() + data[end:]
    line, changed = data[first:line_end], data[first:start] + replacement.encode() + data[end:line_end]
    return after.decode(), _one_line(line), _one_line(changed)


def _one_line(text: bytes) -> str:
    return " ".join(text.decode().split("  #")[0].split())


def _fingerprint(code: CodeType) -> object:
    """What is executed: two codes with the same one differ only in where they stand."""
    constants = tuple(
        _fingerprint(value) if isinstance(value, CodeType) else (type(value), repr(value)) for value in code.co_consts
    )
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable


# ---------------------------------------------------------------- what belongs to a writing


def _parts_of_writings(
    target: Target, module: ast.Module
) -> Iterator[tuple[Writing, tuple[str, Part, dict[str, str]]]]:
    parts = list(_parts(module))
    reached_from: dict[Writing, set[str]] = {}
    for writing, roots in target.roots.items():
        reached = {name for name, _, _ in parts if any(name == root or name.endswith(f".{root}") for root in roots)}
        names: set[str] = set()
        while names != reached:
            names = set(reached)
            for name, part, _ in parts:
                if name in names:
                    used = _names_in(part)
                    reached |= {
                        other for other, _, _ in parts if other.rpartition(".")[2] in used and _own(other, name)
                    }
        reached_from[writing] = reached
    shared = set[str].intersection(*reached_from.values()) if len(reached_from) > 1 else set[str]()
    for writing, reached in reached_from.items():
        yield from ((Writing.BOTH if each[0] in shared else writing, each) for each in parts if each[0] in reached)


def _own(other: str, name: str) -> bool:
    """A function of the module, or a method of the same class."""
    return "." not in other or other.rpartition(".")[0] == name.rpartition(".")[0]


def _names_in(part: Part) -> set[str]:
    nodes = list(ast.walk(part))
    return {node.id for node in nodes if isinstance(node, ast.Name)} | {
        node.attr for node in nodes if isinstance(node, ast.Attribute)
    }


def _parts(module: ast.Module) -> Iterator[tuple[str, Part, dict[str, str]]]:
    """Functions, methods and module constants, each with its name and the operands that can be taken for another."""
    for node in module.body:
        match node:
            case ast.FunctionDef():
                yield node.name, node, {}
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name, node, {}
            case ast.AnnAssign(target=ast.Name(id=name) as target, value=ast.expr() as value):
                yield name, ast.Assign([target], value), {}
            case ast.ClassDef():
                operands = _operands(node)
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        yield f"{node.name}.{member.name}", member, operands
            case _:
                pass


def _operands(node: ast.ClassDef) -> dict[str, str]:
    """Each field with the next one of its type."""
    by_type: dict[str, list[str]] = {}
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            by_type.setdefault(ast.unparse(member.annotation), []).append(member.target.id)
    groups = [names for names in by_type.values() if len(names) > 1]
    return {name: names[(index + 1) % len(names)] for names in groups for index, name in enumerate(names)}
