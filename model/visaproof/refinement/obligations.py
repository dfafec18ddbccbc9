"""The theorem: what has to hold so that a target refines a source, as obligations in the order in which they are asked.

For every input that the premises allow, and with which the source is defined and its loops end:

    1  undefined behaviour   the target is defined
    2  barriers              it comes to each barrier and fence where the source comes to the one that it stands for
    3  stores                each byte that others can see holds the same after both
    4  atomics               each leaves and returns the same, at the same place among the others
    5  registers             each observed byte holds the same where the source defines it
    6  termination           its loops end

1, 3 and 5 are goals that strategies prove. 2 is decided when the question is made, each condition by a small question:
it has no answer where a barrier may be missed. 4 is part of 3: what an atomic leaves and returns is a function of its
place among the atomics, its operands and what it finds, so that equal stores have equal atomics. 6 is a premise; where
loops are unrolled, no longer run is asked about, and the verdict says so (`Bounded`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import cast

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.stages import Holds, decide_goal
from visaproof.decode.synchronisation import Fence
from visaproof.launch.ids.launched_words import NO_NAMES
from visaproof.launch.ids.work_items import Group
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.queries.kernels.stores import Stores, after, at_once, exchanged, lasting
from visaproof.queries.kernels.surface_names import itself
from visaproof.queries.kernels.undefined import Conditions, UndefinedKind
from visaproof.refinement.effects.common_form import in_common_form
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.places import Reach
from visaproof.refinement.effects.question import LARGEST_SURFACE, Question
from visaproof.refinement.effects.sharing import owners
from visaproof.refinement.effects.side import Side
from visaproof.refinement.effects.synchronisation import Unlike
from visaproof.refinement.entailment import not_covered, with_plain_equations
from visaproof.semantics.symbolic.literals import alternatives, literals_of
from visaproof.semantics.symbolic.names import Probe, surface_size
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import BitVec, Bool, Op, Term, conj, const, disj, eq, false, iff, is_false, is_true, neg, symbol, ule
from visaproof.smt.substitution import substitute_all


def open_goals(question: Question) -> Iterator[tuple[str, Bool]]:
    """The goals that do not hold term by term, in order, each with the memory that it is about, or ""."""
    yield "", neg(open_undefined(question))
    yield from ((surface, same_at_probe(question, surface)) for surface in open_surfaces(question))


# ---------------------------------------------------------------- 1: undefined behaviour


def open_undefined(question: Question) -> Bool:
    """Where the target is undefined for reasons that the source does not have as well.

    Races of the source are looked at last, since fewer reasons of the source cover less, and there are many.
    """
    source, target = question.source, question.target
    found = _uncovered(target.undefined, source.undefined_alone)
    if not found or not _uncovered(found, source.undefined_within_statements):
        return false()
    return disj(*_uncovered(target.undefined, source.undefined))


def _uncovered(conditions: Iterable[Bool], known: Conditions) -> list[Bool]:
    """Those in which none of the others need hold."""
    return list(not_covered((one for one in conditions if one not in known), known))


# ---------------------------------------------------------------- 2: barriers


def require_reached(source: Side, target: Side, one: Effects, other: Effects, lanes: tuple[Bool, ...]) -> None:
    """Raises Unlike where the target may miss a barrier or a fence, or come to a barrier alone."""
    pairs = zip(source.matched.events, target.matched.events, one.comes, other.comes, strict=True)
    for mine, theirs, comes, others in pairs:
        always = is_true(others) or others is disj(*lanes)
        if (always and isinstance(theirs.event, Fence)) or _come_together(comes, others, lanes):
            continue
        what = f"{theirs.event} at {theirs.position} under another condition than {mine.event} at {mine.position}"
        raise Unlike(what, source, target)
    if not source.disturbed:
        return
    if source.threads or target.threads:
        raise Unlike("barriers that only the target has, in kernels of different SIMD widths", source, target)
    if not all(is_true(comes) or comes is disj(*lanes) for comes in other.barriers):
        raise Unlike("a barrier that only the target has, and that not every run comes to", source, target)


def _come_together(comes: Bool, others: Bool, lanes: tuple[Bool, ...]) -> bool:
    """Whether two conditions are one, by their form, or  ∀ inputs: one ⇔ other.

    What one kernel tests twice the other may test once:  0 < n ∧ n ≠ 1 ∧ 1 < n  is  0 < n ∧ n ≠ 1.
    """
    if comes is others:
        return True
    one, other = where_launched(comes, lanes), where_launched(others, lanes)
    return one is other or isinstance(decide_goal((), iff(one, other), QUICK_MS), Holds)


def where_launched(guard: Bool, lanes: tuple[Bool, ...]) -> Bool:
    """What holds beside that a lane is on:  (a ∧ p) ∨ (b ∧ p)  is  p,  where  a ∨ b  is that one of all lanes is."""
    ways = [literals_of(one) for one in alternatives(guard)]
    common = ways[0].intersection(*ways)
    rest = disj(*(conj(*(way - common)) for way in ways))
    return conj(*common) if rest is disj(*lanes) else conj(*common, rest)


# ---------------------------------------------------------------- 3, 4, 5: stores, atomics, registers


def stores_of(question: Question, surface: str) -> tuple[Stores, Stores]:
    """Those of both kernels."""
    return question.source.stores.get(surface, ()), question.target.stores.get(surface, ())


def open_surfaces(question: Question) -> list[str]:
    """The memories that both do not write alike, term by term."""
    return [surface for surface in question.surfaces if not _same_stores(question, surface)]


def _same_stores(question: Question, surface: str) -> bool:
    """Whether both are the same stores, in orders that cannot be told apart where the source is defined.

    Two stores in another order meet  ⇒  two threads of the source race, or two lanes of a message of it collide.

    What a kernel overwrites nobody sees between two places at which others take part, unless it has atomics.
    """
    stores = stores_of(question, surface)
    turned = exchanged(*stores, question.sharing.are_apart)
    if turned is None and not question.source.atomics and not question.target.atomics and not question.disturbed:
        turned = exchanged(lasting(stores[0]), lasting(stores[1]), question.sharing.are_apart)
    if turned is None:
        turned = exchanged(at_once(stores[0]), at_once(stores[1]), question.sharing.are_apart)
    if turned is None:
        return False
    meets = (neg(one) for one in turned if not is_true(one))
    first = next(meets, None)
    if first is None:
        return True
    known = [one for one, kind in question.source.undefined.items() if kind in OF_STORES_THAT_MEET]
    return bool(known) and all_undefined([first], known) and all_undefined(list(meets), known)


OF_STORES_THAT_MEET = frozenset((UndefinedKind.RACE, UndefinedKind.COLLISION))
"""What a source is undefined for where two threads of it store one byte, or two lanes of a message do."""


def all_undefined(meets: Sequence[Bool], known: Sequence[Bool]) -> bool:
    """Whether the source is undefined wherever stores meet, by the form of the conditions: its own are in the common
    one."""
    shapes = with_plain_equations((*known, *in_common_form(meets)))
    return not any(not_covered(shapes[len(known) :], shapes[: len(known)]))


def same_at_probe(question: Question, surface: str) -> Bool:
    """Whether an arbitrary unit of the surface is the same after both kernels.

    Of memory that buffers share, whether that is so of a unit of any buffer that is written.
    """
    source, target = stores_of(question, surface)
    probe = symbol(Probe(surface), (source or target)[0].cell.width)
    before = question.memory.initial(surface, probe)
    seen = question.sharing.seen_from
    return conj(*(
        eq(after(seen(owner, source), probe, before), after(seen(owner, target), probe, before))
        for owner in owners(source, target)
    ))  # fmt: skip


# ---------------------------------------------------------------- 6: termination, and the other premises


def premises(question: Question, goal: Bool, inside: tuple[Reach, ...] = ()) -> tuple[Bool, ...]:
    """A thread of a launch, and a source that is defined; and of memory what these and the goal are about.

    Also that loops end in time, and that these accesses stay `inside` of their buffers.
    """
    ends = (*question.source.ends, *question.target.ends)
    within = [reach.inside for reach in inside]
    defined = [neg(condition) for condition in question.source.undefined]
    surfaces = dict.fromkeys((*map(itself, question.surfaces), *question.sharing.alignments))
    sizes = (*question.limits, *(each for name in surfaces for each in _limits(question, name)))
    needed = (*ends, *defined, *within)
    return *question.launched.possible, *sizes, *needed, *question.memory.facts((goal, *needed))


def _limits(question: Question, surface: str) -> Iterator[Bool]:
    """Between which sizes that of a surface lies; of one that a rewrite rule names nothing is known."""
    if question.launched.premises is not None:
        return
    size, local = surface_size(surface), question.launched.local
    if surface == SHARED_LOCAL:
        yield ule(const(local.least, ADDRESS_BITS), size)
    yield ule(size, const(local.most if surface == SHARED_LOCAL else LARGEST_SURFACE, ADDRESS_BITS))


QUICK_MS = 300
"""For one pair of lanes: the other pairs are mostly like it, and then not asked."""


def same_effects(question: Question) -> bool:
    """Whether both have the same stores, term by term, and the target is undefined only where the source is."""
    same = all(_same_stores(question, surface) for surface in question.surfaces)
    return same and next(parts_undefined(question), None) is None


# ---------------------------------------------------------------- two lanes of one work item

# No launch has these, whatever the layout of the local ids, so that what is undefined only there is not undefined:
#
#     lane i on ∧ lane j on  ⇒  (x, y, z) of i ≠ (x, y, z) of j
#
# The ids themselves are cut: a solver need not count from lane to lane to see it.


def parts_undefined(question: Question) -> Iterator[Bool]:
    """Where the target alone is undefined, without what rests on two lanes that run one work item."""
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
        refuted[form] = isinstance(decide_goal(tuple(assumed), goal, QUICK_MS), Holds)
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
    """Each id that is more than a symbol as a symbol of its own, in the form that both kernels have, too."""
    assert group.launched is not None
    words = list(dict.fromkeys(word for ids in group.launched.ids for word in ids if word.op is Op.ITE))
    names = [symbol(f"local_id.{word.serial}", word.width) for word in words]
    return dict(zip((*in_common_form(words), *words), (*names, *names), strict=True))
