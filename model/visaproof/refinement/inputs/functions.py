"""Functions that devices approximate in ways of their own: what two devices may give for equal operands."""

from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.machine.symbolic.arbitrary_values import Arbitrary, is_by_zero
from visaproof.machine.symbolic.trace import Trace

ALIKE = "functions-alike"
"""The premise that they give the same."""

EXACT = frozenset(("mov", "sel", "cmp", "add", "mul", "mad", "min", "max", "rndd", "rndu", "rnde", "rndz", "frc"))
"""Opcodes of which IEEE 754 says what they give; what the others give, each device may say for itself."""


def is_function(one: Arbitrary) -> bool:
    """Whether it is a result of which nothing is known but what it is a function of."""
    return one.operands is not None and one.origin is None


def divides_by_zero(source: Trace, target: Trace) -> bool:
    """Whether the source alone has integer quotients or remainders that are open where the divisor is 0.

    Then it may give what Intel's compiler makes of them without `div`: ∀ inputs ∃ choices of the source.  Where both
    have them, they are one function of their operands.
    """
    return any(map(is_by_zero, source.arbitrary)) and not any(map(is_by_zero, target.arbitrary))


def of_device(trace: Trace, platform: Platform, assume: Assume) -> Trace:
    """The run, its approximations as functions of their own on this device where others are not taken to be alike."""
    if ALIKE in assume:
        return trace
    return replace(trace, arbitrary=tuple(_of_device(one, platform) for one in trace.arbitrary))


def _of_device(one: Arbitrary, platform: Platform) -> Arbitrary:
    if not is_function(one) or one.operation[0] in EXACT:
        return one
    return replace(one, operation=(*one.operation, f"on {platform.name}"))
