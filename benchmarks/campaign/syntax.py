"""A generated kernel: all variables are declared at the top, so that any statement can be dropped."""

import re
from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from benchmarks.campaign.types import Type

_PLACE = re.compile(r"\$(\d)|\$([A-Z])")
INDENT = "    "


class Expression(Struct, frozen=True):
    """`text` with an operand at each of `$0`, `$1`, …"""

    type: Type
    text: str
    operands: tuple["Expression", ...] = ()

    def __str__(self) -> str:
        return _PLACE.sub(lambda found: str(self.operands[int(found[1])]), self.text)

    def parts(self) -> Iterator["Expression"]:
        """What is inside, without itself."""
        for each in self.operands:
            yield each
            yield from each.parts()

    @property
    def size(self) -> int:
        return 1 + sum(each.size for each in self.operands)


class Statement(Struct, frozen=True):
    """Lines with an operand at each `$0`, and a body where a line is `$A`, `$B`, …"""

    text: str
    operands: tuple[Expression, ...] = ()
    bodies: tuple[tuple["Statement", ...], ...] = ()

    def lines(self, indent: str = INDENT) -> Iterator[str]:
        for line in self.text.splitlines():
            if line.startswith("$") and line[1:].isalpha():
                for each in self.bodies[ord(line[1]) - ord("A")]:
                    yield from each.lines(indent + INDENT)
            else:
                yield indent + _PLACE.sub(lambda found: str(self.operands[int(found[1])]), line)

    @property
    def size(self) -> int:
        inside = sum(each.size for body in self.bodies for each in body)
        return 1 + sum(each.size for each in self.operands) + inside


class Parameter(Struct, frozen=True):
    """A buffer."""

    name: str
    type: Type
    items: int
    """Elements of the type."""
    role: str = "out"
    """"in": random values, not written; "out": 0 at first; "any": written in an order that the source leaves open."""
    ulps: int | None = None
    """How far floats of it may be from the exact result, in units of the last place."""

    @property
    def bytes(self) -> int:
        return self.items * self.type.bytes

    def __str__(self) -> str:
        base = "ushort" if self.type.base == "half" else self.type.base
        return f"global {'const ' * (self.role == 'in')}{base} *{self.name}"


class Kernel(Struct, frozen=True):
    """A kernel with the launch for which its behaviour is defined."""

    name: str
    seed: int
    parameters: tuple[Parameter, ...]
    declarations: tuple[str, ...]
    statements: tuple[Statement, ...]
    grid: tuple[int, int, int]
    group: tuple[int, int, int]
    sub_group: int = 0
    """Lanes that the source requires; 0: it does not ask."""
    features: frozenset[str] = field(default=frozenset[str]())

    def text(self) -> str:
        required = f"__attribute__((intel_reqd_sub_group_size({self.sub_group})))\n" if self.sub_group else ""
        head = f"kernel void {self.name}({', '.join(map(str, self.parameters))})\n{{"
        body = [f"{INDENT}{each}" for each in self.declarations]
        lines = [line for each in self.statements for line in each.lines()]
        return required + "\n".join([head, *body, *lines, "}"]) + "\n"

    @property
    def size(self) -> int:
        return sum(each.size for each in self.statements)

    def with_statements(self, statements: tuple[Statement, ...]) -> "Kernel":
        return replace(self, statements=statements)
