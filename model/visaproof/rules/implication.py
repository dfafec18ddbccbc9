"""Which conditions of a rule follow from which, where its preconditions hold and its source is defined."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from visaproof.checking.ladder import Holds, climb
from visaproof.rules.condition_grammar import Candidate
from visaproof.rules.instance import SourceMeaning, source_meaning
from visaproof.rules.language.syntax import Condition
from visaproof.rules.programs import Prepared
from visaproof.rules.questions.conditions import Premise
from visaproof.rules.samples import samples, signatures
from visaproof.smt import Bool, Op, conj, implies, neg, symbols_of

TIMEOUT_MS = 1_000


class Implication:
    """Compares conditions: by sampled inputs, and where those leave it open by a solver."""

    def __init__(self, ready: Sequence[Prepared], pre: Sequence[Condition], singles: Sequence[Candidate]) -> None:
        self._pre = pre
        self._ready = ready
        self._meanings: list[SourceMeaning | None] = [None] * len(ready)
        self._met: dict[tuple[Premise, ...], int] = {}
        inputs, self._defined = samples(ready[0], pre)
        met = signatures(singles, 0, inputs)
        self._met |= {one.premises: bits for one, bits in zip(singles, met, strict=True)}
        self._known: dict[tuple[str, str, bool], bool] = {}

    def _inputs(self, one: Candidate) -> int:
        """The sampled inputs that meet the condition."""
        if one.premises not in self._met:
            met = -1
            for part in one.parts:
                met &= self._inputs(part)
            self._met[one.premises] = met
        return self._met[one.premises]

    def weakest_first(self, conditions: Iterable[Candidate]) -> list[Candidate]:
        return sorted(conditions, key=lambda one: -self._inputs(one).bit_count())

    def weakest_pairs_first(self, pairs: Iterable[tuple[Candidate, Candidate]]) -> list[tuple[Candidate, Candidate]]:
        return sorted(pairs, key=lambda pair: -(self._inputs(pair[0]) & self._inputs(pair[1])).bit_count())

    def says(self, stronger: Candidate, weaker: Candidate) -> bool:
        """Whether the stronger one includes what the weaker one says by itself, in every instance."""
        return self._cached(stronger, weaker, source=False)

    def follows(self, stronger: Candidate, weaker: Candidate) -> bool:
        """Whether the weaker one holds wherever the stronger one does and the source is defined."""
        return self.says(stronger, weaker) or self._cached(stronger, weaker, source=True)

    def _cached(self, stronger: Candidate, weaker: Candidate, source: bool) -> bool:
        against = self._inputs(stronger) & ~self._inputs(weaker)
        if against & self._defined if source else against:  # a sampled input shows that it does not
            return False
        asked = stronger.text, weaker.text, source
        if asked not in self._known:
            every = range(len(self._ready))
            self._known[asked] = all(self._follows(stronger, weaker, index, source) for index in every)
        return self._known[asked]

    def _follows(self, stronger: Candidate, weaker: Candidate, index: int, source: bool) -> bool:
        strong, weak = stronger.premises[index], weaker.premises[index]
        for surface, about in weak.contents:
            if not _holds([one for name, one in strong.contents if name == surface], about):
                return False
        meaning = self._source(index).premises if source else ()
        return _holds((*strong.inputs, *meaning), conj(*weak.inputs))

    def _source(self, index: int) -> SourceMeaning:
        known = self._meanings[index]
        if known is None:
            known = self._meanings[index] = source_meaning(self._ready[index], self._pre)
        return known

    def is_idle(self, one: Candidate) -> bool:
        """Whether the source changes no memory where the condition holds, though elsewhere it does."""
        source = self._source(0)
        known = (*one.premises[0].inputs, *source.premises)
        return bool(source.acts) and all(_holds(known, neg(act)) for act in source.acts)

    def weakest(self, conditions: Sequence[Candidate]) -> Iterator[Candidate]:
        """Those from which no other one follows."""
        kept: list[Candidate] = []
        for one in conditions:
            if any(self.follows(one, other) for other in kept):
                continue
            kept = [other for other in kept if not self.follows(other, one)] + [one]
        yield from kept


def _holds(premises: Sequence[Bool], goal: Bool) -> bool:
    """Whether the goal follows, part by part: from the premises about the same unknowns, or else from all of them."""
    parts = [part for one in premises for part in _conjuncts(one)]
    named = [(part, set(symbols_of(part))) for part in parts]
    for part in _conjuncts(goal):
        about = set(symbols_of(part))
        near = [one for one, names in named if names <= about]
        if not _follows_from(near, part) and not _follows_from(parts, part):
            return False
    return True


def _conjuncts(premise: Bool) -> tuple[Bool, ...]:
    return cast(tuple[Bool, ...], premise.args) if premise.op is Op.CONJ else (premise,)


def _follows_from(premises: Sequence[Bool], goal: Bool) -> bool:
    return isinstance(climb((), implies(conj(*premises), goal), TIMEOUT_MS), Holds)
