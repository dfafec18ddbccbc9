"""What a kernel declares: variables in their scopes, and inputs.  Source: docs/pages/operands-and-files.md §2, §3."""

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.fragment_records import DeclarationBody, Placement
from visaproof.visaasm.lines.repeated_names import Choices
from visaproof.visaasm.naming import closest, listed
from visaproof.visaasm.predefined import PREDEFINED
from visaproof.visaasm.syntax import (
    AddressVariable,
    Alias,
    GeneralVariable,
    Input,
    PredicateVariable,
    SamplerVariable,
    SurfaceVariable,
    Variable,
)

MAX_VARIABLE_BYTES = 1 << 20
"""Sixty-four times the largest register file; a larger count is a slip."""
REGISTER_FILE_BYTES = 256 * 64
"""256 registers of 64 bytes, the largest there is."""
MAX_ADDRESS_ELEMENTS = 32
"""One for each lane of Xe3P; 16 before."""
PREDICATE_ELEMENTS = (1, 2, 4, 8, 16, 32)

KINDS: dict[type[Variable], str] = {
    GeneralVariable: "a general variable",
    AddressVariable: "an address variable",
    PredicateVariable: "a predicate",
    SurfaceVariable: "a surface",
    SamplerVariable: "a sampler",
}

At = Callable[[int], Position]
"""The place in the file of a character of the part that is being read."""

_ALIAS_DECLARATION = re.compile(r"\s*\.decl\s+(\w+)\s.*?(?:alias\s*=\s*<\s*([\w%]+)|$)", re.ASCII)


