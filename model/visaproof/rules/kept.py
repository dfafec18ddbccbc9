"""A verdict on a rule as plain data, as a cache keeps it.  A refutation counts only once it has run again."""

from collections.abc import Sequence

import msgspec

from visaproof.isa.errors import NotModelled, ReadError
from visaproof.queries.kernels.surface_names import itself
from visaproof.refinement.effects.question import Question
from visaproof.refinement.observed import is_register
from visaproof.refinement.testing.memory import IMAGE_SIZE, Content, Memory
from visaproof.refinement.testing.random_testing import settled
from visaproof.refinement.testing.runs import trial
from visaproof.refinement.verdicts import Difference, Vacuous
from visaproof.rules.conditions import premise
from visaproof.rules.decision import prepared
from visaproof.rules.language.instances import Instance, instances
from visaproof.rules.language.syntax import Condition, Rule
from visaproof.rules.programs import Prepared, comparison_of
from visaproof.rules.suggest import Suggestions
from visaproof.rules.verdicts import Illegal, Proved, Refuted, Verdict, counterexample_of
from visaproof.smt import Term


class KeptRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Inputs on which both sides differ; numbers are hexadecimal."""

    instance: str
    """Its label."""
    one_surface: list[tuple[str, str]]
    """Pairs of surfaces of the rule that are one."""
    inputs: dict[str, str]
    """By symbol; the others are 0."""
    image_size: list[str]
    """The surfaces with texels."""
    memory: dict[str, dict[str, str]]
    """What each surface holds before that is not 0, by byte or channel."""
    place: tuple[str, str] | None
    """A surface or a register, and where in it they differ."""


class KeptVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """One of: what proved it, why it is vacuous, the label of an instance that is illegal, and a run."""

    proved: list[str] = []
    instances: int = 0
    undefined_lanes: tuple[int, ...] = ()
    vacuous: str = ""
    illegal: str = ""
    refuted: KeptRun | None = None


class KeptRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was found of a rule."""

    verdict: KeptVerdict
    when_right: KeptVerdict | None
    suggestions: Suggestions | None
    seconds: float


def kept_rule(
    verdict: Verdict, when_right: Verdict | None, suggestions: Suggestions | None, seconds: float
) -> KeptRule | None:
    """None where another try may find more."""
    one, other = kept(verdict), None if when_right is None else kept(when_right)
    if one is None or (other is None) != (when_right is None):
        return None
    return KeptRule(verdict=one, when_right=other, suggestions=suggestions, seconds=seconds)


def recalled(row: KeptRule, rule: Rule) -> tuple[Verdict, Verdict | None] | None:
    """The verdicts, the second with what `right if` says; None of a row that shows nothing any more.

    Raises ReadError and NotModelled for a rule that cannot be asked.
    """
    one = verdict_of(row.verdict, rule, rule.pre)
    if one is None or (row.when_right is None) != (not rule.right_if):
        return None
    if row.when_right is None:
        return one, None
    other = verdict_of(row.when_right, rule, (*rule.pre, *rule.right_if))
    return None if other is None else (one, other)


def kept(verdict: Verdict) -> KeptVerdict | None:
    """The verdict as data; None where another try may find more."""
    match verdict:
        case Proved(stages, count, undefined):
            return KeptVerdict(proved=list(stages), instances=count, undefined_lanes=undefined)
        case Vacuous(reason=reason):
            return KeptVerdict(vacuous=reason)
        case Illegal(instance):
            return KeptVerdict(illegal=instance.label)
        case Refuted(counterexample):
            return KeptVerdict(refuted=_kept_run(counterexample.instance, counterexample.difference))
        case _:
            return None


def _kept_run(instance: Instance, found: Difference) -> KeptRun:
    memory = {
        name: {f"{at:#x}": f"{value:#x}" for at, value in contents.items() if value}
        for name, (_, contents) in found.memory.items()
        if not is_register(name)
    }
    return KeptRun(
        instance=instance.label,
        one_surface=list(instance.same_surfaces),
        inputs={_name(term): f"{value:#x}" for term, value in found.values.items() if value},
        image_size=[name for name, (size, _) in found.memory.items() if size == IMAGE_SIZE],
        memory=memory,
        place=None if found.place is None else (found.place[0], f"{found.place[1]:#x}"),
    )


def _name(term: Term) -> str:
    return f"{term.payload}:{term.width}"


def verdict_of(one: KeptVerdict, rule: Rule, conditions: Sequence[Condition]) -> Verdict | None:
    """What is kept, once a run of both sides shows it again; None of what is not one verdict, or shows nothing.

    Raises ReadError and NotModelled for a rule that cannot be asked.
    """
    if sum(map(bool, (one.proved, one.vacuous, one.illegal, one.refuted))) != 1:
        return None
    if one.proved:
        return Proved(tuple(one.proved), one.instances, one.undefined_lanes)
    if one.vacuous:
        return Vacuous(reason=one.vacuous)
    label = one.illegal if one.refuted is None else one.refuted.instance
    instance = next((each for each in instances(rule) if each.label == label), None)
    if instance is None:
        return None
    if one.refuted is None:
        found = prepared(instance)
        return found if isinstance(found, Illegal) else None
    try:
        return _run_again(one.refuted, instance, conditions)
    except (ValueError, KeyError, ReadError, NotModelled):  # as of a condition on a surface that has another name now
        return None


def _run_again(one: KeptRun, instance: Instance, conditions: Sequence[Condition]) -> Refuted | None:
    """What the run shows.  Raises ValueError, KeyError, ReadError and NotModelled for what is no run of the rule."""
    for pair in one.one_surface:
        instance = instance.on_one_surface(*pair)
    ready = prepared(instance)
    if isinstance(ready, Illegal):
        return None
    comparison = comparison_of(ready, premise(conditions, instance))
    values, memory = _inputs(one, ready), _memory(one)
    content = _content(memory, comparison.question)
    shown = trial(comparison, values, content)
    if not shown:
        return None
    place = None if one.place is None else (one.place[0], int(one.place[1], 16))
    found = settled(comparison, next((each for each in shown if each.place == place), shown[0]))
    return None if found is None else Refuted(counterexample_of(ready, comparison, found))


def _inputs(one: KeptRun, ready: Prepared) -> dict[Term, int]:
    """Raises ValueError."""
    values = {term: int(one.inputs.get(_name(term), "0"), 16) for term in ready.drawn.symbols}
    if any(value < 0 or value >> max(1, term.width) for term, value in values.items()):
        raise ValueError("wider than its symbol")
    return values


def _memory(one: KeptRun) -> Memory:
    """Raises ValueError."""
    return {
        name: (IMAGE_SIZE if name in one.image_size else 0, {int(at, 16): int(x, 16) for at, x in contents.items()})
        for name, contents in one.memory.items()
    }


def _content(memory: Memory, question: Question) -> Content:
    """What memory holds, as a run asks for it."""
    shift: dict[str, int] = {}
    for surface, cell in question.memory.cells:
        shift[itself(surface)] = 130 - cell.width
    for side in (question.source, question.target):
        for surface, stores in side.stores.items():
            shift |= {itself(surface): 130 - store.cell.width for store in stores}

    def content(surface: str, address: int, width: int) -> int:
        size, contents = memory.get(surface, (0, {}))
        if size == IMAGE_SIZE:
            return contents.get(address << shift[surface], 0)
        return sum(contents.get(address + k, 0) << 8 * k for k in range(width))

    return content
