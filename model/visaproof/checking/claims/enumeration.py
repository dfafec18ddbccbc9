"""The whole legal space, shape by shape: each against the page's statement, and against the parametric footprint.

A cross-check of what the parametric proofs rest on: that mask, predicate form, channels, register size and surface
select what they should.  Formulas that several shapes share are decided once and counted for each.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from time import perf_counter

from msgspec import Struct, field

from visaproof.checking.claims.workers import Limits
from visaproof.checking.decide import decide
from visaproof.checking.instantiate import Instantiator, agreement
from visaproof.checking.stages import Answer, Fails, GaveUp, Holds, Impossible, decide_goal
from visaproof.checking.task_pool import Lost, in_order
from visaproof.checking.verdict import Refuted, Unknown, Vacuous, Verdict
from visaproof.isa.errors import LimitReached
from visaproof.isa.operands import Predicate
from visaproof.queries.fixed_shapes import Batch, FixedShape, batches, families, memory_before, page_obligations, shapes
from visaproof.queries.query import about
from visaproof.queries.subject import ClaimBit, Subject
from visaproof.smt import Bool, Op, Term, conj, is_true, symbols_of, true
from visaproof.smt.evaluate import evaluate_all
from visaproof.smt.limit import Limit

SAME_AS_FAMILY = "is-the-parametric-footprint"
"""The obligation that a shape is its family with numbers put in."""

LEFT = "every obligation that is left"
"""What is unknown of a batch for which there was too little time."""

Alter = Callable[[Subject], Subject]


class Finding(Struct, frozen=True):
    """One obligation that was not proved."""

    shape: str
    obligation: str
    verdict: Verdict


class BatchResult(Struct, frozen=True):
    """What one batch came to: verdicts by their kind, for the families and for the shapes."""

    name: str
    families: int
    """Those that no batch before this one has."""
    shapes: int
    parametric: Counter[str]
    enumerated: Counter[str]
    by_normal_form: int
    """Obligations on shapes that were true as soon as they were written down."""
    distinct: int
    """Different formulas among the others."""
    findings: tuple[Finding, ...]
    """The first of each obligation, with its counterexample."""
    seconds: float


def enumerated(limits: Limits, jobs: int = 1, names: tuple[str, ...] = ()) -> Iterator[BatchResult]:
    """Every batch, or those whose name has one of `names` in it, in the order of the list."""
    wanted = selected(names)
    if jobs > 1 and len(wanted) > 1:
        decide_one = partial(_decide_by_name, limits)
        with closing(in_order(decide_one, [batch.name for batch in wanted], jobs)) as found:
            for batch, one in zip(wanted, found, strict=True):
                yield _lost(batch, one.reason) if isinstance(one, Lost) else one.answer
    else:
        for batch in wanted:
            yield decide_batch(batch, limits)


def selected(names: tuple[str, ...]) -> list[Batch]:
    """The batches whose name has one of these in it; all for none."""
    return [batch for batch in batches() if not names or any(name in batch.name for name in names)]


def _decide_by_name(limits: Limits, name: str) -> BatchResult:
    (batch,) = (batch for batch in batches() if batch.name == name)
    return decide_batch(batch, limits)


def _lost(batch: Batch, reason: str) -> BatchResult:
    """What is said of a batch whose process ended: one obligation is unknown, and nothing is counted as proved."""
    finding = Finding(batch.name, "every obligation", Unknown(f"{reason}: try fewer --jobs"))
    return BatchResult(batch.name, 0, 0, Counter(), Counter(unknown=1), 0, 0, (finding,), 0.0)


def decide_batch(
    batch: Batch, limits: Limits, alter: Alter | None = None, most: int | None = None, alter_family: Alter | None = None
) -> BatchResult:
    """Decides the families of a batch and their shapes, of each at most `most`.

    `alter` and `alter_family` put wrong variants in the place of the shapes' and the families' own accesses.
    """
    start, work = perf_counter(), _Work(batch.form, limits)
    try:
        with Limit(limits.claim_s).within():
            work.decide(batch, alter, most, alter_family)
    except LimitReached as reached:
        work.leave(batch, reached)
    return BatchResult(
        batch.name,
        work.families,
        work.shapes,
        work.parametric,
        work.enumerated,
        work.by_normal_form,
        len(work.formulas),
        tuple(work.findings.values()),
        perf_counter() - start,
    )


class _Work(Struct):
    """What has been decided in one batch."""

    form: Predicate | None
    limits: Limits
    families: int = 0
    shapes: int = 0
    answers: dict[tuple[Bool, Bool], Answer] = field(default_factory=dict[tuple[Bool, Bool], Answer])
    parametric: Counter[str] = field(default_factory=Counter[str])
    enumerated: Counter[str] = field(default_factory=Counter[str])
    findings: dict[tuple[str, bool], Finding] = field(default_factory=dict[tuple[str, bool], Finding])
    by_normal_form: int = 0
    formulas: set[Bool] = field(default_factory=set[Bool])
    """Those of obligations on shapes that were not true as written."""
    instantiator: Instantiator = field(default_factory=Instantiator)
    happening: dict[Term, bool] = field(default_factory=dict[Term, bool])
    """Whether a condition holds where every lane is enabled and every place is inside."""

    def decide(self, batch: Batch, alter: Alter | None, most: int | None, alter_family: Alter | None) -> None:
        """All families and shapes of the batch."""
        for family in families(batch):
            altered = alter_family(family) if alter_family else family
            if batch.first_of_its_families:
                self.families += 1
                for claim, goal in page_obligations(altered).items():
                    self.count(self.parametric, (altered,), family.scope, claim, goal)
            for shape in islice(shapes(family, batch.form), most):
                self.check(shape, alter(shape.subject) if alter else shape.subject, altered)
                self.shapes += 1

    def leave(self, batch: Batch, reached: LimitReached) -> None:
        """The limit is reached: of the shapes that were not decided nothing is known, and nothing is counted."""
        self._record(self.enumerated, f"{batch.name}, after {self.shapes} shapes", LEFT, Unknown(str(reached)))

    def check(self, shape: FixedShape, subject: Subject, family: Subject) -> None:
        """All obligations on one shape."""
        obligations = page_obligations(subject)
        instantiated = self.instantiator.instantiated(family.accesses, shape.values)
        obligations[SAME_AS_FAMILY] = agreement(instantiated, subject.accesses)
        can_happen = self._can_happen(subject)
        for claim, goal in obligations.items():
            if isinstance(can_happen, Fails):
                others = (subject.with_variant("parametric-footprint", instantiated),) * (claim == SAME_AS_FAMILY)
                self.count(self.enumerated, (*others, subject), shape.name, claim, goal)
            else:
                reason = can_happen.reason if isinstance(can_happen, GaveUp) else "an access can never happen"
                verdict = Unknown(reason) if isinstance(can_happen, GaveUp) else Vacuous(reason)
                self._record(self.enumerated, shape.name, claim, verdict)

    def count(self, tally: Counter[str], shown: tuple[Subject, ...], name: str, claim: str, goal: Bool) -> None:
        """Decides one obligation and counts it; a counterexample is looked for on each of the subjects."""
        shared = tally is self.enumerated
        if shared and is_true(goal):
            self.by_normal_form += 1
            tally["proved"] += 1
            return
        if shared:
            self.formulas.add(goal)
        answer = self._answer(conj(*shown[0].legal), goal)
        if isinstance(answer, Holds):
            tally["proved"] += 1
        elif isinstance(answer, Fails) and (claim, shared) in self.findings:
            tally["refuted"] += 1
        else:
            self._record(tally, name, claim, self._verdict(shown, claim, goal))

    def _verdict(self, shown: tuple[Subject, ...], claim: str, goal: Bool) -> Verdict:
        """The verdict on the first subject on which a counterexample replays."""
        verdict: Verdict = Unknown("nothing to show")
        for subject in shown:
            query = about(subject, claim, (), goal, memory_before(subject))
            verdict = decide(query, self.limits.timeout_ms, self.limits.seed)
            if isinstance(verdict, Refuted):
                break
        return verdict

    def _record(self, tally: Counter[str], name: str, claim: str, verdict: Verdict) -> None:
        tally[type(verdict).__name__.lower()] += 1
        self.findings.setdefault((claim, tally is self.enumerated), Finding(name, claim, verdict))

    def _answer(self, premise: Bool, goal: Bool) -> Answer:
        key = premise, goal
        if key not in self.answers:
            assumptions = () if is_true(premise) else (premise,)
            self.answers[key] = decide_goal(assumptions, goal, self.limits.timeout_ms, self.limits.seed)
        return self.answers[key]

    def _can_happen(self, subject: Subject) -> Answer:
        """Fails, with or without values, where each access can happen, inside and defined."""
        for access in subject.accesses:
            conditions = access.guard, access.inside, access.defined
            missing = [one for one in conditions if one not in self.happening]
            if missing:
                values = self._everything_happens(subject, conj(*missing))
                self.happening.update(zip(missing, map(bool, evaluate_all(missing, values)), strict=True))
            if not all(self.happening[one] for one in conditions):
                possible = decide_goal((conj(*conditions),), true(), self.limits.timeout_ms, self.limits.seed)
                if not isinstance(possible, Holds):
                    return possible
        return Fails({}) if subject.accesses else Impossible()

    def _everything_happens(self, subject: Subject, condition: Bool) -> dict[Term, int]:
        """All lanes enabled, the predicate as its form wants it, large surfaces and aligned small offsets."""
        values = subject.painted()
        for one in symbols_of(condition):
            if one.width == 0 and one.op is Op.SYMBOL:
                denied = self.form is not None and self.form.inverse is True
                values[one] = int(not (denied and isinstance(one.payload, ClaimBit)))
        return values
