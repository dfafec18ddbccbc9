"""Nondeterministic results on ints: those that no page states, and the value that a run takes for each.

If several results are allowed, the pure functions raise `Unstated` with all of them, and the machine asks the state's
`Choices`.  Without a policy the exception passes, and is an error as any other NotModelled: that is for callers to whom
a picked value would give a wrong answer.  A policy picks one value for an operation on given operands, always the same.
Two of the four policies take the ends of what is allowed; the other two scatter over it, each as the other does not.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.trail import Trail

POLICIES = 4
"""How many ways there are to pick."""

_FRACTION_BITS = {DataType.HF: 10, DataType.BF: 7, DataType.F: 23, DataType.DF: 52}


class Allowed(Struct, frozen=True):
    """The results that the pages allow."""

    patterns: tuple[int, ...] = ()
    nan: bool = False
    """Any NaN of the result's type."""
    bits: bool = False
    """Any bits of the result's type."""

    def __or__(self, other: "Allowed") -> "Allowed":
        patterns = tuple(sorted({*self.patterns, *other.patterns}))
        return Allowed(patterns, self.nan or other.nan, self.bits or other.bits)

    def admits(self, pattern: int, data_type: DataType) -> bool:
        """Whether the result may be this pattern."""
        return self.bits or pattern in self.patterns or (self.nan and _is_nan(pattern, data_type))

    def picked(self, policy: int, scatter: int, data_type: DataType) -> int:
        """What a policy takes; `scatter` is a number of 64 bits that differs between operations."""
        if self.bits:
            return _any_bits(policy, scatter) % (1 << data_type.bits)
        found = [*self.patterns, *([_any_nan(policy, scatter, data_type)] if self.nan else ())]
        place = {0: 0, 1: len(found) - 1, 2: scatter % len(found)}.get(policy, (scatter + 1) % len(found))
        return found[place]


ANY_BITS = Allowed(bits=True)
ANY_NAN = Allowed(nan=True)


class Unstated(NotModelled):
    """Several results are allowed.  Who has no policy cannot go on: to them it is not modelled."""

    def __init__(self, what: str, allowed: Allowed, position: Position | None = None) -> None:
        super().__init__(what, position)
        self.allowed = allowed


def settled(what: str, allowed: Allowed) -> int:
    """The only pattern that is allowed.  Raises Unstated where there are more."""
    if len(allowed.patterns) == 1 and not allowed.nan and not allowed.bits:
        return allowed.patterns[0]
    raise Unstated(what, allowed)


def allowed_by(computations: Iterable[Callable[[], int]]) -> Allowed:
    """What one of the computations gives, or allows."""
    allowed = Allowed()
    for compute in computations:
        try:
            allowed |= Allowed((compute(),))
        except Unstated as reason:
            allowed |= reason.allowed
    return allowed


def _any_bits(policy: int, scatter: int) -> int:
    return (0, 2**64 - 1, scatter, ~scatter)[policy]


def _any_nan(policy: int, scatter: int, data_type: DataType) -> int:
    """The canonical quiet NaN, the last pattern of all, a quiet one with a payload, and a negative signalling one."""
    width = _FRACTION_BITS[data_type]
    quiet, sign = 1 << (width - 1), 1 << (data_type.bits - 1)
    exponent = sign - (1 << width)
    payload = scatter % quiet
    return (
        exponent | quiet,
        sign | sign - 1,
        exponent | quiet | payload | 1,
        sign | exponent | (payload ^ quiet - 2 | 1),
    )[policy]


def _is_nan(pattern: int, data_type: DataType) -> bool:
    sign = 1 << (data_type.bits - 1)
    return pattern % sign > sign - (1 << _FRACTION_BITS[data_type])


class Picked(Struct):
    """The values that a run picked at one statement for one reason."""

    position: Position
    what: str
    thread: object
    """That of the first value; None where a run is of one thread."""
    lane: int
    """That of the first value."""
    others: bool = False
    """Whether other lanes or threads came there, too."""
    beyond: bool = False
    """Whether they stand for what lies beyond a variable, which the pages leave undefined."""


PickedAt = dict[tuple[Position, str], Picked]


Operation = tuple[object, ...]
"""The opcode, the types and the operands."""


class Choices(Struct, frozen=True):
    """How a run picks, and what it picked; copies of a state share it."""

    policy: int | None = None
    """None: it does not."""
    picked: PickedAt = field(default_factory=PickedAt)
    thread: object = None
    varied: tuple[tuple[Position, str], int] | None = None
    """A statement, and why its result is not stated, with a policy of their own."""
    trail: Trail | None = None
    beyond: bool = False
    """Whether registers beyond a variable are read as any bits; to read them is undefined behaviour otherwise."""

    def __deepcopy__(self, memo: object) -> "Choices":
        return self

    def of_thread(self, thread: object) -> "Choices":
        """The same, for a thread."""
        return replace(self, thread=thread)

    def pick(
        self,
        reason: Unstated,
        position: Position,
        lane: int,
        result: DataType,
        operation: tuple[object, ...],
        *,
        beyond: bool = False,
    ) -> int:
        """One of the results that are allowed; `operation` is all that it may depend on.  Raises Unstated."""
        if self.policy is None:
            raise reason
        place = position, reason.what
        first = self.picked.setdefault(place, Picked(position, reason.what, self.thread, lane, beyond=beyond))
        first.others |= (first.thread, first.lane) != (self.thread, lane)
        policy = self.varied[1] if self.varied is not None and self.varied[0] == place else self.policy
        return reason.allowed.picked(policy, _scatter(operation), result)

    def note(self, position: Position, what: object) -> None:
        """The thread does this at a statement."""
        if self.trail is not None:
            self.trail.note(position, self.thread, what)

    def message(self, position: Position) -> None:
        """The thread comes to a message; what it reaches is noted for it."""
        if self.trail is not None:
            self.trail.here = position
            self.trail.note(position, self.thread, None)


STRICT = Choices()
"""Never picks."""


def _scatter(operation: Operation) -> int:
    return int.from_bytes(blake2b(repr(operation).encode(), digest_size=8).digest(), "little")
