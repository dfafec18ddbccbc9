"""Words that hold what memory does: one kernel adds in memory, the other in a register, and stores that.

    before the loop    lane k has stored  w  at c, and nobody has after it:   m(c) = w
    in an iteration    m(c) = w  ⇒  lane k has stored  w'  at c, and nobody has after it:   m'(c) = w'
    ⇒  in every iteration that lane k runs  w = m(c)

Here m is what memory holds when an iteration begins, m' when it ends, and w and w' are what the word holds then.  c is
one term before the loop and in it, so that it is one place.  A later store is at another place, or of a lane that
collides with lane k in a message, or of a thread that races with its own, which is undefined.

This is so of one kernel by itself.  m is the same in both, as long as both have stored the same.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from visaproof.machine.symbolic.loops.iteration import LoopIteration
from visaproof.queries.kernels.stores import Stores, same_place
from visaproof.queries.kernels.surface_names import AfterCuts, itself, moments_of, surface_after
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.question import Question
from visaproof.refinement.obligations import OF_STORES_THAT_MEET, all_undefined
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.smt import BitVec, Bool, Term, conj, is_false


def words_in_memory(question: Question, names: Mapping[Term, Term]) -> dict[Term, Term]:
    """Words of iterations, and the units of memory that hold the same when any of them begins.

    The `names` are those of what iterations hold, of which lanes run them too.
    """
    found: dict[Term, Term] = {}
    for effects in (question.source, question.target):
        meets: list[Bool] = []
        own = {word: unit for loop in effects.loops for word, unit in _of_loop(question, effects, loop, names, meets)}
        if not meets or _all_undefined(effects, meets):
            found |= own
    return found


def _all_undefined(effects: Effects, meets: list[Bool]) -> bool:
    known = [one for one, kind in effects.undefined.items() if kind in OF_STORES_THAT_MEET]
    return bool(known) and all_undefined(meets, known)


def _of_loop(
    question: Question, effects: Effects, loop: LoopIteration, names: Mapping[Term, Term], meets: list[Bool]
) -> Iterator[tuple[Term, BitVec]]:
    """Those of one loop, without others and events in it; where later stores would be at the same place is noted."""
    if loop.begins.events < loop.ends.events or any(_is_within(one, loop) for one in effects.loops):
        return
    lanes = {one.lane: one for one in loop.lanes}
    for surface, stores in effects.stores.items():
        earlier = effects.stores.get(_before_loop(surface), ())
        for word in loop.held if earlier else ():
            lane = lanes.get(word.lane)
            if lane is None:
                continue
            on = literals_of(question.lanes[word.lane])
            last = _last(stores, word.after, literals_of(cast(Bool, lane.after)) | on)
            unit = None if last is None else question.memory.cells.get((surface, stores[last].cell))
            first = None if unit is None else _last(earlier, word.before, literals_of(cast(Bool, lane.before)) | on)
            if last is None or first is None or unit is None or earlier[first].cell is not stores[last].cell:
                continue
            if names.get(lane.during, lane.during) not in literals_of(stores[last].guard):  # not of an iteration
                continue
            meets += _later(question, stores, last)
            meets += _later(question, earlier, first)
            yield word.during, unit


def _is_within(one: LoopIteration, other: LoopIteration) -> bool:
    return one is not other and other.first <= one.first and one.behind <= other.behind


def _before_loop(surface: str) -> str:
    """The surface as it is before the loop that begins where it is this."""
    match moments_of(surface):
        case (AfterCuts(kinds, cuts, ends),) if ends:
            root = itself(surface)
            return surface_after(root, AfterCuts(kinds, cuts, ends - 1)) if cuts or ends > 1 else root
        case _:
            return ""


def _last(stores: Stores, value: Term, where: Literals) -> int | None:
    """The last store of a value that happens wherever this holds."""
    values = value, under(value, where)
    found = (place for place, one in enumerate(stores) if one.value in values and one.leaves_its_value(where))
    return max(found, default=None)


def _later(question: Question, stores: Stores, place: int) -> Iterator[Bool]:
    """Where stores after this one are at its place, which that may not be."""
    mine = stores[place]
    for one in stores[place + 1 :]:
        collides = question.memory.collide and mine.owner.collides(one.owner)
        if not collides and not question.sharing.are_apart(mine.owner, one.owner):
            meet = conj(mine.guard, one.guard, same_place(mine.cell, one.cell))
            if not is_false(meet):
                yield meet
