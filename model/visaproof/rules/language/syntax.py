"""A rewrite rule as it is written: holes, variables, conditions and two templates of vISA instructions."""

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType


class Expect(Enum):
    """What the file says of its rule."""

    PROVED = "proved"
    REFUTED = "refuted"


# ---------------------------------------------------------------- expressions and conditions


class Number(Struct, frozen=True):
    value: int
    position: Position


class Word(Struct, frozen=True):
    """A hole, a variable, `mask`, `all` or `none`."""

    name: str
    position: Position


class Range(Struct, frozen=True):
    """`0:4`: from the first number up to the second one, without it."""

    first: "Expression"
    end: "Expression"
    position: Position


class Off(Struct, frozen=True):
    """`!p`: the lanes that a predicate leaves out."""

    name: str
    position: Position


class Element(Struct, frozen=True):
    """Some elements of a register: `off[3]`, `off[0:4]`; of the lanes that run: `off[M1]`, `off[M5, !p]`."""

    name: str
    selectors: "tuple[Selector, ...]"
    position: Position


class Call(Struct, frozen=True):
    """`aligned(off, 4)`, `max(8, grf / 4)`"""

    name: str
    arguments: "tuple[Expression, ...]"
    position: Position


class Operation(Struct, frozen=True):
    """`left + right`; the sign is one of + - * / %."""

    sign: str
    left: "Expression"
    right: "Expression"
    position: Position


Expression = Number | Word | Element | Call | Operation
Selector = Expression | Range | Off


class Compared(Struct, frozen=True):
    """`base + off < 0x1000`, `mask within 0xff`"""

    relation: str
    left: Expression
    right: Expression
    position: Position


class Holds(Struct, frozen=True):
    """A property: `aligned(off, 4)`."""

    call: Expression
    position: Position


class Joined(Struct, frozen=True):
    """Both conditions, or one of them at least."""

    both: bool
    left: "Condition"
    right: "Condition"


class Negated(Struct, frozen=True):
    condition: "Condition"


Condition = Compared | Holds | Joined | Negated


# ---------------------------------------------------------------- the parts of a rule


class Choice(Struct, frozen=True):
    """`for: mask, high in (M1, M3) (M5, M7)`: the values that holes take together."""

    names: tuple[str, ...]
    rows: tuple[tuple[int | str, ...], ...]
    position: Position


class Let(Struct, frozen=True):
    """A hole that others decide."""

    name: str
    value: Expression
    position: Position


class Kind(Enum):
    """What a name of the templates is."""

    REGISTER = "var"
    TEMPORARY = "temp"
    """A register whose contents nobody knows before, and nobody asks for after."""
    PREDICATE = "pred"
    SURFACE = "surface"


class Declared(Struct, frozen=True):
    """`off ud[16]`, `p[32]`, `S`, `S bti 1`"""

    kind: Kind
    name: str
    type: DataType
    count: Expression
    position: Position
    index: int | None = None
    """Of a surface that LSC messages reach by its place in the binding table."""


class TemplateLine(Struct, frozen=True):
    """An instruction with holes, once or for each value of a hole of its own."""

    text: str
    position: Position
    """Of its first character."""
    each: tuple[str, Expression] | None = None
    """`each k in 4:` — the hole, and how many values it takes, from 0 on."""


class Rule(Struct, frozen=True):
    """One file."""

    name: str
    about: str
    """The comment above it: who uses it, and why."""
    platforms: tuple[str, ...]
    choices: tuple[Choice, ...]
    lets: tuple[Let, ...]
    declared: tuple[Declared, ...]
    pre: tuple[Condition, ...]
    right_if: tuple[Condition, ...]
    """Of a rule that is refuted: with this as well it is proved."""
    expect: Expect
    observed: tuple[tuple[str, Position], ...]
    source: tuple[TemplateLine, ...]
    target: tuple[TemplateLine, ...]
    path: str
    lines: tuple[str, ...]
    texts: Mapping[int, str]
    """The conditions as they are written, by line."""

    @property
    def position(self) -> Position:
        return Position(self.path, 1, 1)
