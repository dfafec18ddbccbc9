"""Conditions of a rewrite rule on terms.  Their numbers are whole: sums in a condition never wrap.

A register stands for each of its elements: `aligned(off, 4)` says it of all of them, and two registers in one
comparison are compared element by element; one with a single element goes with every element of the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import cast

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import THREAD_LANES
from visaproof.kernel.naming import closest, shown
from visaproof.kernel.rewrite_expressions import value_of
from visaproof.kernel.rewrite_instances import Instance
from visaproof.kernel.rewrite_syntax import (
    Call,
    Compared,
    Condition,
    Element,
    Expression,
    Holds,
    Joined,
    Negated,
    Number,
    Operation,
    Word,
)
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    iff,
    mul,
    neg,
    sle,
    slt,
    sub,
    substitute,
    subterms,
    symbol,
    true,
    truncate,
    ule,
    zero_extend,
)

WIDE = 72
"""Bits of the numbers in conditions: enough for a product of a qword and a small number."""
MASK = "mask"
MEMORY = "every dword of"
"""The unknown that stands for each dword of a surface in a condition on its contents."""


def element(register: str, index: int, bits: int) -> BitVec:
    """What an element of a register holds before."""
    return symbol(f"{register}[{index}]", bits)


def lanes() -> tuple[Bool, ...]:
    """The execution mask of the thread."""
    return tuple(bool_symbol(f"em.{lane}") for lane in range(THREAD_LANES))


def predicate_bit(name: str, lane: int) -> Bool:
    return bool_symbol(f"{name}[{lane}]")


def surface_size(name: str) -> BitVec:
    return symbol(f"size.{name}", ADDRESS_BITS)


def any_dword(surface: str) -> BitVec:
    return symbol(f"{MEMORY} {surface}", 32)


@dataclass(frozen=True, slots=True)
class Premise:
    """A condition: what it says of the inputs, and what of every dword of a surface."""

    inputs: tuple[Bool, ...]
    contents: tuple[tuple[str, Bool], ...]
    """The surface, and the condition on the unknown that stands for each of its dwords."""


def premise(conditions: Sequence[Condition], instance: Instance) -> Premise:
    """The conditions of an instance.  Raises ReadError."""
    inputs: list[Bool] = []
    contents: list[tuple[str, Bool]] = []
    for condition in conditions:
        for part in _parts(condition):
            term = _Scope(instance).condition(part)
            names = {
                str(one.payload).removeprefix(MEMORY).strip()
                for one in subterms(term)
                if one.op is Op.SYMBOL and str(one.payload).startswith(MEMORY)
            }
            if not names:
                inputs.append(term)
            else:
                contents += [(name, term) for name in sorted(names)]
    return Premise(tuple(inputs), tuple(contents))


def _parts(condition: Condition) -> list[Condition]:
    if isinstance(condition, Joined) and condition.both:
        return [*_parts(condition.left), *_parts(condition.right)]
    return [condition]


class _Scope:
    """The names of an instance."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def condition(self, condition: Condition) -> Bool:
        match condition:
            case Joined(both, left, right):
                return (conj if both else disj)(self.condition(left), self.condition(right))
            case Negated(inner):
                return neg(self.condition(inner))
            case Holds(call):
                return self._holds(call)
            case Compared():
                return self._compared(condition)

    # ------------------------------------------------------------ comparisons

    def _compared(self, compared: Compared) -> Bool:
        if isinstance(compared.left, Word) and (bits := self._bits(compared.left)) is not None:
            return self._lanes_compared(bits, compared)
        if compared.relation in ("within", "includes"):
            hint = "as in: mask within 0xff"
            raise ReadError(f"{compared.relation} is said of masks and predicates", compared.position, hint)
        left, right = self.numbers(compared.left), self.numbers(compared.right)
        pairs = _paired(left, right, compared.position)
        return conj(*(_RELATIONS[compared.relation](one, other) for one, other in pairs))

    def _bits(self, word: Word) -> list[Bool] | None:
        if word.name == MASK:
            return list(lanes())
        count = self._instance.predicates.get(word.name)
        return None if count is None else [predicate_bit(word.name, lane) for lane in range(count)]

    def _lanes_compared(self, bits: list[Bool], compared: Compared) -> Bool:
        right = compared.right
        if isinstance(right, Word) and (others := self._bits(right)) is not None:
            if compared.relation != "==":
                raise ReadError(f"{compared.relation} between masks", compared.position, "write ==")
            return conj(*(iff(one, other) for one, other in zip(bits, others, strict=False)))
        mask = (1 << len(bits)) - 1 if isinstance(right, Word) and right.name == "all" else 0
        if not (isinstance(right, Word) and right.name in ("all", "none")):
            number = value_of(right, self._instance.holes)
            if isinstance(number, str) or not 0 <= number < 1 << len(bits):
                raise ReadError(f"a mask of {len(bits)} lanes", right.position, "a number, all or none")
            mask = number
        on = conj(*(bit for lane, bit in enumerate(bits) if mask >> lane & 1))
        off = conj(*(neg(bit) for lane, bit in enumerate(bits) if not mask >> lane & 1))
        match compared.relation:
            case "within":
                return off
            case "includes":
                return on
            case "==":
                return conj(on, off)
            case "!=":
                return neg(conj(on, off))
            case _:
                raise ReadError(f"{compared.relation} between masks", compared.position, "within, includes, == or !=")

    # ------------------------------------------------------------ numbers

    def numbers(self, expression: Expression) -> list[BitVec]:
        """The value of each element."""
        match expression:
            case Number(value, position):
                if value >= 1 << 64:
                    raise ReadError("a number of more than 64 bits", position)
                return [const(value, WIDE)]
            case Word(name, position):
                return [zero_extend(one, WIDE) for one in self.elements(name, position)]
            case Element(name, index, position):
                elements, place = self.elements(name, position), self._number(index)
                if not 0 <= place < len(elements):
                    raise ReadError(f"{name} has {len(elements)} elements", index.position)
                return [zero_extend(elements[place], WIDE)]
            case Operation(sign, left, right, position):
                return self._calculated(sign, left, right, position)
            case Call("size", (Word(name, position),)):
                return [zero_extend(surface_size(self._surface(name, position)), WIDE)]
            case Call("memory", (Word(name, position),)):
                return [zero_extend(any_dword(self._surface(name, position)), WIDE)]
            case Call():
                return [const(self._number(expression), WIDE)]

    def elements(self, name: str, position: Position) -> list[BitVec]:
        """The elements of a register, or the number that a hole has."""
        if name in self._instance.holes:
            return [const(self._number(Word(name, position)), WIDE)]
        register = self._instance.registers.get(name)
        if register is None or register.temporary:
            what = "a temporary register has no contents before" if register else f"no variable {shown(name)}"
            raise ReadError(what, position, closest(name, list(self._instance.registers)))
        return [element(name, index, register.type.bits) for index in range(register.count)]

    def _number(self, expression: Expression) -> int:
        value = value_of(expression, self._instance.holes)
        if isinstance(value, str):
            raise ReadError(f"{shown(value)} is no number", expression.position)
        return value

    def _calculated(self, sign: str, left: Expression, right: Expression, position: Position) -> list[BitVec]:
        if sign in "/%":
            unit = self._number(right)
            if sign == "/" or unit <= 0 or unit & (unit - 1):
                raise ReadError(f"{sign} in a condition", position, "only % with a power of two")
            bits = unit.bit_length() - 1
            return [zero_extend(truncate(one, bits), WIDE) if bits else const(0, WIDE) for one in self.numbers(left)]
        operation: dict[str, Callable[[BitVec, BitVec], BitVec]] = {"+": add, "-": sub, "*": mul}
        pairs = _paired(self.numbers(left), self.numbers(right), position)
        return [operation[sign](one, other) for one, other in pairs]

    def _surface(self, name: str, position: Position) -> str:
        known = list(self._instance.surfaces.values())
        if name not in known:
            raise ReadError(f"no surface {shown(name)}", position, closest(name, known))
        return name

    # ------------------------------------------------------------ properties

    def _holds(self, call: Expression) -> Bool:
        if not isinstance(call, Call):
            raise ReadError("this is no condition", call.position, f"a comparison, or one of {', '.join(_PROPERTIES)}")
        found = _PROPERTIES.get(call.name)
        if found is None:
            hint = closest(call.name, list(_PROPERTIES)) or f"one of {', '.join(_PROPERTIES)}"
            raise ReadError(f"no property {shown(call.name)}", call.position, hint)
        form, least, most, meaning = found
        if not least <= len(call.arguments) <= most:
            raise ReadError(f"{call.name} of {len(call.arguments)} arguments", call.position, form)
        return meaning(self, call.arguments)

    def aligned(self, arguments: Sequence[Expression]) -> Bool:
        unit = self._number(arguments[1])
        if unit <= 0 or unit & (unit - 1):
            raise ReadError("an alignment is a power of two", arguments[1].position)
        bits = unit.bit_length() - 1
        if not bits:
            return true()
        if isinstance(arguments[0], Word):
            words = self.elements(arguments[0].name, arguments[0].position)
        else:
            words = self.numbers(arguments[0])
        return conj(*(eq(truncate(one, bits), const(0, bits)) for one in words))

    def no_wrap(self, arguments: Sequence[Expression]) -> Bool:
        bits = self._number(arguments[1]) if len(arguments) > 1 else 32
        if not 0 < bits <= 64:
            raise ReadError("a number of bits from 1 to 64", arguments[1].position)
        return conj(*(_RELATIONS["<"](one, const(1 << bits, WIDE)) for one in self.numbers(arguments[0])))

    def disjoint(self, arguments: Sequence[Expression]) -> Bool:
        width = self._number(arguments[2])
        other_width = self._number(arguments[3]) if len(arguments) > 3 else width
        pairs = product(self.numbers(arguments[0]), self.numbers(arguments[1]))
        return conj(*(_apart(one, width, other, other_width) for one, other in pairs))

    def distinct(self, arguments: Sequence[Expression]) -> Bool:
        width = self._number(arguments[1])
        pairs = combinations(self.numbers(arguments[0]), 2)
        return conj(*(_apart(one, width, other, width) for one, other in pairs))

    def uniform(self, arguments: Sequence[Expression]) -> Bool:
        words = self._words(arguments[0])
        return conj(*(eq(one, words[0]) for one in words[1:]))

    def consecutive(self, arguments: Sequence[Expression]) -> Bool:
        words, step = self._words(arguments[0]), self._number(arguments[1])
        first = zero_extend(words[0], WIDE)
        pairs = ((one, index) for index, one in enumerate(words[1:], 1))
        exact = conj(*(eq(one, add(words[0], const(index * step, one.width))) for one, index in pairs))
        last = add(first, const(step * (len(words) - 1), WIDE))
        return conj(exact, _RELATIONS["<"](last, const(1 << words[0].width, WIDE)))

    def inside(self, arguments: Sequence[Expression]) -> Bool:
        """Every element's bytes lie inside the surface."""
        surface = self.numbers(Call("size", (arguments[0],), arguments[0].position))[0]
        width = const(self._number(arguments[2]), WIDE)
        return conj(*(_RELATIONS["<="](add(one, width), surface) for one in self.numbers(arguments[1])))

    def nonneg(self, arguments: Sequence[Expression]) -> Bool:
        if isinstance(arguments[0], Call):  # memory(S)
            return conj(*(_RELATIONS["<"](one, const(1 << 31, WIDE)) for one in self.numbers(arguments[0])))
        words = self._words(arguments[0])
        return conj(*(neg(slt(one, const(0, one.width))) for one in words))

    def _words(self, argument: Expression) -> list[BitVec]:
        if not isinstance(argument, Word):
            raise ReadError("this must be a register", argument.position)
        return self.elements(argument.name, argument.position)


