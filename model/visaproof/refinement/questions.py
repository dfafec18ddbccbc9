"""The questions about two kernels that were run symbolically: of places in surfaces, or in buffers under conditions."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.constant_data import Tables
from visaproof.queries.kernels.extents import limits
from visaproof.queries.kernels.shared_memory import WORD, SharedMemory, unit_of
from visaproof.queries.kernels.stores import Stores
from visaproof.queries.kernels.surface_names import PRIVATE
from visaproof.queries.kernels.undefined import FORBIDDEN, OF_THE_SOURCE, UndefinedKind
from visaproof.refinement.effects.atomic_steps import with_atomic_steps, with_lane_steps, with_whole_atomics
from visaproof.refinement.effects.effects import OF_ACCESSES, Effects, effects_of
from visaproof.refinement.effects.fences import unobserved
from visaproof.refinement.effects.operands import divides_by_zero
from visaproof.refinement.effects.places import is_aligned, located
from visaproof.refinement.effects.question import Launched, Question
from visaproof.refinement.effects.sharing import Sharing
from visaproof.refinement.effects.side import Side, surface_then, with_changes_of_loops, with_stores_counted
from visaproof.refinement.effects.synchronisation import synchronised
from visaproof.refinement.obligations import require_reached
from visaproof.refinement.observed import register_stores
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.thread_group import ThreadGroup
from visaproof.semantics.symbolic.accesses import Access, Load
from visaproof.smt import Bool, Term, conj, is_false, neg

NO_CHOICES: Mapping[Term, Term] = {}


def questions(
    runners: Sequence[Runner],
    launched: Launched,
    forbidden: frozenset[UndefinedKind],
    expand: bool = False,
    choices: Mapping[Term, Term] = NO_CHOICES,
    memory: SharedMemory | None = None,
    by_events: bool = False,
) -> tuple[Question | None, Question]:
    """The question under no condition, if it can be asked, and the one to decide.

    `choices` are what is arbitrary, under the names of `memory`; `by_events` takes each lane of an atomic by itself.
    """
    given = launched.premises

    def as_asked(side: Side) -> Side:
        return replace(side, choices=choices, premises=given, by_events=by_events)

    if given is not None:  # no other thread takes part, and of 64-bit addresses nothing says whose they are
        one, other = (as_asked(_as_it_is(runner)) for runner in runners)
        question = refinement_question(one, other, launched, expand, forbidden, memory)
        return question, question
    sides = _sides(runners, lambda one: as_asked(_as_it_is(one)))
    used = {surface for one in runners for surface in used_surfaces(one)}
    several = any(one.threads for one in runners)
    if not by_address(runners):
        if not by_events:
            sides = with_atomic_steps(*sides, _narrow(runners)) if several else with_lane_steps(*sides)
        question = refinement_question(sides[0], sides[1], launched, expand, forbidden, memory)
        return question, question
    # threads would race on buffers that may lie anywhere
    mixed = bool(used - {FLAT, SHARED_LOCAL}) or expand or several
    asked = not mixed and memory is None and not by_events
    exact = refinement_question(*with_lane_steps(*sides), launched, forbidden=forbidden) if asked else None
    if several:
        steps = with_atomic_steps(*_sides(runners, _located), _narrow(runners))
        sides = replace(steps[0], choices=choices), replace(steps[1], choices=choices)
    else:
        sides = _sides(runners, lambda one: as_asked(_located(one)))
        sides = sides if by_events else with_lane_steps(*sides)
    return exact, refinement_question(sides[0], sides[1], launched, expand, forbidden, memory)


def refinement_question(
    source: Side,
    target: Side,
    launched: Launched,
    expand: bool = False,
    forbidden: frozenset[UndefinedKind] = FORBIDDEN,
    memory: SharedMemory | None = None,
) -> Question:
    """The effects of both kernels over one memory, on request a known one, and in the second normal form.

    What is not `forbidden` is defined.  Barriers that only the target has let the threads of a group do less, if
    each does the same whatever the others write; then that is the question.  The sides are `synchronised`.

    Raises NotModelled for what this cannot compare.
    """
    for side in (source, target):
        require_comparable(side)
    source = replace(source, divides_by_zero=divides_by_zero(source.trace, target.trace))
    source, target = (replace(side, either_order=launched.either_order) for side in (source, target))
    source, target = with_changes_of_loops(*with_stores_counted(source, target))
    memory = memory or _shared_memory(source, target, forbidden, launched.tables)
    one, other = _both(source, target, memory, expand, forbidden)
    loops = tuple(dict.fromkeys(position for side in (source, target) for _, position in side.trace.bounded))
    require_reached(source, target, one, other, launched.lanes)
    extents = (limit for side in (source, target) for limit in limits(side.trace, side.surface) if launched.limited)
    return Question(
        one, other, memory, launched, forbidden, source.disturbed, tuple(dict.fromkeys(extents)), loops,
        matched=source.matched, atomic_steps=bool(source.atomic_steps),
        sharing=source.sharing, whole_atomics=source.whole_atomics,
    )  # fmt: skip


def _both(
    source: Side, target: Side, memory: SharedMemory, expand: bool, forbidden: frozenset[UndefinedKind]
) -> tuple[Effects, Effects]:
    """The effects of both, with what is left in registers where the source defines it."""
    one = effects_of(source, memory, expand, forbidden)
    other = one if target is source else effects_of(target, memory, expand, forbidden - OF_THE_SOURCE)
    unseen = unobserved(source, target) if source.premises is None else None
    one, other = _as_seen(one, unseen), _as_seen(other, unseen)
    if not source.observed:
        return one, other
    memory.units |= {each.surface: 1 for each in source.observed}
    stores = [dict(register_stores(source.observed, one.registers, side.registers)) for side in (one, other)]
    return replace(one, stores=one.stores | stores[0]), replace(other, stores=other.stores | stores[1])


def _as_seen(effects: Effects, unseen: str | None) -> Effects:
    """The effects without what is stored where nobody can read it any more."""
    return replace(effects, stores=effects.stores | {unseen: ()}) if unseen in effects.stores else effects


def require_comparable(side: Side) -> None:
    """Raises NotModelled where the symbolic run did not come to its end."""
    if side.trace.stopped is not None:
        raise side.trace.stopped


def _shared_memory(source: Side, target: Side, forbidden: frozenset[UndefinedKind], tables: Tables) -> SharedMemory:
    """One memory for both, in dwords where each access is of aligned dwords, or its kernel is undefined.

    Of words w and v that are aligned, w's bytes are v's, or none of them is.  Both kernels do what they do with words
    until the first access that is not aligned.  Of a source that does it nothing is asked.  Of the target, which some
    messages allow to, it is shown that the source is undefined there, if the source has such an address as well.
    """
    by_surface: dict[str, list[tuple[Side, Access]]] = {}
    for side in (source, target):
        for place, performed in enumerate(side.trace.performed):
            visible = ((side, access) for access in performed.accesses if not is_private(side.trace, performed, access))
            by_surface.setdefault(surface_then(side, place), []).extend(visible)
    for found in by_surface.values():
        if len({len(access.cell) for _, access in found}) > 1:
            raise NotModelled("a typed surface by texels and by their channels")
    units = {name: unit_of(access for _, access in found) for name, found in by_surface.items()}
    words = {name: WORD for name, found in by_surface.items() if units[name] < WORD and _are_dwords(found)}
    collide = UndefinedKind.COLLISION in forbidden
    if not words or not forbidden >= OF_ACCESSES:
        return SharedMemory(_of_memories(units, source.sharing), tables, collide=collide)
    wide = {name for name, unit in _of_memories(units | words, source.sharing).items() if unit == WORD}
    aligned = wide & {source.sharing.memory(name) for name in words}
    wider = _of_memories(units, source.sharing) | dict.fromkeys(aligned, WORD)
    return SharedMemory(wider, tables, frozenset(aligned), collide)


def _are_dwords(found: Iterable[tuple[Side, Access]]) -> bool:
    """Whether all are of dwords, and by addresses at which the source, or what does it itself, is undefined unless
    they are aligned."""
    known, others = set[Bool](), set[Bool]()
    for side, access in found:
        address, *coordinates = access.cell
        if coordinates or access.width % WORD:
            return False
        aligned = is_aligned(address)
        if is_false(conj(access.defined, neg(aligned))):
            known |= {aligned} if side.name == "source" else set()
        elif side.name == "source":
            return False
        else:
            others.add(aligned)
    return others <= known


def _of_memories(units: dict[str, int], sharing: Sharing) -> dict[str, int]:
    """The unit of each memory: of one that buffers share, no larger than of any of them, and than they are aligned."""
    found: dict[str, int] = {}
    for surface, unit in units.items():
        memory, buffer = sharing.memory(surface), sharing.buffer(surface)
        aligned = min(unit, sharing.alignments[buffer]) if buffer else unit
        found[memory] = min(aligned, found.get(memory, aligned))
    return found


def _sides(runners: Sequence[Runner], side: Callable[[Runner], Side]) -> tuple[Side, Side]:
    """Both kernels as sides of a question: one side where one run stands for both."""
    source, target = runners
    one = side(source)
    if target is source:
        return synchronised(one, one)
    other = replace(side(target), narrow=_narrow(runners) if one.threads_race else 0)
    return synchronised(*with_whole_atomics(one, other))


def _narrow(runners: Sequence[Runner]) -> int:
    """Lanes of a thread of the kernel that has several."""
    return next(runner.split.narrow for runner in runners if isinstance(runner, ThreadGroup))


def of_the_source(
    runners: Sequence[Runner], launched: Launched, forbidden: frozenset[UndefinedKind], undisturbed: bool = False
) -> tuple[Question | None, Question]:
    """A question of the source alone, with all surfaces that either is known to reach.  Raises NotModelled.

    `undisturbed` by other threads, it says what a run leaves in which nobody comes at its atomics and fences.
    The target may have stopped symbolically: runs find what it reaches behind that, if it is among these.
    """
    for runner in runners:
        if runner is runners[0] or runner.threads:
            require_comparable(_as_it_is(runner))
    used = [used_surfaces(one) for one in runners]
    placed = by_address(runners)
    side = _located(runners[0]) if placed else _as_it_is(runners[0])
    if not undisturbed:
        side, _ = synchronised(side, side)
    question = refinement_question(side, side, launched, forbidden=forbidden)
    others: dict[str, Stores] = dict.fromkeys(sorted((used[0] | used[1]) - {FLAT}), ())
    others |= {one.surface: () for one in runners[0].observed}
    question = replace(question, target=Effects(others, {}, question.source.reaches), bounded=())
    return None if placed else question, question


def _as_it_is(runner: Runner) -> Side:
    """The kernel as one that reaches places in surfaces, and private memory by address.

    Threads of a group race where a message of one finds what another stored.  A barrier, and where an iteration begins
    or ends that stands for others, gives memory another name: so nothing puts a load in an order with the stores of
    other threads to memory of the same name.
    """
    group = runner if isinstance(runner, ThreadGroup) and runner.races_forbidden else None
    return Side(
        runner.name, runner.platform, runner.trace, runner.surface,
        {word: buffer for word, buffer in runner.pointers.items() if buffer == PRIVATE},
        threads=runner.threads, finders=group.finders if group and group.name == "source" else (),
        threads_race=group is not None, observed=runner.observed, sharing=runner.sharing,
        unwritten=_unwritten(runner, runner.trace, runner.surface),
        samplers=runner.samplers, sampler_handles=runner.sampler_handles,
    )  # fmt: skip


def by_address(runners: Sequence[Runner]) -> bool:
    """Whether both can only be compared by places in buffers: one reaches memory by addresses, or is told distances."""
    return any(uses_addresses(one) or one.distances for one in runners)


def uses_addresses(runner: Runner) -> bool:
    """Whether it reaches memory by addresses that others see."""
    return FLAT in used_surfaces(runner)


def used_surfaces(runner: Runner) -> set[str]:
    return {runner.surface(each.surface) for each in runner.trace.performed if _visible(runner, each)}


def _visible(runner: Runner, performed: Performed) -> bool:
    return not all(is_private(runner.trace, performed, access) for access in performed.accesses)


def _located(runner: Runner) -> Side:
    """The kernel as one that reaches places in buffers."""
    images = (one.origin.surface for one in runner.trace.arbitrary if one.origin is not None)
    names = {key: runner.surface(key) for key in (*runner.trace.surfaces, *images)}
    pointers = {word: buffer for word, buffer in runner.pointers.items() if buffer != PRIVATE}
    found = located(runner.trace, pointers, names, runner.distances, runner.sharing)

    def surface(key: str) -> str:
        return names.get(key, key)

    return replace(
        _as_it_is(runner), trace=found.trace, surface=surface, pointers=runner.pointers, offsets=found.offsets,
        unwritten=_unwritten(runner, found.trace, surface),
    )  # fmt: skip


def _unwritten(runner: Runner, trace: Trace, surface: Callable[[str], str]) -> frozenset[str]:
    """The surfaces that nobody writes, unless this kernel does in spite of what its source says."""
    found = runner.unwritten
    for one in trace.performed if found else ():
        if any(not isinstance(each, Load) and not is_private(trace, one, each) for each in one.accesses):
            found = found - {surface(one.surface)} if surface(one.surface) != FLAT else frozenset[str]()
    return found
