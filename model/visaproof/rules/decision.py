"""Decides a rewrite rule: each of its instances, also where two surfaces are one, and what that says of the rule.

check_rule(read_rule(text, "my.rule")) -> Proved | Refuted | Illegal | Unknown | Vacuous
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from msgspec import Struct

from visaproof.checking.stages import Fails, GaveUp, decide_goal
from visaproof.decode import message as messages
from visaproof.isa.errors import IllegalInstruction, LimitReached, NotModelled, ReadError
from visaproof.isa.operands import SCRATCH
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.side import Premises
from visaproof.refinement.obligations import premises
from visaproof.refinement.observed import is_register
from visaproof.refinement.verdicts import Apart, Bounded, Difference, Refines, Resynchronised, Unknown, Vacuous
from visaproof.rules.conditions import Premise, place_of, premise
from visaproof.rules.language.instances import Instance, instances, rule_place
from visaproof.rules.language.reader import read_rule
from visaproof.rules.language.syntax import Condition, Expect, Rule
from visaproof.rules.numbers import lanes
from visaproof.rules.programs import Prepared, comparison_of, contents_of, prepare, surface_of
from visaproof.rules.verdicts import Illegal, OfInstance, Proved, Refuted, Right, Verdict, counterexample_of
from visaproof.semantics.symbolic.accesses import Load
from visaproof.smt import Bool, conj, is_false, neg, symbol, symbols_of, true
from visaproof.smt.limit import Limit
from visaproof.visaasm import syntax

DEFAULT_TIMEOUT = 20.0
"""Seconds for one question to a solver."""


def check_rule(
    rule: Rule | str,
    timeout: float = DEFAULT_TIMEOUT,
    when_right: bool = False,
    chosen: Callable[[Instance], bool] = lambda _: True,
) -> Verdict:
    """Whether the rule is right under its preconditions.

    `when_right` adds those of `right if`.  Raises ReadError and NotModelled.
    """
    found = read_rule(rule, "<rule>") if isinstance(rule, str) else rule
    conditions = [*found.pre, *(found.right_if if when_right else ())]
    return check_instances((prepared(one) for one in instances(found) if chosen(one)), conditions, timeout)


def check_within(limit: Limit, rule: Rule, timeout: float, when_right: bool = False) -> Verdict:
    """The same within a limit: a rule that takes longer is unknown.  Raises ReadError and NotModelled."""
    try:
        with limit.within():
            return check_rule(rule, timeout, when_right=when_right)
    except LimitReached as reached:
        return Unknown(str(reached))


def check_instances(
    ready: Iterable[Prepared | Illegal], conditions: Sequence[Condition], timeout: float, quick: bool = False
) -> Verdict:
    """Whether all of the instances are right under the conditions; `quick`: no random testing, none made smaller.

    Raises ReadError and NotModelled.
    """
    stages: dict[str, None] = {}
    unknown: Unknown | None = None
    undefined: set[int] = set()
    vacuous, count = 0, 0
    for one in ready:
        if isinstance(one, Illegal):
            return one
        count += 1
        match check_prepared(one, conditions, timeout, quick):
            case Right(by, lanes):
                stages[by] = None
                undefined.update(lanes)
            case Unknown() as reason:
                unknown = unknown or Unknown(f"{one.instance.label}: {reason.reason}")
            case Vacuous():
                vacuous += 1
            case Refuted() as wrong:
                return wrong
    if unknown is not None:
        return unknown
    if vacuous == count:
        return Vacuous(reason="the preconditions hold only where the source is undefined")
    return Proved(tuple(stages), count - vacuous, tuple(sorted(undefined)))


def is_as_stated(rule: Rule, verdict: Verdict, when_right: Verdict | None) -> bool:
    """Whether the file says what was found."""
    if rule.expect is Expect.PROVED:
        return isinstance(verdict, Proved)
    right = isinstance(when_right, Proved) if rule.right_if else True
    return isinstance(verdict, Refuted | Illegal) and right


# ---------------------------------------------------------------- one instance


def prepared(instance: Instance) -> Prepared | Illegal:
    """The instance, ready to be asked about under any conditions.  Raises ReadError and NotModelled."""
    try:
        illegal = _illegal(instance)
        if illegal is not None:
            return illegal
        return prepare(instance)
    except (ReadError, NotModelled) as error:
        raise _in_rule(instance, error) from None


def check_prepared(ready: Prepared, conditions: Sequence[Condition], timeout: float, quick: bool = False) -> OfInstance:
    """Whether one instance is right under the conditions; `quick` leaves out random testing and shrinking.

    Raises ReadError and NotModelled.
    """
    for condition in conditions:
        _require_known(premise([condition], ready.instance), ready, condition)
    assumed = premise(conditions, ready.instance)
    try:
        verdict = _decided(ready, assumed, timeout, quick)
        if isinstance(verdict, Right) and (pair := _may_overlap(ready, assumed)) is not None:
            return _on_one_surface(ready, pair, conditions, timeout, quick)
        return verdict
    except (ReadError, NotModelled) as error:
        raise _in_rule(ready.instance, error) from None


def _may_overlap(ready: Prepared, assumed: Premise) -> tuple[str, str] | None:
    """Two surfaces that a proof takes to share no byte, and of which nothing says so."""
    written: dict[str, bool] = {}
    typed: dict[str, bool] = {}
    for performed in (each for one in ready.runners for each in one.trace.performed):
        name = surface_of(ready.instance, performed)
        typed[name] = any(len(access.cell) > 1 for access in performed.accesses)
        written[name] = written.get(name, False) or not all(isinstance(access, Load) for access in performed.accesses)
    for one, other in combinations([name for name in written if name not in (SHARED_LOCAL, SCRATCH)], 2):
        may_meet = (written[one] or written[other]) and typed[one] == typed[other]
        if may_meet and frozenset((one, other)) not in assumed.apart:
            return one, other
    return None


def _on_one_surface(
    ready: Prepared, pair: tuple[str, str], conditions: Sequence[Condition], timeout: float, quick: bool
) -> Refuted | Unknown:
    """What a run shows where both names are of one surface; else it is not known what holds where they overlap."""
    one, other = pair
    unknown = Unknown(f"right if {one} and {other} share no byte, which `pre: apart({one}, {other})` states")
    try:
        merged = prepared(ready.instance.on_one_surface(one, other))
        if isinstance(merged, Illegal):
            return unknown
        verdict = check_prepared(merged, conditions, timeout, quick)
    except (ReadError, NotModelled):  # as of a condition on the surface that has another name now
        return unknown
    return verdict if isinstance(verdict, Refuted) else unknown


def _require_known(said: Premise, ready: Prepared, condition: Condition) -> None:
    """Raises ReadError for the size of a surface that no message reaches, or that has texels and not bytes."""
    if not set(symbols_of(*said.inputs)).issubset(ready.drawn.symbols):
        raise ReadError(
            "the size of a surface that no message reaches by bytes", place_of(condition), "texels have no byte size"
        )


class SourceMeaning(Struct, frozen=True):
    """Where the source is defined, and where it then changes memory."""

    premises: tuple[Bool, ...]
    acts: tuple[Bool, ...]


def source_meaning(ready: Prepared, pre: Sequence[Condition]) -> SourceMeaning:
    """What is known of the source under its preconditions; less where that is not modelled."""
    assumed = premise(pre, ready.instance)
    try:
        question = comparison_of(ready, assumed).question
    except NotModelled:
        return SourceMeaning(assumed.inputs, ())
    stores = (those for name, those in question.source.stores.items() if not is_register(name))
    acts = [one.guard for those in stores for one in those]
    return SourceMeaning(premises(question, true()), tuple(acts))


def _in_rule(instance: Instance, error: ReadError | NotModelled) -> ReadError | NotModelled:
    """The error with its place in the rule file."""
    position = error.position
    for kernel in (instance.source, instance.target):
        if position is not None and position.path == kernel.path:
            position = rule_place(instance, kernel, position)
    if position is None:
        position = instance.rule.position
    if isinstance(error, ReadError):
        return ReadError(error.message, position, error.hint)
    return NotModelled(error.what, position)


def _illegal(instance: Instance) -> Illegal | None:
    """The first message of the target that breaks its page."""
    for statement in instance.target.statements:
        assert isinstance(statement, syntax.Instruction)
        if statement.opcode in messages.OPCODES:
            try:
                messages.decode(statement, instance.target, instance.platform).validate(instance.platform)
            except IllegalInstruction as reason:
                return Illegal(instance, str(reason), rule_place(instance, instance.target, statement.position))
    return None


def _decided(ready: Prepared, assumed: Premise, timeout: float, quick: bool) -> OfInstance:
    timeout_ms = round(1000 * timeout)
    if is_false(conj(*assumed.inputs)) or not _may_hold_something(ready, assumed, timeout_ms):
        return Vacuous(reason="the preconditions exclude each other")
    comparison = comparison_of(ready, assumed)
    match decide(comparison, timeout_ms, quick=quick):
        case Difference() as found:
            return Refuted(counterexample_of(ready, comparison, found))
        case Vacuous():
            return Vacuous(reason="the preconditions never hold where the source is defined")
        case Resynchronised(reason):
            return Unknown(reason)
        case Bounded(found=found) | Apart(found=found):  # parts of programs have no loops, and surfaces of their own
            return Unknown(f"shown under conditions that a rule does not state ({found})")
        case Unknown() as unknown:
            return unknown
        case Refines(by):
            return Right(by, _undefined_lanes(comparison.question, assumed))


def _undefined_lanes(question: Question, assumed: Premise) -> tuple[int, ...]:
    """Lanes with which the source is undefined, as where its variables are too short, though the conditions allow them.

    A lane is told where its being on is a condition of undefined behaviour by itself.
    """
    return tuple(
        lane
        for lane, runs in enumerate(lanes())
        if runs in question.source.undefined and not is_false(conj(runs, *assumed.inputs))
    )


def _may_hold_something(ready: Prepared, assumed: Premise, timeout_ms: int) -> bool:
    """Whether some word is as the preconditions want those of each surface, as wide as it is accessed."""
    said = Premises(contents=contents_of(assumed))
    for name in dict.fromkeys(name for name, _ in assumed.contents):
        for width in _accessed_widths(ready, name):
            about = said.said_of(name, symbol("word", 8 * width))
            if not isinstance(decide_goal((), neg(about), timeout_ms), Fails | GaveUp):
                return False
    return True


def _accessed_widths(ready: Prepared, surface: str) -> set[int]:
    """Bytes of the words that both sides access, at most a dword."""
    return {
        min(access.width, 4)
        for one in ready.runners
        for performed in one.trace.performed
        if surface_of(ready.instance, performed) == surface
        for access in performed.accesses
    }