_Meaning = Callable[[_Scope, Sequence[Expression]], Bool]
_PROPERTIES: dict[str, tuple[str, int, int, _Meaning]] = {
    "aligned": ("aligned(x, bytes)", 2, 2, _Scope.aligned),
    "no_wrap": ("no_wrap(sum) or no_wrap(sum, bits)", 1, 2, _Scope.no_wrap),
    "disjoint": ("disjoint(x, y, bytes)", 3, 4, _Scope.disjoint),
    "distinct": ("distinct(x, bytes)", 2, 2, _Scope.distinct),
    "uniform": ("uniform(x)", 1, 1, _Scope.uniform),
    "consecutive": ("consecutive(x, bytes)", 2, 2, _Scope.consecutive),
    "inside": ("inside(surface, x, bytes)", 3, 3, _Scope.inside),
    "nonneg": ("nonneg(x)", 1, 1, _Scope.nonneg),
}

_RELATIONS: dict[str, Callable[[BitVec, BitVec], Bool]] = {
    "==": eq,
    "!=": lambda left, right: neg(eq(left, right)),
    "<": slt,
    "<=": sle,
    ">": lambda left, right: slt(right, left),
    ">=": lambda left, right: sle(right, left),
}
"""Signed, because a difference may be negative; the words of registers are far below 2^71."""


