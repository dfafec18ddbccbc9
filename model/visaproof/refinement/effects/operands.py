"""Results that terms leave open: what they are functions of, and whether any of it is the source's own.

The same operation on the same operands has one result; what two devices approximate, each may in a way of its own.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple, cast

from msgspec.structs import replace

from visaproof.isa.identity import Same
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.launch.assumptions import Assume
from visaproof.machine.symbolic.trace import Trace
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted, is_by_zero
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import UnitStore
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import BitVec, Term, subterms, symbols_of


def with_operands(memory: SharedMemory, roots: list[Term]) -> Iterator[Term]:
    """All parts of the terms, and of what the results among them are functions of."""
    operations, seen, walked = dict(memory.operations), set[Term](), set[Same[object]]()
    while roots:
        found = [term for term in subterms(*roots) if term not in seen]
        yield from found
        seen.update(found)
        roots = [part for term in found if term in operations for part in _parts(operations[term], walked)]


def _parts(operation: object, walked: set[Same[object]]) -> Iterator[Term]:
    """The terms in the description of an operation; of what descriptions share only those of the first."""
    match operation:
        case Term():
            yield operation
        case UnitStore():
            yield from (operation.guard, operation.cell, operation.value)
        case tuple() if Same(cast(object, operation)) not in walked:
            walked.add(Same(cast(object, operation)))
            for part in cast(tuple[object, ...], operation):
                yield from _parts(part, walked)
        case _:
            pass


def is_given(terms: Iterable[Term], memory: SharedMemory) -> bool:
    """Whether the terms depend on nothing that is the source's own, through names and results."""
    ahead, walked = symbols_of(*terms), set[Same[object]]()
    seen = set(ahead)
    while ahead:
        one = ahead.pop()
        if is_own(one, "source"):
            return False
        behind = (*memory.behind(one), *_parts(memory.operations.get(one), walked))
        fresh = [name for name in symbols_of(*behind) if name not in seen]
        seen.update(fresh)
        ahead += fresh
    return True


class OpenOperation(NamedTuple):
    """An operation on floats, a conversion, or a read through the sampler, under the names that both kernels share."""

    named: tuple[str, ...]
    """The opcode and its suffixes."""
    result: DataType | None
    """None for a comparison."""
    width: int
    """Bits; 0 for a truth value."""
    control: Term | None
    """The control register, if the result depends on it."""
    origin: Hashable
    """Of a read through the sampler: the image, the sampler, and which of the channels."""
    operands: tuple[tuple[BitVec, DataType, str], ...]
    """Of each the bits, the type and the modifier."""


# ---------------------------------------------------------------- functions that devices approximate

ALIKE = "functions-alike"
"""The premise that they give the same."""

EXACT = frozenset(("mov", "sel", "cmp", "add", "mul", "mad", "min", "max", "rndd", "rndu", "rnde", "rndz", "frc"))
"""Opcodes of which IEEE 754 says what they give; what the others give, each device may say for itself."""


def is_function(one: Uninterpreted) -> bool:
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


def _of_device(one: Uninterpreted, platform: Platform) -> Uninterpreted:
    if not is_function(one) or one.operation[0] in EXACT:
        return one
    return replace(one, operation=(*one.operation, f"on {platform.name}"))
