"""What would make a refuted rule right: the weakest conditions of a small grammar under which it is proved.

Single conditions are decided first and then pairs, those that let most inputs through before the others.  A condition
is refuted by a counterexample that meets it, known or new; one that follows from a proved one is not asked about.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.refinement.verdicts import Unknown
from visaproof.rules.condition_grammar import Candidate, candidates, stated_parts
from visaproof.rules.decision import DEFAULT_TIMEOUT, check_instances, prepared
from visaproof.rules.implication import Implication, differences, meeting
from visaproof.rules.language.instances import instances
from visaproof.rules.language.syntax import Rule
from visaproof.rules.programs import Prepared
from visaproof.rules.verdicts import Counterexample, Proved, Refuted, Verdict

MOST_ASKED = 400
"""Conditions of one rule that a solver may have to decide; what is left undecided is counted."""
MOST_GUESSED = 4
"""Instances of which all random inputs are run."""


class Suggestions(Struct, frozen=True):
    """The weakest conditions that were found, and what was tried."""

    weakest: tuple[str, ...]
    """None of them follows from another."""
    singles: int
    pairs: int
    """Single conditions and pairs of them that were decided."""
    undecided: int
    idle: bool = False
    """Whether they are right only because the source then changes no memory."""
    stated: str = ""
    """What the file says, as one condition; empty if it says nothing."""
    weaker: tuple[str, ...] = ()
    """Those of the weakest that follow from what is stated, and not the other way round."""
    others: tuple[str, ...] = ()
    """Those of the weakest that do not follow from it."""
    same: bool = False
    """Whether what is stated says the same as one of the weakest."""


def suggest(
    rule: Rule, refuted: Verdict, timeout: float = DEFAULT_TIMEOUT, step: Callable[[str], None] = lambda _: None
) -> Suggestions | None:
    """The weakest conditions of the grammar that make the rule right; `step` is told what is being tried.

    None of a rule that is not refuted, or whose target is illegal.  Raises NotModelled.
    """
    if not isinstance(refuted, Refuted):
        return None
    ready = [one for instance in instances(rule) if isinstance(one := prepared(instance), Prepared)]
    return _Search(rule, ready, refuted.counterexample, timeout, step).found()


class _Decided(Struct):
    """How many conditions were decided."""

    proved: list[Candidate] = field(default_factory=list[Candidate])
    singles: int = 0
    pairs: int = 0
    undecided: int = 0


class _Search:
    """The search for one rule."""

    def __init__(
        self, rule: Rule, ready: Sequence[Prepared], first: Counterexample, timeout: float, step: Callable[[str], None]
    ) -> None:
        self._rule = rule
        self._ready = ready
        self._timeout = timeout
        self._step = step
        self._asked = 0
        self._against = 0
        self._parts = stated_parts(rule, ready)
        singles: dict[object, Candidate] = {}
        for one in (*self._parts, *candidates(rule, ready)):
            singles.setdefault(one.premises, one)
        self._singles = list(singles.values())
        self._implication = Implication(ready, rule.pre, self._singles)
        self._refuting = {one.premises: 0 for one in self._singles}
        self._done = _Decided()
        self._refute_by([first])
        for one in ready[:MOST_GUESSED]:
            step(f"random inputs, {one.instance.label}")
            self._refute_by(list(differences(one, rule.pre)))

    def found(self) -> Suggestions:
        for one in self._implication.weakest_first(self._singles):
            self._done.singles += self._decide(one, self._refuting[one.premises])
        for one, other in self._pairs():
            if self._implication.says(one, other) or self._implication.says(other, one):
                continue  # the one says what both say
            self._done.pairs += self._decide(one & other, self._refuting[one.premises] & self._refuting[other.premises])
        useful = [one for one in self._done.proved if not self._implication.is_idle(one)]
        return self._compared(list(self._implication.weakest(useful or self._done.proved)), idle=not useful)

    def _pairs(self) -> Iterator[tuple[Candidate, Candidate]]:
        """Pairs of conditions that do not make the rule right alone."""
        open_ = [one for one in self._singles if not self._follows_from_proved(one)]
        return iter(self._implication.weakest_pairs_first(combinations(open_, 2)))

    def _decide(self, one: Candidate, refuting: int) -> bool:
        """Whether the condition was decided: proved, refuted by a run, or stronger than one that is proved."""
        if refuting:
            return True
        if self._follows_from_proved(one):
            return True
        if self._asked == MOST_ASKED:
            self._done.undecided += 1
            return False
        self._asked += 1
        self._step(one.text)
        verdict = self._verdict(one)
        match verdict:
            case Proved():
                self._done.proved.append(one)
            case Refuted(counterexample):
                self._refute_by([counterexample])
            case Unknown():
                self._done.undecided += 1
                return False
            case _:
                pass
        return True

    def _verdict(self, one: Candidate) -> Verdict:
        conditions = [*self._rule.pre, one.condition]
        try:
            return check_instances(self._ready, conditions, self._timeout, quick=True)
        except NotModelled as reason:
            return Unknown(reason.what)

    def _follows_from_proved(self, one: Candidate) -> bool:
        return any(self._implication.follows(one, other) for other in self._done.proved)

    def _refute_by(self, counterexamples: Sequence[Counterexample]) -> None:
        """Notes which conditions the counterexamples of an instance meet: they do not help, nor do pairs of them."""
        if not counterexamples:
            return
        labels = [one.instance.label for one in self._ready]
        instance = labels.index(counterexamples[0].instance.label)
        found = meeting(self._singles, instance, self._ready[instance], counterexamples)
        for one, met in zip(self._singles, found, strict=True):
            self._refuting[one.premises] |= met << self._against
        self._against += len(counterexamples)

    def _compared(self, weakest: list[Candidate], idle: bool) -> Suggestions:
        """What was found beside what the file says."""
        done, texts = self._done, tuple(one.text for one in weakest)
        found = Suggestions(texts, done.singles, done.pairs, done.undecided, bool(weakest) and idle)
        if not self._parts:
            return found
        stated = self._parts[0]
        for part in self._parts[1:]:
            stated = stated & part
        implied = [one for one in weakest if self._implication.follows(stated, one)]
        same = [one for one in implied if self._implication.follows(one, stated)]
        weaker = tuple(one.text for one in implied if one not in same)
        others = tuple(one.text for one in weakest if one not in implied)
        return replace(found, stated=stated.text, weaker=weaker, others=others, same=bool(same))
