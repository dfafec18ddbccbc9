"""Whether a lane comes to a message at all, asked before any two of its lanes are compared.

    g₁ ∨ … ∨ gₙ  cannot hold, with any ids    ⇒    no two lanes meet:  meet of i and j  ⇒  gᵢ ∧ gⱼ

A compiler unrolls a loop by eight of which no more than four iterations follow: its body has eight copies of each
store that no lane comes to, and each would be compared lane by lane.  Nothing is assumed but the guards themselves,
and what is multiplied in them, or only added to each other, is one unknown: so the question is a short one.  It is
asked of the first lane alone, and of all where that one does not come: mostly it does, and all of them are alike.
"""

from collections.abc import Sequence

from msgspec import Struct, field

from visaproof.analysis.conflicts.any_lane import with_any_ids
from visaproof.analysis.conflicts.simpler_formulas import with_fewer_atoms, without_products
from visaproof.checking.clauses import Form, form_of
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.queries.kernels.lane_accesses import LaneAccesses
from visaproof.smt import Bool, disj
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.solvers import solve

MOST_MS = 250
"""For one question: what is shown mostly takes a tenth of that."""
MOST_IN_VAIN = 16
"""Questions about messages to which a lane may come: then none is asked any more."""


Guards = tuple[tuple[int, Bool], ...]
"""Of lanes, by their numbers."""


class NoLane(Struct):
    """Of the messages of one kernel, what shows that no lane comes to them."""

    launched: LaunchedIds | None
    solvers: dict[Form, str] = field(default_factory=dict[Form, str])
    """By the question; empty where a lane may come."""
    in_vain: int = 0
    _known: dict[Guards, str] = field(default_factory=dict[Guards, str])
    """The answers: iterations of loops, and parts of one wide message, have the guards of others."""

    def by(self, lanes: Sequence[LaneAccesses]) -> str:
        """The solver that shows that none of these writes; empty where one may, or that was not asked."""
        guards = tuple((lane.lane, disj(*(store.guard for _, store in lane.stores))) for lane in lanes)
        if guards not in self._known:
            self._known[guards] = self._by(guards[:1]) and self._by(guards)
        return self._known[guards]

    def _by(self, guards: Guards) -> str:
        asked = disj(*(self._of_any_lane(lane, guard) for lane, guard in guards))
        form = form_of(asked)
        if form not in self.solvers and self.in_vain < MOST_IN_VAIN:
            self.solvers[form] = self._shown(asked)
        return self.solvers.get(form, "")

    def _of_any_lane(self, lane: int, guard: Bool) -> Bool:
        ids = () if self.launched is None else self.launched.ids
        return with_any_ids([guard], ids[lane])[0] if lane < len(ids) else guard

    def _shown(self, asked: Bool) -> str:
        answer = solve([with_fewer_atoms(without_products(asked))], MOST_MS, alone=True)
        if isinstance(answer, Unsatisfiable):
            return answer.solver
        self.in_vain += 1
        return ""
