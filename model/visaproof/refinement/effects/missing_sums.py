"""What a source has to find in uninitialised registers so that what it adds or joins is what the target has.

c + rest = whole for one c, as for XOR, and p ∧ rest = rest ∧ lacking where p is what the rest lacks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import cast

from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.refinement.effects.operands import is_given
from visaproof.refinement.effects.uninitialised_words import is_unwritten, is_unwritten_word
from visaproof.smt import BitVec, Op, Term, add, bit_xor, conj, const, disj, linear_parts, scale, sub, symbols_of

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
    own = [operand for operand in one.args if any(map(is_unwritten, symbols_of(operand)))]
    lacking = [operand for operand in _operands(other, one.op) if operand not in one.args]
    if one.op in JOINED:
        return list(_joined(one, other, lacking))
    if one.op not in SUMS or one.width != other.width or not own:
        return ()
    if len(own) > 1 and (len(own) <= len(lacking) or not all(map(is_unwritten_word, own))):
        return ()
    rest = [operand for operand in one.args if operand not in own]
    return list(_added(cast(BitVec, one), own, rest, cast(BitVec, other))) if is_given(rest, memory) else ()


def _joined(one: Term, other: Term, lacking: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """Of conditions that the other has not got, the first is to be what they lack, and nothing depends on the rest."""
    own = [operand for operand in one.args if operand not in _operands(other, one.op)]
    if len(own) != len(lacking) and all(map(is_unwritten, own)):
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
