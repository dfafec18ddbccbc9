"""Looks for a run of a kernel in which something happens: simple values, then a solver; only a run can confirm it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from time import process_time
from typing import Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.conflicts.any_lane import about_any_lane
from visaproof.analysis.conflicts.at_once import excluded_at_once
from visaproof.analysis.conflicts.known_apart import KnownApart
from visaproof.analysis.conflicts.lane_conditions import OfLanes, lanes_of
from visaproof.analysis.conflicts.launches.simple_values import classes_of_values, in_launches
from visaproof.analysis.conflicts.launches.usual_launches import launches_by_place
from visaproof.analysis.conflicts.launches.usual_search import UsualSearch
from visaproof.analysis.conflicts.repairs import repairs_of
from visaproof.analysis.conflicts.results import Found, Never, Open, Progress
from visaproof.analysis.conflicts.simpler_formulas import constants, without_products
from visaproof.analysis.conflicts.thread_states import LOADS_DISAGREE, Asked, Values
from visaproof.checking.clauses import Form, form_of
from visaproof.checking.constant_sums import without_constant_sums
from visaproof.checking.stages import NORMAL_FORM, literals
from visaproof.isa.errors import NotModelled
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.concrete.run import MissingSurface
from visaproof.machine.symbolic.trace import Performed
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted, dependence
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import Bool, Term, conj, is_false, is_true, substitute, symbols_of, true
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import all_hold
from visaproof.smt.integers.products import with_integer_products
from visaproof.smt.solvers import solve, solve_sums

REPAIRS = 4
"""How often a model is asked again because two loads from one place disagreed in it, or floats compared otherwise."""
SAMPLE = 4
"""Of how many conditions simple values are tried: mostly they say the same of other lanes."""
UNDEFINED_BEFORE = "undefined before"
"""The stage of a message before which every run meets an undefined one."""
SOME = 32
"""Of how many conditions it is asked first whether a usual launch shows one: of pairs of lanes, those of the first."""
PATIENCE = 3
"""How many times the time for one question all conditions together may take: then the verdict is *timed out*."""
MOST_STATEMENTS = 10_000
"""Of a confirming run: the inputs of a counterexample are small, so a longer one is most likely an endless loop."""
USUAL_LAUNCHES = 12
"""In how many the simple values are tried: first threads of groups of different sizes."""
ANY_LANE_MS = 10_000
"""For a question about any lane, in which products are integers of which only the order is known."""
MOST_STUCK = 3
"""How many such runs are tried."""
FEW_ASKED = "in no run on random arguments; solvers were asked of few groups alone"

T = TypeVar("T")


class Search(Struct, Generic[T], frozen=True):
    """Whether one of the conditions can hold when a kernel comes to the message `until`."""

    conditions: Sequence[Bool]
    premise: Bool
    earlier: tuple[Bool, ...]
    """That no earlier message was undefined: asked of the solver as far as it is about the same lanes, and as a whole
    only where its first model is not confirmed."""
    until: Performed
    subject: str
    verb: str
    """With the subject, what the conditions say, as in "the lanes" "meet"."""
    confirm: Callable[[int, Values], T | None]
    """Runs the kernel on values under which the premise and the condition of this index hold."""
    uninterpreted: Sequence[Uninterpreted]
    """Of the kernel: where a condition depends on one, an unknown verdict names it."""
    likely_size: int
    """Bytes of the surfaces, and extents, of which nothing is known, in the simple values."""
    proof: Callable[[], str] = lambda: ""
    """Another way to prove that none of the conditions can hold, in words; empty where it proves nothing."""
    most_ms: Callable[[], int | None] = lambda: None
    """For a question of a solver once `proof` was asked, where that says enough."""
    known: KnownApart | None = None
    """What was proved of other messages."""
    sampled: Callable[[], Never | Found[T] | None] = lambda: None
    """What runs on random values have shown."""
    alike: Callable[[], Never | Found[T] | None] = lambda: None
    """What runs on values of other conflicts show."""
    wider: Callable[[int], Bool] = lambda _: true()
    """What follows from the condition of this index, and other messages may share: asked for `known`."""
    relations_known: bool = False
    """Whether it is known which relations exclude all conditions."""
    progress: Progress = field(default_factory=Progress)
    otherwise: Callable[[Sequence[int]], Never | Found[T] | None] = lambda _: None
    """Another way to show or exclude conditions of these indices, asked before launches are searched."""
    groups: Callable[[], Never | Iterable[Mapping[Term, int]]] = lambda: ()
    """Threads in which one of the conditions may hold, by the values of the symbols that say which, if not never."""
    easily: bool = False
    """Whether it ends where a proof or a solver would be asked."""

    def run(self, asked: Asked) -> Never | Found[T] | Open:
        found = self.progress.never or self._run(asked)
        self.progress.never = found if isinstance(found, Never) else None
        return found

    def _run(self, asked: Asked) -> Never | Found[T] | Open:
        """Simple values before the solver: they cost nothing where the answer is obvious."""
        if any(map(is_false, (self.premise, *self.earlier))):
            return Never(UNDEFINED_BEFORE)
        excludes, known = asked.excluded.by(self.earlier), self.known
        left = [index for index, condition in enumerate(self.conditions) if not excludes(condition)]
        if not left:
            return Never(NORMAL_FORM)
        left = [index for index in left if known is None or not known.excludes(partial(self.wider, index))]
        if known is not None and not left:
            return Never(", ".join(known.solvers))
        if (easily := self._without_solver(asked, left)) is not None or self.easily:
            return easily or Open("")
        if by := self.proof():
            return Never(by)
        if known is not None and known.learn([self.wider(index) for index in left]):
            return Never(", ".join(known.solvers))
        premise, in_vain = conj(self.premise, *self.earlier), self.progress.in_first_groups
        if (other := self.otherwise(left)) is not None:
            return other
        usual = UsualSearch(asked, self.conditions, left, premise, in_vain)
        if known is not None and (quickly := self._quickly(asked, left, usual)) is not None:
            return quickly
        groups = () if self.progress.stuck else self.groups()
        found = groups if isinstance(groups, Never) else self._shown(usual.in_groups(groups))
        if found is not None:
            return found
        if self.relations_known:
            return Open(f"{self.subject} {self.verb} {FEW_ASKED}")
        most = self.most_ms()
        if most is not None and self.progress.stuck is not None:
            return self.progress.stuck  # what is missing is known, and such runs are long
        within = asked if most is None else replace(asked, timeout_ms=min(most, asked.timeout_ms))
        return self._solved(within, left, replace(usual, asked=within))

    def _quickly(self, asked: Asked, left: Sequence[int], usual: UsualSearch) -> Never | Found[T] | None:
        """What one question excludes, or a first group shows."""
        at_once = [] if self.relations_known else [self.conditions[index] for index in left]
        if solver := excluded_at_once(self.premise, at_once, asked.timeout_ms):
            return Never(solver)
        return self._shown(replace(usual, indices=left[:SOME], patient=not self.relations_known).in_first_groups())

    def _without_solver(self, asked: Asked, left: Sequence[int]) -> Never | Found[T] | None:
        """What random values have shown, or else simple ones, which are tried once, or those of other conflicts."""
        if (known := self.sampled()) is not None:
            return known
        if not self.progress.tried_simple and isinstance(found := self._by_simple_values(asked, left[:SAMPLE]), Found):
            return found
        self.progress.tried_simple = True
        return self.alike()

    def _by_simple_values(self, asked: Asked, indices: Sequence[int]) -> Found[T] | Open | None:
        """What simple values show: of each kind the first under which one of these conditions holds.

        Where a run does not end, as with a local size of 0, the next values are tried.
        """
        stuck: list[Open] = []
        conditions = [self.conditions[index] for index in indices]
        symbols = symbols_of(self.premise, *conditions)
        run_all = compiled((self.premise, *conditions), symbols)
        launches = launches_by_place(asked, symbols, USUAL_LAUNCHES)
        for simple in classes_of_values(symbols, self.likely_size, self.until.surface, asked.local):
            for values in in_launches(simple, launches):
                holds, *met = run_all(values)
                if holds and any(met):
                    index, found = indices[met.index(1)], dict(zip(symbols, values, strict=True))
                    if (key := (index, *values)) in self.progress.in_vain or self._ends_before(asked, found):
                        break
                    tried = self._tried(index, found)
                    if tried is None:
                        self.progress.in_vain.add(key)
                        break
                    if isinstance(tried, Found):
                        return tried
                    stuck.append(tried)
                    if len(stuck) == MOST_STUCK:
                        return stuck[0]
        return None

    def _ends_before(self, asked: Asked, values: Values) -> bool:
        """Whether lanes of other scatters collide first in a launch with these values."""
        of_launches = self.known is not None and asked.start.group.launched is not None
        return of_launches and not all_hold(self.earlier, values)

    def _tried(self, index: int, values: Values) -> Found[T] | Open | None:
        """What a run on these values shows; open where it ends at something that is not modelled, or not at all.

        Where the symbolic run ended early, a run may come to a surface of which nothing is known.
        """
        try:
            found = self.confirm(index, values)
        except (NotModelled, MissingSurface) as reason:
            text = f"{self.subject} may {self.verb}, but the kernel cannot be run to confirm it: {reason}"
            return Open(self._naming(text, index), stuck=True)
        return None if found is None else Found(found)

    def _solved(self, asked: Asked, left: Sequence[int], usual: UsualSearch) -> Never | Found[T] | Open:
        """Condition by condition: those that differ only in the names of their symbols are asked once."""
        earlier, lanes = OfLanes.of(self.earlier), lanes_of(self.conditions)
        settled, lifted = self.progress.settled, self.progress.lifted
        seen, stages = set[Form](), dict[str, None]()
        unsolved: Open | None = None
        stuck = 0
        end = process_time() + PATIENCE * asked.timeout_ms / 1000
        for index in left:
            condition, by = without_constant_sums(self.conditions[index])
            if is_false(condition):
                stages[by] = None
                continue
            near = earlier.within(lanes[self.conditions[index]])
            form = form_of(self.premise, condition, *near)
            if form in seen:
                continue
            seen.add(form)
            if form not in settled:
                if by := self._of_any_lane(asked, condition, lifted):
                    settled[form] = Never(by)
                else:
                    answer = self._solved_one(asked, index, near, usual)
                    if isinstance(answer, Found):
                        return answer
                    settled[form] = answer
            match settled[form]:
                case Never(by):
                    stages[by] = None
                case undecided:
                    unsolved = unsolved or undecided
                    stuck += undecided.stuck
            if unsolved is not None and stuck == MOST_STUCK:
                return unsolved
            if process_time() > end:
                return unsolved or Open(f"timed out: {self.subject} have too many different reasons not to {self.verb}")
        return unsolved or Never(", ".join(stages))

    def excluded(self, asked: Asked, known: dict[Form, str] | None = None, until: float = inf) -> str:
        """The solvers that show that none of the conditions holds for any lane; empty where one may.

        What was asked before is `known`.  No question is asked after so many seconds of the processor.
        """
        known = {} if known is None else known
        stages: dict[str, None] = {}
        for index in range(len(self.conditions)):
            condition, by = without_constant_sums(self.conditions[index])
            by = by if is_false(condition) else self._of_any_lane(asked, condition, known)
            if not by or process_time() > until:
                return ""
            stages[by] = None
        return ", ".join(stages)

    def _of_any_lane(self, asked: Asked, condition: Bool, known: dict[Form, str]) -> str:
        """The solver that shows that the condition holds for no lane, or by the order of products; or nothing."""
        launched, lanes = asked.start.group.launched, launched_lanes(asked.kernel)
        if len(set(literals(condition)).intersection(lanes)) > 1:  # lanes that meet
            return ""
        formulas: Iterable[Bool] = (conj(self.premise, condition),)
        if launched is not None:
            formulas = about_any_lane(launched, lanes, self.premise, condition)
        for formula in formulas:
            form = form_of(formula)
            if form not in known:
                ordered = with_integer_products(formula)
                answer = solve_sums(formula if ordered is None else ordered, min(ANY_LANE_MS, asked.timeout_ms))
                known[form] = answer.solver if isinstance(answer, Unsatisfiable) else ""
            if known[form]:
                return known[form]
        return ""

    def _solved_one(
        self, asked: Asked, index: int, near: tuple[Bool, ...], usual: UsualSearch
    ) -> Never | Found[T] | Open:
        """Whether this condition can hold; `near` are the earlier conditions on the same lanes."""
        formula, later, possible = conj(self.premise, self.conditions[index], *near), [*self.earlier], dict[str, None]()
        abstract = without_products(formula)
        if abstract is not formula and isinstance(none := solve([abstract], asked.timeout_ms), Unsatisfiable):
            return Never(none.solver)
        found = self._in_first_rounds(asked, index, formula) or self._shown(usual.in_first_groups())
        if found is not None:
            return found
        launched, only_usual = asked.start.group.launched, False
        for _ in range(REPAIRS):
            match solve([formula], asked.timeout_ms):
                case Unsatisfiable() if only_usual:
                    return self._in_no_usual_launch()
                case Unsatisfiable(solver):
                    return self._in_vain(possible) if possible else Never(solver)
                case Satisfiable(values, _) if not (only_usual or launched is None or launched.exists(values)):
                    found = self._shown(usual.in_all_groups())
                    if found is not None or usual.none:
                        return found or self._in_no_usual_launch()
                    formula, only_usual = conj(formula, launched.is_usual()), True
                case Satisfiable(values, _):
                    if (tried := self._tried(index, values)) is not None:
                        return tried
                    wrong = tuple(repairs_of(asked.trace, self.until, formula, values))
                    repairs = conj(*(repair.condition for repair in wrong), *later)
                    if is_true(repairs):
                        return Open(self._not_confirmed(index), stuck=self.until.any_round)
                    possible.update((repair.otherwise, None) for repair in wrong if not repair.certain)
                    formula, later = conj(formula, repairs), []
                case undecided:
                    return Open(self._naming(undecided.reason, index))
        return self._in_vain(possible)

    def _in_first_rounds(self, asked: Asked, index: int, formula: Bool) -> Found[T] | None:
        """What a run shows whatever iterations bring that were not unrolled: no run need have those, or ever end."""
        later = [one for one in symbols_of(formula) if isinstance(one.payload, OfLoop)]
        if later:
            whatever = conj(*(substitute(formula, constants(later, factor)) for factor in (0, 0x10001)))
            if isinstance(answer := solve([whatever], asked.timeout_ms), Satisfiable):
                tried = self._tried(index, answer.values)
                return tried if isinstance(tried, Found) else None
        return None

    def _shown(self, models: Iterator[tuple[int, Values]]) -> Found[T] | None:
        """The first of these models that a run confirms; none once such a run took too long, as others then do."""
        while not self.progress.stuck and (model := next(models, None)) is not None:
            if isinstance(tried := self._tried(*model), Found):
                return tried
            self.progress.stuck = tried
        return None

    def _in_no_usual_launch(self) -> Open:
        return self.progress.stuck or Open(f"{self.subject} {self.verb} in no usual launch")

    def _in_vain(self, possible: Iterable[str]) -> Open:
        return Open(f"{self.subject} {self.verb} only where {', or '.join(possible) or LOADS_DISAGREE}")

    def _not_confirmed(self, index: int) -> str:
        if self.until.any_round:
            later = "in a later iteration of the loop than those that were unrolled: try a larger --unroll"
            return f"{self.subject} may {self.verb} {later}"
        text = f"{self.subject} {self.verb} symbolically, but the run of the kernel does not confirm it"
        return self._naming(text, index)

    def _naming(self, text: str, index: int) -> str:
        """The text, with the uninterpreted operations that the condition depends on."""
        used = set(symbols_of(self.conditions[index]))
        depends = dependence(one.described() for one in self.uninterpreted if one.symbol in used)
        return f"{text}: that {depends}" if depends else text
