"""What a source may find in uninitialised registers: for each byte, what the target has in the same place.

∀ inputs ∀ choices of the target ∃ choices of the source: any choice will do, so that a wrong guess loses a proof only.
Where the source adds a choice to what it has otherwise, the choice is what is missing to what the target has there.
It may be made of whatever the target reads and computes, as that does not depend on the source.
Only bytes of registers are chosen one by one; what else is left open may hang together, and is never chosen here.
What the device puts into a register, as the time, is no choice: of that the source has what the target has in the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import cast

from msgspec import Struct, field

from visaproof.isa.identity import Same
from visaproof.isa.predefined import PREDEFINED
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import Stores, UnitStore
from visaproof.refinement.effects.operands import is_given
from visaproof.refinement.effects.question import Question
from visaproof.semantics.symbolic.value_names import (
    Anew,
    LoadedValue,
    OnlyHanded,
    OpenValue,
    Own,
    PredicateBit,
    RegisterByte,
    Unmatched,
    is_own,
)
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bit_xor,
    conj,
    const,
    disj,
    extract,
    linear_parts,
    scale,
    sub,
    symbols_of,
    truncate,
    zero_extend,
)

IN_ANY_ORDER = frozenset((Op.SUM, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.EQ, Op.CONJ, Op.DISJ))
"""Whose operands have no order."""

Choices = dict[Term, Term]
"""A choice of the source, and the target's word that it is to be, under the names of the question's memory.