def _paired(left: list[BitVec], right: list[BitVec], position: Position) -> list[tuple[BitVec, BitVec]]:
    if len(left) != len(right) and 1 not in (len(left), len(right)):
        raise ReadError(f"{len(left)} elements beside {len(right)}", position)
    count = max(len(left), len(right))
    return [(left[min(k, len(left) - 1)], right[min(k, len(right) - 1)]) for k in range(count)]


def _apart(one: BitVec, width: int, other: BitVec, other_width: int) -> Bool:
    behind = ule(add(one, const(width, WIDE)), other)
    before = ule(add(other, const(other_width, WIDE)), one)
    return disj(behind, before)


# ---------------------------------------------------------------- use of premises


def replacements(premises: Sequence[Bool]) -> dict[Term, Term]:
    """What may stand for what where the premises hold: equal words, and truth values."""
    known: dict[Term, Term] = {}
    whole = conj(*premises)
    for premise_ in whole.args if whole.op is Op.CONJ else (whole,):
        fact = substitute(premise_, known)
        found: tuple[Term, Term] | None = None
        if fact.op is Op.SYMBOL:
            found = fact, true()
        elif fact.op is Op.NOT and fact.args[0].op is Op.SYMBOL:
            found = fact.args[0], neg(true())
        elif fact.op is Op.EQ:
            found = _solved(cast(BitVec, fact.args[0]), cast(BitVec, fact.args[1]))
        if found is not None:
            known = {one: substitute(other, dict([found])) for one, other in known.items()} | dict([found])
    return known


def _solved(left: BitVec, right: BitVec) -> tuple[Term, Term] | None:
    """A symbol of an equation and what it equals."""
    difference = sub(left, right)
    for one in reversed([term for term in subterms(left, right) if term.op is Op.SYMBOL and term.width == left.width]):
        for other in (sub(cast(BitVec, one), difference), add(cast(BitVec, one), difference)):
            if one not in set(subterms(other)):
                return one, other
    return None
