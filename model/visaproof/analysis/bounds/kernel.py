"""All bounds questions of one file: what was found, and what could not be asked."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.only_after import OnlyAfter, only_after
from visaproof.analysis.bounds.sizes.by_ends import NEVER_MADE
from visaproof.analysis.bounds.sizes.enough_bytes import SizeFinder
from visaproof.analysis.bounds.sizes.few_items import where_not_reached
from visaproof.analysis.bounds.sizes.fixed_sizes import fits_in, has_product, where_it_fits
from visaproof.analysis.bounds.sizes.image_extents import as_large, is_as_large
from visaproof.analysis.bounds.sizes.inside_if import InsideIf
from visaproof.analysis.bounds.verdicts import (
    HasMeaning,
    Holds,
    InBounds,
    Outside,
    Tried,
    Unbounded,
    Undecided,
    decide_bounds,
    decide_meaning,
)
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.analysis.surface_sizes import is_free
from visaproof.checking.limited import Questions, Stop, each_within, not_asked
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import Launch
from visaproof.program.lower import Runnable
from visaproof.program.statements import Origin
from visaproof.queries.kernels.bounds import BoundsQuestion, needed_bytes
from visaproof.queries.kernels.uninitialised import Uninitialised
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage
from visaproof.smt import Bool
from visaproof.smt.limit import NO_LIMIT, Limit

A = TypeVar("A")

SIZES = 0.75
"""Of the time that is left, for the sizes of all messages before any is searched: mostly these are what is wanted."""
FIRST = 0.2
"""Of the time that is left, until some access is shown outside: that shows most others outside, too."""
AFTER = 0.03
"""Of the time that is left, for whether a message leaves its surface only after another one."""


class BoundsFinding(Struct, frozen=True):
    """The answers for one message."""

    question: BoundsQuestion
    bounds: InBounds
    meaning: HasMeaning
    surfaces: tuple[str, ...]
    """What the message reaches, by their keys."""
    free_size: bool
    """Whether the size of its surface is arbitrary."""
    needed: int | None
    """Bytes of the surface that are enough, where the addresses are bounded by themselves."""
    enough: InsideIf | None = None
    """With what every access would be inside."""
    only_after: OnlyAfter | None = None
    """An earlier statement, if it leaves the surface wherever this one does."""


class BoundsAnswers(Struct, frozen=True):
    """A kernel that was asked about; `answers` decides its messages one by one, in the order of the program."""

    kernel: Runnable
    platform: Platform
    launch: Launch
    asked: Asked
    put: Questions[BoundsQuestion]
    uninitialised: tuple[Uninitialised, ...]
    premises: tuple[Bool, ...]
    """What is assumed of the launch."""
    sizes: SizeFinder
    """Says of a surface of any size how large it has to be."""
    vacuous: bool
    """Whether the assumptions contradict each other: then nothing is asked."""
    limit: Limit = NO_LIMIT
    decided: dict[Position, BoundsFinding] = field(default_factory=dict[Position, BoundsFinding])
    """Messages of which the verdict is known."""
    tried: Tried = field(default_factory=Tried)
    fitting: dict[Position, InsideIf | None] = field(default_factory=dict[Position, InsideIf | None])
    """With which relations a message is inside of what it reaches, as far as that was asked."""
    sized: dict[Position, InsideIf | None] = field(default_factory=dict[Position, InsideIf | None])
    """The same of a buffer that may have any size, with how large it has to be."""
    at_ends: dict[Position, InsideIf] = field(default_factory=dict[Position, InsideIf])
    """The same as the addresses say it, which needs no solver: it stands where others are not known in time."""

    @property
    def start(self) -> Start:
        return self.asked.start

    @property
    def questions(self) -> tuple[BoundsQuestion, ...]:
        return self.put.asked

    @property
    def stopped(self) -> Stop | None:
        """What visaproof cannot run, or that its time was over; the messages after it were not asked about."""
        return self.put.stopped

    @property
    def not_asked(self) -> list[Origin]:
        return [] if self.stopped is None else not_asked(self.kernel, self.questions, lambda opcode: True)

    def answers(self) -> Iterator[BoundsFinding]:
        by_instruction: dict[Position, list[BoundsQuestion]] = {}
        for question in () if self.vacuous else self.questions:
            by_instruction.setdefault(question.instruction.position, []).append(question)
        order = self.sizes.names.of_arguments()
        with suppress(LimitReached), self.limit.within(FIRST):
            self._show_some(by_instruction.values())
        with suppress(LimitReached), self.limit.within(SIZES):
            for size in (self._size_at_ends, self._size):
                deque(each_within(self.limit, tuple(by_instruction.values()), size, lambda _, reached: None), 0)
        for one in each_within(self.limit, tuple(by_instruction.values()), self._answer, self._given_up):
            yield replace(one, enough=one.enough and one.enough.in_order(order))

    def _show_some(self, messages: Iterable[list[BoundsQuestion]]) -> None:
        """Answers messages until an access is shown outside, and runs that with each buffer empty."""
        for rounds in messages:
            if not self.tried.shown:
                self._answer(rounds)
            else:
                self.tried.shown[0].of(rounds[0], self.asked)

    def _answer(self, rounds: list[BoundsQuestion]) -> BoundsFinding:
        """With what would suffice."""
        position = rounds[0].instruction.position
        found = self.decided[position] = self.decided.get(position) or self._decided(rounds)
        bounds, keys = found.bounds, found.surfaces
        if len(keys) != 1 or not isinstance(bounds, Outside | Undecided) or self._is_partial(rounds):
            return found
        if isinstance(self.asked.trace.surfaces.get(keys[0]), SymbolicImage):
            return replace(found, enough=as_large(self.sizes, rounds, keys[0]))
        if isinstance(bounds, Undecided) or not found.free_size:
            return replace(found, enough=self._where_it_fits(rounds, keys) or self._size(rounds))
        enough = self._size(rounds)
        if enough is None:
            with suppress(LimitReached), self.limit.within(AFTER):
                return replace(found, only_after=only_after(rounds, self.questions))
        return replace(found, enough=enough)

    def _size(self, rounds: list[BoundsQuestion]) -> InsideIf | None:
        """How large a buffer has to be that may have any size."""
        position, key = rounds[0].instruction.position, self._of_any_size(rounds)
        if position not in self.sized:
            found = None if key is None else where_not_reached(self.sizes, rounds, key)
            self.sized[position] = found or (None if key is None else self.sizes.find(rounds, key))
        return self.sized[position]

    def _size_at_ends(self, rounds: list[BoundsQuestion]) -> None:
        if (key := self._of_any_size(rounds)) is not None and (found := self.sizes.at_ends(rounds, key)) is not None:
            self.at_ends[rounds[0].instruction.position] = found

    def _of_any_size(self, rounds: list[BoundsQuestion]) -> str | None:
        """The buffer that is reached, if it is one that may have any size and every access is asked about."""
        keys = _keys(rounds)
        return keys[0] if len(keys) == 1 and self._is_free(keys[0]) and not self._is_partial(rounds) else None

    def _decided(self, rounds: list[BoundsQuestion]) -> BoundsFinding:
        keys = _keys(rounds)
        bounds = self._by_ends(rounds, keys)
        if bounds is None:
            if any(one.performed.any_round for one in rounds):  # of loops, a search may take all the time
                self._where_it_fits(rounds, keys)
            bounds = self._over_rounds(lambda question, asked: decide_bounds(question, asked, self.tried), rounds)
        if isinstance(bounds, Undecided) and len(keys) == 1 and not self._is_partial(rounds):
            by = fits_in(self.sizes, rounds, keys[0])
            bounds = Holds(by) if by else bounds
        free = any(map(self._is_free, (bounds.surface,) if isinstance(bounds, Outside) else keys))
        return BoundsFinding(
            question=rounds[0],
            bounds=bounds,
            meaning=self._over_rounds(decide_meaning, rounds),
            surfaces=keys,
            free_size=free,
            needed=needed_bytes(rounds) if free and len(keys) == 1 else None,
        )

    def _where_it_fits(self, rounds: list[BoundsQuestion], keys: tuple[str, ...]) -> InsideIf | None:
        """With which relations every access is inside of a size that is known."""
        position = rounds[0].instruction.position
        if position not in self.fitting:
            asked = len(keys) == 1 and not self._is_partial(rounds)
            self.fitting[position] = where_it_fits(self.sizes, rounds, keys[0]) if asked else None
        return self.fitting[position]

    def _by_ends(self, rounds: list[BoundsQuestion], keys: tuple[str, ...]) -> Holds | None:
        """Products of unknowns are asked about as integers first: where that suffices no solver has to know them."""
        if len(keys) != 1 or self._is_partial(rounds) or not any(one.outside for one in rounds):
            return None
        is_image = isinstance(self.asked.trace.surfaces.get(keys[0]), SymbolicImage)
        by = is_as_large(self.sizes, rounds, keys[0]) if is_image else self.sizes.stated(rounds, keys[0])
        if not by and not is_image and has_product(self.sizes, keys[0]):
            by = fits_in(self.sizes, rounds, keys[0])
        if not by and not is_image and self._is_free(keys[0]) and self.sizes.are_never_made(rounds, keys[0]):
            by = NEVER_MADE
        return Holds(by) if by else None

    def _is_partial(self, rounds: list[BoundsQuestion]) -> bool:
        """Whether more accesses of the message may be made than these questions are about."""
        left_out = self.put.not_all_rounds(rounds[0].instruction.position)
        return bool(self.asked.trace.bounded or left_out or any(one.lost for one in rounds))

    def _given_up(self, rounds: list[BoundsQuestion], reached: LimitReached) -> BoundsFinding:
        position, undecided = rounds[0].instruction.position, Undecided(str(reached))
        enough = self.fitting.get(position) or self.sized.get(position) or self.at_ends.get(position)
        if position in self.decided:  # what would suffice was still looked for
            return replace(self.decided[position], enough=enough)
        return BoundsFinding(rounds[0], undecided, undecided, rounds[0].surfaces, False, None, enough)

    def _is_free(self, key: str) -> bool:
        """Whether nothing is known of the size of a surface or buffer."""
        surface = self.asked.trace.surfaces.get(key)
        sizes = [surface.size] if isinstance(surface, SymbolicBuffer) else []
        sizes += [one.size for one in self.questions[0].buffers.buffers if one.key == key and one.size is not None]
        return any(map(is_free, sizes))

    def _over_rounds(
        self, decide: Callable[[BoundsQuestion, Asked], A | Holds | Undecided], rounds: list[BoundsQuestion]
    ) -> A | Holds | Undecided:
        """A counterexample in some iteration, or else an open one, or else that it holds in each."""
        stages: dict[str, None] = {}
        undecided: A | Undecided | None = None
        for question in rounds:
            match decide(question, self.asked):
                case Holds(by):
                    stages[by] = None
                case Unbounded() | Undecided() as answer:
                    undecided = undecided or answer
                case counterexample:
                    return counterexample
        bounded = tuple(position for _, position in self.asked.trace.bounded)
        if undecided is None and (reason := self.put.not_all_rounds(rounds[0].instruction.position)):
            return Undecided(reason)
        return undecided or Holds(", ".join(stages), bounded)


def _keys(rounds: list[BoundsQuestion]) -> tuple[str, ...]:
    """What a message reaches."""
    return tuple(dict.fromkeys(key for question in rounds for key in question.surfaces))
