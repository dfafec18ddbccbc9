"""Registers and predicates whose writes stand under guards, read under assumptions.

Most values of a kernel are written and read under the same lane guard.  So a write keeps the guard beside the value,
and a read says which literals hold: a value whose guard is among them comes back as it was written, without an `ite`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import is_
from typing import NamedTuple

from visaproof.isa.errors import Position
from visaproof.semantics.symbolic.beyond import Beyond
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of, missing
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.semantics.symbolic.value_names import read_anew
from visaproof.smt import BitVec, Bool, concat, conj, extract, is_false, is_true, ite, neg, symbol, true, truncate

Readers = dict[tuple[str, int], dict[Position, None]]
"""The statements that read a byte of a variable, or a bit of a predicate, in order."""


class Written(NamedTuple):
    """`size` bytes of a variable, or lanes of a predicate, that were written where the guard held."""

    variable: str
    start: int
    size: int
    guard: Literals


class ByteWrite(NamedTuple):
    """Byte `byte` of `term` was written where `guard` held; otherwise the byte is as `below` says."""

    guard: Literals
    term: BitVec
    byte: int
    below: "ByteWrite | None"


Writes = Mapping[str, list[ByteWrite | None]]
"""Of each byte of each variable, the newest write."""


def _parted(
    entries: list[ByteWrite | None], place: int, entry: ByteWrite
) -> tuple[list[ByteWrite | None], list[ByteWrite | None]]:
    """What may show where the guard of an entry holds, and where it does not; those above it never do."""
    shown, hidden = list(entries), [one.below if one and one.guard is entry.guard else one for one in entries]
    shown[place], hidden[place] = entry, entry.below
    return shown, hidden


def _one_write(entries: Sequence[ByteWrite | None]) -> ByteWrite | None:
    """The entry of the first byte, if those of the others are of the same write, byte after byte."""
    first = entries[0] if entries else None
    if first is None:
        return None
    guard, term, byte, _ = first
    for entry in entries:
        if entry is None or entry.guard is not guard or entry.term is not term or entry.byte != byte:
            return None
        byte += 1
    return first


MOST_SPLITS = 4
"""Writes to some bytes of a word only that are told apart for the whole word; each of them doubles what it may be."""


KEPT_READS = 4_096
"""A statement mostly reads what the ones before it have read for the same lanes."""


def _runs(entries: Sequence[ByteWrite | None]) -> Iterator[list[ByteWrite | None]]:
    """The entries in runs of those that show under the same guard."""
    for _, run in groupby(entries, lambda entry: None if entry is None else entry.guard):
        yield list(run)


class GuardedRegisters(RegisterFile):
    """Bytes by variable, each with the guarded writes that may still show, newest first."""

    def __init__(
        self,
        sizes: Mapping[str, int],
        initial: Callable[[str, int], Byte],
        changing: Collection[str] = (),
        beyond: Beyond | None = None,
    ) -> None:
        """What the `changing` variables hold the device changes at any time, also between two reads."""
        super().__init__(sizes, initial)
        self._beyond = beyond or Beyond()
        self.anew: dict[str, list[tuple[int, BitVec]]] = {variable: [] for variable in changing}
        """The first byte of each read of one of them, and what it brought."""
        self._writes: dict[str, list[ByteWrite | None]] = {}
        self._read: dict[tuple[str, int, int, Literals], tuple[list[ByteWrite | None], BitVec]] = {}
        """What was read of bytes under an assumption, with the newest writes of them then."""
        self._unwritten = 0
        """How often a byte was read that nothing wrote."""
        self.initial_reads: dict[tuple[str, int], None] = {}
        """The bytes that were read before anything wrote them, in order."""
        self.read_uninitialised: Readers = {}
        """Those of them that no path had written, and the statements that read them."""
        self.partly: Readers = {}
        """Those of them that some path had written."""
        self.reader: Position | None = None
        """The statement that reads now."""
        self.log: list[Written] = []
        """Every write since it was last cleared."""
        self.launched: frozenset[str] = frozenset()
        """The variables whose contents at the start are initialised."""
        self.undefined = 0
        """How often something was read that was not, or that lies beyond a variable."""
        self.uninitialised = set[BitVec]()
        """The words of variables that were read so."""

    def contents(self) -> dict[str, list[ByteWrite | None]]:
        """What `restore` brings back."""
        return {variable: list(writes) for variable, writes in self._writes.items()}

    def restore(self, contents: Writes) -> None:
        self._writes = {variable: list(writes) for variable, writes in contents.items()}

    def holds(self, variable: str, start: int, width: int) -> bool:
        return self._beyond.tolerated or super().holds(variable, start, width)

    def read(self, variable: str, start: int, width: int) -> BitVec:
        return self.read_under(variable, start, width, NONE)

    def read_under(self, variable: str, start: int, width: int, assumed: Literals) -> BitVec:
        """`width` bytes from byte `start` on, little endian: equal to the register wherever `assumed` holds."""
        if variable in self.anew:
            return self._read_anew(variable, start, width)
        if not super().holds(variable, start, width):
            return self._read_beyond(variable, start, width, assumed)
        entries = self._writes_of(variable)[start : start + width]
        key = variable, start, width, assumed
        if (known := self._read.get(key)) is not None and all(map(is_, known[0], entries)):
            return known[1]
        before = self._unwritten
        found = self._resolve(variable, start, entries, assumed)
        if self._unwritten == before:  # else who reads it is noted each time
            if len(self._read) == KEPT_READS:
                self._read.clear()
            self._read[key] = entries, found
        return found

    def stays(self, word: tuple[str, int, int], assumed: Literals, earlier: Writes) -> bool:
        """Whether these bytes hold what they did earlier, wherever the assumption holds; no reader is noted."""
        variable, start, width = word
        if variable in self.anew or variable not in earlier or not super().holds(variable, start, width):
            return False
        return self.read_then(word, assumed, self._writes) is self.read_then(word, assumed, earlier)

    def read_then(self, word: tuple[str, int, int], assumed: Literals, then: Writes) -> BitVec:
        """What these bytes, which the variable has, held then, wherever the assumption holds; no reader is noted."""
        variable, start, width = word
        if variable in self.anew:
            return self._read_anew(variable, start, width)
        reader, self.reader = self.reader, None
        entries = then.get(variable, [None] * self.sizes[variable])[start : start + width]
        found = self._resolve(variable, start, entries, assumed)
        self.reader = reader
        return found

    def shows(self, variable: str, start: int, width: int, assumed: Literals) -> bool:
        """Whether each of these bytes was certainly written where the assumption holds; no reader is noted."""
        writes = self._writes.get(variable)
        if writes is None or not super().holds(variable, start, width) or variable in self.anew:
            return False
        last: Literals | None = None
        for entry in writes[start : start + width]:
            if entry is None:
                return False
            if entry.guard is not last:
                last = entry.guard
                if not last <= assumed:
                    return False
        return True

    def may_show(self, variable: str, start: int, width: int, assumed: Literals) -> set[Bool | BitVec] | None:
        """The words that these bytes may come from where the assumption holds, and on what that depends.

        None where they need not have been written; no reader is noted.
        """
        writes = self._writes.get(variable)
        if writes is None or not super().holds(variable, start, width) or variable in self.anew:
            return None
        shown, certain = set[Bool | BitVec](), dict[Literals, bool]()
        for entry in writes[start : start + width]:
            while entry is not None:
                shown.add(entry.term)
                if (holds := certain.get(entry.guard)) is None:
                    holds = certain[entry.guard] = entry.guard <= assumed
                    shown |= entry.guard
                if holds:
                    break
                entry = entry.below
            else:
                return None
        return shown

    def newest(self, variable: str, start: int, width: int) -> tuple[ByteWrite | None, ...]:
        """The newest write of each of these bytes: while they are the same objects, reads bring the same."""
        return tuple(self._writes_of(variable)[start : start + width])

    def _read_beyond(self, variable: str, start: int, width: int, assumed: Literals) -> BitVec:
        """The bytes that the variable has, and what lies beyond them."""
        self.undefined += 1
        end = max(start, min(start + width, self.sizes[variable]))
        self._beyond.note(conj(*assumed), variable, range(end, start + width))
        held = [self.read_under(variable, start, end - start, assumed)] if end > start else []
        return concat(*(self._beyond.byte(variable, byte) for byte in reversed(range(end, start + width))), *held)

    def _resolve(
        self, variable: str, start: int, entries: list[ByteWrite | None], assumed: Literals, splits: int = 0
    ) -> BitVec:
        """The bytes from `start` on, of each of which this entry and those below it may still show.

        Writes of all of them are gone through one after another, as long as there are such.
        """
        choices: list[tuple[Bool, BitVec]] = []
        while (one := _one_write(entries)) is not None:
            guard, term, byte, _ = one
            condition = true() if guard <= assumed else missing(guard, assumed)
            if not is_false(condition):
                written = extract(term, 8 * (byte + len(entries)) - 1, 8 * byte)
                if is_true(condition):
                    found = written
                    break
                choices.append((condition, written))
                assumed = assumed | {neg(condition)}
            entries = [entry and entry.below for entry in entries]
        else:
            found = self._of_many_writes(variable, start, entries, assumed, splits)
        for condition, written in reversed(choices):
            found = ite(condition, written, found)
        return found

    def _of_many_writes(
        self, variable: str, start: int, entries: list[ByteWrite | None], assumed: Literals, splits: int
    ) -> BitVec:
        """The same where the newest writes are not of all the bytes."""
        pieces: list[tuple[BitVec, int, int]] = []
        holds = NONE
        for position, entry in enumerate(entries, start):
            while entry is not None and entry.guard is not holds and not entry.guard <= assumed:
                condition = missing(entry.guard, assumed)
                if is_true(condition):
                    break
                if not is_false(condition):
                    runs = list(_runs(entries))
                    if len(runs) > 1 and splits == MOST_SPLITS:
                        return self._apart(variable, start, runs, assumed)
                    splits += len(runs) > 1
                    shown, hidden = _parted(entries, position - start, entry)
                    then = self._resolve(variable, start, shown, assumed | entry.guard, splits)
                    otherwise = self._resolve(variable, start, hidden, assumed | {neg(condition)}, splits)
                    return ite(condition, then, otherwise)
                entry = entry.below
            if entry is None:
                term, index = self._never_written(variable, position)
            else:
                holds, term, index, _ = entry
            if pieces and pieces[-1][0] is term and pieces[-1][2] == index - 1:
                pieces[-1] = (term, pieces[-1][1], index)
            else:
                pieces.append((term, index, index))
        if len(pieces) == 1:
            term, first, last = pieces[0]
            return extract(term, 8 * last + 7, 8 * first)
        return concat(*(extract(term, 8 * last + 7, 8 * first) for term, first, last in reversed(pieces)))

    def _apart(self, variable: str, start: int, runs: list[list[ByteWrite | None]], assumed: Literals) -> BitVec:
        """The bytes of each of the runs by themselves."""
        words: list[BitVec] = []
        for run in runs:
            words.append(self._resolve(variable, start, run, assumed, MOST_SPLITS))
            start += len(run)
        return concat(*reversed(words))

    def write(self, variable: str, start: int, value: BitVec, guard: Bool) -> None:
        self.write_under(variable, start, value, literals_of(guard))

    def write_under(self, variable: str, start: int, value: BitVec, guard: Literals) -> None:
        """Writes `value` from byte `start` on where the guard holds."""
        end = self.sizes[variable]
        if start + value.width // 8 > end:
            self._beyond.note(conj(*guard), variable, range(max(start, end), start + value.width // 8), written=True)
            if start < end:
                self.write_under(variable, start, truncate(value, 8 * (end - start)), guard)
            return
        self.log.append(Written(variable, start, value.width // 8, guard))
        writes = self._writes_of(variable)
        for index in range(value.width // 8):
            below = writes[start + index] if guard else None
            while below is not None and guard <= below.guard:
                below = below.below
            writes[start + index] = ByteWrite(guard, value, index, below)

    def take_back(self, variable: str, positions: Iterable[int], before: Writes) -> None:
        """Lets bytes hold what they held before."""
        writes, held = self._writes_of(variable), before.get(variable)
        for position in positions:
            writes[position] = None if held is None else held[position]

    def _writes_of(self, variable: str) -> list[ByteWrite | None]:
        writes = self._writes.get(variable)
        if writes is None:
            writes = self._writes[variable] = [None] * self.sizes[variable]
        return writes

    def _read_anew(self, variable: str, start: int, width: int) -> BitVec:
        """Anything: no read has the number of another, not even of one in an iteration that was taken back."""
        self.initial_reads |= dict.fromkeys((variable, byte) for byte in range(start, start + width))
        place, _ = self._initial(variable, start)
        reads = self.anew[variable]
        reads.append((start, symbol(read_anew(place.payload, len(reads)), 8 * width)))
        return reads[-1][1]

    def _never_written(self, variable: str, position: int) -> Byte:
        self.initial_reads[variable, position] = None
        self._unwritten += 1
        if self.reader is not None:
            readers = self.read_uninitialised if self._writes_of(variable)[position] is None else self.partly
            readers.setdefault((variable, position), {})[self.reader] = None
        word, index = self._initial(variable, position)
        if variable not in self.launched and not variable.startswith("&"):
            self.undefined += 1
            self.uninitialised.add(word)
        return word, index

    def at_start(self, variable: str, byte: int) -> BitVec:
        """The word of which this byte is a part before the kernel starts."""
        return self._initial(variable, byte)[0]
