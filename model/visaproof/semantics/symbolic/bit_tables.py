"""A function of bits, given by its table, as few operations on words: the ones that a compiler joined in one BFN."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import cast

from msgspec import Struct

from visaproof.smt import BitVec, Bool, Op, bit_and, bit_not, bit_or, bit_xor, const, ite, value_of

Rows = tuple[bool, ...]

KEPT = 1_024
"""Kernels have few tables, and each lane comes to the same."""


def by_table(table: int, words: Sequence[BitVec]) -> BitVec:
    """Bit by bit the entry whose number has the bits of the words as its digits, the first word's as the lowest.

    A word whose bits are all alike, wherever they are chosen, chooses between functions of the others.
    """
    width = words[0].width
    rows = tuple(bool(table >> entry & 1) for entry in range(1 << len(words)))
    return _Function(rows, tuple(words), width).term()


class _Function(Struct, frozen=True):
    """A function of words: entry k of its rows is its bit where the bits of the words, the first the lowest, are k."""

    rows: Rows
    words: tuple[BitVec, ...]
    width: int

    def term(self) -> BitVec:
        if not self.words:
            return const(-1 if self.rows[0] else 0, self.width)
        for place, word in enumerate(self.words):
            off, on = self._fixed(place, False), self._fixed(place, True)
            if off.rows == on.rows:
                return off.term()
            if (chosen := _all_or_nothing(word)) is not None:
                condition, then, otherwise = chosen
                return ite(condition, (on if then else off).term(), (on if otherwise else off).term())
        for place, word in enumerate(self.words):
            if (found := self._by_one_operation(word, self._fixed(place, False), self._fixed(place, True))) is not None:
                return found
        place = min(range(len(self.words)), key=partial(_others_behind, self.rows, len(self.words)))
        word, off, on = self.words[place], self._fixed(place, False), self._fixed(place, True)
        return bit_or(bit_and(word, on.term()), bit_and(bit_not(word), off.term()))

    def _fixed(self, place: int, bit: bool) -> "_Function":
        """The function of the other words where this one has such bits."""
        return _Function(_fixed(self.rows, place, bit), (*self.words[:place], *self.words[place + 1 :]), self.width)

    @staticmethod
    def _by_one_operation(word: BitVec, off: "_Function", on: "_Function") -> BitVec | None:
        """An operation on the word and a function of the others, if there is one."""
        if not any(off.rows):
            return bit_and(word, on.term())
        if all(on.rows):
            return bit_or(word, off.term())
        if all(off.rows):
            return bit_or(bit_not(word), on.term())
        if not any(on.rows):
            return bit_and(bit_not(word), off.term())
        if all(one != other for one, other in zip(off.rows, on.rows, strict=True)):
            return bit_xor(word, off.term())
        return None


@lru_cache(KEPT)
def _fixed(rows: Rows, place: int, bit: bool) -> Rows:
    """The entries where the word at a place has such bits."""
    return tuple(row for entry, row in enumerate(rows) if bool(entry >> place & 1) == bit)


@lru_cache(KEPT)
def _others_behind(rows: Rows, words: int, place: int) -> int:
    """How many words the functions need between which the one at this place chooses."""
    chosen = [_fixed(rows, place, bit) for bit in (False, True)]
    return sum(_fixed(one, k, False) != _fixed(one, k, True) for one in chosen for k in range(words - 1))


def _all_or_nothing(word: BitVec) -> tuple[Bool, bool, bool] | None:
    """Where all its bits are alike: when they are chosen, and whether they are set then, and else."""
    if word.op is not Op.ITE:
        return None
    condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], word.args)
    full = (1 << word.width) - 1
    if value_of(then) in (0, full) and value_of(otherwise) in (0, full):
        return condition, bool(value_of(then)), bool(value_of(otherwise))
    return None
