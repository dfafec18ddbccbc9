"""What the lines of a rule file declare: choices of holes, registers, predicates and surfaces."""

import re
from collections.abc import Iterator

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.types import DataType, type_named
from visaproof.rules.language.expressions import MOST_DIGITS, At, read_expression
from visaproof.rules.language.syntax import Choice, Declared, Expression, Kind, Number
from visaproof.visaasm.naming import shown

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_CHOICE = re.compile(rf"({NAME}(?:\s*,\s*{NAME})*)\s+in\s+(.*)", re.DOTALL)
_ROW = re.compile(r"\(([^()]*)\)|([^\s(),]+)|(.)", re.DOTALL)
_TYPED = re.compile(rf"\s*({NAME})\s+([a-z]+)\s*\[([^\[\]]*)\]\s*")
_COUNTED = re.compile(rf"\s*({NAME})\s*\[([^\[\]]*)\]\s*")
_SURFACE = re.compile(rf"\s*({NAME})(?:\s+bti\s+(\d{{1,3}}))?\s*")
MOST_INDEX = 255


def read_choice(text: str, at: At) -> Choice:
    """`mask, upper in (M1, M3) (M5, M7)`.  Raises ReadError."""
    found = _CHOICE.fullmatch(text)
    if found is None:
        raise ReadError("a choice has the form NAME in VALUE VALUE …", at(0), "for: mask, high in (M1, M3) (M5, M7)")
    names = tuple(name.strip() for name in found.group(1).split(","))
    rows: list[tuple[int | str, ...]] = []
    for row in _ROW.finditer(found.group(2)):
        where = at(found.start(2) + row.start())
        if row.group(3) and row.group(3) not in " \t,":
            raise ReadError(f"unexpected {shown(row.group(3))}", where)
        if row.group(3):
            continue
        values = [part.strip() for part in row.group(1).split(",")] if row.group(1) is not None else [row.group(2)]
        if len(values) != len(names) or not all(values):
            raise ReadError(f"{len(values)} values for {len(names)} names", where)
        rows.append(tuple(_value(one, where) for one in values))
    if not rows:
        raise ReadError("a choice without values", at(len(text)))
    return Choice(names, tuple(rows), at(0))


def read_registers(kind: Kind, text: str, at: At) -> Iterator[Declared]:
    """`off ud[16], data ud[8 * n]`.  Raises ReadError."""
    for start, part in separated(text):
        found = _TYPED.fullmatch(part)
        if found is None:
            raise ReadError("a register has the form NAME TYPE[COUNT]", at(start), "var: off ud[16]")
        name, type_name, _ = found.groups()
        try:
            data_type = type_named(type_name)
        except KeyError:
            where = at(start + found.start(2))
            raise ReadError(f"unknown type {shown(type_name)}", where, "such as ud, d, uq") from None
        count = _expression_in(part, found, 3, start, at)
        yield Declared(kind, name, data_type, count, at(start + found.start(1)))


def read_predicates(text: str, at: At) -> Iterator[Declared]:
    """`p[32]`.  Raises ReadError."""
    for start, part in separated(text):
        found = _COUNTED.fullmatch(part)
        if found is None:
            raise ReadError("a predicate has the form NAME[COUNT]", at(start), "pred: p[32]")
        count = _expression_in(part, found, 2, start, at)
        yield Declared(Kind.PREDICATE, found.group(1), DataType.UW, count, at(start + found.start(1)))


def read_surfaces(text: str, at: At) -> Iterator[Declared]:
    """`S, T bti 1`.  Raises ReadError."""
    for start, part in separated(text):
        found = _SURFACE.fullmatch(part)
        if found is None:
            raise ReadError("a surface has the form NAME or NAME bti NUMBER", at(start), "surface: S bti 1")
        place, index = at(start + found.start(1)), found.group(2)
        if index and (len(index) > MOST_DIGITS or int(index) > MOST_INDEX):
            raise ReadError(f"the binding table has no place {shown(index)}", place, f"at most {MOST_INDEX}")
        yield Declared(
            Kind.SURFACE, found.group(1), DataType.UD, Number(1, place), place, int(index) if index else None
        )


def _value(text: str, position: Position) -> int | str:
    if text[0].isdigit():
        try:
            return int(text, 0)
        except ValueError:
            raise ReadError(f"{shown(text)} is no number", position) from None
    return "" if text == '""' else text


def separated(text: str) -> list[tuple[int, str]]:
    """What commas separate outside of brackets, each with its first column."""
    parts: list[tuple[int, str]] = []
    start = depth = 0
    for place, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append((start, text[start:place]))
            start = place + 1
    return [*parts, (start, text[start:])]


def _expression_in(part: str, found: re.Match[str], group: int, start: int, at: At) -> Expression:
    inner = found.start(group)
    return read_expression(part[found.start(group) : found.end(group)], lambda offset: at(start + inner + offset))
