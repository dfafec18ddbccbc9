"""Words that are at most a part of an argument, or of a size of the launch, wherever an access is made.

    2·⌊n/2⌋ ≤ n      4·s ≤ local_size_x, of s that a loop halves      s·x + …  is at most  local_size_x/4·x + …
    ⌊(P mod 2^32)/2^k⌋ ≤ P/2^k      of a sum P of which nothing is subtracted: no word is more than what it is cut from

A word has a name of its own while sums are read; at their largest the part stands for it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.analysis.bounds.sizes.launch_integers import LaunchIntegers, conjuncts
from visaproof.analysis.bounds.sizes.sums import is_unknown
from visaproof.analysis.conflicts.digits.records import EXTENSIONS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.exact_terms import relation_term
from visaproof.launch.relations.expressions import Name, Number, Relation
from visaproof.launch.relations.inner_names import Kind, is_inner
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.parts_of_arguments import largest_divisor
from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.smt import BitVec, Bool, Op, Term, conj, neg, symbols_of, true


class Part(Struct, frozen=True):
    """What a word is at most: a sum of names, divided by `of`."""

    sum: Polynomial
    of: int


class PartsOfArguments(Struct):
    """Of the words on which one access may depend."""

    integers: LaunchIntegers
    guard: Bool
    ids: frozenset[Term]
    """Symbols by which work items differ: what depends on them is read otherwise."""
    used: set[str] = field(default_factory=set[str])
    """Names of which a word is at most a part if they are at least 0."""
    known: dict[str, Part | None] = field(default_factory=dict[str, Part | None])
    """Of the words that were looked at: each sum of the access asks again."""

    @property
    def names(self) -> LaunchNames:
        return self.integers.names

    def words(self, address: BitVec, taken: Mapping[Term, Polynomial]) -> dict[Term, Polynomial]:
        """The words of an address, and of what a guard compares, that are given names."""
        found: dict[Term, Polynomial] = {}
        left, seen = [address, *(side for one in conjuncts(self.guard) for side in one.args)], set[Term]()
        while left:
            one = left.pop()
            if one in taken or one in seen or not isinstance(one, BitVec):
                continue
            seen.add(one)
            if one.op in EXTENSIONS and one.args[0] in taken:
                continue
            part = _cut_from(one, taken)
            if part is not None and not any(count % part.of for count in part.sum.values()):
                continue  # a multiple, which is read as such
            if not _is_divided(one) or not self.ids.isdisjoint(symbols_of(one)):
                left += one.args
            elif (name := self.names.of_uniform(one, signed=False)) is not None:
                found[one] = {} if self._is_sign(name) else {(name,): 1}
                if part is not None:
                    self.known.setdefault(name, part)
        return found

    def _is_sign(self, name: str) -> bool:
        """Whether the word is 0 where an argument is at least 0, as the high half of one that is extended."""
        for argument, natural in self._arguments(set(symbols_of(self.names.found(name).word.term))):
            if self._follows(Relation("==", Name(name), Number(0)), (natural, *self.names.found(argument).facts)):
                self.used.add(argument)
                return True
        return False

    def _arguments(self, used: Collection[Term]) -> Iterator[tuple[str, Bool]]:
        """Those on which something depends, with that they are at least 0."""
        for name in self.names.of_arguments():
            known = self.names.number(name)
            if known is not None and not set(used).isdisjoint(symbols_of(known.word.term)):
                yield name, self._term(Relation(">=", Name(name), Number(0)))

    def compared(self) -> Iterator[str]:
        """The names of words of which the guard says that something is below them."""
        for one in conjuncts(self.guard):
            if one.op in (Op.ULT, Op.SLT) and (name := self.names.uniform.get(one.args[1])) is not None:
                yield name

    def largest(self, one: Polynomial) -> Polynomial | None:
        """A sum that is at least as large and has no such words; None where one is not known to be a part."""
        total: Polynomial = {}
        for part, count in one.items():
            left, whole, of = list[str](), {(): count}, 1
            for name in part:
                if not is_inner(name, Kind.WORD):
                    left.append(name)
                    continue
                if name not in self.known:
                    self.known[name] = next(self._parts(name), None)
                if (known := self.known[name]) is None:
                    return None
                whole = times(whole, known.sum)
                self.used.update(name for names in known.sum for name in names)
                of *= known.of
            if count > 0 or len(left) == len(part):
                total = plus(
                    total, {names: -(-number // of) for names, number in times(whole, {tuple(left): 1}).items()}
                )
        return total

    def _parts(self, name: str) -> Iterator[Part]:
        used = set(symbols_of(self.names.found(name).word.term))
        facts = tuple(
            one
            for one in conjuncts(self.guard)
            if self.ids.isdisjoint(own := symbols_of(one)) and not used.isdisjoint(own)
        )
        used = used.union(symbols_of(*facts))
        sizes = ((size, true()) for size in map(self.names.own_size, range(len(DIMENSIONS))))
        for argument, natural in (*self._arguments(used), *sizes):
            known = (natural, *facts, *self.names.found(argument).facts)
            of = largest_divisor(name, argument, lambda one, known=known: self._follows(one, known))
            if of:
                yield Part({(argument,): 1}, of)

    def _follows(self, relation: Relation, known: Sequence[Bool]) -> bool:
        return self.integers.never(conj(*known, neg(self._term(relation))))

    def _term(self, relation: Relation) -> Bool:
        return relation_term(relation, {one.text: self.names.found(one.text).word for one in relation.names()})


def _cut_from(word: BitVec, known: Mapping[Term, Polynomial]) -> Part | None:
    """The sum of which the word is the bits from a place on, if nothing is subtracted in it."""
    bits = cast(BitVec, word.args[0]) if word.op is Op.ZERO_EXTEND else word
    if bits.op is not Op.EXTRACT:
        return None
    reader = Integers(known)
    whole = reader.read(cast(BitVec, bits.args[0]))
    if not whole or reader.limits or any(count < 0 or any(map(is_unknown, names)) for names, count in whole.items()):
        return None
    return Part(whole, 1 << cast(tuple[int, int], bits.payload)[1])


def _is_divided(word: BitVec) -> bool:
    """Whether it is what is left of a division, perhaps in one of two cases."""
    inner = word.args[0] if word.op in (Op.ZERO_EXTEND, Op.SIGN_EXTEND) else word
    if inner.op in (Op.UDIV, Op.ITE):
        return True
    return inner.op is Op.EXTRACT and inner is not word and bool(cast(tuple[int, int], inner.payload)[1])
