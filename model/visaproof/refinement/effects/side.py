"""A kernel that is compared with another, as both are asked about: its run, and the names that both share."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.decode.sampler import SamplerUse
from visaproof.decode.synchronisation import Barrier, Fence, Synchronised
from visaproof.isa.errors import NotModelled
from visaproof.isa.execution import ExecMask
from visaproof.isa.identity import Same
from visaproof.isa.operands import Execution
from visaproof.isa.platform import Platform
from visaproof.launch.input_meaning import Argument
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.loops.iteration import LoopIteration
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.stores import Owner
from visaproof.queries.kernels.surface_names import (
    AfterAtomicStep,
    AfterCuts,
    AfterImageStores,
    AfterMessage,
    surface_after,
)
from visaproof.refinement.effects.sharing import NOTHING_SHARED, Sharing
from visaproof.refinement.observed import Observed
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.names import extents_like, surface_size
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import BitVec, Bool, Op, Term, conj, evaluate, substitute, symbols_of, zero_extend
from visaproof.smt.compiled import compiled


class Premises(Struct, frozen=True):
    """What holds before two parts of programs, between which no other thread comes: a rewrite rule's conditions.

    Their end is no end of a thread: what they leave in shared local memory is read by what comes after them.
    """

    inputs: tuple[Bool, ...] = ()
    contents: tuple[tuple[str, BitVec, Bool], ...] = ()
    """A surface, a symbol for each of its dwords, and what holds of these."""
    known: Mapping[Term, Term] = field(default_factory=dict[Term, Term])
    """What may stand for what, as these say."""

    def said_of(self, surface: str, word: BitVec) -> Bool:
        """What holds of a word of a surface."""
        wide = zero_extend(word, 32) if word.width < 32 else word
        return conj(*(substitute(said, {every: wide}) for name, every, said in self.contents if name == surface))

    def hold(self, values: Mapping[Term, int]) -> bool:
        """Whether inputs are as the conditions say; those of which nothing is said are 0."""
        symbols = symbols_of(*self.inputs)
        return all(compiled(self.inputs, symbols)([values.get(one, 0) for one in symbols]))

    def admit(self, memory: Mapping[str, tuple[int, Mapping[int, int]]], image_size: int) -> bool:
        """Whether each dword of memory is as the conditions say, also one of 0."""
        for surface, every, said in self.contents:
            size, contents = memory.get(surface, (0, {}))
            words: dict[int, int] = {}
            for at, part in contents.items():
                place, shift = (at, 0) if size == image_size else (at // 4, 8 * (at % 4))
                words[place] = words.get(place, 0) | part << shift
            if not all(evaluate(said, {every: word}) for word in {*words.values(), 0}):
                return False
        return True


class LinearisationPoint(Struct, frozen=True):
    """When a message of atomics happens, among those of several threads."""

    number: int
    first_lane: int
    """Of its lanes, counted in the wide thread."""
    is_single: bool
    """Whether in the wide thread one lane acts for all."""


class Matched(Struct, frozen=True):
    """The barriers and fences that stand for those of the other kernel, in one order for both."""

    cuts: tuple[int, ...] = ()
    """How many messages come before each place at which other threads take part."""
    events: tuple[Synchronised, ...] = ()
    likened: bool = False
    """Whether fences stand for each other of which no page says which is stronger."""
    narrowed: bool = False
    """Whether one that reaches a group stands for one of which no page says how far it reaches."""
    atomics: int = 0
    """How many messages of atomics are such places."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What stands at these places."""
        fences = any(isinstance(one.event, Fence) for one in self.events)
        barriers = any(isinstance(one.event, Barrier) for one in self.events)
        kinds = {"barrier": barriers, "fence": fences, "atomic": self.atomics > 0}
        return tuple(kind for kind, found in kinds.items() if found)


