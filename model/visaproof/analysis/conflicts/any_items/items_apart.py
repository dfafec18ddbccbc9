"""Whether the lanes of a scatter are apart because they run different work items, whatever the layout of their ids.

Where addresses have products of unknowns, as in `y * pitch + x`, a solver finds no proof over all layouts in any time.
Over any two work items of one group that are less than a message apart all pairs of lanes are alike, and the products
are rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, reduce
from itertools import chain, islice

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.conflicts.any_items.pair_collisions import (
    PairCollision,
    PairCollisions,
    any_two,
    is_of_a_lane,
    stores_if_on,
)
from visaproof.analysis.conflicts.any_items.products import without_products
from visaproof.analysis.conflicts.digits.differences import STAGE as OF_DIFFERENCES
from visaproof.analysis.conflicts.digits.differences import apart_by_differences, differences
from visaproof.analysis.conflicts.digits.digits import Digits
from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.signs import Signs
from visaproof.analysis.conflicts.digits.strides import conditions_of, strides_of
from visaproof.analysis.conflicts.known_apart import KnownApart
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.checking.clauses import Form, form_of
from visaproof.isa.errors import LimitReached, NotModelled, Position
from visaproof.isa.identity import Same
from visaproof.launch.assume import DIVISION, Assume
from visaproof.launch.assumptions import Start
from visaproof.launch.float_results import Floats
from visaproof.launch.ids.any_items import AnyItemsId, differ, of_lanes, with_any_items
from visaproof.launch.ids.consecutive_items import counts_items, in_one_message
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.open_ids import orders_of
from visaproof.launch.launch import Launch
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.relations import stated_relation
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.queries.kernels.conflict import ConflictQuestion, LanePair, questions_of
from visaproof.queries.kernels.lane_accesses import stores_by_lane
from visaproof.smt import Bool, conj, evaluate, symbols_of, value_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.limit import NO_LIMIT, Limit
from visaproof.smt.solvers import solve

STAGE = "rows of any work items"
"""Of a proof of this kind, beside the solver."""
MOST_MS = 4_000
"""For one question: a proof takes a fraction of a second, and where there is none a model mostly does."""
RUN_SHARE = 0.5
"""Of the time that is left: for a run of such work items."""
Shape = Form
"""Of a scatter: of each pair of lanes, that they write at one place, whichever lanes these are."""


class Apart(Struct, frozen=True):
    """No two lanes write one byte."""

    by: str


class NotShown(Struct, frozen=True):
    """It was not shown."""

    model: Values | None = None
    """Of what is left of the question without products: no launch need have these values."""


class ItemsApart(Struct, frozen=True, dict=True):
    """The scatters of a kernel, asked of any work items of one group."""

    asked: Asked
    launch: Launch
    assume: Assume
    unroll: int
    floats: Floats
    limit: Limit = NO_LIMIT
    _put: dict[Position, list[ConflictQuestion]] = field(default_factory=dict[Position, list[ConflictQuestion]])
    _known: dict[Same[ConflictQuestion], PairCollisions] = field(
        default_factory=dict[Same[ConflictQuestion], PairCollisions]
    )
    _apart: dict[tuple[Bool, ...], KnownApart] = field(default_factory=dict[tuple[Bool, ...], KnownApart])
    """What was proved of scatters, by what else was assumed."""
    _shapes: dict[Position, Shape] = field(default_factory=dict[Position, Shape])
    _not_shown: dict[tuple[Shape, tuple[Bool, ...]], NotShown] = field(
        default_factory=dict[tuple[Shape, tuple[Bool, ...]], NotShown]
    )
    """Of a shape, and what else was assumed."""
    _followed: dict[tuple[Bool, ...], bool] = field(default_factory=dict[tuple[Bool, ...], bool])
    """What was asked about strides."""
    excluded: dict[Form, str] = field(default_factory=dict[Form, str])
    """Of questions whether a pair of lanes collides that did not before: the solver that excluded it, or nothing."""
    _terms: dict[Relation, tuple[Bool, ...]] = field(default_factory=dict[Relation, tuple[Bool, ...]])

    @property
    def applies(self) -> bool:
        """Whether the lanes of a thread are known to be work items of one group: no premise of that is lifted."""
        launched = self.asked.start.group.launched
        several = launched is not None and len(launched.ids) > 1
        of_launches = replace(self.assume, lifted=self.assume.lifted - {DIVISION}) == Assume.LAUNCH
        return several and of_launches and bool(self.groups.read)

    @property
    def read(self) -> tuple[int, ...]:
        """The dimensions of which the kernel reads local ids."""
        return self.groups.read

    @property
    def groups(self) -> GroupShape:
        """What is known of them."""
        launched = self.asked.start.group.launched
        return GroupShape(self.asked.kernel, self.launch, len(launched.ids) if launched is not None else 0)

    @cached_property
    def names(self) -> LaunchNames:
        """Of the launch that is asked about."""
        return LaunchNames(self.asked.kernel, self.launch, self.asked.start)

    @cached_property
    def _own_names(self) -> LaunchNames:
        return LaunchNames(self.asked.kernel, self.launch, self.start)

    def terms(self, relations: Iterable[Relation]) -> list[Bool]:
        """What they say of the launch that is asked about, and what holds of their names."""
        for one in relations:
            if one not in self._terms:
                stated = stated_relation(self.names, one)
                self._terms[one] = *stated.facts, stated.term
        return [term for one in relations for term in self._terms[one]]

    @cached_property
    def start(self) -> Start:
        return with_any_items(self.asked.start, self.groups)

    @cached_property
    def _ran(self) -> Trace:
        start, asked = self.start, self.asked
        return trace(
            asked.kernel, asked.platform, start.initial, unroll=self.unroll, private_base=start.private_base,
            floats=self.floats, nondeterministic=True, limit=self.limit, places=asked.alone,
            divisions=DIVISION in self.assume,
        )  # fmt: skip

    @cached_property
    def _several(self) -> bool:
        """Whether there is another scatter that may be like one."""
        return len({one.instruction.position for one in self._ran.performed if stores_by_lane(one)}) > 1

    @cached_property
    def _facts(self) -> tuple[Bool, ...]:
        launched = self.start.group.launched
        return *(() if launched is None else launched.facts), *self.start.group.facts

    def prepare(self, positions: Iterable[Position]) -> None:
        """Runs the kernel, and puts the questions about these scatters, in a share of the time."""
        with suppress(LimitReached, NotModelled), self.limit.within(RUN_SHARE):
            for position in positions:
                self.questions(position)

    def questions(self, position: Position) -> list[ConflictQuestion] | None:
        """Those of one scatter, one for each iteration; None where not all of them could be asked.

        Or where a lane stores that is off, as with NoMask: it runs no work item, and may have the ids of another lane.
        """
        try:
            ran = self._ran
        except NotModelled:
            return None
        if position not in self._put:
            self._put[position] = list(questions_of(position, ran, self._facts))
        found = self._put[position]
        lanes = (lane for question in found for lane in question.lanes)
        return found if found and position not in ran.unfinished and all(map(stores_if_on, lanes)) else None

    def earlier(self, question: ConflictQuestion, positions: Iterable[Position]) -> Iterator[ConflictQuestion]:
        """The iterations of these scatters to which a run comes before it comes to this question."""
        places = {Same(one): place for place, one in enumerate(self._ran.performed)}
        for one in chain.from_iterable(self.questions(position) or () for position in positions):
            if places[Same(one.performed)] < places[Same(question.performed)]:
                yield one

    def iteration(self, position: Position, number: int, rounds: int) -> ConflictQuestion | None:
        """The question about one iteration of a scatter; None if there are not just so many, which may be others."""
        questions = self.questions(position) if self.applies else None
        return None if questions is None or len(questions) != rounds else questions[number]

    def can_ask(self, position: Position, rounds: int) -> bool:
        """Whether all iterations of a scatter can be asked about."""
        return len(self.questions(position) or ()) >= rounds

    def unused(self, position: Position) -> tuple[int, ...]:
        """The dimensions of which the kernel reads local ids, but not for where the scatter writes."""
        words = [word for one in self.questions(position) or () for lane in one.lanes for word in lane.base]
        used = {one.payload.dimension for one in symbols_of(*words) if isinstance(one.payload, AnyItemsId)}
        return tuple(d for d in self.read if d not in used)

    def digits(self, position: Position, rounds: int) -> Digits | None:
        """Where a scatter writes, as numbers with local ids as digits; None where it is none in some iteration."""
        questions = self.questions(position)
        if questions is None or len(questions) < rounds:
            return None
        integers = NamedIntegers(self._own_names, questions[0].premises, self._followed)
        signs = Signs(integers)
        found = [strides_of(one, signs.settled) for one in questions]
        first = found[0]
        if first is None or not first.by_digit or any(one is None or not one.alike(first) for one in found):
            return None
        conditions = reduce(
            frozenset[Bool].intersection, (conditions_of(question, signs.settled) for question in questions)
        )
        return Digits(first, integers, conditions, tuple(signs.positive))

    @cached_property
    def _orders(self) -> tuple[tuple[int, ...], ...]:
        """Of the dimensions, the fastest first, in which lanes may count through the items of their group; or none."""
        launched = self.start.group.launched
        if launched is None or not counts_items(self.groups):
            return ()
        found = orders_of(self.groups, self.groups.open, dict(enumerate(launched.sizes)))
        return tuple(dict.fromkeys(order for _, order in found))

    def _in_one_message(self, digits: Digits, questions: Sequence[ConflictQuestion], more: Sequence[Bool]) -> bool:
        """Whether items that are less than a message apart write apart, whatever their ids are."""
        launched, lanes = self.start.group.launched, [lane.lane for one in questions for lane in one.lanes]
        if launched is None or not self._orders or not all(digits.holds(one, more) for one in digits.positive):
            return False
        x, y, z = map(value_of, launched.sizes)
        most = max(lanes) - min(lanes)
        return all(apart_by_differences(digits, differences(most, order, (x, y, z))) for order in self._orders)

    def proof(self, position: Position, rounds: int, more: Sequence[Bool] = ()) -> Apart | NotShown:
        """Whether no two lanes write one byte in any iteration of a scatter where `more` holds."""
        questions = self.questions(position)
        if questions is None or len(questions) < rounds:
            return NotShown()
        digits = self.digits(position, rounds)
        if digits is not None and digits.apart(more):
            return Apart(digits.by)
        if digits is not None and self._in_one_message(digits, questions, more):
            return Apart(OF_DIFFERENCES)
        key = self.shape(position), tuple(more)
        if key not in self._not_shown:
            found = self._asked(questions, more)
            if isinstance(found, Apart):
                return found
            self._not_shown[key] = found
        return self._not_shown[key]

    def shape(self, position: Position) -> Shape:
        """That two of its lanes write at one place, pair by pair: alike in scatters whose lanes are as far apart, as
        those of the parts of a wide scatter are, which differ in the numbers of their lanes.
        """
        if position not in self._shapes:
            pairs = [pair for question in self.questions(position) or () for pair in question.pairs]
            overlaps = [pair.overlap for pair in pairs]
            kept = [one for one in symbols_of(*overlaps) if not is_of_a_lane(one)]
            self._shapes[position] = form_of(*overlaps, kept=frozenset(kept))
        return self._shapes[position]

    def _asked(self, questions: Sequence[ConflictQuestion], more: Sequence[Bool]) -> Apart | NotShown:
        """What a solver says of all pairs: of the first one before the others are put."""
        solvers, known = dict[str, None](), set[Form]()
        apart = self._known_apart(questions[0].premises, more)
        proved: list[PairCollision] = []
        for question in questions:
            for collision in chain(islice(self.collisions(question, more), 1), self._others(question, more)):
                if before := next((one for one in apart if one.excludes(collision.overlap)), None):
                    solvers |= before.solvers
                    continue
                formula = without_products(conj(*question.premises, *more, collision.meet))
                form = form_of(formula)
                if form in known:
                    continue
                match solve([formula], min(MOST_MS, self.asked.timeout_ms)):
                    case Unsatisfiable(solver):
                        known.add(form)
                        proved.append(collision)
                        solvers[solver] = None
                    case Satisfiable(values, _):
                        return NotShown(values)
                    case _:
                        return NotShown()
        if proved and self._several:
            apart[-1].learn([collision.overlap() for collision in proved])
        return Apart(", ".join((STAGE, *solvers)))

    def _known_apart(self, premises: Sequence[Bool], more: Sequence[Bool]) -> list[KnownApart]:
        """What was proved before where nothing more was assumed, and where this was: which comes last."""
        keys = dict.fromkeys(((), tuple(more)))
        for key in keys:
            if key not in self._apart:
                self._apart[key] = KnownApart(conj(*premises, *key), without_products)
        return [self._apart[key] for key in keys]

    def _others(self, question: ConflictQuestion, more: Sequence[Bool]) -> Iterator[PairCollision]:
        if any(map(is_of_a_lane, symbols_of(*more))):
            yield from self.collisions(question, more)
        else:
            yield from self.some_collisions(question).about(more)

    def some_collisions(self, question: ConflictQuestion) -> PairCollisions:
        """Asked again for each candidate of what may be missing."""
        if (found := self._known.get(Same(question))) is None:
            found = PairCollisions.of(question.premises, list(self.collisions(question)))
            self._known[Same(question)] = found
        return found

    def collisions(self, question: ConflictQuestion, more: Sequence[Bool] = ()) -> Iterator[PairCollision]:
        """Of each pair of lanes, that they write one byte and run different items of one message."""
        said = frozenset(symbols_of(*question.premises, *more))
        for pair in question.pairs:
            lanes = (pair.first, pair.second)
            items = conj(self._differ(question, pair), *of_lanes(self.start, lanes))
            yield PairCollision(pair, items, conj(pair.meet, items), any_two(lanes, said))

    def _differ(self, question: ConflictQuestion, pair: LanePair) -> Bool:
        """That the lanes run different items; no more are between them than a message has, where that is known."""
        launched, lanes = self.start.group.launched, [one.lane for one in question.lanes]
        near = None
        if launched is not None:
            one, other = (launched.ids[lane] for lane in (pair.first, pair.second))
            near = in_one_message(self.groups, launched.sizes, one, other, max(lanes) - min(lanes))
        return differ(self.start, pair.first, pair.second) if near is None else near


def still_open(more: Sequence[Bool], model: Values) -> bool:
    """Whether a model of one question is one of another, in which this holds as well."""
    return all(evaluate(one, model) for one in more)
