"""A form of conditions and choices in which two compilers agree: terms are brought into it only to be compared.

It forgets in which way a bound, a sign or a choice was asked for.  Of words x, y, constants k, truth values a, b, c:

    x < k                           = ¬(k − 1 < x)  for k that is not the least value
    the highest bit of x            = ¬(−1 <s x)
    x >> k = 0                      = ¬(2^k − 1 < x),   with more than one bit left
    k <s sx(x)                      = k <s x            for k that x may be
    sx(x) <s sx(y)                  = x <s y            for words of one width
    ¬(a ∨ b)                        = ¬a ∧ ¬b,  and with both exchanged
    a ∧ (¬a ∨ b)                    = a ∧ b,    and with both exchanged
    a ∧ ((a ∧ b) ∨ c)               = a ∧ (b ∨ c),  and with both exchanged
    (a ∨ c) ∧ ((a ∧ b) ∨ c)         = (a ∧ b) ∨ c,  and with both exchanged
    a ∨ b ? x : y                   = ¬a ∧ ¬b ? y : x
    a ? (b ? x : y) : y             = a ∧ b ? x : y,    and with ¬a or ¬b
    a ? (b ? x : (c ? y : z)) : z   = a ∧ b ? x : (a ∧ c ? y : z),  of more of them, and with ¬a
    a ∧ b ? (a ? x : y) : z         = a ∧ b ? x : z
    a ? (a ∧ b ? x : y) : z         = a ? (b ? x : y) : z,  and  a ? z : (¬a ∧ b ? x : y)  likewise
    sx(a ? k : y)                   = a ? sx(k) : sx(y)
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar, cast

from visaproof.smt.bits import branches, sign_extend
from visaproof.smt.evaluate import subterms
from visaproof.smt.expanded import Expansion
from visaproof.smt.logic import conj, disj, ite, neg
from visaproof.smt.substitution import rebuild
from visaproof.smt.terms import BitVec, Bool, Op, Term, boolean, const, false, kept, value_of

T = TypeVar("T", bound=Term)

MOST_COMPARED = 64
"""Parts of a junction of which each is held against the others: those of the lanes of a thread, and a few."""


def in_common_form(roots: Sequence[T]) -> list[T]:
    """The same values, in the common form."""
    done: dict[Term, Term] = {}
    for term in subterms(*roots):
        args = tuple(done[arg] for arg in term.args)
        done[term] = common_form(term if args == term.args else rebuild(term, args))
    return [cast(T, done[root]) for root in roots]


def common_form(term: Term) -> Term:
    """The common form of a term whose arguments are in it."""
    match term.op:
        case Op.SLT | Op.ULT:
            return _order(term.op, *cast(tuple[BitVec, BitVec], term.args))
        case Op.EQ:
            return _of_highest_bits(cast(Bool, term))
        case Op.NOT:
            return denied(cast(Bool, term.args[0]))
        case Op.CONJ | Op.DISJ:
            return _junction(cast(Bool, term))
        case Op.ITE:
            return _choice(cast(BitVec, term))
        case Op.SIGN_EXTEND:
            return _extended(cast(BitVec, term))
        case _:
            return term


def _order(op: Op, left: BitVec, right: BitVec) -> Bool:
    """`left < right`, with a constant on the left, and without signs above both."""
    bound = value_of(right)
    if bound is None:
        return boolean(op, _without_signs(left, right) if op is Op.SLT else (left, right))
    least = 1 << (left.width - 1) if op is Op.SLT else 0
    return false() if bound == least else neg(_order(op, const(bound - 1, left.width), left))


def _without_signs(left: BitVec, right: BitVec) -> tuple[BitVec, BitVec]:
    """Words whose signed order is that of a word, or a number, and of a word with signs above it."""
    while right.op is Op.SIGN_EXTEND:
        word, known = cast(BitVec, right.args[0]), value_of(left)
        if known is None and left.op is Op.SIGN_EXTEND and cast(BitVec, left.args[0]).width == word.width:
            return cast(BitVec, left.args[0]), word
        half = 1 << (word.width - 1)
        if known is None or half <= known < (1 << left.width) - half:  # no number that the word may be
            break
        left, right = const(known, word.width), word
    return left, right


def _of_highest_bits(term: Bool) -> Bool:
    """The highest bit of a word that is 1, or its highest bits that are 0, as an order."""
    one, other = cast(tuple[BitVec, BitVec], term.args)
    value = value_of(one)
    if value is None or other.op is not Op.EXTRACT:
        return term
    word, (top, lowest) = cast(BitVec, other.args[0]), cast(tuple[int, int], other.payload)
    if top != word.width - 1 or value != (top == lowest):
        return term
    op, bound = (Op.SLT, -1) if value else (Op.ULT, (1 << lowest) - 1)
    return neg(boolean(op, (const(bound, word.width), word)))


def denied(term: Bool) -> Bool:
    """What holds where this does not."""
    known = _denials()
    fresh, stack = set[Bool](), [term]
    while stack:
        one = stack.pop()
        if one not in known and one not in fresh:
            fresh.add(one)
            stack += _parts(one)
    for one in sorted(fresh, key=attrgetter("serial")):
        parts = [known[part] for part in _parts(one)]
        known[one] = (disj(*parts) if one.op is Op.CONJ else conj(*parts)) if parts else neg(one)
    return known[term]


def _parts(term: Bool) -> tuple[Bool, ...]:
    """Those of a junction."""
    return cast(tuple[Bool, ...], term.args) if term.op in (Op.CONJ, Op.DISJ) else ()


@kept(1)
def _denials() -> dict[Bool, Bool]:
    """What was denied in this question."""
    return {}


def _junction(term: Bool) -> Bool:
    """A junction in which no part asks again what another one says.

    Of a conjunction the parts that are no disjunctions are known in each disjunction, and the other way round.
    """
    op = term.op
    dual = Op.DISJ if op is Op.CONJ else Op.CONJ
    parts = cast(tuple[Bool, ...], term.args)
    if op not in (Op.CONJ, Op.DISJ) or not any(part.op is dual for part in parts):
        return term
    known = {part for part in parts if part.op is not dual}
    refuted = {neg(part) for part in known}
    join, inner = (conj, disj) if op is Op.CONJ else (disj, conj)
    found: list[Bool] = []
    for part in parts:
        if part.op is not dual:
            found.append(part)
            continue
        left: list[Bool] = []
        for each in cast(tuple[Bool, ...], part.args):
            if each in refuted:
                continue
            if each.op is op:
                said = cast(tuple[Bool, ...], each.args)
                if any(one in refuted for one in said):
                    continue
                each = join(*(one for one in said if one not in known))
            left.append(each)
        found.append(inner(*left))
    changed = join(*_unimplied(found, op, dual))
    return changed if changed is term else _junction(changed)


def _unimplied(parts: list[Bool], op: Op, dual: Op) -> list[Bool]:
    """Without those of which another part has all cases, or more of each."""
    cases = {
        part: [frozenset(one.args if one.op is op else (one,)) for one in part.args]
        for part in parts
        if part.op is dual and len(part.args) <= MOST_COMPARED
    }
    if len(cases) < 2 or len(cases) > MOST_COMPARED:
        return parts
    often = Counter(said for own in cases.values() for case in own for said in case)
    named: dict[Term, list[Bool]] = {}
    """Parts, by what fewest cases say of all that one of theirs does."""
    for part, own in cases.items():
        for said in {min(case, key=often.__getitem__) for case in own}:
            named.setdefault(said, []).append(part)
    ways: dict[Bool, list[Bool]] = {
        part: [] for part in cases
    }  # those whose first case may have all that one of it says
    for other, (first, *_) in cases.items():
        for part in dict.fromkeys(part for said in first for part in named.get(said, ())):
            ways[part].append(other)
    left = dict.fromkeys(parts)
    for part, own in cases.items():
        others = (cases[one] for one in ways[part] if one is not part and one in left)
        if any(all(any(less <= more for less in own) for more in other) for other in others):
            del left[part]
    return list(left)


def _choice(term: BitVec) -> BitVec:
    """A choice whose condition is no disjunction, and whose branches ask for nothing that it says."""
    condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], term.args)
    if condition.op is Op.DISJ:
        condition, then, otherwise = denied(condition), otherwise, then
    said = set(condition.args) if condition.op is Op.CONJ else {condition}
    while then.op is Op.ITE and (chosen := _chosen(then, said)) is not None:
        then = chosen
    while otherwise.op is Op.ITE and (chosen := _chosen(otherwise, {denied(condition)})) is not None:
        otherwise = chosen
    if then is otherwise:
        return then
    if then.op is Op.ITE and otherwise in then.args[1:]:
        inner, one, other = cast(tuple[Bool, BitVec, BitVec], then.args)
        if other is otherwise:
            return _made(_joined(condition, inner), one, otherwise)
        return _made(_joined(condition, denied(inner)), other, otherwise)
    if otherwise.op is Op.ITE and then in otherwise.args[1:]:
        inner, one, other = cast(tuple[Bool, BitVec, BitVec], otherwise.args)
        if other is then:
            return _made(_joined(denied(condition), inner), one, then)
        return _made(_joined(denied(condition), denied(inner)), other, then)
    if then.op is Op.ITE and (chain := _ending_in(otherwise, then)):
        return _each_asked(condition, chain, otherwise)
    if otherwise.op is Op.ITE and (chain := _ending_in(then, otherwise)):
        return _each_asked(denied(condition), chain, then)
    return ite(condition, then, otherwise)


_Chain = list[tuple[Bool, BitVec]]
"""Conditions one after the other, and what is chosen where one holds and none before it."""


def _ending_in(last: BitVec, choice: BitVec) -> _Chain:
    """The choices of a chain before this last one; empty if it is not there."""
    found: _Chain = []
    while choice.op is Op.ITE and len(found) < MOST_COMPARED:
        condition, then, choice = cast(tuple[Bool, BitVec, BitVec], choice.args)
        found.append((condition, then))
        if choice is last:
            return found
    return []


def _each_asked(condition: Bool, chain: _Chain, last: BitVec) -> BitVec:
    """The chain where this holds, and the last one elsewhere."""
    found = last
    for one, then in reversed(chain):
        found = _made(_joined(condition, one), then, found)
    return found


def _made(condition: Bool, then: BitVec, otherwise: BitVec) -> BitVec:
    found = ite(condition, then, otherwise)
    return _choice(found) if found.op is Op.ITE else found


def _joined(*parts: Bool) -> Bool:
    return _junction(conj(*parts))


def _chosen(choice: BitVec, said: Collection[Term]) -> BitVec | None:
    """What a choice is where these hold; None where they say nothing of it."""
    condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], choice.args)
    parts = cast(tuple[Bool, ...], condition.args) if condition.op is Op.CONJ else (condition,)
    if any(neg(part) in said for part in parts):
        return otherwise
    left = [part for part in parts if part not in said]
    return None if len(left) == len(parts) else _made(conj(*left), then, otherwise)


def _extended(term: BitVec) -> BitVec:
    """A choice of words with signs above, where one of them is a number.  (Zeros above an id stay where they are.)"""
    word, width = cast(BitVec, term.args[0]), term.width
    if word.op is not Op.ITE or all(value_of(one) is None for one in word.args[1:]):
        return term
    found = ite(*branches(word, lambda branch: cast(BitVec, common_form(sign_extend(branch, width)))))
    return _choice(found) if found.op is Op.ITE else found


# ---------------------------------------------------------------- renaming

# Terms of one kernel under the names that both share, each renamed once: messages of many lanes share most of them.


class Walk:
    """The subterms of terms that no earlier terms had."""

    def __init__(self) -> None:
        self._seen: set[Term] = set()

    def new(self, roots: Iterable[Term]) -> Iterator[Term]:
        """The new ones, in any order."""
        stack = list(roots)
        while stack:
            term = stack.pop()
            if term not in self._seen:
                self._seen.add(term)
                yield term
                stack += term.args


@kept(1)
def _forms() -> dict[tuple[Term, tuple[Term, ...]], Term]:
    """The common form of a term over these arguments: questions about two kernels share most of them."""
    return {}


class Renaming:
    """Names for symbols.  More may come while terms are renamed."""

    def __init__(self, names: Mapping[Term, Term], expand: bool, alike: Mapping[Term, Term]) -> None:
        """For terms that are `alike`, in the common form, one stands."""
        self._names, self._alike = dict(names), alike
        self._done: dict[Term, Term] = {}
        """What each term is under these names; its symbols have no others since."""
        self._expansion = Expansion() if expand else None

    def add(self, names: Mapping[Term, Term]) -> None:
        """Takes in further names.  What was renamed before is renamed anew if it holds a symbol of them."""
        if not self._done.keys().isdisjoint(names):
            self._done.clear()
        self._names |= names

    def __call__(self, terms: Sequence[T]) -> list[T]:
        """The terms under the names, in the common form, and on request in the second normal form."""
        forms = _forms()
        for term in self._unknown(terms):
            name = self._names.get(term)
            if name is None:
                args = tuple([self._done[arg] for arg in term.args])
                name = forms.get((term, args))
                if name is None:
                    name = forms[term, args] = common_form(term if args == term.args else rebuild(term, args))
            self._done[term] = self._alike.get(name, name)
        found = [cast(T, self._done[term]) for term in terms]
        return found if self._expansion is None else self._expansion(found)

    def _unknown(self, terms: Iterable[Term]) -> list[Term]:
        """The subterms that were not renamed yet, arguments before the terms that use them."""
        found: set[Term] = set()
        stack = [term for term in terms if term not in self._done]
        while stack:
            term = stack.pop()
            if term not in found:
                found.add(term)
                if term not in self._names:
                    stack += [arg for arg in term.args if arg not in self._done]
        return sorted(found, key=attrgetter("serial"))
