"""The instances of a rule: its holes filled, and both sides as kernels whose places are those of the rule file."""

import re
from collections.abc import Iterator, Mapping
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.synchronisation import OPCODES
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.platform import Platform, platform_named
from visaproof.isa.surface_keys import TableEntry
from visaproof.isa.types import DataType
from visaproof.program.kernel import Kernel
from visaproof.rules.language.expressions import Holes, number_of, read_expression, value_of
from visaproof.rules.language.syntax import Declared, Kind, Rule, TemplateLine
from visaproof.visaasm import syntax
from visaproof.visaasm.naming import shown
from visaproof.visaasm.reader import read_kernel

MOST_INSTANCES = 4_096
MOST_COPIES = 64
_HOLE = re.compile(r"\{([^{}]*)\}")
_BRANCHES = frozenset(("jmp", "goto", "call", "fcall", "ret", "fret"))


class Register(Struct, frozen=True):
    """A general variable of an instance."""

    name: str
    type: DataType
    count: int
    temporary: bool


class Instance(Struct, frozen=True):
    """A rule with numbers for its holes."""

    rule: Rule
    platform: Platform
    holes: Mapping[str, int | str]
    registers: Mapping[str, Register]
    predicates: Mapping[str, int]
    surfaces: Mapping[str, str]
    """The name in the rule of each surface, by the key under which a message reaches it: one name of two that are one
    surface."""
    source: syntax.Kernel
    target: syntax.Kernel

    @property
    def same_surfaces(self) -> tuple[tuple[str, str], ...]:
        """Pairs of surfaces of the rule that are one surface here."""
        names = (one.name for one in self.rule.declared if one.kind is Kind.SURFACE)
        return tuple((self.surfaces[name], name) for name in names if self.surfaces[name] != name)

    def on_one_surface(self, one: str, other: str) -> "Instance":
        """The same where two names are of one surface."""
        return replace(self, surfaces={key: one if name == other else name for key, name in self.surfaces.items()})

    @property
    def label(self) -> str:
        """`DG2, mask M5, channels RGB`"""
        chosen = [name for choice in self.rule.choices for name in choice.names]
        return ", ".join([self.platform.name, *(f"{name} {self.holes[name]}" for name in chosen)])


def instances(rule: Rule) -> Iterator[Instance]:
    """Every instance.  Raises ReadError and NotModelled for templates that are no instructions that can be run."""
    count = len(rule.platforms)
    for choice in rule.choices:
        count *= len(choice.rows)
    if count > MOST_INSTANCES:
        raise ReadError(f"{count} instances", rule.choices[0].position, f"at most {MOST_INSTANCES}")
    for platform in map(platform_named, rule.platforms):
        for rows in product(*(choice.rows for choice in rule.choices)):
            holes: dict[str, int | str] = {"grf": platform.grf_bytes}
            for choice, row in zip(rule.choices, rows, strict=True):
                holes |= dict(zip(choice.names, row, strict=True))
            for let in rule.lets:
                holes[let.name] = value_of(let.value, holes)
            yield _instance(rule, platform, holes)


def _instance(rule: Rule, platform: Platform, holes: Holes) -> Instance:
    registers: dict[str, Register] = {}
    predicates: dict[str, int] = {}
    surfaces: dict[str, str] = {"%slm": "%slm"}
    declarations: list[tuple[str, Declared]] = []
    for one in rule.declared:
        count = number_of(one.count, holes)
        match one.kind:
            case Kind.SURFACE:
                surfaces[one.name if one.index is None else str(TableEntry(one.index))] = one.name
                surfaces[one.name] = one.name
                text = f".decl {one.name} v_type=T num_elts=1"
            case Kind.PREDICATE:
                predicates[one.name] = count
                text = f".decl {one.name} v_type=P num_elts={count}"
            case _:
                registers[one.name] = Register(one.name, one.type, count, one.kind is Kind.TEMPORARY)
                text = f".decl {one.name} v_type=G type={one.type.spelling} num_elts={count} align=GRF"
        declarations.append((text, one))
    kernels = [
        _kernel(side, rule, declarations, lines, holes, platform)
        for side, lines in (("source", rule.source), ("target", rule.target))
    ]
    return Instance(rule, platform, dict(holes), registers, predicates, surfaces, kernels[0], kernels[1])


