"""What is missing where lanes meet in a launch that exists: the weakest relation under which they are proved apart.

    y · pitch + x      free if pitch >= local_size_x and pitch < 1048576

First the lower bound, tried with the smallest upper bound, which is then widened.  What is named is proved by the same
engine that proves it under `--where`, and some launch that obeys it comes to the scatter.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.conflicts.any_items.items_apart import Apart, ItemsApart, still_open
from visaproof.analysis.conflicts.hard_questions import has_products
from visaproof.analysis.conflicts.reach import is_reached
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.bounds_on_arguments import fewer_dimensions, lower_bounds, upper_bounds
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.launch_names import GLOBAL
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import symbols_of

MOST_QUESTIONS = 48
"""About one scatter: candidates that an earlier model leaves open are not asked about."""
UNANSWERED = 12
"""A question that no solver answers counts as so many: where one is too hard, most are."""
MOST_ARGUMENTS = 2
"""With bounds at once."""
KEPT_SHARE = 0.25
"""Of a whole limit, for what is asked after the scatters: so much is left once those that collide are searched."""
GLOBAL_SIZES = tuple(f"{GLOBAL}_{dimension}" for dimension in DIMENSIONS)
"""Bounded only from above: that they are not below local sizes holds of each launch."""


class Missing(Struct, frozen=True):
    """Relations under which no two lanes can write one byte, for all inputs."""

    relations: tuple[Relation, ...]
    by: str

    def __str__(self) -> str:
        return " and ".join(map(str, self.relations))


class MissingRelations(Struct):
    """Looks for them, for one scatter."""

    items: ItemsApart
    rounds: Sequence[ConflictQuestion]
    found_before: Sequence[Missing] = ()
    """What was found of scatters in which lanes meet wherever they do here."""
    left: int = MOST_QUESTIONS
    """Questions."""
    models: list[Values] = field(default_factory=list[Values])
    """Of candidates that did not suffice."""

    def after(self, alike: "MissingRelations | None") -> "MissingRelations":
        """Without the candidates that did not suffice for a scatter whose lanes are as far apart."""
        return self if alike is None else replace(self, left=alike.left, models=alike.models)

    def find(self) -> Missing | None:
        """The first that suffices; None where none of the candidates does, or too many were asked about."""
        if not self.items.can_ask(self.rounds[0].instruction.position, len(self.rounds)):
            return None
        if (found := self.by_digits()) is not None:
            return found
        for one in self.found_before:
            by = self._proved(one.relations)
            if by is not None and self._reached(one.relations):
                return Missing(one.relations, by)
        arguments = self._arguments() if any(map(has_products, self.rounds)) else []
        for count in range(1, min(MOST_ARGUMENTS, len(arguments)) + 1):
            for some in self._choices(arguments, count):
                found = self._bounded(some)
                if found is not None:
                    return found
        for relations in fewer_dimensions(self.items.unused(self.rounds[0].instruction.position)):
            by = self._proved(relations)
            if by is not None and self._reached(relations):
                return Missing(relations, by)
        return None

    def by_digits(self, *, simply: bool = False) -> Missing | None:
        """Relations that no solver has to find; `simply` asks none whether a launch obeys them."""
        digits = self.items.digits(self.rounds[0].instruction.position, len(self.rounds))
        if digits is not None:
            for relations in sorted(digits.missing(), key=len):
                if relations and self._reached(relations, simply=simply):
                    return Missing(relations, digits.by)
        return None

    def _choices(self, arguments: list[str], count: int) -> Iterator[tuple[str, ...]]:
        if count == 1:
            yield from ((one,) for one in arguments)
        else:
            yield tuple(arguments[:count])

    def _arguments(self) -> list[str]:
        """The arguments and global sizes on which it depends whether lanes meet, by name."""
        used = {one for question in self.rounds for pair in question.pairs for one in symbols_of(pair.meet)}
        found: list[str] = []
        for name in (*self.items.names.of_arguments(), *GLOBAL_SIZES):
            named = self.items.names.number(name)
            if named is not None and not used.isdisjoint(symbols_of(named.word.term)):
                found.append(name)
        return found

    def _bounded(self, arguments: tuple[str, ...]) -> Missing | None:
        """The weakest lower bounds of these arguments, and the largest upper ones with which they suffice."""
        smallest = tuple(list(upper_bounds(name))[-1] for name in arguments)
        read = self.items.read
        least = [
            list(lower_bounds(self.items.names.kernel, name, read)) for name in arguments if name not in GLOBAL_SIZES
        ]
        for lower in product(*least):
            proved = self._proved((*lower, *smallest))
            if proved is None:
                continue
            if not self._reached((*lower, *smallest)):
                return None
            return self._widened(lower, smallest, proved)
        return None

    def _widened(self, lower: tuple[Relation, ...], smallest: tuple[Relation, ...], proved: str) -> Missing:
        if (without := self._proved(lower)) is not None:
            return Missing(lower, without)
        for upper in zip(*(upper_bounds(str(one.left)) for one in smallest), strict=True):
            if (found := self._proved((*lower, *upper))) is not None:
                return Missing((*lower, *upper), found)
        return Missing((*lower, *smallest), proved)

    def _proved(self, relations: Sequence[Relation]) -> str | None:
        """By what it is proved that they suffice."""
        if not self.left:
            return None
        more = self.items.terms(relations)
        if any(still_open(more, model) for model in self.models):
            return None
        self.left -= 1
        position = self.rounds[0].instruction.position
        found = self.items.proof(position, len(self.rounds), more)
        if isinstance(found, Apart):
            return found.by
        if found.model is not None:
            self.models.append(found.model)
        else:
            self.left = max(0, self.left + 1 - UNANSWERED)
        return None

    def _reached(self, relations: Sequence[Relation], *, simply: bool = False) -> bool:
        """Whether a launch obeys them in which two lanes write: else they would be no condition but a way out."""
        return (
            is_reached(self.items.asked, self.rounds, self.items.terms(relations), by_two=True, simply=simply) is True
        )
