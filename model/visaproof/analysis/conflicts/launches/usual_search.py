"""Conditions in the launches that hosts make: asked of all conditions together, once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from visaproof.analysis.conflicts.alike_values import alike_values, functions_in
from visaproof.analysis.conflicts.launches.usual_launches import FIRST_GROUP, constants_of, widest_first
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.smt import Bool, Term, conj, disj, substitute
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.evaluate import Evaluation
from visaproof.smt.solvers import solve

MOST_USUAL = 10
"""In how many of them the solver is asked one by one."""

FEW = 3
"""The same, where it is known which relations exclude it."""
USUAL_MS = 2_000
"""For one of these then; where it takes longer the next one is not asked."""

QUICK_MS = 250
"""For one of these at first: most groups with a conflict show it at once, and in some it is hard to see."""

MOST_SLOW = 4
"""Groups in which that was too little: then no more are asked quickly."""

InVain = dict[tuple[int, ...], dict[int, int]]
"""By the indices of conditions: the first groups that need not be asked about again, unless for more ms than these."""


class UsualSearch(Struct, dict=True):
    """For the conditions of one question."""

    asked: Asked
    conditions: Sequence[Bool]
    indices: Sequence[int]
    """Of the conditions that are asked about."""
    premise: Bool
    in_vain: InVain = field(default_factory=InVain)
    """Filled in: a search that a limit ended goes on there."""
    patient: bool = True
    """Whether more than a few first groups are asked about, and again with more time."""
    all_asked: bool = False
    none: bool = False
    """Whether none of the conditions holds in any of them."""

    def in_first_groups(self) -> Iterator[tuple[int, Values]]:
        """In some of them, a condition that holds and the values: a reader knows such launches."""
        launches = widest_first(self.asked)[: MOST_USUAL if self.patient else FEW]
        asked = self.in_vain.setdefault(tuple(self.indices), {})
        if all(asked.get(place) == USUAL_MS for place in range(len(launches))):
            return
        for most, often in ((QUICK_MS, MOST_SLOW), (USUAL_MS, 1))[: 1 + self.patient]:
            slow = 0
            for place, launch in enumerate(launches):
                if asked.get(place, 0) >= most:
                    continue
                if slow == often:
                    asked[place] = most
                    continue
                asked[place] = most  # also if a limit ends the question: it would end the next one, too
                match self._in_launch(launch, most):
                    case None:
                        slow += 1
                    case found:
                        yield from found
                        asked[place] = USUAL_MS

    def in_groups(self, launches: Iterable[Mapping[Term, int]]) -> Iterator[tuple[int, Values]]:
        """In these: of the first group, or else of any."""
        launched, lanes = self.asked.start.group.launched, launched_lanes(self.asked.kernel)
        if launched is not None:
            for launch in launches:
                values = launched.with_lanes(launch, lanes)
                for each in ({**FIRST_GROUP, **values}, values):
                    yield from self._in_launch(each, USUAL_MS) or ()

    def _in_launch(self, launch: Mapping[Term, int], most: int) -> list[tuple[int, Values]] | None:
        """What a solver finds in this one; None where it finds neither that nor that there is nothing."""
        decided = constants_of(launch)
        alike = alike_values(self._functions, decided)
        match solve([substitute(self._formula, {**decided, **alike})], min(most, 2 * self.asked.timeout_ms)):
            case Unsatisfiable():
                return []
            case Satisfiable(values, _):
                same = {one: values.get(other, 0) for one, other in alike.items()}
                return [self._which({**values, **same, **launch})]
            case _:
                return None

    def in_all_groups(self) -> Iterator[tuple[int, Values]]:
        """In any of them, whatever the group and its thread."""
        launched = self.asked.start.group.launched
        if self.all_asked or launched is None:
            return
        self.all_asked = True
        match solve([conj(self._formula, launched.is_usual())], self.asked.timeout_ms):
            case Unsatisfiable():
                self.none = True
            case Satisfiable(values, _):
                yield self._which(values)
            case _:
                pass

    @cached_property
    def _formula(self) -> Bool:
        return conj(self.premise, disj(*(self.conditions[index] for index in self.indices)))

    @cached_property
    def _functions(self) -> list[Uninterpreted]:
        return functions_in(self._formula, self.asked.trace.arbitrary)

    def _which(self, values: Values) -> tuple[int, Values]:
        of = Evaluation(values).of
        return next(one for one in self.indices if of(self.conditions[one])), values
