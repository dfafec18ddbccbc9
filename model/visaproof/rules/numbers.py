"""The unknowns of a rewrite rule, and the expressions in its conditions as whole numbers: sums never wrap.

A register stands for each of its elements, `off[0:4]` for some of them, `off[M1]` for those whose lanes run.
"""

from collections.abc import Callable

from msgspec import Struct

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import THREAD_LANES, ExecMask
from visaproof.rules.language.expressions import number_of
from visaproof.rules.language.instances import Instance
from visaproof.rules.language.syntax import Call, Element, Expression, Number, Off, Operation, Range, Selector, Word
from visaproof.semantics.symbolic.names import lane_on, surface_size
from visaproof.semantics.symbolic.value_names import Own, Owner
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    mul,
    neg,
    sub,
    subterms,
    symbol,
    true,
    truncate,
    zero_extend,
)
from visaproof.visaasm.naming import closest, shown

WIDE = 72
"""Bits of the numbers in conditions: enough for a product of a qword and a small number."""


class Part(Struct, frozen=True):
    """One of the numbers that an expression stands for, and where anything is said of it."""

    runs: Bool
    number: BitVec

    def wide(self) -> "Part":
        return Part(self.runs, zero_extend(self.number, WIDE))


def fixed(number: int) -> Part:
    """A number that the rule decides."""
    return Part(true(), const(number, WIDE))


