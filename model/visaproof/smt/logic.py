"""Boolean connectives and the choice between two bit-vectors."""

from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import cast

from visaproof.smt.terms import BitVec, Bool, Op, Term, bit_vector, bool_const, boolean, common_width

_CONST, _NOT, _CONJ, _DISJ, _EQ = Op.CONST, Op.NOT, Op.CONJ, Op.DISJ, Op.EQ
_ITE, _SLT, _ULT = Op.ITE, Op.SLT, Op.ULT
"""To look up a member of an enumeration takes as long as three calls, and every term of a formula comes here."""
_serial = attrgetter("serial")

FEW_BITS = 5
"""That may be 1 in a word of which all values are counted: a loop does what is left of others in so many turns."""


def neg(term: Bool) -> Bool:
    if term.op is Op.CONST:
        return bool_const(not term.payload)
    if term.op is Op.NOT:
        return cast(Bool, term.args[0])
    return boolean(Op.NOT, (term,))


def conj(*terms: Bool) -> Bool:
    return _junction(Op.CONJ, terms)


def disj(*terms: Bool) -> Bool:
    return _junction(Op.DISJ, terms)


def implies(premise: Bool, conclusion: Bool) -> Bool:
    return disj(neg(premise), conclusion)


def iff(left: Bool, right: Bool) -> Bool:
    return conj(implies(left, right), implies(right, left))


def _junction(op: Op, terms: Iterable[Bool]) -> Bool:
    neutral = op is _CONJ
    members: dict[Bool, None] = {}
    denied: list[Bool] = []
    for term in terms:
        for part in cast(tuple[Bool, ...], term.args) if term.op is op else (term,):
            kind = part.op
            if kind is _CONST:
                if bool(part.payload) != neutral:
                    return part
            elif part not in members:
                members[part] = None
                if kind is _NOT:
                    denied.append(cast(Bool, part.args[0]))
    for one in denied:
        if one in members or (one.op is op and all(part in members for part in one.args)):
            return bool_const(not neutral)  # what one denies the others assert, as one term or in parts
    if len(members) > 2 and _has_every_value(denied if neutral else members):
        return bool_const(not neutral)
    _absorb(op, members)
    if len(members) < 2:
        return next(iter(members), bool_const(neutral))
    return boolean(op, tuple(sorted(members, key=_serial)))


def _absorb(op: Op, members: dict[Bool, None]) -> None:
    """Leaves out of a junction what the others say more of."""
    dual = _DISJ if op is _CONJ else _CONJ
    for one in [one for one in members if one.op is dual and _is_absorbed(one, op, members)]:
        del members[one]


def _is_absorbed(one: Bool, op: Op, members: Collection[Bool]) -> bool:
    """Whether others say more: a ∧ (a ∨ b) is a, a ∨ (a ∧ b) is a, and a ∧ b ∧ (a ∧ b ∨ c) is a ∧ b."""
    for part in one.args:
        if part in members:
            return True
        if part.op is op:
            for each in part.args:
                if each not in members:
                    break
            else:
                return True
    return False


def _has_every_value(equalities: Collection[Bool]) -> bool:
    """Whether one word is said to be each of its values, by relations that differ."""
    values: dict[Term, set[int]] = {}
    for part in equalities:
        if part.op is _EQ and part.args[0].op is _CONST:
            word = part.args[1]
            if word.width - word.zeros.bit_count() <= FEW_BITS:
                values.setdefault(word, set()).add(cast(int, part.args[0].payload))
    return any(all(one in found for one in _possible(word)) for word, found in values.items())


def _possible(word: Term) -> Iterator[int]:
    """The values between its bounds that have only bits that may be 1: x & 3 has four, and x & 2 | 1 at most three."""
    bits = one = ~word.zeros & ((1 << word.width) - 1)
    while one >= word.low:
        if one <= word.high:
            yield one
        if not one:
            break
        one = (one - 1) & bits


def ite(condition: Bool, then: BitVec, otherwise: BitVec) -> BitVec:
    """`then` where the condition holds, else `otherwise`."""
    width = common_width((then, otherwise))
    if condition.op is Op.CONST:
        return then if condition.payload else otherwise
    if then is otherwise:
        return then
    if condition.op is Op.NOT:
        return ite(cast(Bool, condition.args[0]), otherwise, then)
    if then.op is Op.ITE and then.args[0] is condition:
        then = cast(BitVec, then.args[1])
    if otherwise.op is Op.ITE and otherwise.args[0] is condition:
        otherwise = cast(BitVec, otherwise.args[2])
    if then is otherwise or _is_case_of(condition, then, otherwise):
        return otherwise
    kind = condition.op
    if kind is _CONJ and otherwise.op is _ITE and (found := _of_both_cases(condition, then, otherwise)) is not None:
        return found
    if (kind is _SLT or kind is _ULT) and then in condition.args and otherwise in condition.args:
        condition, then, otherwise = _in_order(condition, then, otherwise)
    bounds = (min(then.low, otherwise.low), max(then.high, otherwise.high))
    return bit_vector(Op.ITE, (condition, then, otherwise), None, width, bounds, then.zeros & otherwise.zeros)


def _is_case_of(condition: Bool, then: BitVec, otherwise: BitVec) -> bool:
    """Whether `otherwise` is a choice that gives `then` wherever the condition holds."""
    if otherwise.op is not Op.ITE or otherwise.args[1] is not then:
        return False
    wider = cast(Bool, otherwise.args[0])
    given = _parts(condition)
    return all(one in given for one in _parts(wider)) or (wider.op is Op.DISJ and condition in wider.args)


def _of_both_cases(condition: Bool, then: BitVec, otherwise: BitVec) -> BitVec | None:
    """if c ∧ d: x, else if c ∧ ¬d: y, else z   is   if c: (if d: x, else y), else z;  of z what it is where c does not
    hold, so that cases of c and more are left out.  None where the two conditions are not these."""
    second = cast(Bool, otherwise.args[0])
    if second.op is not _CONJ or len(second.args) != len(condition.args):
        return None
    first, rest = frozenset(condition.args), frozenset(second.args)
    common = first & rest
    if len(common) + 1 != len(first):
        return None
    (one,), (other,) = cast(frozenset[Bool], first - common), cast(frozenset[Bool], rest - common)
    if neg(one) is not other:
        return None
    last = cast(BitVec, otherwise.args[2])
    while last.op is _ITE and common.issubset(_parts(cast(Bool, last.args[0]))):
        last = cast(BitVec, last.args[2])
    return ite(conj(*cast(frozenset[Bool], common)), ite(one, then, cast(BitVec, otherwise.args[1])), last)


def _parts(condition: Bool) -> tuple[Term, ...]:
    """Those of a conjunction."""
    return condition.args if condition.op is _CONJ else (condition,)


def _in_order(condition: Bool, then: BitVec, otherwise: BitVec) -> tuple[Bool, BitVec, BitVec]:
    """The smaller or larger of two words, in one form:   if a < b: b, else a   is   if b < a: a, else b."""
    one, other = condition.args
    if one is other or one.serial < other.serial:
        return condition, then, otherwise
    return boolean(condition.op, (other, one)), otherwise, then


def ite_bool(condition: Bool, then: Bool, otherwise: Bool) -> Bool:
    if then is otherwise:
        return then
    return conj(implies(condition, then), disj(condition, otherwise))