class Side(Struct, frozen=True):
    """A kernel to be compared: its symbolic run, and the common names of its surfaces."""

    name: str
    platform: Platform
    trace: Trace
    surface: Callable[[str], str]
    pointers: Mapping[BitVec, str] = field(default_factory=dict[BitVec, str])
    """The words that are the address of a buffer, and the buffer."""
    offsets: Mapping[Same[Access], BitVec] = field(default_factory=dict[Same[Access], BitVec])
    """The 64-bit offset of each access that is taken to lie inside its buffer."""
    threads: tuple[int, ...] = ()
    """Of a group of threads, which of them each message is of."""
    finders: tuple[int, ...] = ()
    """Of a group of threads that do not race, which of them each value is of that is left open."""
    threads_race: bool = False
    """Whether threads of a group that access one byte are undefined, whichever two of their messages do it."""
    narrow: int = 0
    """Of a wide target, the lanes of each thread of a source whose threads race so; else 0 (`lane_races`)."""
    observed: tuple[Observed, ...] = ()
    """The registers that are compared at the end."""
    atomic_steps: Mapping[int, LinearisationPoint] = field(default_factory=dict[int, LinearisationPoint])
    """Of kernels of different widths, the turn of each message of atomics, by its place in the run."""
    choices: Mapping[Term, Term] = field(default_factory=dict[Term, Term])
    """What it finds in uninitialised registers, if that is to be something in particular."""
    samplers: Mapping[int, Hashable] = field(default_factory=dict[int, Hashable])
    """What the numbers of samplers stand for, where both kernels say it."""
    sampler_handles: Mapping[str, int | Argument] = field(default_factory=dict[str, int | Argument])
    """The samplers behind the inputs that are handles of one."""
    disturbed: bool = False
    """Whether other threads may write between any two messages, and not only at barriers and fences."""
    unwritten: frozenset[str] = frozenset()
    """The surfaces that nobody writes while the kernel runs: what they hold is the same before and behind a barrier."""
    matched: Matched = Matched()
    """The barriers and fences that both kernels have."""
    sharing: Sharing = NOTHING_SHARED
    """The buffers that may overlap; all other surfaces have a memory of their own."""
    divides_by_zero: bool = False
    """Whether its integer quotients and remainders by 0 are all ones, of which a source may choose any."""
    either_order: bool = False
    """Whether sums and products of floats are those of their operands in either order."""
    premises: Premises | None = None
    """What a part of a program is given, between whose messages no other thread comes."""
    by_events: bool = False
    """Whether each lane of an atomic is an event of its own, that finds something in its cell."""
    changed: tuple[frozenset[str] | None, ...] = ()
    """Of each loop the memories that iterations of either kernel write; None where other threads may take part, which
    may change all.  Without it each loop changes all."""
    whole_atomics: bool = False
    """Whether several messages of atomics are taken for one, whose lanes come in any order."""
    stored_before: tuple[AfterImageStores, ...] = ()
    """Of each message, how many before it store to what may be one object with its surface, an image."""

    def owner(self, performed: Performed, surface: str, access: Access, thread: int, message: int) -> Owner:
        """Whose an access of a message is.

        Thread s stores at a, t ≠ s loads from b, and no barrier comes between  ⇒  a ≠ b, or they race: what t finds is
        what it would find without the store.  Until the first race a kernel does what it does so.
        """
        buffer = self.sharing.buffer(surface)
        own = self._racing_thread(performed, access, thread)
        one_of = message if isinstance(access, Store) and access.lane is not None else None
        if not buffer:
            return Owner(thread=own, message=one_of)
        lane = lane_of(performed, access)
        single = self.threads or lane is not None  # the wide thread acts for the items of several others
        items = self.sharing.items(thread, performed.instruction.first_lane, lane) if single else None
        return Owner(buffer, items, own, one_of)

    def _racing_thread(self, performed: Performed, access: Access, thread: int) -> int | None:
        """The thread that makes an access, of several that race; of a wide target, the one of the source."""
        if isinstance(access, Atomic) or len(access.cell) > 1:
            return None
        if self.narrow and (lane := lane_of(performed, access)) is not None:
            return (performed.instruction.first_lane + lane) // self.narrow
        return thread if self.threads_race else None

    def how(self, use: SamplerUse | None) -> Hashable:
        """How a read through the sampler reads, under a name that both kernels share; None where that is not known."""
        if use is None:
            return None
        found = self.sampler_handles.get(use.handle) if use.handle else use.number
        if use.handle and found is None:
            return None
        return use.texel_offset, self.samplers.get(found, found) if isinstance(found, int) else found


def surface_then(side: Side, place: int) -> str:
    """The surface of a message: behind a barrier or a fence, or in a step, others have used it: it may hold anything.

    In an iteration that stands for others it may hold what those left, and so it may after their loop, unless no
    iteration writes it.  Where others may write between any two messages, it may hold anything for each message.  So
    it may after each store to what may be the same object.
    """
    surface = _surface_then(side, place)
    then = side.stored_before[place] if side.stored_before else NO_STORES
    return surface if then == NO_STORES else surface_after(surface, then)


def _surface_then(side: Side, place: int) -> str:
    surface = side.surface(side.trace.performed[place].surface)
    if surface in side.unwritten and not side.sharing.buffer(surface):
        return surface
    if place in side.atomic_steps:
        return surface_after(surface, AfterAtomicStep(side.atomic_steps[place].number))
    if side.disturbed:
        return surface_after(surface, AfterMessage(visible_before(side.trace, place)))
    return surface_at(surface, side, place)


def surface_at(surface: str, side: Side, place: int) -> str:
    """The surface at a place of the run, after the barriers, fences and bounds of iterations that change it."""
    cuts, ends = epoch(side, place)
    ends -= sum(_ends(one, place) for number, one in enumerate(side.trace.loops) if _is_kept(side, number, surface))
    return surface_after(surface, AfterCuts(side.matched.kinds, cuts, ends)) if cuts or ends else surface


def epoch(side: Side, place: int) -> tuple[int, int]:
    """How many places come before a message at which others take part, and how many begins and ends of iterations that
    stand for others."""
    cuts = sum(before <= place for before in side.matched.cuts)
    return cuts, sum(_ends(one, place) for one in side.trace.loops)


