"""What has to be the same on both sides of a rewrite rule, and how much of it needs no solver."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from visaproof.isa.atomics import commute
from visaproof.isa.errors import NotModelled
from visaproof.rules.questions.question import Effects
from visaproof.rules.questions.writes import Write
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    bool_symbol,
    conj,
    const,
    eq,
    extract,
    iff,
    implies,
    is_true,
    linear_parts,
    neg,
    sub,
    substitute,
    subterms,
    symbols_of,
    true,
)
from visaproof.smt.evaluate import substitute_all


def swaps(source: tuple[Write, ...], target: tuple[Write, ...]) -> list[Bool] | None:
    """What has to hold for both to be the same guarded writes in orders that cannot be told apart.

    None where they are not the same writes; nothing where the normal form shows that those that are swapped do not
    meet.
    """
    places: dict[Write, list[int]] = {}
    for place, write in enumerate(source):
        places.setdefault(write, []).append(place)
    order: list[int] = []
    for write in target:
        remaining = places.get(write)
        if not remaining:
            return None
        order.append(remaining.pop(0))
    if len(order) != len(source):
        return None
    found: dict[tuple[object, ...], list[Bool]] = {}
    for index, place in enumerate(order):
        for later in order[:index]:
            one, other = source[place], source[later]
            if later > place and not _may_swap(one, other):
                lanes_ = one.message, one.lane, other.message, other.lane
                found.setdefault(lanes_, []).append(_apart(one, other))
    return [one for parts in found.values() if not is_true(one := conj(*parts))]


def _may_swap(one: Write, other: Write) -> bool:
    """Whether the order of two writes of the source cannot be seen.

    Lanes of one message do not store to one cell where the source is defined (D14), and atomics of one message
    commute.  Those of two messages need not: a message of one lane may have any operation.
    """
    if one.message == other.message and one.lane != other.lane:
        return True
    mine, theirs = one.change, other.change
    return mine is not None and theirs is not None and mine.width == theirs.width and commute(mine.op, theirs.op)


def _apart(one: Write, other: Write) -> Bool:
    return neg(conj(one.guard, other.guard, eq(one.cell, other.cell)))


def open_undefined(source: Effects, target: Effects) -> list[Bool]:
    """Where the target is undefined, but for what implies by its form that the source is as well."""
    known = set(source.undefined)
    remaining = [one for one in target.undefined if one not in known]
    if not remaining:
        return []
    plain = _with_plain_equations((*source.undefined, *remaining))
    by_symbols: dict[frozenset[Term], list[Bool]] = {}
    for condition, shape in zip(source.undefined, plain, strict=False):
        by_symbols.setdefault(frozenset(symbols_of(condition)), []).append(shape)
    return [
        one
        for one, shape in zip(remaining, plain[len(source.undefined) :], strict=True)
        if not any(entails(shape, other) for other in by_symbols.get(frozenset(symbols_of(one)), ()))
    ]


def _with_plain_equations(conditions: Sequence[Bool]) -> list[Bool]:
    """The conditions with a truth value for each equation: one for all that have the same difference of their sides."""
    names: dict[Term, Term] = {}
    for term in subterms(*conditions):
        if term.op is Op.EQ:
            left, right = cast(tuple[BitVec, BitVec], term.args)
            constant = const(linear_parts(left)[0], left.width)
            names[term] = eq(sub(left, constant), sub(right, constant))
    conditions, names = substitute_all(conditions, names), {}
    differences: dict[Term, Term] = {}
    for term in subterms(*conditions):
        if term.op is Op.EQ:
            left, right = cast(tuple[BitVec, BitVec], term.args)
            either = sub(left, right), sub(right, left)
            known = next((one for one in either if one in differences), either[0])
            names[term] = differences.setdefault(known, bool_symbol(f"equation.{len(differences)}"))
    return substitute_all(conditions, names)


def entails(premise: Bool, conclusion: Bool) -> bool:
    """Whether the one follows from the other by their connectives alone."""
    if premise is conclusion:
        return True
    if premise.op is Op.DISJ:
        return all(entails(cast(Bool, part), conclusion) for part in premise.args)
    if conclusion.op is Op.CONJ:
        return all(entails(premise, cast(Bool, part)) for part in conclusion.args)
    if premise.op is Op.CONJ and conclusion in premise.args:
        return True
    if conclusion.op is Op.DISJ and any(entails(premise, cast(Bool, part)) for part in conclusion.args):
        return True
    choice = next((part for part in premise.args if part.op is Op.DISJ), None) if premise.op is Op.CONJ else None
    if choice is None:
        return False
    rest = [cast(Bool, part) for part in premise.args if part is not choice]
    return all(entails(conj(*rest, cast(Bool, part)), conclusion) for part in choice.args)


def same_write(source: Write, target: Write, memory: BitVec) -> Bool:
    """Whether both writes do the same to a unit that holds `memory`."""
    both = conj(eq(source.cell, target.cell), eq(source.after(memory), target.after(memory)))
    return conj(iff(source.guard, target.guard), implies(source.guard, both))


def choices_in(terms: Iterable[Term], side: str) -> list[Term]:
    """The values that only this side has, and may choose."""
    return [one for one in subterms(*terms) if is_own(one, side)]


def same_observed(pairs: Iterable[tuple[BitVec, BitVec]]) -> Iterator[Bool]:
    """That each word of the target's is one that the source may leave.

    Bytes that a page leaves undefined are the source's choice: it may choose what the target has there, once for each
    byte.  Raises NotModelled where a choice shows in more than one place.
    """
    chosen: set[Term] = set()
    for source, target in pairs:
        if not choices_in([source], "source"):
            yield eq(source, target)
            continue
        for byte in range(source.width // 8):
            left, right = (extract(one, 8 * byte + 7, 8 * byte) for one in (source, target))
            bytes_ = [one for one in subterms(left) if one.width == 8 and _is_byte_of_choice(one)]
            if chosen.intersection(bytes_):
                raise NotModelled("bytes that the page leaves undefined, in two places")
            chosen |= set(bytes_)
            yield eq(substitute(left, dict.fromkeys(bytes_, right)), right)


def where_nothing_was_stored(goal: Bool, definitions: Mapping[Term, BitVec]) -> Iterator[Bool]:
    """That two loaded words are the same, in parts: no store before the loads met them, and memory held the same."""
    if goal.op is not Op.EQ or not any(one in definitions for one in symbols_of(goal)):
        return
    path, left, right = true(), *cast(tuple[BitVec, BitVec], goal.args)
    while True:
        left, right = definitions.get(left, left), definitions.get(right, right)
        if not left.op is right.op is Op.ITE or left.args[::2] != right.args[::2]:
            break
        path = conj(path, cast(Bool, left.args[0]))  # the same lane, or both inside
        left, right = cast(tuple[BitVec, BitVec], (left.args[1], right.args[1]))
    before: list[BitVec] = []
    for word in (left, right):
        while word.op is Op.ITE:
            met, _, word = cast(tuple[Bool, BitVec, BitVec], word.args)
            yield neg(conj(path, met))
        before.append(word)
    yield implies(path, eq(*before))


def _is_byte_of_choice(term: Term) -> bool:
    of = term.args[0] if term.op is Op.EXTRACT else term
    return is_own(of, "source")
