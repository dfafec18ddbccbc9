"""How large a surface has to be, as a relation to arguments and the launch, where nothing is stated of its size.

    out[y * w + x] under x < w and y < h      in bounds if out has at least 4*w*h bytes

First what the addresses say as sums of integers, which needs no solver.  Else sizes are tried, products of what the
addresses depend on, first with bounds under which no product wraps; a bound that is not needed is left out again.
What is named is proved, by those sums or under `--size` and `--where`, and some launch that obeys it comes there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, takewhile
from math import inf
from time import process_time

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.outside_search import is_possible, search_for
from visaproof.analysis.bounds.sizes.at_ends import Ends
from visaproof.analysis.bounds.sizes.by_ends import (
    STAGE,
    Sufficient,
    are_stated,
    is_inside,
    is_usual,
    readable,
    room_of,
    sufficient,
)
from visaproof.analysis.bounds.sizes.elements import (
    address_of,
    amount_of,
    arguments_of,
    dimensions_of,
    element_of,
    like,
    products,
    symbols_used,
)
from visaproof.analysis.bounds.sizes.furthest import furthest_ends
from visaproof.analysis.bounds.sizes.global_ids import FEW_ITEMS, SMALL
from visaproof.analysis.bounds.sizes.inside_if import Bytes, InsideIf
from visaproof.analysis.bounds.sizes.reached import outermost
from visaproof.analysis.bounds.sizes.samples import SamplesOfKernel
from visaproof.analysis.bounds.sizes.sums import has_factors
from visaproof.analysis.bounds.sizes.usual_relations import usual_relations, weaker
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.analysis.surface_sizes import SLM, argument_of, offset_words, stated_sizes
from visaproof.checking.clauses import Form
from visaproof.isa.errors import LimitReached
from visaproof.isa.identity import Same
from visaproof.launch.launch import Launch
from visaproof.launch.relations.element_names import elements_named
from visaproof.launch.relations.expressions import Expression, Relation
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, difference, polynomial
from visaproof.launch.relations.relations import stated_relation
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import BitVec, Bool, Term, conj, disj, ule

MOST_QUESTIONS = 48
"""About one message."""
MOST_OF_KERNEL = 120
"""About all messages of a kernel."""
MOST_MS = 3_000
"""For one of them: what is proved at all is mostly proved in less."""
MOST_REACHED = 12
"""Sizes that are made from addresses."""
SLOW_MS = 800
"""For one of them; where it takes longer no other is tried."""
READABLE_MS, READABLE_OF_KERNEL_MS = 3_000, 9_000
"""For sizes of one message that are easier to read than what the address says, and of all, if the limit is long."""


class SizeFinder(Struct, dict=True):
    """Looks for such sizes, for the messages of one kernel."""

    launch: Launch
    names: LaunchNames
    asked: Asked
    amounts: Mapping[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """Sizes that are stated, by their surfaces."""
    found: dict[Expression, tuple[Relation, ...]] = field(default_factory=dict[Expression, tuple[Relation, ...]])
    """The relations that a size needed for an earlier message: mostly it needs no others for the next."""
    of_surface: dict[str, dict[Expression, None]] = field(default_factory=dict[str, dict[Expression, None]])
    """The sizes that a surface needed for earlier messages: it has to be as large in any case."""
    in_vain: set[str] = field(default_factory=set[str])
    """The surfaces of messages for which nothing sufficed: the next one is mostly like it."""
    slow: set[str] = field(default_factory=set[str])
    """The surfaces of messages for which what the address says took too long."""
    needed: set[tuple[str, Expression]] = field(default_factory=set[tuple[str, Expression]])
    """Sizes of surfaces that need their relations."""
    of_ends: dict[Same[BoundsQuestion], tuple[Sufficient | None, InsideIf | None]] = field(
        default_factory=dict[Same[BoundsQuestion], "tuple[Sufficient | None, InsideIf | None]"]
    )
    """What the addresses of messages say, by the first question about one."""
    on_elements: bool = False
    """Whether something is stated of elements of buffers."""
    left: int = MOST_OF_KERNEL
    readable_ms: float = READABLE_OF_KERNEL_MS
    forms: dict[Form, str] = field(default_factory=dict[Form, str])
    """What solvers said of guards."""
    shown: list[Values] = field(default_factory=list[Values])
    """Launches that came to accesses."""

    @cached_property
    def ends(self) -> Ends:
        return Ends(self.names, self._excluded, self.asked.trace.counted)

    @cached_property
    def samples(self) -> SamplesOfKernel:
        return SamplesOfKernel(self.names, self.asked)

    def at_ends(self, rounds: Sequence[BoundsQuestion], key: str) -> InsideIf | None:
        """What the addresses say as sums of integers; None where that is nothing."""
        asked = self._of_message(rounds, key)
        return None if asked is None else self._at_ends(asked)[1]

    def find(self, rounds: Sequence[BoundsQuestion], key: str) -> InsideIf | None:
        """The first that suffices; None where none of those tried does, or where the surface cannot be named."""
        if (asked := self._of_message(rounds, key)) is None:
            return None
        enough, by_ends = self._at_ends(asked)
        if enough is None or by_ends is None:
            in_vain = asked.surface in self.in_vain or (enough is not None and enough.is_nothing)
            return None if in_vain else self._first(asked, asked.candidates())
        if elements_named(by_ends.names, self.names.kernel, self.launch):  # nothing else bounds them
            return by_ends
        before, asked.until = process_time(), process_time() + min(READABLE_MS, self.readable_ms) / 1000
        try:
            like = [] if is_usual(enough) or asked.surface in self.in_vain else asked.elements_like(enough.amount)
            found = self._first(asked, like) if like else None
            return found or self._without_relations(asked, by_ends, difference(enough.amount))
        except LimitReached:  # what needs no solver is known
            return by_ends
        finally:
            self.readable_ms -= 1000 * (process_time() - before)

    def _first(self, asked: "OfMessage", candidates: Iterable[Expression]) -> InsideIf | None:
        self.in_vain.update([] if (found := self._found(asked, candidates)) else [asked.surface])
        return found

    def stated(self, rounds: Sequence[BoundsQuestion], key: str) -> str:
        """By what it is shown that the size that is stated is enough, if products or elements matter; or empty."""
        amount = None if (surface := self.surface(key)) is None else self.amounts.get(surface)
        if surface is None or amount is None or not (self.on_elements or has_factors(amount)):
            return ""
        enough = OfMessage(self, rounds, key, surface, symbols_used(rounds)).sufficient(amount)
        return STAGE if enough is not None and are_stated(enough.relations, self.names, self.amounts.values()) else ""

    def are_never_made(self, rounds: Sequence[BoundsQuestion], key: str) -> bool:
        """Whether the guards of all accesses were shown to hold in no launch."""
        enough, _ = (None, None) if (asked := self._of_message(rounds, key)) is None else self._at_ends(asked)
        return enough is not None and enough.is_nothing

    def _of_message(self, rounds: Sequence[BoundsQuestion], key: str) -> "OfMessage | None":
        if (surface := self.surface(key)) is None or not any(one.outside for one in rounds):
            return None
        return OfMessage(self, rounds, key, surface, symbols_used(rounds))

    def _at_ends(self, asked: "OfMessage") -> tuple[Sufficient | None, InsideIf | None]:
        """What the addresses say as integers, and the same if some launch obeys the relations."""
        if (known := self.of_ends.get(first := Same(asked.rounds[0]))) is None:
            enough, found = readable(asked.sufficient(), asked.sufficient), None
            if enough is not None and not enough.is_nothing:
                amount = difference(enough.amount)
                named = InsideIf(enough.relations, STAGE, Bytes(asked.surface, amount))
                found = named if asked.is_reached(amount, named.relations) else None
            known = self.of_ends[first] = enough, found
        return known

    def _without_relations(self, asked: "OfMessage", named: InsideIf, amount: Expression) -> InsideIf:
        """The same if a solver needs no relations for it."""
        surface = asked.surface
        if named.relations and surface not in self.slow and (surface, amount) not in self.needed:
            asked.most_ms, asked.until = SLOW_MS, process_time() + SLOW_MS / 1000
            without = asked.proved(amount, ())
            self.slow.update([surface] if process_time() > asked.until else [])
            if without:
                return InsideIf((), without, named.size)
            self.needed.add((surface, amount))
        return named

    def _found(self, asked: "OfMessage", candidates: Iterable[Expression]) -> InsideIf | None:
        for amount in candidates:
            known = self.found.get(amount)
            relations = usual_relations(amount, asked.arguments(), asked.dimensions())
            if known is not None and (by := asked.proved(amount, known)) and asked.is_reached(amount, known):
                return InsideIf(self._to_state(known), by, Bytes(asked.surface, amount))
            by = asked.proved(amount, relations)
            asked.until = inf if by else asked.until
            if by and asked.is_reached(amount, relations):
                relations, by = asked.weaker(amount, relations, by)
                self.found[amount] = relations
                self.of_surface.setdefault(asked.surface, {})[amount] = None
                return InsideIf(self._to_state(relations), by, Bytes(asked.surface, amount))
        return None

    def _to_state(self, relations: Sequence[Relation]) -> tuple[Relation, ...]:
        """Those that do not hold of every launch that is asked about: solvers need these, too."""
        return tuple(one for one in relations if one not in FEW_ITEMS.values() or self.names.most_items > SMALL)

    def _excluded(self, question: BoundsQuestion, conditions: Sequence[Bool]) -> bool:
        asked = replace(self.asked, timeout_ms=min(SLOW_MS, self.asked.timeout_ms))
        return bool(search_for(question, conditions, ()).excluded(asked, self.forms))

    def offsets(self, key: str) -> tuple[BitVec, ...]:
        """The words that a stated size of this surface makes 0."""
        return offset_words(self.names.kernel, self.launch, self.names.start, key)

    def surface(self, key: str) -> str | None:
        if key == SLM:
            return "slm"
        argument = argument_of(self.names.kernel, self.launch, key)
        return None if argument is None else argument.name or f"arg{argument.index}"


class OfMessage(Struct):
    """The questions about one message."""

    finder: SizeFinder
    rounds: Sequence[BoundsQuestion]
    key: str
    surface: str
    used: Sequence[Term]
    """The symbols on which it depends whether an access is outside."""
    left: int = MOST_QUESTIONS
    most_ms: int = MOST_MS
    until: float = inf
    """Seconds of the processor."""

    def sufficient(self, stated: Polynomial | None = None, *, whole: bool = True) -> Sufficient | None:
        """What is proved to be enough by what the addresses are as integers."""
        surface = self.finder.asked.trace.surfaces.get(self.key)
        accesses = [(each, doubt, address_of(each, doubt.access)) for each in self.rounds for doubt in each.outside]
        if not all(is_inside(each, doubt.access, surface) for each, doubt, _ in accesses):
            return None
        offsets = self.finder.offsets(self.key)
        reached = self.finder.ends.reached([*outermost(accesses)], self.arguments(), offsets)
        return None if reached is None else sufficient(reached, self.finder.names, stated, whole, *room_of(accesses))

    def candidates(self) -> Iterator[Expression]:
        """Those that are known, and easy to read; then, with the questions that are kept, what the address says."""
        yield from self.finder.of_surface.get(self.surface, ())
        yield from takewhile(lambda _: self.left > MOST_REACHED, self.elements())
        yield from self._reached()

    def elements_like(self, amount: Polynomial) -> list[Expression]:
        """Such sizes, first the one that is known to be enough: mostly no smaller one is."""
        named = {part: count for part, count in amount.items() if count}
        found = like(self.elements(), named)
        is_like = bool(found) and polynomial(found[0]) == named
        return found if len(named) > 1 else found[:1] if is_like else [difference(named)]

    def elements(self) -> Iterator[Expression]:
        """Sizes of one element for each of so many, and of one more: first what is usual, the smallest first."""
        unit, rest = element_of(self.rounds)
        for some in products(self.arguments(), self.dimensions(), local=self.key == SLM):
            for more in (rest, rest + unit):
                yield from (amount_of(unit, factors, more) for factors in some)
            if self.key == SLM:  # a half that is filled beside one that is read
                yield from (amount_of(2 * unit, factors, rest) for factors in some)

    def _reached(self) -> Iterator[Expression]:
        """What the address itself says, behind the last byte that it may reach."""
        reaching = [
            (address_of(question, doubt.access), doubt.access.width)
            for question in self.rounds for doubt in question.outside if doubt.access.lane in (0, None)
        ]  # fmt: skip
        ends = furthest_ends(dict(reaching), self.finder.names, self.arguments(), self.finder.offsets(self.key))
        for one in islice(ends, MOST_REACHED):
            if self.surface in self.finder.slow:
                return
            self.finder.slow.add(self.surface)  # it stays where the time for the message is over
            self.most_ms, asked = SLOW_MS, process_time()
            yield difference(one)
            if process_time() - asked < SLOW_MS / 1000:
                self.finder.slow.remove(self.surface)

    def arguments(self) -> list[str]:
        """Those by value on which it depends where an access is."""
        return arguments_of(self.used, self.finder.names)

    def dimensions(self) -> list[str]:
        """Those of which a group id, a local id or a local size matters."""
        return dimensions_of(self.used, self.finder.asked.start.group.launched)

    def proved(self, amount: Expression, relations: Sequence[Relation]) -> str:
        """By what it is proved that they suffice; empty where it is not."""
        if not self.left or not self.finder.left or process_time() > self.until:
            return ""
        self.left, self.finder.left = self.left - 1, self.finder.left - 1
        size, conditions = self._stated(amount, relations)
        if self.finder.samples.of(self.rounds, self.finder.offsets(self.key)).exclude(size, conditions):
            return ""
        more = self._terms(amount, relations)
        asked = replace(self.finder.asked, timeout_ms=min(self.most_ms, self.finder.asked.timeout_ms))
        stages: dict[str, None] = {}
        for question in self.rounds:
            search = search_for(question, [doubt.condition for doubt in question.outside], more)
            by = search.excluded(asked, until=self.until)
            if not by:
                return ""
            stages[by] = None
        return ", ".join(stages)

    def excluded(self, question: BoundsQuestion, conditions: Sequence[Bool], more: Sequence[Bool]) -> str:
        """By what it is proved that none of these holds of a round; empty where it is not."""
        if not self.left or not self.finder.left:
            return ""
        self.left, self.finder.left = self.left - 1, self.finder.left - 1
        asked = replace(self.finder.asked, timeout_ms=min(SLOW_MS, self.finder.asked.timeout_ms))
        return search_for(question, conditions, more).excluded(asked)

    def weaker(self, amount: Expression, relations: tuple[Relation, ...], by: str) -> tuple[tuple[Relation, ...], str]:
        """The relations without those that are not needed."""
        return weaker(relations, by, partial(self.proved, amount), self.finder.names.is_signed)

    def is_reached(self, amount: Expression, relations: Sequence[Relation]) -> bool:
        """Whether a launch that obeys them comes to an access: else they would be no condition but a way out."""
        return self.is_reached_under(self._terms(amount, relations))

    def is_reached_under(self, more: Sequence[Bool]) -> bool:
        """Whether a launch in which this holds comes to an access."""
        return self.is_possible(more, disj(*(doubt.access.guard for doubt in self.rounds[0].outside)))

    def is_possible(self, more: Sequence[Bool], comes: Bool) -> bool:
        """Whether a launch in which this holds has a thread in which that does."""
        formula = conj(*self.rounds[0].premises, *more, comes)
        return is_possible(self.finder.asked, formula, MOST_MS, self.finder.shown)

    def _terms(self, amount: Expression, relations: Sequence[Relation]) -> list[Bool]:
        size, conditions = self._stated(amount, relations)
        return [*conditions, *(ule(size, own) for own in self._sizes())]

    def _stated(self, amount: Expression, relations: Sequence[Relation]) -> tuple[BitVec, list[Bool]]:
        """The size as a word, and what has to hold of it and of the launch."""
        names = self.finder.names
        stated = stated_sizes(names, [self.key], [(self.surface, amount)])
        own = [stated_relation(names, one) for one in relations]
        return stated.sizes[self.key], [*stated.premises, *(term for one in own for term in (*one.facts, one.term))]

    def _sizes(self) -> Iterator[BitVec]:
        surface = self.finder.asked.trace.surfaces.get(self.key)
        if isinstance(surface, SymbolicBuffer):
            yield surface.size
        buffers = self.rounds[0].buffers.buffers
        yield from (one.size for one in buffers if one.key == self.key and one.size is not None)
