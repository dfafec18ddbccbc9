"""What is undefined only where two lanes run one work item: no launch has that, whatever the layout of the local ids.

lane i on ∧ lane j on  ⇒  (x, y, z) of i ≠ (x, y, z) of j.  The ids themselves are cut: a solver need not count from
lane to lane to see it.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import cast

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.ladder import Holds, climb
from visaproof.launch.ids.launched_words import NO_NAMES
from visaproof.launch.ids.work_items import Group
from visaproof.refinement.effects.question import Question
from visaproof.refinement.obligations import open_undefined, same_written
from visaproof.smt import BitVec, Bool, Op, Term, disj, is_false, is_true, neg, symbol
from visaproof.smt.substitution import substitute_all

QUICK_MS = 300
"""For one pair of lanes: the other pairs are mostly like it, and then not asked."""


def same_effects(question: Question) -> bool:
    """Whether both have the same stores, term by term, and the target is undefined only where the source is."""
    return same_written(question) and is_false(left_undefined(question))


def left_undefined(question: Question) -> Bool:
    """Where the target alone is undefined, without what rests on two lanes that run one work item."""
    return disj(*parts_undefined(question))


def parts_undefined(question: Question) -> Iterator[Bool]:
    """The same, one by one."""
    found = open_undefined(question)
    parts = cast(tuple[Bool, ...], found.args) if found.op is Op.DISJ else () if is_false(found) else (found,)
    group = question.launched.group
    if group.launched is None:
        yield from parts
        return
    cut = _cut(group)
    refuted: dict[Form, bool] = {}
    yield from (part for part in parts if not _impossible(question, part, cut, refuted))


def _impossible(question: Question, part: Bool, cut: Mapping[Term, BitVec], refuted: dict[Form, bool]) -> bool:
    literals = set(part.args) if part.op is Op.CONJ else {part}
    on = [place for place, lane in enumerate(question.lanes) if lane in literals or is_true(lane)]
    assumed = [fact for fact in _apart(question, on, cut) if not is_true(fact)]
    if not assumed:
        return False
    *plain, goal = substitute_all([*_apart(question, on), neg(part)], cut)
    assumed += [fact for fact in plain if not is_true(fact) and fact not in assumed]
    form = form_of(*assumed, goal)
    if form not in refuted:
        refuted[form] = isinstance(climb(tuple(assumed), goal, QUICK_MS), Holds)
    return refuted[form]


def _apart(question: Question, on: list[int], cut: Mapping[Term, BitVec] = NO_NAMES) -> Iterator[Bool]:
    """That these lanes, which are all on, run different work items, with their ids cut.

    Where an equation of two ids is a case distinction, the part that is undefined may have it as it was before the cut,
    or as it is with symbols: both are stated.
    """
    launched = question.launched.group.launched
    assert launched is not None
    for one, other in combinations(on, 2):
        if (same := launched.same_item(one, other, cut)) is not None:
            yield neg(same)


def _cut(group: Group) -> dict[Term, BitVec]:
    """Each id that is more than a symbol as a symbol of its own."""
    assert group.launched is not None
    words = {word for ids in group.launched.ids for word in ids if word.op is Op.ITE}
    return {word: symbol(f"local_id.{word.serial}", word.width) for word in words}
