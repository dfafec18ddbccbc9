"""The launch of a conflict with other data: lanes that collide in one branch may go through another by what they load.

    if (in[i] > in[i + 1]) out[i / w] = 1; else out[i / w] = 0      what shows one conflict shows the other for other in

Everything but what is loaded is as in that launch.  So most loads have addresses, those from one place bring one word,
and comparisons of floats are what they are.  That is only a way to find data: a run confirms it.
"""

from collections import deque
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from visaproof.analysis.conflicts.alike_values import functions_in
from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES, likely_size
from visaproof.analysis.conflicts.launches.usual_launches import constants_of
from visaproof.analysis.conflicts.repairs import meaning_of_comparison
from visaproof.analysis.conflicts.thread_states import Asked, Values, messages_before
from visaproof.machine.symbolic.trace import Performed
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted, function_of
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.semantics.symbolic.accesses import Load
from visaproof.semantics.symbolic.value_names import LoadedValue, OfLoop, OpenValue
from visaproof.smt import BitVec, Bool, Term, conj, const, disj, is_false, neg, symbols_of, value_of
from visaproof.smt.answers import Satisfiable
from visaproof.smt.evaluate import Evaluation
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import Substitution

DATA_MS = 1_000
"""For one launch: only data are unknown, and what it shows is mostly shown in a tenth of that."""
EXTENTS = 16, 0
"""To which arguments are set that are 0: an image of no rows has no data."""
MOST_VALUES = 4_000
"""Of loads, and of what a run left open: those of longer runs are not looked through."""


def with_other_data(question: ConflictQuestion, asked: Asked, shown: Values) -> Iterator[tuple[int, Values]]:
    """A pair of lanes that collides in a launch that has shown another conflict, with what a solver lets it load."""
    premise, meets = conj(*question.premises), [pair.meet for pair in question.pairs]
    formula = conj(premise, disj(*meets))
    functions = functions_in(formula, asked.trace.arbitrary)
    operands = (each.bits for one in functions for each in one.operands or ())
    if not any(isinstance(one.payload, LoadedValue) for one in symbols_of(formula, *operands)):
        return
    zeros = [word for word in asked.arguments if not shown.get(word)]
    for extent in EXTENTS if zeros else EXTENTS[:1]:
        launch = _Launch(asked, question.performed, functions)
        if launch.is_long:
            return
        launch.run(formula, {**shown, **dict.fromkeys(zeros, extent)})
        match solve([conj(launch.of.of(formula), *launch.holds)], DATA_MS):
            case Satisfiable(values, _):
                known = launch.values(values)
                holds = Evaluation(known).of
                index = next((place for place, one in enumerate(meets) if holds(one)), None)
                if index is not None and holds(premise):
                    yield index, known
            case _:
                pass


class _Launch:
    """What a run loads and leaves open up to a message, where all else has the values of a launch."""

    def __init__(self, asked: Asked, until: Performed, functions: Sequence[Uninterpreted]) -> None:
        """The `functions` are those on whose values it depends whether lanes collide, in the order of the run."""
        self._asked, self._functions = asked, functions
        self._messages = list(messages_before(asked.trace, until))
        self._first: dict[tuple[object, ...], Term] = {}
        self._launch: Values = {}
        self._replaced: list[Term] = []
        self.of = Substitution({})
        self.holds: list[Bool] = []
        """What is assumed beside: that floats that are compared are no denormals."""

    @property
    def is_long(self) -> bool:
        return sum(len(one.loaded) for one in self._messages) + len(self._functions) > MOST_VALUES

    def run(self, formula: Bool, shown: Values) -> None:
        """Each word is replaced before those that depend on it."""
        accesses = [access for message in self._messages for access, _ in message.loaded]
        places = (term for one in accesses for term in (*one.cell, one.inside))
        operands = (each.bits for one in self._functions for each in one.operands or ())
        for one in symbols_of(formula, *places, *operands):
            if not isinstance(one.payload, LoadedValue | OpenValue | OfLoop):
                size = likely_size(one, SURFACE_BYTES, self._asked.local)
                self._launch[one] = shown.get(one, 0) if size is None else size
        self.of, left = Substitution(constants_of(self._launch)), deque(self._open_values())
        for message in self._messages:
            while left and left[0][0] < message.left_open:
                self._function(left.popleft()[1])
            for access, content in message.loaded:
                if isinstance(access, Load):
                    self._load(message.surface, access, content)
        for _, one in left:
            self._function(one)

    def _open_values(self) -> Iterator[tuple[int, Uninterpreted]]:
        """The functions, with how many values were left open before each."""
        symbols = {one.symbol for one in self._functions}
        return ((place, one) for place, one in enumerate(self._asked.trace.arbitrary) if one.symbol in symbols)

    def _load(self, surface: str, access: Load, content: BitVec) -> None:
        place = tuple(value_of(self.of.of(one)) for one in access.cell)
        if is_false(self.of.of(access.inside)):
            self._replace(content, const(access.outside, content.width))
        elif None not in place:
            self._replace(content, self._first.setdefault((surface, place, content.width), content))

    def _function(self, one: Uninterpreted) -> None:
        operands = tuple(replace(each, bits=self.of.of(each.bits)) for each in one.operands or ())
        here = replace(one, operands=operands)
        if (meaning := meaning_of_comparison(here)) is not None:
            self.holds.append(neg(meaning.open))
            self._replace(one.symbol, meaning.value)
        elif (function := function_of(here)) is not None:
            self._replace(one.symbol, self._first.setdefault(function, one.symbol))

    def _replace(self, symbol: Term, other: Term) -> None:
        if other is not symbol:
            self.of.add(symbol, other)
            self._replaced.append(symbol)

    def values(self, found: Values) -> Values:
        """Of all symbols of the run, where those that were left have these."""
        evaluation = Evaluation(found)
        return {**self._launch, **found, **{one: evaluation.of(self.of.of(one)) for one in self._replaced}}