Choices of which a word is made that is to be computed are there beside that word, which keeps its normal form so.
"""

NO_WORDS: Mapping[Term, object] = {}


def witness(question: Question, words: Mapping[Term, object] = NO_WORDS) -> Choices:
    """The choices at equal places in what both kernels do, as far as they do it alike.

    Behind these words there is more that stands at equal places.
    """
    found: Choices = {}
    memory = question.memory
    walk = _Pairs(memory, {name: place for place, name in enumerate((*memory.order, *memory.operations))}, words)
    for source, target in walk.from_roots(_roots(question)):
        if source.width == target.width and (is_uninitialised(source) or _is_same_register(source, target)):
            found.setdefault(source, target)
        elif (
            is_uninitialised_word(source)
            and source.width == target.width
            and not any(part in found for part in source.args)
        ):
            choose(found, source, cast(BitVec, target))
    return found


def choose(found: Choices, word: Term, value: BitVec) -> None:
    """Lets an uninitialised word be this value, and forgets what its parts were to be."""
    for other in [one for one in found if one.op is Op.CONCAT and not set(word.args).isdisjoint(one.args)]:
        del found[other]
    found |= _bytes(cast(tuple[BitVec, ...], word.args), value)
    if word.op is Op.SYMBOL or value.op not in (Op.CONCAT, Op.SYMBOL):
        found[word] = value


def _is_same_register(source: Term, target: Term) -> bool:
    """Whether both are what the kernels find in one place, each for itself."""
    return is_own(source, "source") and cast(Own, source.payload).on("target") == target.payload


def _roots(question: Question) -> Iterator[tuple[object, object]]:
    source, target = question.source, question.target
    for surface in question.surfaces:
        stores, others = source.stores.get(surface, ()), target.stores.get(surface, ())
        yield from _side_by_side(stores, others)
        if not others:  # then all is to be left as it was
            yield from ((one.value, question.memory.initial(surface, one.cell)) for one in stores if one.change is None)
    yield tuple(source.undefined_alone), tuple(target.undefined_alone)


def _side_by_side(source: Stores, target: Stores) -> Iterator[tuple[UnitStore, UnitStore]]:
    """The stores at one place under one condition, and of the others those in the same order."""
    places: dict[tuple[Bool, BitVec], list[UnitStore]] = {}
    for other in reversed(target):
        places.setdefault((other.guard, other.cell), []).append(other)
    apart: list[UnitStore] = []
    for one in source:
        if same := places.get((one.guard, one.cell)):
            yield one, same.pop()
        else:
            apart.append(one)
    left = {Same(other) for stores in places.values() for other in stores}
    yield from zip(apart, (other for other in target if Same(other) in left), strict=False)


class _Pairs(Struct, frozen=True):
    """The parts of two things that stand in the same place, through names and results."""

    memory: SharedMemory
    places: Mapping[Term, int]
    """The names of loaded values and of results, in the order in which the kernels came to them."""
    words: Mapping[Term, object]
    _of_terms: dict[Term, list[tuple[int, str]]] = field(default_factory=dict[Term, list[tuple[int, str]]])

    def from_roots(self, roots: Iterable[tuple[object, object]]) -> Iterator[tuple[Term, Term]]:
        seen: set[tuple[Term, Term]] = set()
        stack = [*roots]
        stack.reverse()
        while stack:
            one, other = stack.pop()
            if isinstance(one, Term) and isinstance(other, Term):
                if one is other or (one, other) in seen:
                    continue
                seen.add((one, other))
                yield one, other
            stack += reversed(list(self._parts(one, other)))

    def _parts(self, one: object, other: object) -> Iterator[tuple[object, object]]:
        match one, other:
            case (Term(), Term()):
                named = [self._behind(each) for each in (one, other)]
                if None not in named:
                    yield named[0], named[1]
                elif lacking := missing(one, other, self.memory):
                    yield from lacking
                elif one.op is Op.ZERO_EXTEND is other.op:
                    yield one.args[0], of_width(cast(BitVec, other.args[0]), one.args[0].width)
                elif one.op is other.op and one.op in IN_ANY_ORDER:
                    yield from self._in_places(one, other)
                elif one.op is Op.ITE:
                    yield from _of_choice(one, other)
                elif one.op is other.op and len(one.args) == len(other.args):
                    yield from zip(one.args, other.args, strict=True)
                elif one.op is Op.CONCAT and one.width == other.width:
                    yield from _bytes(cast(tuple[BitVec, ...], one.args), cast(BitVec, other))
            case (UnitStore(), UnitStore()):
                yield from ((one.guard, other.guard), (one.cell, other.cell), (one.value, other.value))
            case (tuple(), tuple()):
                yield from zip(cast(tuple[object, ...], one), cast(tuple[object, ...], other), strict=False)
            case _:
                pass

    def _behind(self, name: Term) -> object:
        return self.memory.definitions.get(name) or self.memory.operations.get(name) or self.words.get(name)

    def _in_places(self, one: Term, other: Term) -> Iterator[tuple[Term, Term]]:
        """The operands that only one of them has, in the order in which the kernels came to what they are made of.

        The terms have them in an order of their own, which says nothing.
        """
        own = [operand for operand in one.args if operand not in other.args]
        others = [operand for operand in other.args if operand not in one.args]
        if len(own) > 1 or len(others) > 1:
            own.sort(key=self._place)
            others.sort(key=self._place)
        yield from zip(own, others, strict=False)

    def _place(self, term: Term) -> list[tuple[int, str]]:
        """Where the kernel that computes a term came to what it is made of."""
        if (known := self._of_terms.get(term)) is None:
            named = ((self.places[one], "") if one in self.places else (-1, _place(one)) for one in symbols_of(term))
            known = self._of_terms[term] = sorted(named)
        return known


def _place(one: Term) -> str:
    """Where a value is found of which no kernel noted when; "" of what both kernels have."""
    match one.payload:
        case Own() as own:
            return own.place
        case OnlyHanded(_, what) | Unmatched(_, what):
            return str(what)
        case _:
            return ""


def _of_choice(one: Term, other: Term) -> Iterator[tuple[Term, Term]]:
    """The parts of a choice, and what stands there.

    Where the conditions differ, an uninitialised condition is to be all that the other gives.
    """
    alike = other.op is Op.ITE
    if alike and one.args[0] is other.args[0]:
        yield from zip(one.args[1:], other.args[1:], strict=True)
        return
    if alike:
        yield one.args[0], other.args[0]
    for place, branch in enumerate(one.args[1:], 1):
        parts = branch.args if branch.op is Op.CONCAT else (branch,)
        yield branch, other.args[place] if alike and not all(map(is_uninitialised, parts)) else other


def of_width(word: BitVec, width: int) -> BitVec:
    return zero_extend(word, width) if word.width <= width else truncate(word, width)


def _bytes(parts: tuple[BitVec, ...], whole: BitVec) -> Iterator[tuple[Term, Term]]:
    """The parts of a concatenated word, and those of another one in their places."""
    end = whole.width
    for part in parts:
        yield part, extract(whole, end - 1, end - part.width)
        end -= part.width


# ---------------------------------------------------------------- what is missing to a sum

# c + rest = whole for one c, as for XOR, and p ∧ rest = rest ∧ lacking where p is what the rest lacks.


SUMS = (Op.SUM, Op.XOR)
"""With which any word can be reached from any other one."""

JOINED: Mapping[Op, Callable[..., Term]] = {Op.CONJ: conj, Op.DISJ: disj}
"""Of no operand they are true or false."""

Missing = Sequence[tuple[Term, Term]]
"""Parts of a term of the source, and what they are to be."""


def missing(one: Term, other: Term, memory: SharedMemory) -> Missing:
    """Uninitialised values in a term of the source, and what it has to be for that to be the other term.

    Nothing where that is not seen, or where the other has as many operands of its own: they may belong together.
    """
    if one.op not in (*SUMS, *JOINED):
        return ()
    lacking = [operand for operand in _operands(other, one.op) if operand not in one.args]
    if one.op in JOINED:
        return list(_joined(one, other, lacking))
    own = [operand for operand in one.args if any(map(is_uninitialised, symbols_of(operand)))]
    if one.width != other.width or not own:
        return ()
    if len(own) > 1 and (len(own) <= len(lacking) or not all(map(is_uninitialised_word, own))):
        return ()
    rest = [operand for operand in one.args if operand not in own]
    return list(_added(cast(BitVec, one), own, rest, cast(BitVec, other))) if is_given(rest, memory) else ()


def _joined(one: Term, other: Term, lacking: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Of conditions that the other has not got, the first is to be what they lack, and nothing depends on the rest."""
    own = [operand for operand in one.args if operand not in _operands(other, one.op)]
    if len(own) != len(lacking) and all(map(is_uninitialised, own)):
        for place, operand in enumerate(own):
            yield operand, JOINED[one.op](*([] if place else lacking))


