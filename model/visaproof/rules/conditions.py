"""Conditions of a rewrite rule, symbolically.  Their numbers are whole: sums in a condition never wrap.

A register stands for each of its elements: `aligned(off, 4)` says it of all of them, and two registers in one
comparison are compared element by element; one with a single element goes with every element of the other.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product

from msgspec import Struct

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import THREAD_LANES
from visaproof.rules.language.expressions import value_of
from visaproof.rules.language.instances import Instance
from visaproof.rules.language.syntax import Call, Compared, Condition, Element, Expression, Holds, Joined, Negated, Word
from visaproof.rules.numbers import WIDE, Numbers, Part, lanes, paired, predicate_bit, surfaces_described
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    conj,
    const,
    disj,
    eq,
    false,
    iff,
    implies,
    is_true,
    neg,
    sle,
    slt,
    true,
    truncate,
    ule,
    zero_extend,
)
from visaproof.visaasm.naming import closest, shown

MASK = "mask"


class Premise(Struct, frozen=True):
    """A condition: what it says of the inputs, and what of every dword of a surface."""

    inputs: tuple[Bool, ...]
    contents: tuple[tuple[str, Bool], ...]
    """The surface, and the condition on the unknown that stands for each of its dwords."""
    apart: frozenset[frozenset[str]] = frozenset()
    """The pairs of surfaces that share no byte."""


def premise(conditions: Sequence[Condition], instance: Instance) -> Premise:
    """The conditions of an instance.  Raises ReadError."""
    inputs: list[Bool] = []
    contents: list[tuple[str, Bool]] = []
    apart: set[frozenset[str]] = set()
    for condition in conditions:
        for part in conjuncts(condition):
            if isinstance(part, Holds) and isinstance(part.call, Call) and part.call.name == "apart":
                apart.add(_pair(part.call, instance))
                continue
            term = _Scope(instance).condition(part)
            names = surfaces_described(term)
            if names:
                contents += [(name, term) for name in names]
            else:
                inputs.append(term)
    return Premise(tuple(inputs), tuple(contents), frozenset(apart))


def _pair(call: Call, instance: Instance) -> frozenset[str]:
    """Two surfaces of the rule.  Raises ReadError."""
    names = frozenset(one.name for one in call.arguments if isinstance(one, Word))
    if len(call.arguments) != 2 or len(names) != 2 or not names <= set(instance.surfaces.values()):
        raise ReadError("apart is of two surfaces of the rule", call.position, "apart(S, T)")
    return names


def conjuncts(condition: Condition) -> list[Condition]:
    """What `and` joins."""
    if isinstance(condition, Joined) and condition.both:
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def place_of(condition: Condition) -> Position:
    """Where the condition starts."""
    match condition:
        case Joined(_, left, _):
            return place_of(left)
        case Negated(inner):
            return place_of(inner)
        case Holds(_, position) | Compared(_, _, _, position):
            return position


class _Scope:
    """The names of an instance."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._numbers = Numbers(instance)

    def condition(self, condition: Condition) -> Bool:
        match condition:
            case Joined(both, left, right):
                return (conj if both else disj)(self.condition(left), self.condition(right))
            case Negated(inner):
                return neg(self.condition(inner))
            case Holds(call):
                return property_holds(self._numbers, call)
            case Compared():
                return self._compared(condition)

    def _compared(self, compared: Compared) -> Bool:
        left_bits = self._bits(compared.left)
        if left_bits is not None:
            return self._lanes_compared(left_bits, compared)
        if compared.relation in ("within", "includes"):
            hint = "as in: mask within 0xff"
            raise ReadError(f"{compared.relation} is said of masks and predicates", compared.position, hint)
        left, right = self._numbers.numbers(compared.left), self._numbers.numbers(compared.right)
        relation = _RELATIONS[compared.relation]
        pairs = paired(left, right, compared.position)
        return conj(*(implies(conj(a.runs, b.runs), relation(a.number, b.number)) for a, b in pairs))

    def _bits(self, expression: Expression) -> list[Bool] | None:
        """The lanes of the mask or of a predicate, or some of them; None of anything else."""
        if not isinstance(expression, Word | Element):
            return None
        count = THREAD_LANES if expression.name == MASK else self._instance.predicates.get(expression.name)
        if count is None:
            return None
        bits = [lanes()[k] if expression.name == MASK else predicate_bit(expression.name, k) for k in range(count)]
        if isinstance(expression, Word):
            return bits
        if len(expression.selectors) != 1:
            raise ReadError("lanes are a number or a range", expression.position, f"{expression.name}[0:8]")
        return [bits[k] for k in self._numbers.places(expression.selectors[0], expression.name, count)]

    def _lanes_compared(self, bits: list[Bool], compared: Compared) -> Bool:
        others = self._bits(compared.right)
        if others is None:
            mask = self._lanes(compared.right, len(bits))
            others = [true() if mask >> lane & 1 else false() for lane in range(len(bits))]
        pairs = list(zip(bits, others, strict=False))  # those of both
        match compared.relation:
            case "within":
                return conj(*(implies(one, other) for one, other in pairs))
            case "includes":
                return conj(*(implies(other, one) for one, other in pairs))
            case "==":
                return conj(*(iff(one, other) for one, other in pairs))
            case "!=":
                return neg(conj(*(iff(one, other) for one, other in pairs)))
            case _:
                raise ReadError(f"{compared.relation} between masks", compared.position, "within, includes, == or !=")

    def _lanes(self, expression: Expression, count: int) -> int:
        """The lanes that a number, `all` or `none` stands for."""
        if isinstance(expression, Word) and expression.name in ("all", "none"):
            return (1 << count) - 1 if expression.name == "all" else 0
        number = value_of(expression, self._instance.holes)
        if isinstance(number, str) or not 0 <= number < 1 << count:
            raise ReadError(f"a mask of {count} lanes", expression.position, "a number, all or none")
        return number


