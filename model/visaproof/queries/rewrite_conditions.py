"""Conditions of a rewrite rule on terms.  Their numbers are whole: sums in a condition never wrap.

A register stands for each of its elements: `aligned(off, 4)` says it of all of them, and two registers in one
comparison are compared element by element; one with a single element goes with every element of the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visaproof.isa.errors import ReadError
from visaproof.kernel.rewrite_expressions import value_of
from visaproof.kernel.rewrite_instances import Instance
from visaproof.kernel.rewrite_syntax import Compared, Condition, Holds, Joined, Negated, Word
from visaproof.queries.rewrite_numbers import Numbers, paired
from visaproof.queries.rewrite_properties import property_holds
from visaproof.queries.rewrite_symbols import lanes, predicate_bit, surfaces_described
from visaproof.smt import BitVec, Bool, conj, disj, eq, iff, implies, neg, sle, slt

MASK = "mask"


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
        for part in conjuncts(condition):
            term = _Scope(instance).condition(part)
            names = surfaces_described(term)
            if names:
                contents += [(name, term) for name in names]
            else:
                inputs.append(term)
    return Premise(tuple(inputs), tuple(contents))


def conjuncts(condition: Condition) -> list[Condition]:
    """What `and` joins."""
    if isinstance(condition, Joined) and condition.both:
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


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
        if isinstance(compared.left, Word) and (bits := self._bits(compared.left)) is not None:
            return self._lanes_compared(bits, compared)
        if compared.relation in ("within", "includes"):
            hint = "as in: mask within 0xff"
            raise ReadError(f"{compared.relation} is said of masks and predicates", compared.position, hint)
        left, right = self._numbers.numbers(compared.left), self._numbers.numbers(compared.right)
        relation = _RELATIONS[compared.relation]
        pairs = paired(left, right, compared.position)
        return conj(*(implies(conj(a.runs, b.runs), relation(a.number, b.number)) for a, b in pairs))

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


_RELATIONS: dict[str, Callable[[BitVec, BitVec], Bool]] = {
    "==": eq,
    "!=": lambda left, right: neg(eq(left, right)),
    "<": slt,
    "<=": sle,
    ">": lambda left, right: slt(right, left),
    ">=": lambda left, right: sle(right, left),
}
"""Signed, because a difference may be negative; the words of registers are far below 2^71."""