def _ends(one: LoopIteration, place: int) -> int:
    return (one.first <= place) + (one.behind <= place)


# ---------------------------------------------------------------- what loops leave alone


def with_changes_of_loops(source: Side, target: Side) -> tuple[Side, Side]:
    """Both kernels with what their loops change, where they have the same loops.

    No iteration of either kernel stores to s, and no thread comes to a barrier, a fence or an atomic that orders it
    ⇒  s holds in each iteration, and after the loop, what it held before; others that write it race
    """
    loops = source.trace.loops, target.trace.loops
    if len(loops[0]) != len(loops[1]):
        return source, target
    pairs = ((_changed(source, one), _changed(target, other)) for one, other in zip(*loops, strict=True))
    changed = tuple(None if one is None or other is None else one | other for one, other in pairs)
    return replace(source, changed=changed), replace(target, changed=changed)


def _changed(side: Side, one: LoopIteration) -> frozenset[str] | None:
    ordered = (*side.matched.cuts, *(event.before for event in side.trace.events))
    if any(one.first <= place <= one.behind for place in ordered):
        return None
    return frozenset(
        side.sharing.memory(side.surface(performed.surface))
        for performed in side.trace.performed[one.first : one.behind]
        for access in performed.accesses
        if not isinstance(access, Load) and not is_private(side.trace, performed, access)
    )


def _is_kept(side: Side, number: int, surface: str) -> bool:
    """Whether a loop leaves a surface alone; of shared local memory each loop begins and ends a part."""
    changed = side.changed[number] if side.changed else None
    if changed is None or surface == SHARED_LOCAL:
        return False
    return side.sharing.memory(surface) not in changed and changed.isdisjoint(side.sharing.others(surface))


def visible_before(trace: Trace, place: int) -> int:
    """How many messages come before it that reach more than private memory."""
    before = trace.performed[:place]
    return sum(not all(is_private(trace, one, access) for access in one.accesses) for one in before)


def surface_names(side: Side) -> Iterator[tuple[Term, Term]]:
    """The sizes of the surfaces, by their common names."""
    for key, surface in side.trace.surfaces.items():
        if isinstance(surface, SymbolicImage):
            common = side.surface(key)
            for level, extents in enumerate(surface.levels):
                yield from zip(extents, extents_like(extents, common, level), strict=True)
        elif surface.size.op is Op.SYMBOL:
            yield surface.size, surface_size(side.surface(key))


# ---------------------------------------------------------------- images that may be one object


def with_stores_counted(source: Side, target: Side) -> tuple[Side, Side]:
    """Both kernels with the stores that come before each message; one side where one run stands for both.

    Raises NotModelled where they do not store to the same images and buffers in the same order.
    """
    if not source.sharing.images:
        return source, target
    if list(_stores(source)) != list(_stores(target)):
        raise NotModelled("stores to images that may be one object, in another order than in the source")
    one = _counted(source)
    return one, one if target is source else _counted(target)


NO_STORES = AfterImageStores(0)


def _counted(side: Side) -> Side:
    """The side with how many stores come before each message to what may be one object with its surface.

    What a memory holds is also looked at where one of these is read: what was stored to it until then is told apart
    from what is stored to it later.
    """
    counts, reads, before = Counter[str](), Counter[str](), list[AfterImageStores]()
    changed, sampled = set[str](), 0
    for performed in side.trace.performed:
        memory = _memory(side, performed)
        seen = {memory} if any(not isinstance(one, Store) for one in performed.accesses) else set[str]()
        for one in side.trace.arbitrary[sampled : performed.left_open]:
            seen |= set() if one.origin is None else {side.sharing.memory(side.surface(one.origin.surface))}
        sampled = max(sampled, performed.left_open)
        looked_at = changed & {other for one in seen for other in side.sharing.others(one)}
        reads.update(looked_at)
        changed -= looked_at
        before.append(AfterImageStores(sum(counts[other] for other in side.sharing.others(memory)), reads[memory]))
        if _is_store(side, performed):
            counts[memory] += 1
            changed.add(memory)
    return replace(side, stored_before=tuple(before))


def _stores(side: Side) -> Iterator[str]:
    """The memory of each message that stores to what may be one object with another, in the order of the run."""
    for performed in side.trace.performed:
        if _is_store(side, performed) and side.sharing.others(_memory(side, performed)):
            yield _memory(side, performed)


def _memory(side: Side, performed: Performed) -> str:
    return side.sharing.memory(side.surface(performed.surface))


def _is_store(side: Side, performed: Performed) -> bool:
    accesses = (one for one in performed.accesses if not is_private(side.trace, performed, one))
    return any(not isinstance(one, Load) for one in accesses)


def lane_of(performed: Performed, access: Access) -> int | None:
    """The lane for whose work item an access is; without a mask, a thread makes it for any that comes there."""
    execution = getattr(performed.decoded, "execution", None)
    masked = isinstance(execution, Execution) and isinstance(execution.mask, ExecMask) and not execution.mask.no_mask
    return access.lane if masked else None
