"""The properties that conditions of a rewrite rule name: `aligned(off, 4)`, `disjoint(off, other, 4)`, …"""

from collections.abc import Callable, Sequence
from itertools import combinations, product

from visaproof.isa.errors import ReadError
from visaproof.rules.language.syntax import Call, Expression
from visaproof.rules.numbers import WIDE, Numbers, Part
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    conj,
    const,
    disj,
    eq,
    implies,
    is_true,
    neg,
    sle,
    slt,
    truncate,
    ule,
    zero_extend,
)
from visaproof.visaasm.naming import closest, shown


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
    return conj(*(implies(one.runs, neg(_negative(one.number))) for one in numbers.words(arguments[0])))


def _negative(word: BitVec) -> Bool:
    return slt(word, const(0, word.width))


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
