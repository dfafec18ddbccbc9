"""Pages: every effect stands under `if (ChEn[i])`."""

from visaproof.isa.operands import Execution
from visaproof.queries.meaning import left_undefined
from visaproof.queries.pages import effects, lanes_enabled, lanes_pass
from visaproof.queries.query import Query, about
from visaproof.queries.subject import MASK, Subject
from visaproof.semantics.symbolic.state import field_term
from visaproof.smt import Bool, Term, bit, conj, disj, iff, implies, neg, substitute, true


def execution_of(subject: Subject) -> Execution:
    """The execution field of the subject; OWORD_LD has none."""
    execution = getattr(subject.instruction, "execution", None)
    if not isinstance(execution, Execution):
        raise TypeError(f"{subject.instruction.spec.mnemonic} has no lanes")
    return execution


def disabled_lane_touches_nothing(subject: Subject) -> Query:
    """A lane whose ChEn is 0 performs no access, so neither memory nor its slot of dst changes."""
    execution = execution_of(subject)
    kept: list[Bool] = []
    for lane, enabled in enumerate(lanes_enabled(subject.state, execution)):
        performed = [access.guard for access in subject.accesses if access.lane == lane]
        undefined = left_undefined(subject, [access for access in subject.own_accesses if access.lane == lane])
        kept.append(disj(enabled, neg(disj(*performed, undefined))))
    return about(subject, "disabled-lane-touches-nothing", (), conj(*kept))


def enabled_lane_acts(subject: Subject) -> Query:
    """An enabled lane performs each access that the page lists for it."""
    pairs = zip(subject.accesses, effects(subject), strict=True)
    acts = [iff(effect.enabled, access.guard) for access, effect in pairs]
    return about(subject, "enabled-lane-acts", (), conj(*acts))


def nomask_ignores_the_execution_mask(subject: Subject) -> Query:
    """Under NoMask, every execution mask has the effects of the full one."""
    full: dict[Term, Term] = {lane: true() for lane in subject.state.exec_mask}
    same = [iff(access.guard, substitute(access.guard, full)) for access in subject.accesses]
    nomask = bit(field_term(MASK, 4), 3)
    return about(subject, "nomask-ignores-the-execution-mask", (nomask,), conj(*same))


def nomask_obeys_the_predicate(subject: Subject) -> Query:
    """Under NoMask, a lane still acts only where its predicate lets it."""
    execution = execution_of(subject)
    obeys: list[Bool] = []
    passes = lanes_pass(subject.state, execution)
    for access in subject.accesses:
        assert access.lane is not None
        obeys.append(implies(access.guard, passes[access.lane]))
    nomask = bit(field_term(MASK, 4), 3)
    return about(subject, "nomask-obeys-the-predicate", (nomask,), conj(*obeys))