class Numbers:
    """What expressions mean in an instance."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def numbers(self, expression: Expression) -> list[Part]:
        """The value of each element.  Raises ReadError."""
        match expression:
            case Number(value, position):
                if value >= 1 << 64:
                    raise ReadError("a number of more than 64 bits", position)
                return [fixed(value)]
            case Word(name) if name in self._instance.holes:
                return [fixed(self.number(expression))]
            case Word() | Element():
                return [one.wide() for one in self.words(expression)]
            case Operation(sign, left, right, position):
                return self._calculated(sign, left, right, position)
            case Call("size", (Word(name, position),)):
                return [Part(true(), surface_size(self._surface(name, position))).wide()]
            case Call("memory", (Word(name, position),)):
                return [Part(true(), any_dword(self._surface(name, position))).wide()]
            case Call():
                return [fixed(self.number(expression))]

    def words(self, expression: Expression) -> list[Part]:
        """The elements of a register, in their own width.  Raises ReadError."""
        match expression:
            case Word(name, position):
                return [Part(true(), word) for word in self._elements(name, position)]
            case Element(name, selectors, position):
                words = self._elements(name, position)
                return [Part(runs, words[k]) for k, runs in _Selection(self, name, len(words)).of(selectors)]
            case _:
                raise ReadError("this must be a register", expression.position, "as in off, off[0:4] or off[M1]")

    def number(self, expression: Expression) -> int:
        """The expression where the instance decides it.  Raises ReadError."""
        return number_of(expression, self._instance.holes)

    def mask(self, selector: Selector) -> ExecMask | None:
        """The mask that a selector names, or a hole that holds one."""
        if not isinstance(selector, Word):
            return None
        return ExecMask.__members__.get(str(self._instance.holes.get(selector.name, selector.name)))

    def predicate(self, name: str) -> int | None:
        """How many lanes a predicate has."""
        return self._instance.predicates.get(name)

    # ------------------------------------------------------------ elements

    def places(self, selector: Selector, name: str, count: int) -> range:
        """The elements of `name` that a number or a range selects.  Raises ReadError."""
        first = self._place(selector.first if isinstance(selector, Range) else selector, name, count, count - 1)
        if not isinstance(selector, Range):
            return range(first, first + 1)
        end = self._place(selector.end, name, count, count)
        if end <= first:
            raise ReadError("a range without elements", selector.position, "off[0:4] are elements 0 to 3")
        return range(first, end)

    def _place(self, expression: Selector, name: str, count: int, most: int) -> int:
        named = isinstance(expression, Word) and expression.name not in self._instance.holes
        if named or isinstance(expression, Range | Off):
            hint = "a number, a range, a mask such as M1, or a predicate"
            raise ReadError("this selects no elements", expression.position, hint)
        place = self.number(expression)
        if not 0 <= place <= most:
            raise ReadError(f"{name} has {count} elements", expression.position)
        return place

    def _elements(self, name: str, position: Position) -> list[BitVec]:
        register = self._instance.registers.get(name)
        if register is None or register.temporary:
            if register is not None:
                raise ReadError("a temporary register has no contents before", position)
            known = [one.name for one in self._instance.registers.values() if not one.temporary]
            raise ReadError(f"no variable {shown(name)}", position, closest(name, known))
        return [element(name, index, register.type.bits) for index in range(register.count)]

    def _calculated(self, sign: str, left: Expression, right: Expression, position: Position) -> list[Part]:
        if sign in "/%":
            unit = self.number(right)
            if sign == "/" or unit <= 0 or unit & (unit - 1):
                raise ReadError(f"{sign} in a condition", position, "only % with a power of two")
            bits = unit.bit_length() - 1
            return [Part(one.runs, _lowest(one.number, bits)) for one in self.numbers(left)]
        operation: dict[str, Callable[[BitVec, BitVec], BitVec]] = {"+": add, "-": sub, "*": mul}
        return [
            Part(conj(one.runs, other.runs), operation[sign](one.number, other.number))
            for one, other in paired(self.numbers(left), self.numbers(right), position)
        ]

    def _surface(self, name: str, position: Position) -> str:
        known = list(self._instance.surfaces.values())
        if name not in known:
            raise ReadError(f"no surface {shown(name)}", position, closest(name, known))
        return name


def _lowest(number: BitVec, bits: int) -> BitVec:
    return zero_extend(truncate(number, bits), WIDE) if bits else const(0, WIDE)


def paired(left: list[Part], right: list[Part], position: Position) -> list[tuple[Part, Part]]:
    """Element by element; one that stands alone goes with every element of the other.  Raises ReadError."""
    if len(left) != len(right) and 1 not in (len(left), len(right)):
        raise ReadError(f"{len(left)} elements beside {len(right)}", position)
    count = max(len(left), len(right))
    return [(left[min(k, len(left) - 1)], right[min(k, len(right) - 1)]) for k in range(count)]


class _Selection:
    """Which elements of a register are meant, and under which lanes."""

    def __init__(self, numbers: Numbers, name: str, count: int) -> None:
        self._numbers = numbers
        self._name = name
        self._count = count

    def of(self, selectors: tuple[Selector, ...]) -> list[tuple[int, Bool]]:
        places, runs = range(self._count), [true()] * self._count
        masks = [found for one in selectors if (found := self._numbers.mask(one)) is not None]
        first = masks[0].lane_offset if masks else 0
        for selector in selectors:
            mask = self._numbers.mask(selector)
            if mask is not None:
                self._require_lanes(first, THREAD_LANES, selector)
                guards = [true() if mask.no_mask else lanes()[first + k] for k in range(self._count)]
            elif (said := self._predicate(selector)) is not None:
                name, off = said
                self._require_lanes(first, self._numbers.predicate(name) or 0, selector)
                bits = [predicate_bit(name, first + k) for k in range(self._count)]
                guards = [neg(bit) for bit in bits] if off else bits
            else:
                places, guards = self._numbers.places(selector, self._name, self._count), []
            runs = [conj(run, guard) for run, guard in zip(runs, guards, strict=True)] if guards else runs
        return [(k, runs[k]) for k in places]

    def _predicate(self, selector: Selector) -> tuple[str, bool] | None:
        """A predicate, and whether the lanes that it leaves out are meant."""
        if isinstance(selector, Word | Off) and self._numbers.predicate(selector.name) is not None:
            return selector.name, isinstance(selector, Off)
        if isinstance(selector, Off):
            raise ReadError(f"no predicate {shown(selector.name)}", selector.position)
        return None

    def _require_lanes(self, first: int, most: int, selector: Selector) -> None:
        if first + self._count > most:
            text = f"lanes {first} to {first + self._count - 1} of {self._name}, where there are {most}"
            raise ReadError(text, selector.position)


class EveryDword(Struct, frozen=True):
    """The unknown that stands for each dword of a surface in a condition on its contents."""

    surface: str

    def __str__(self) -> str:
        return f"every dword of {self.surface}"


def element(register: str, index: int, bits: int, side: str = "") -> BitVec:
    """What an element of a register holds before; of a temporary register, for this side alone."""
    name = f"{register}[{index}]"
    return symbol(Own(Owner(side), name) if side else name, bits)


def lanes() -> tuple[Bool, ...]:
    """The execution mask of the thread."""
    return tuple(lane_on(lane) for lane in range(THREAD_LANES))


def predicate_bit(name: str, lane: int) -> Bool:
    return bool_symbol(f"{name}[{lane}]")


def any_dword(surface: str) -> BitVec:
    return symbol(EveryDword(surface), 32)


def surfaces_described(term: Term) -> list[str]:
    """The surfaces whose dwords the condition is about."""
    return sorted({one.payload.surface for one in subterms(term) if isinstance(one.payload, EveryDword)})
