"""What a symbolic run of a kernel found."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.decode.message import Message
from visaproof.decode.synchronisation import Synchronised
from visaproof.isa.errors import LimitReached, NotModelled, Position
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Known
from visaproof.machine.symbolic.loops.iteration import LoopIteration
from visaproof.machine.symbolic.private import PrivateMemory
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.program.statements import Origin
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.beyond import Excess
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.semantics.symbolic.guarded_bits import GuardedPredicates
from visaproof.semantics.symbolic.state import SymbolicSurface
from visaproof.smt import BitVec, Bool


class Branch(NamedTuple):
    """For each lane, whether it takes the branch; those that do not run do not."""

    position: Position
    jumping: tuple[Bool, ...]


class Performed(Struct, frozen=True):
    """A memory message: the accesses that may happen, each under its guard, and what the loads brought."""

    instruction: Origin
    decoded: Message
    """Its surface is the variable of the text; `surface` is what that stood for."""
    surface: str
    accesses: tuple[Access, ...]
    loaded: tuple[tuple[Access, BitVec], ...]
    """The symbol that stands for the value of each load and atomic with a destination.

    It is arbitrary: nothing connects it with earlier stores, nor with 0 where the access is outside.  Loads that bring
    what was stored in private memory are left out.
    """
    any_round: bool = False
    """Whether this is one iteration of a loop for all those that were not unrolled."""
    left_open: int = 0
    """How many values the model had left open before."""
    short: tuple[Access, ...] = ()
    """Those that need registers or predicate bits that a variable does not have, where these are nondeterministic."""

    def in_any_round(self, known: Known) -> "Performed":
        """The same for all later iterations, in which that is known."""
        return replace(self.with_accesses(lambda one: replace(one, guard=known.with_it(one.guard))), any_round=True)

    def with_accesses(self, changed: Callable[[Access], Access]) -> "Performed":
        """The same with each access changed."""
        found = (*self.accesses, *(one for one, _ in self.loaded), *self.short)
        fresh = {Same(one): changed(one) for one in found}
        return replace(
            self,
            accesses=tuple(fresh[Same(one)] for one in self.accesses),
            loaded=tuple((fresh[Same(one)], value) for one, value in self.loaded),
            short=tuple(fresh[Same(one)] for one in self.short),
        )


class Trace(Struct, frozen=True):
    """What a kernel does for every input.  It assumes that at least one lane of the thread is on."""

    performed: tuple[Performed, ...]
    surfaces: dict[str, SymbolicSurface]
    arbitrary: tuple[Uninterpreted, ...]
    """Values that the model leaves open."""
    conditions: tuple[tuple[Bool, Position], ...]
    """What the pages ask of register addresses: where one does not hold, the kernel is undefined."""
    registers: GuardedRegisters
    """At the end; `initial_reads` lists the bytes that were read before anything wrote them."""
    predicates: GuardedPredicates
    bounded: tuple[tuple[Bool, Position], ...] = ()
    """For each loop that may run longer than it was unrolled: that it does not."""
    stopped: NotModelled | LimitReached | None = None
    """What has no semantics here, or where the time was over; nothing after it was run."""
    unfinished: frozenset[Position] = frozenset()
    """Statements that may be run after that, for the first time or once more."""
    private: PrivateMemory = field(default_factory=lambda: PrivateMemory(None))
    """At the end; it tells which addresses are those of private memory."""
    events: tuple[Synchronised, ...] = ()
    """The barriers and fences, in the order of the run."""
    loops: tuple[LoopIteration, ...] = ()
    """For each loop that one iteration stands for, that one; inner loops first.  Only of a kernel that is compared."""
    beyond: tuple[Excess, ...] = ()
    """Who reads or writes registers that a variable does not have, where these are nondeterministic."""
    branches: tuple[Branch, ...] = ()
    """The conditional branches, in the order of the run."""
    counted: tuple[CountedLoop, ...] = ()
    """Loops of which an iteration stands for later ones."""