def _added(one: BitVec, own: Sequence[Term], rest: Sequence[Term], whole: BitVec) -> Iterator[tuple[Term, Term]]:
    """One word is what is missing to the whole, and the others are 0."""
    odd = next((operand for operand in own if _factor(one, operand) & 1), None)
    if odd is not None:
        yield odd, _difference(one, odd, cast(Sequence[BitVec], rest), whole)
        yield from ((operand, const(0, operand.width)) for operand in own if operand is not odd)


def _difference(one: BitVec, operand: Term, rest: Sequence[BitVec], whole: BitVec) -> BitVec:
    """What the operand has to be for the sum with the rest, modulo 2 or 2^w, to be the whole."""
    if one.op is Op.XOR:
        return reduce(bit_xor, rest, whole)
    constant, _ = linear_parts(one)
    parts = (scale(word, _factor(one, word)) for word in rest)
    return scale(sub(whole, add(const(constant, one.width), *parts)), pow(_factor(one, operand), -1, 1 << one.width))


def _factor(one: Term, operand: Term) -> int:
    """How often it is there."""
    return linear_parts(cast(BitVec, one))[1][cast(BitVec, operand)] if one.op is Op.SUM else 1


def _operands(term: Term, op: Op) -> tuple[Term, ...]:
    """Those of this operation, if it is one, or else the term."""
    return term.args if term.op is op else (term,)


def is_uninitialised(term: Term) -> bool:
    """Whether it is a part of the source's registers that neither the launch nor the device writes.

    A result that is left open is none, and what is loaded from private memory is none: they may hang together.
    """
    if not is_own(term, "source"):
        return False
    match cast(Own, term.payload).what:
        case OpenValue() | LoadedValue():
            return False
        case RegisterByte(variable) | PredicateBit(variable) | Anew(RegisterByte(variable)):
            return variable not in PREDEFINED
        case _:
            return True


def is_initial(term: Term, side: str = "source") -> bool:
    """Whether it is the uninitialised value of a register or a predicate of this kernel.

    It is chosen once, before all iterations of all loops.
    """
    what = cast(Own, term.payload).what if is_own(term, side) else None
    return isinstance(what, RegisterByte | PredicateBit) and what.variable not in PREDEFINED


def is_uninitialised_word(term: Term) -> bool:
    """Whether it is a word of several such parts, none of them there twice: then it may be any word."""
    return term.op is Op.CONCAT and all(map(is_uninitialised, term.args)) and len(set(term.args)) == len(term.args)
