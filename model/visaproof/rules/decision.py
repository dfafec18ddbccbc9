"""Decides a rewrite rule: each of its instances, and what that says of the rule.

check_rule(read_rule(text, "my.rule")) -> Proved | Refuted | Illegal | Unknown | Vacuous
"""

from collections.abc import Callable, Iterable, Sequence

from visaproof.isa.errors import LimitReached
from visaproof.refinement.verdicts import Unknown, Vacuous
from visaproof.rules.instance import check_prepared, prepared
from visaproof.rules.language.instances import Instance, instances
from visaproof.rules.language.reader import read_rule
from visaproof.rules.language.syntax import Condition, Expect, Rule
from visaproof.rules.programs import Prepared
from visaproof.rules.verdicts import Illegal, Proved, Refuted, Right, Verdict
from visaproof.smt.limit import Limit

DEFAULT_TIMEOUT = 20.0
"""Seconds for one question to a solver."""


def check_rule(
    rule: Rule | str,
    timeout: float = DEFAULT_TIMEOUT,
    extra: Sequence[Condition] = (),
    when_right: bool = False,
    chosen: Callable[[Instance], bool] = lambda _: True,
) -> Verdict:
    """Whether the rule is right under its preconditions, and under the `extra` ones.

    `when_right` adds those of `right if`.  Raises ReadError and NotModelled.
    """
    found = read_rule(rule, "<rule>") if isinstance(rule, str) else rule
    conditions = [*found.pre, *(found.right_if if when_right else ()), *extra]
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
    """Whether all of the instances are right under the conditions; `quick`: no guesses, none made smaller.

    Raises ReadError and NotModelled.
    """
    rungs: dict[str, None] = {}
    unknown: Unknown | None = None
    undefined: set[int] = set()
    vacuous, count = 0, 0
    for one in ready:
        if isinstance(one, Illegal):
            return one
        count += 1
        match check_prepared(one, conditions, timeout, quick):
            case Right(rung, lanes):
                rungs[rung] = None
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
    return Proved(tuple(rungs), count - vacuous, tuple(sorted(undefined)))


def is_as_stated(rule: Rule, verdict: Verdict, when_right: Verdict | None) -> bool:
    """Whether the file says what was found."""
    if rule.expect is Expect.PROVED:
        return isinstance(verdict, Proved)
    right = isinstance(when_right, Proved) if rule.right_if else True
    return isinstance(verdict, Refuted | Illegal) and right