_RELATIONS: dict[str, Callable[[BitVec, BitVec], Bool]] = {
    "==": eq,
    "!=": lambda left, right: neg(eq(left, right)),
    "<": slt,
    "<=": sle,
    ">": lambda left, right: slt(right, left),
    ">=": lambda left, right: sle(right, left),
}
"""Signed, because a difference may be negative; the words of registers are far below 2^71."""


# ---------------------------------------------------------------- properties


def property_holds(numbers: Numbers, call: Expression) -> Bool:
    """What a call says.  Raises ReadError."""
    if not isinstance(call, Call):
        raise ReadError("this is no condition", call.position, f"a comparison, or one of {', '.join(_PROPERTIES)}")
    if call.name == "apart":
        raise ReadError("apart stands alone in a condition, or beside others with `and`", call.position, "apart(S, T)")
    found = _PROPERTIES.get(call.name)
    if found is None:
        hint = closest(call.name, list(_PROPERTIES)) or f"one of {', '.join(_PROPERTIES)}"
        raise ReadError(f"no property {shown(call.name)}", call.position, hint)
    form, least, most, meaning = found
    if not least <= len(call.arguments) <= most:
        raise ReadError(f"{call.name} of {len(call.arguments)} arguments", call.position, form)
    return meaning(numbers, call.arguments)


def _aligned(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    unit = numbers.number(arguments[1])
    if unit <= 0 or unit & (unit - 1):
        raise ReadError("an alignment is a power of two", arguments[1].position)
    bits = unit.bit_length() - 1
    parts = numbers.numbers(arguments[0])
    return conj(*(implies(one.runs, eq(truncate(one.number, bits), const(0, bits))) for one in parts if bits))


def _no_wrap(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    bits = numbers.number(arguments[1]) if len(arguments) > 1 else 32
    if not 0 < bits <= 64:
        raise ReadError("a number of bits from 1 to 64", arguments[1].position)
    limit = const(1 << bits, WIDE)
    return conj(*(implies(one.runs, slt(one.number, limit)) for one in numbers.numbers(arguments[0])))


def _disjoint(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    width = numbers.number(arguments[2])
    other_width = numbers.number(arguments[3]) if len(arguments) > 3 else width
    pairs = product(numbers.numbers(arguments[0]), numbers.numbers(arguments[1]))
    return conj(*(_apart(one, width, other, other_width) for one, other in pairs))


def _distinct(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    width = numbers.number(arguments[1])
    pairs = combinations(numbers.numbers(arguments[0]), 2)
    return conj(*(_apart(one, width, other, width) for one, other in pairs))


def _apart(one: Part, width: int, other: Part, other_width: int) -> Bool:
    behind = ule(add(one.number, const(width, WIDE)), other.number)
    before = ule(add(other.number, const(other_width, WIDE)), one.number)
    return implies(conj(one.runs, other.runs), disj(behind, before))


def _uniform(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    words = numbers.words(arguments[0])
    every = all(is_true(one.runs) for one in words)
    pairs = ((words[0], one) for one in words[1:]) if every else combinations(words, 2)
    return conj(*(implies(conj(one.runs, other.runs), eq(one.number, other.number)) for one, other in pairs))


def _consecutive(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    parts, step = numbers.words(arguments[0]), numbers.number(arguments[1])
    if not all(is_true(one.runs) for one in parts):
        raise ReadError("consecutive is said of all lanes", arguments[0].position, "off or off[0:4]")
    words = [one.number for one in parts]
    exact = (eq(one, add(words[0], const(index * step, one.width))) for index, one in enumerate(words))
    last = add(zero_extend(words[0], WIDE), const(step * (len(words) - 1), WIDE))
    return conj(*exact, slt(last, const(1 << words[0].width, WIDE)))


def _inside(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    """Every element's bytes lie inside the surface."""
    surface = numbers.numbers(Call("size", (arguments[0],), arguments[0].position))[0].number
    width = const(numbers.number(arguments[2]), WIDE)
    return conj(*(implies(one.runs, sle(add(one.number, width), surface)) for one in numbers.numbers(arguments[1])))


def _nonneg(numbers: Numbers, arguments: Sequence[Expression]) -> Bool:
    if isinstance(arguments[0], Call):  # memory(S)
        return conj(*(slt(one.number, const(1 << 31, WIDE)) for one in numbers.numbers(arguments[0])))
    words = numbers.words(arguments[0])
    return conj(*(implies(one.runs, sle(const(0, one.number.width), one.number)) for one in words))


_Meaning = Callable[[Numbers, Sequence[Expression]], Bool]
_PROPERTIES: dict[str, tuple[str, int, int, _Meaning]] = {
    "aligned": ("aligned(x, bytes)", 2, 2, _aligned),
    "no_wrap": ("no_wrap(sum) or no_wrap(sum, bits)", 1, 2, _no_wrap),
    "disjoint": ("disjoint(x, y, bytes)", 3, 4, _disjoint),
    "distinct": ("distinct(x, bytes)", 2, 2, _distinct),
    "uniform": ("uniform(x)", 1, 1, _uniform),
    "consecutive": ("consecutive(x, bytes)", 2, 2, _consecutive),
    "inside": ("inside(surface, x, bytes)", 3, 3, _inside),
    "nonneg": ("nonneg(x)", 1, 1, _nonneg),
}
