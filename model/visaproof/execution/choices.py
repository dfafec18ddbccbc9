"""A launch in which results come up that no page states: run under several choices of them, and compared.

What differs between two runs depends on such a result.  What does not differ may depend on it all the same: the choices
are a few of very many, so that agreement is no proof.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from msgspec import Struct, field

from visaproof.execution.run import MOST_STATEMENTS, Memory, Ran, UndefinedAt
from visaproof.isa.errors import LimitReached, NotModelled, Position, ReadError
from visaproof.semantics.concrete.choices import POLICIES, Choices, Picked, PickedAt
from visaproof.semantics.concrete.trail import Digests, Trail

Launch = Callable[[Choices, int], Ran]
"""Runs the launch with these choices, and so many statements of a thread at most; the memory is changed in place."""

Varied = tuple[tuple[Position, str], int]
"""A statement, and why its result is not stated, with a policy of their own."""

MOST_SITES = 8
"""Of which each is varied alone, to say on which of them something depends."""
ALONE = (1, 3)
"""The policies by which one is varied."""
MORE_STATEMENTS = 4, 10_000
"""A thread under other choices may take so many times the statements of the first run, and so many more."""


class DependentBytes(Struct, frozen=True):
    """Bytes of a buffer that are not the same under all choices; `on` are some results on which they depend."""

    argument: int
    first: int
    last: int
    on: tuple[Picked, ...]


class DependentStatement(Struct, frozen=True):
    """A branch or message at which some thread jumps otherwise, or reaches other bytes."""

    position: Position
    on: tuple[Picked, ...]


class DependentEnding(Struct, frozen=True):
    """How the launch ends otherwise under another choice."""

    undefined: UndefinedAt | None
    stopped: str
    """Why it could not be run to its end, where it is not undefined."""
    on: tuple[Picked, ...]


Dependent = DependentBytes | DependentStatement | DependentEnding


class Nondeterminism(Struct, frozen=True):
    """The results that no page states, and what was seen to depend on them."""

    picked: tuple[Picked, ...]
    dependent: tuple[Dependent, ...]


class _End(Struct, frozen=True):
    """What is left of a run."""

    ran: Ran | None
    """None where it stopped."""
    stopped: NotModelled | ReadError | None
    buffers: Mapping[int, bytes]
    trail: Digests
    picked: PickedAt


def run_with_choices(launch: Launch, memory: Memory) -> tuple[Ran, Nondeterminism | None]:
    """A run of the launch, and what depends on the results that were picked in it; None where none was.

    The memory is left as that run leaves it.  A run that is undefined stands, unless it only reads registers beyond a
    variable on which nothing was seen to depend.  Raises NotModelled and ReadError.
    """
    start = _contents(memory)
    ran, found = _compared(launch, memory, start)
    if ran.undefined is None:
        return ran, found
    left = _contents(memory)
    if (past := _past_reads_beyond(launch, memory, start)) is not None:
        return past
    _restore(memory, left)
    return ran, found


def _compared(launch: Launch, memory: Memory, start: Mapping[int, bytes]) -> tuple[Ran, Nondeterminism | None]:
    choices = Choices(0)
    ran = launch(choices, MOST_STATEMENTS)
    if not choices.picked:
        return ran, None
    shown, found = _Runs(launch, memory, start, ran).compared()
    _restore(memory, shown.buffers)
    return shown.ran or ran, found


def _past_reads_beyond(
    launch: Launch, memory: Memory, start: Mapping[int, bytes]
) -> tuple[Ran, Nondeterminism | None] | None:
    """The launch where reads beyond a variable give any bits; None where it does not end so, or depends on them."""
    _restore(memory, start)
    choices = Choices(0, trail=Trail(), beyond=True)
    try:
        first = launch(choices, MOST_STATEMENTS)
        if first.undefined is not None or not any(one.beyond for one in choices.picked.values()):
            return None
        shown, found = _Runs(launch, memory, start, first, beyond=True).compared()
    except (NotModelled, ReadError, LimitReached):  # how the launch ends without them is known
        return None
    if shown.ran is None or shown.ran.undefined is not None:
        return None
    if any(cause.beyond for one in found.dependent for cause in one.on):
        return None
    _restore(memory, shown.buffers)
    return shown.ran, found


class _Runs(Struct):
    launch: Launch
    memory: Memory
    start: Mapping[int, bytes]
    first: Ran
    beyond: bool = False
    """Whether registers beyond a variable are read as any bits."""
    sites: PickedAt = field(default_factory=PickedAt)

    def compared(self) -> tuple[_End, Nondeterminism]:
        """The run to be shown, which comes to its end if one does, and how the others differ from it."""
        ends = [self._run(self._choices(policy)) for policy in range(POLICIES)]
        for end in ends:
            for place, one in end.picked.items():
                self.sites.setdefault(place, one)
        policy = next((k for k, end in enumerate(ends) if end.ran is not None and end.ran.undefined is None), 0)
        shown = ends[policy]
        other = [_differences(shown, end) for end in ends]
        everything = _Differences.of(other)
        on = self._causes(shown, policy, everything)
        return shown, Nondeterminism(tuple(self.sites.values()), tuple(_told(everything, on)))

    def _choices(self, policy: int, varied: Varied | None = None) -> Choices:
        return Choices(policy, varied=varied, trail=Trail(), beyond=self.beyond)

    def _run(self, choices: Choices) -> _End:
        _restore(self.memory, self.start)
        times, more = MORE_STATEMENTS
        ran, stopped = None, None
        try:
            ran = self.launch(choices, min(MOST_STATEMENTS, times * self.first.statements + more))
        except (NotModelled, ReadError) as reason:
            stopped = reason
        trail = Digests() if choices.trail is None else choices.trail.digests
        return _End(ran, stopped, _contents(self.memory), trail, choices.picked)

    def _causes(self, shown: _End, policy: int, wanted: "_Differences") -> list[tuple[Picked, "_Differences"]]:
        """What differs where one result alone is chosen otherwise; with one result, or very many, nothing is run."""
        sites = list(self.sites.values())
        if len(sites) == 1 or len(sites) > MOST_SITES or not wanted.any():
            return [(one, wanted) for one in sites]
        found: list[tuple[Picked, _Differences]] = []
        for one in sites:
            others = ((policy + by) % POLICIES for by in ALONE)
            ends = [self._run(self._choices(policy, ((one.position, one.what), other))) for other in others]
            found.append((one, _Differences.of(_differences(shown, end) for end in ends)))
        return found


class _Differences(Struct):
    """How runs differ from the one that is shown."""

    bytes: dict[int, bytearray] = field(default_factory=dict[int, bytearray])
    """By buffer; not 0 for a byte that differs."""
    statements: set[Position] = field(default_factory=set[Position])
    endings: dict[tuple[Position | None, str], DependentEnding] = field(
        default_factory=dict[tuple[Position | None, str], DependentEnding]
    )

    def any(self) -> bool:
        return any(map(any, self.bytes.values())) or bool(self.statements) or bool(self.endings)

    @staticmethod
    def of(several: "Iterable[_Differences]") -> "_Differences":
        """All of them together."""
        joined = _Differences()
        for one in several:
            for index, differing in one.bytes.items():
                known = joined.bytes.get(index, bytearray(len(differing)))
                joined.bytes[index] = bytearray(a | b for a, b in zip(known, differing, strict=True))
            joined.statements |= one.statements
            joined.endings |= one.endings
        return joined


def _differences(shown: _End, other: _End) -> _Differences:
    found = _Differences(statements=set(_diverging(shown.trail, other.trail)))
    if (ending := _ending(other)) is not None and ending != _ending(shown):
        found.endings[_place(ending)] = ending
    if _ending(shown) is None and _ending(other) is None:
        for index, content in shown.buffers.items():
            if content != other.buffers[index]:
                found.bytes[index] = bytearray(a ^ b for a, b in zip(content, other.buffers[index], strict=True))
    return found


def _ending(end: _End) -> DependentEnding | None:
    """None for a run that came to its end."""
    if end.stopped is not None:
        return DependentEnding(None, str(end.stopped), ())
    assert end.ran is not None
    return None if end.ran.undefined is None else DependentEnding(end.ran.undefined, "", ())


def _place(ending: DependentEnding) -> tuple[Position | None, str]:
    return (ending.undefined.position if ending.undefined else None), ending.stopped


def _diverging(first: Digests, second: Digests) -> Iterator[Position]:
    """The statements at which a thread did other things in one run than in the other, if it came there in both."""
    for position, threads in first.items():
        others = second.get(position, {})
        if any(others.get(thread, digest) != digest for thread, digest in threads.items()):
            yield position


def _told(everything: _Differences, causes: list[tuple[Picked, _Differences]]) -> Iterator[Dependent]:
    """What differs, with what it depends on: all results, if it differs for none of them alone."""
    everyone = tuple(one for one, _ in causes)
    for key, ending in everything.endings.items():
        on = tuple(one for one, alone in causes if key in alone.endings)
        yield DependentEnding(ending.undefined, ending.stopped, on or everyone)
    for position in sorted(everything.statements, key=lambda place: (place.path, place.line, place.column)):
        on = tuple(one for one, alone in causes if position in alone.statements)
        yield DependentStatement(position, on or everyone)
    for index, differing in sorted(everything.bytes.items()):
        for first, last, on in _ranges(index, differing, causes):
            yield DependentBytes(index, first, last, on or everyone)


def _ranges(
    index: int, differing: bytearray, causes: list[tuple[Picked, _Differences]]
) -> Iterator[tuple[int, int, tuple[Picked, ...]]]:
    """The bytes of a buffer that differ, in runs that depend on the same results."""
    masks = [alone.bytes.get(index) for _, alone in causes]

    def on(place: int) -> tuple[int, ...] | None:
        return tuple(k for k, mask in enumerate(masks) if mask and mask[place]) if differing[place] else None

    for found, places in groupby(range(len(differing)), key=on):
        if found is not None:
            inside = list(places)
            yield inside[0], inside[-1], tuple(causes[k][0] for k in found)


def _contents(memory: Memory) -> Mapping[int, bytes]:
    return {index: bytes(buffer.data) for index, buffer in memory.buffers.items()}


def _restore(memory: Memory, contents: Mapping[int, bytes]) -> None:
    for index, buffer in memory.buffers.items():
        buffer.data[:] = contents[index]
