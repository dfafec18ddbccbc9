"""Words that no iteration makes larger, as `s` in `for (s = n / 2; s; s /= 2)`.

left(s) ≤ s  for all s                 ⇒      s ≤ first        in every later iteration, by induction
left(s) ≤ s  for all s that are not negative, and the first is not           ⇒      the same
"""

from collections.abc import Iterator
from typing import cast

from visaproof.smt import BitVec, Bool, Op, const, disj, slt, symbol, ule, value_of, zero_extend
from visaproof.smt.evaluate import occurs
from visaproof.smt.substitution import substitute

MOST_PARTS = 32
"""Of a word that an iteration leaves."""
MOST_LOOKED_AT = 128
"""Parts in which the number is looked for: nothing is said of a word that is a long history."""


def at_most_first(left: BitVec, held: BitVec, first: BitVec | None) -> Iterator[Bool]:
    """That a word is at most what the first later iteration finds; nothing where an iteration may make it larger."""
    if first is None or held.op is not Op.SYMBOL or left is held or value_of(left) is not None:
        return
    if _is_at_most(left, held):
        yield ule(held, first)
        return
    if held.width == 1 or not _may_depend_on(left, held):
        return
    part = symbol("not negative", held.width - 1)
    if _is_at_most(substitute(left, {held: zero_extend(part, held.width)}), part):
        yield disj(slt(first, const(0, held.width)), ule(held, first))


def _may_depend_on(word: BitVec, number: BitVec) -> bool:
    """Whether each case of a word is seen to: what does not, and is not 0, is more than some numbers."""
    left = [word]
    for _ in range(MOST_PARTS):
        if not left:
            break
        one = left.pop()
        if one.op is Op.ITE and not occurs(number, one.args[0], MOST_LOOKED_AT):
            left += cast(tuple[BitVec, ...], one.args[1:])
        elif value_of(one) != 0 and not occurs(number, one, MOST_LOOKED_AT):
            return False
    return True


def _is_at_most(word: BitVec, number: BitVec) -> bool:
    """Whether it is, unsigned, whatever the number is: as far as its form shows that."""
    left = [word]
    for _ in range(MOST_PARTS):
        if not left:
            return True
        one = left.pop()
        args = cast(tuple[BitVec, ...], one.args)
        match one.op:
            case _ if one is number:
                pass
            case Op.ZERO_EXTEND | Op.EXTRACT | Op.UREM:
                left.append(args[0])
            case Op.UDIV if value_of(args[1]):
                left.append(args[0])
            case Op.AND if any(each is number for each in args):
                pass
            case Op.ITE:
                left += args[1:]
            case _:
                return False
    return False
