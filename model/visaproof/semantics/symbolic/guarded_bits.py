"""Predicates whose writes stand under guards, read under assumptions: bit by bit as `guarded` has registers."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from visaproof.isa.errors import Position
from visaproof.semantics.symbolic.beyond import Beyond
from visaproof.semantics.symbolic.guarded import Readers, Written
from visaproof.semantics.symbolic.literals import Literals, missing
from visaproof.smt import Bool, false, is_false, is_true, ite_bool, neg


class BitWrite(NamedTuple):
    """A predicate bit was written where `guard` held; otherwise it is as `below` says."""

    guard: Literals
    value: Bool
    below: "BitWrite | None"


BitWrites = Mapping[tuple[str, int], BitWrite]
"""Of each bit, the newest write."""


class GuardedPredicates:
    """Predicate bits by variable and lane, in the same way."""

    def __init__(
        self, sizes: Mapping[str, int], initial: Callable[[str, int], Bool], beyond: Beyond | None = None
    ) -> None:
        self.sizes = sizes
        self._initial = initial
        self._beyond = beyond or Beyond()
        self._writes: dict[tuple[str, int], BitWrite] = {}
        self.initial_reads: dict[tuple[str, int], None] = {}
        self.read_uninitialised: Readers = {}
        """The bits that were read before any path wrote them, and the statements that read them."""
        self.partly: Readers = {}
        """Those that were read where some path had written them, and another one not."""
        self.reader: Position | None = None
        """The statement that reads now."""
        self.log: list[Written] = []
        """Every write since it was last cleared."""
        self.launched: frozenset[str] = frozenset()
        """The predicates whose bits at the start are initialised."""
        self.undefined = 0
        """How often a bit was read that was not, or that the predicate does not have."""

    def contents(self) -> dict[tuple[str, int], BitWrite]:
        """What `restore` brings back."""
        return dict(self._writes)

    def restore(self, contents: BitWrites) -> None:
        self._writes = dict(contents)

    def read_under(self, variable: str, lane: int, assumed: Literals) -> Bool:
        return self._resolve(variable, lane, self._writes.get((variable, lane)), assumed)

    def read_then(self, bit: tuple[str, int], assumed: Literals, then: BitWrites) -> Bool:
        """What this bit held then, wherever the assumption holds; no reader is noted."""
        reader, self.reader = self.reader, None
        found = self._resolve(*bit, then.get(bit), assumed)
        self.reader = reader
        return found

    def _resolve(self, variable: str, lane: int, entry: BitWrite | None, assumed: Literals) -> Bool:
        if lane >= self.sizes[variable]:
            self.undefined += 1
            return self._initial(variable, lane) if self._beyond.nondeterministic else false()
        if entry is None:
            self.initial_reads[variable, lane] = None
            self.undefined += variable not in self.launched
            if self.reader is not None:
                readers = self.partly if (variable, lane) in self._writes else self.read_uninitialised
                readers.setdefault((variable, lane), {})[self.reader] = None
            return self.at_start(variable, lane)
        condition = missing(entry.guard, assumed)
        if is_true(condition):
            return entry.value
        if is_false(condition):
            return self._resolve(variable, lane, entry.below, assumed)
        otherwise = self._resolve(variable, lane, entry.below, assumed | {neg(condition)})
        return ite_bool(condition, entry.value, otherwise)

    def at_start(self, variable: str, lane: int) -> Bool:
        """The bit before the kernel starts."""
        return self._initial(variable, lane)

    def write_under(self, variable: str, lane: int, value: Bool, guard: Literals) -> None:
        self.log.append(Written(variable, lane, 1, guard))
        below = self._writes.get((variable, lane)) if guard else None
        while below is not None and guard <= below.guard:
            below = below.below
        self._writes[variable, lane] = BitWrite(guard, value, below)