class _Line(Struct, frozen=True):
    """A line of a kernel's text, and where its characters come from."""

    text: str
    start: Position
    shifts: tuple[tuple[int, int], ...] = ()
    """From a character on, the column of the rule file; ascending."""

    def place(self, column: int) -> Position:
        found = self.start.column + column - 1
        for here, there in self.shifts:
            if column - 1 >= here:
                found = there + column - 1 - here
        return replace(self.start, column=found)


def _kernel(
    side: str,
    rule: Rule,
    declarations: list[tuple[str, Declared]],
    templates: tuple[TemplateLine, ...],
    holes: Holes,
    platform: Platform,
) -> syntax.Kernel:
    top, name = Position(rule.path, 1, 1), f"{rule.name}.{side}"
    lines = [_Line(".version 4.1", top), _Line(f'.kernel "{name}"', top)]
    lines += [_Line(text, one.position) for text, one in declarations]
    lines.append(_Line(f'.function "{name}"', top))
    for template in templates:
        lines += _filled(template, holes)
    try:
        kernel = read_kernel(
            "\n".join(line.text for line in lines), f"{rule.path} ({side})", grf_bytes=platform.grf_bytes
        )
    except ReadError as error:
        raise ReadError(error.message, _place(lines, error.position), error.hint) from None
    return replace(kernel, statements=tuple(_runnable(statement, lines) for statement in kernel.statements))


def _place(lines: list[_Line], position: Position) -> Position:
    return lines[min(position.line, len(lines)) - 1].place(position.column)


def _runnable(statement: syntax.Statement, lines: list[_Line]) -> syntax.Instruction:
    place = _place(lines, statement.position)
    if isinstance(statement, syntax.Label) or statement.opcode in _BRANCHES:
        raise NotModelled("control flow in a rule: a template is a sequence of instructions", place)
    if statement.opcode in OPCODES:
        raise NotModelled("a barrier or a fence in a rule: what other threads see of it is not asked", place)
    return replace(statement, position=place)


def rule_place(instance: Instance, side: Kernel, position: Position) -> Position:
    """The place in the rule file of one in one of the kernels: statements have it already, their operands do not."""
    if position.path != side.path:
        return position
    templates = instance.rule.source if side is instance.source else instance.rule.target
    lines = [line for template in templates for line in _filled(template, instance.holes)]
    first = len(instance.rule.declared) + 4
    index = position.line - first
    if 0 <= index < len(lines):
        return lines[index].place(position.column)
    return Position(instance.rule.path, 1, 1)


def _filled(template: TemplateLine, holes: Holes) -> Iterator[_Line]:
    """The lines of a template, which are one or one for each value of its own hole."""
    if template.each is None:
        yield _with_holes(template, holes)
        return
    name, count = template.each
    times = number_of(count, holes)
    if not 0 <= times <= MOST_COPIES:
        raise ReadError(f"{times} copies of a line", count.position, f"at most {MOST_COPIES}")
    for value in range(times):
        yield _with_holes(template, {**holes, name: value})


def _with_holes(template: TemplateLine, holes: Holes) -> _Line:
    text, behind = "", 0
    shifts: list[tuple[int, int]] = []
    start = template.position

    def at(offset: int) -> Position:
        return replace(start, column=start.column + offset)

    for found in _HOLE.finditer(template.text):
        inner = found.start(1)
        value = value_of(read_expression(found.group(1), lambda offset, inner=inner: at(inner + offset)), holes)
        text += template.text[behind : found.start()]
        shifts.append((len(text), start.column + found.start()))
        text += str(value)
        behind = found.end()
        shifts.append((len(text), start.column + behind))
    rest = template.text[behind:]
    if "{" in rest or "}" in rest:
        where = behind + min(rest.index(char) for char in "{}" if char in rest)
        raise ReadError(f"unexpected {shown(template.text[where])}", at(where), "a hole is {EXPRESSION}")
    return _Line(text + rest, start, tuple(shifts))
