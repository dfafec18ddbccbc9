"""Two kernels over one memory: what both do that can be seen, and the launches for which it is asked."""

from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import Position
from visaproof.launch.ids.work_items import NO_GROUP, Group
from visaproof.launch.local_memory import ANY_LOCAL_MEMORY, LocalMemory
from visaproof.queries.kernels.constant_data import NO_TABLES, Tables
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.sharing import NOTHING_SHARED, Sharing
from visaproof.refinement.effects.side import Matched, Premises
from visaproof.smt import Bool, disj, is_true

LARGEST_SURFACE = 1 << 32
"""Bytes: messages to surfaces have 32-bit offsets."""


class Launched(Struct, frozen=True):
    """The lanes of the thread, or of the wide one of two, and what their launch says of them."""

    lanes: tuple[Bool, ...]
    group: Group = NO_GROUP
    tables: Tables = NO_TABLES
    """The tables that both programs have, with known contents."""
    local: LocalMemory = ANY_LOCAL_MEMORY
    """Shared local memory of a group, where both kernels have the same size."""
    limited: bool = True
    """Whether images are no larger than a device's."""
    either_order: bool = False
    """Whether sums and products of floats are taken for those of their operands in either order."""
    premises: Premises | None = None
    """Of a part of a program, as a rewrite rule has: what it is given, instead of a launch."""

    @property
    def possible(self) -> tuple[Bool, ...]:
        """A lane is on, no lane that is has an id outside of its group, and what a part of a program is given holds."""
        given = () if self.premises is None else self.premises.inputs
        return disj(*self.lanes), *self.group.possible(self.lanes), *given


class Question(Struct, frozen=True, dict=True):
    """Whether the target refines the source."""

    source: Effects
    target: Effects
    memory: SharedMemory
    launched: Launched
    forbidden: frozenset[UndefinedKind] = FORBIDDEN
    """What is undefined; the other kinds are allowed."""
    disturbed: bool = False
    """Whether other threads may write between any two messages: then both have to have the same, in the same order."""
    limits: tuple[Bool, ...] = ()
    """How large images are at most."""
    bounded: tuple[Position, ...] = ()
    """The loops that may run longer than they were unrolled.  Nothing is asked of longer runs."""
    sharing: Sharing = NOTHING_SHARED
    """The buffers that may overlap."""
    matched: Matched = Matched()
    """The barriers, fences and atomics of the source at which memory may change."""
    atomic_steps: bool = False
    """Whether lanes of a message of atomics are compared with those of several."""
    whole_atomics: bool = False
    """Whether several messages of atomics are taken for one."""

    @cached_property
    def of_items(self) -> "Question | None":
        """The same where no two work items race, both kernels being of one width; None where that says nothing.

        That is so where it is allowed, where lanes are no work items, and where they race in every run.  Of a target
        of several threads a race is shown.
        """
        races, launched = self.source.item_races, self.launched.group.launched
        if races is None or self.source.items_apart or UndefinedKind.RACE not in self.forbidden:
            return None
        if self.target.races is not None:
            return None
        if launched is None or len(launched.ids) < 2 or not races.conditions or any(map(is_true, races.conditions)):
            return None
        return replace(self, source=replace(self.source, items_apart=True))

    @property
    def in_buffers(self) -> bool:
        """Whether it is about places in buffers."""
        return bool(self.source.reaches or self.target.reaches)

    @property
    def lanes(self) -> tuple[Bool, ...]:
        return self.launched.lanes

    @property
    def surfaces(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.source.stores, *self.target.stores)))

    @property
    def surfaces_touched(self) -> tuple[str, ...]:
        """Those that are only read as well."""
        return tuple(dict.fromkeys(one.surface for side in (self.source, self.target) for one in side.touched))
