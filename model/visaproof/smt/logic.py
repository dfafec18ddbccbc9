"""Boolean connectives and the choice between two bit-vectors."""

from collections import Counter
from collections.abc import Iterable
from typing import cast

from visaproof.smt.terms import BitVec, Bool, Op, Term, bit_vector, bool_const, boolean, common_width


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
    neutral = op is Op.CONJ
    members: dict[Bool, None] = {}
    for term in terms:
        parts = cast(tuple[Bool, ...], term.args) if term.op is op else (term,)
        for part in parts:
            if part.op is Op.CONST:
                if bool(part.payload) != neutral:
                    return part
            else:
                members[part] = None
    if any(part.op is Op.NOT and _contradicts(op, cast(Bool, part.args[0]), members) for part in members):
        return bool_const(not neutral)
    if len(members) > 3 and _has_every_value(op, members):
        return bool_const(not neutral)
    if not members:
        return bool_const(neutral)
    if len(members) == 1:
        return next(iter(members))
    return boolean(op, tuple(sorted(members, key=lambda part: part.serial)))


def _contradicts(op: Op, denied: Bool, members: dict[Bool, None]) -> bool:
    """Whether the members assert what one of them denies, as one term or in parts."""
    return denied in members or (denied.op is op and all(part in members for part in denied.args))


def _has_every_value(op: Op, members: Iterable[Bool]) -> bool:
    """Whether one word is said to be each of its values; or in a conjunction, to be none of them."""
    values = Counter[Term]()
    for part in members:
        if op is Op.CONJ:
            if part.op is not Op.NOT:
                continue
            part = part.args[0]
        if part.op is Op.EQ and part.args[0].op is Op.CONST:
            values[part.args[1]] += 1
    return any(count == 1 << word.width for word, count in values.items())


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
    bounds = (min(then.low, otherwise.low), max(then.high, otherwise.high))
    return bit_vector(Op.ITE, (condition, then, otherwise), None, width, bounds, then.zeros & otherwise.zeros)


def _is_case_of(condition: Bool, then: BitVec, otherwise: BitVec) -> bool:
    """Whether `otherwise` is a choice that gives `then` wherever the condition holds."""
    if otherwise.op is not Op.ITE or otherwise.args[1] is not then:
        return False
    wider = otherwise.args[0]
    asked = wider.args if wider.op is Op.CONJ else (wider,)
    given = condition.args if condition.op is Op.CONJ else (condition,)
    return all(one in given for one in asked) or (wider.op is Op.DISJ and condition in wider.args)


def ite_bool(condition: Bool, then: Bool, otherwise: Bool) -> Bool:
    if then is otherwise:
        return then
    return conj(implies(condition, then), disj(condition, otherwise))