class Declarations:
    """The names that are known so far."""

    def __init__(self, source_lines: tuple[str, ...], choices: Choices | None = None) -> None:
        """`choices` are the repeated names of a dump; without them a name is declared once in each scope."""
        self.variables: dict[str, Variable] = dict(PREDEFINED)
        self.inputs: list[Input] = []
        self.has_renamed = False
        """Whether a name is declared in several scopes."""
        self._inputs_by_name: set[str] = set()
        self._bytes_from: dict[str, int] = {}
        """Of each alias; added up as they are declared, since a chain of them may be long."""
        self._scopes: list[dict[str, Variable]] = [dict(PREDEFINED)]
        self._source_lines = source_lines
        self._choices = choices or {}
        self._repeated = {name for names in self._choices.values() for name in names}
        self._in_turn: dict[str, list[Variable]] = {}
        """What each repeated name was declared as, in the order of the text."""
        self._chosen: dict[str, Variable] = {}

    # ------------------------------------------------------------ names

    def open_scope(self) -> None:
        self._scopes.append({})

    def close_scope(self) -> None:
        self._scopes.pop()

    def choose(self, line: int) -> bool:
        """Whether another declaration of a repeated name counts from the statement in this line on."""
        if line not in self._choices:
            return False
        self._chosen = {name: self._in_turn[name][number] for name, number in self._choices[line].items()}
        return True

    def find(self, name: str) -> Variable | None:
        """The variable that `name` means here: that of the innermost scope."""
        if len(self._scopes) == 1:
            return self._chosen.get(name) or self._scopes[0].get(name)
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def known(self, name: str, position: Position, kind: type[Variable] | None = None) -> Variable:
        """The variable that `name` means here.  Raises ReadError if there is none; the hint names one of `kind`."""
        variable = self.find(name)
        if variable is None:
            raise ReadError(f"{name} is not declared", position, self._hint(name, kind))
        return variable

    def _hint(self, name: str, kind: type[Variable] | None) -> str:
        predefined = list(PREDEFINED)
        if re.fullmatch(r"V(\d|1\d|20)", name):
            meant = predefined[int(name[1:])]
            return f"Intel's tool takes it for predefined variable {int(name[1:])}: write {meant}"
        fitting = (each for scope in self._scopes for each, variable in scope.items() if kind in (None, type(variable)))
        return closest(name, list(fitting), likeness=0.5)

    def bytes_from(self, variable: GeneralVariable) -> int:
        """How many bytes of storage there are from the start of `variable` on; an alias may be shorter or longer."""
        return self._bytes_from.get(variable.name, variable.size)

    # ------------------------------------------------------------ .decl

    def declare(self, name: str, body: DeclarationBody, position: Position, at: At) -> None:
        is_repeated = len(self._scopes) == 1 and name in self._repeated
        if (name in self._scopes[-1] and not is_repeated) or name in PREDEFINED:
            earlier = self.known(name, position).position
            hint = f"first declared in line {earlier.line}" if earlier else "it is predefined"
            raise ReadError(f"{name} is declared twice", position, hint)
        unique, number = name, 1
        while unique in self.variables:
            number += 1
            unique = f"{name}#{number}"
            self.has_renamed = True
        variable = self._variable(unique, name, body, position, at)
        if isinstance(variable, GeneralVariable) and variable.alias is not None:
            base = self.variables[variable.alias.base]
            assert isinstance(base, GeneralVariable)
            self._bytes_from[unique] = self.bytes_from(base) - variable.alias.offset
        self._scopes[-1][name] = self.variables[unique] = variable
        if is_repeated:
            self._in_turn.setdefault(name, []).append(variable)

    def _variable(self, unique: str, name: str, body: DeclarationBody, position: Position, at: At) -> Variable:
        count = body.num_elts
        _check_count(body, at(body.num_elts_offset))
        match body.kind:
            case "A":
                return AddressVariable(unique, count, position)
            case "P":
                return PredicateVariable(unique, count, position)
            case "S":
                return SamplerVariable(unique, count, position)
            case "T":
                return SurfaceVariable(unique, count, position)
            case _:
                assert body.type is not None
                alias = self._alias(name, body, at(body.base_offset)) if body.base else None
                return GeneralVariable(unique, body.type, count, alias, body.align, position)

    def _alias(self, name: str, body: DeclarationBody, position: Position) -> Alias:
        assert body.base is not None
        base = self.find(body.base)
        if base is None:
            raise self._unknown_base(name, body.base, position)
        if not isinstance(base, GeneralVariable):
            raise ReadError(f"{body.base} is {KINDS[type(base)]}", position, "only a general variable can be aliased")
        if not 0 <= body.alias_bytes < base.size:
            message = f"the alias starts at byte {body.alias_bytes} of {body.base}, which has {base.size}"
            raise ReadError(message, position, f"0 to {base.size - 1} is possible")
        return Alias(base.name, body.alias_bytes)

    def _unknown_base(self, name: str, base: str, position: Position) -> ReadError:
        """Why `base` is not known yet: a circle, a later declaration, or none at all."""
        if base == name:
            return ReadError(f"{name} is an alias of itself", position, "an alias needs a base with storage")
        declared = _alias_declarations(self._source_lines)
        circle = [name, base]
        while (following := declared.get(circle[-1], (0, None))[1]) and following not in circle:
            circle.append(following)
        if following == name:
            path = " → ".join([*circle, name])
            return ReadError(f"the aliases run in a circle: {path}", position, "one of them needs storage of its own")
        if base in declared:
            hint = f"move it up: {base} is declared in line {declared[base][0]}"
            return ReadError(f"{base} is declared after its alias {name}", position, hint)
        return ReadError(f"{base} is not declared", position, self._hint(base, GeneralVariable))

    # ------------------------------------------------------------ .input

    def add_input(self, name: str, placed: Placement, implicit: str | None, position: Position) -> None:
        variable = self.known(name, position)
        if name in PREDEFINED:
            raise ReadError(f"{name} is predefined and cannot be an input", position)
        match variable:
            case GeneralVariable():
                declared = variable.size
            case SurfaceVariable() | SamplerVariable():
                declared = 4 * variable.num_elts
            case _:
                hint = "an input is a general variable, a surface or a sampler"
                raise ReadError(f"{name} is {KINDS[type(variable)]}", position, hint)
        size = declared if placed.size is None else placed.size
        if size != declared:
            raise ReadError(f"the input has {size} bytes, but {name} has {declared}", position)
        end = placed.offset + size
        if placed.offset < 0 or end > REGISTER_FILE_BYTES:
            hint = f"the largest register file has {REGISTER_FILE_BYTES} bytes"
            raise ReadError(f"the input lies at bytes {placed.offset} to {end - 1}", position, hint)
        if variable.name in self._inputs_by_name:
            raise ReadError(f"{name} is an input twice", position)
        self._inputs_by_name.add(variable.name)
        self.inputs.append(Input(variable.name, placed.offset, size, implicit, position))

    def check_inputs(self) -> None:
        """No two inputs share a byte."""
        by_offset = sorted(self.inputs, key=lambda read: (read.offset, read.position.line))
        for earlier, later in pairwise(by_offset):
            if later.offset < earlier.offset + earlier.size:
                first, second = sorted((earlier, later), key=lambda read: read.position.line)
                message = f"the inputs {first.variable} and {second.variable} share byte {later.offset}"
                hint = f"{first.variable} has bytes {first.offset} to {first.offset + first.size - 1}"
                raise ReadError(message, second.position, hint)


def _check_count(body: DeclarationBody, position: Position) -> None:
    count = body.num_elts
    if count < 1:
        raise ReadError(f"num_elts is {count}", position, "a variable has at least one element")
    if body.kind == "A" and count > MAX_ADDRESS_ELEMENTS:
        hint = f"an address variable has at most {MAX_ADDRESS_ELEMENTS}"
        raise ReadError(f"num_elts is {count}", position, hint)
    if body.kind == "P" and count not in PREDICATE_ELEMENTS:
        hint = f"a predicate has {listed(map(str, PREDICATE_ELEMENTS))} elements"
        raise ReadError(f"num_elts is {count}", position, hint)
    size = count * (body.type.size if body.type else 4)
    if size > MAX_VARIABLE_BYTES:
        hint = f"at most {MAX_VARIABLE_BYTES:,} bytes are read, and no register file has as many"
        raise ReadError(f"the variable has {size:,} bytes", position, hint)


def _alias_declarations(source_lines: Iterable[str]) -> dict[str, tuple[int, str | None]]:
    """The line and the alias base of every declaration, for a message."""
    found: dict[str, tuple[int, str | None]] = {}
    for number, line in enumerate(source_lines, 1):
        if match := _ALIAS_DECLARATION.match(line):
            found.setdefault(match.group(1), (number, match.group(2)))
    return found
