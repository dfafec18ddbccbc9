"""Which words of a thread are integers that have names: arguments, sizes of the launch, and its ids."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import cast

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.integers import Half, bare
from visaproof.analysis.bounds.sizes.sums import upper
from visaproof.analysis.bounds.sizes.words.element_words import Extremes, extremes_of
from visaproof.checking.stages import literals
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_start import stride_of
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.named_words import LOCAL, SIZES_OF_LAUNCH
from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    eq,
    extract,
    linear_parts,
    neg,
    signed_value,
    slt,
    sub,
    ult,
    value_of,
    zero_extend,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.solvers import solve

DWORD = 32
QUICK_MS = 500
"""To show that two words are one number, for instance."""


class Counted(Struct, frozen=True):
    """How ids follow from a word: id = times · word + first."""

    times: int = 1
    first: int = 0


class LaunchIntegers(Struct, dict=True):
    """Of one kernel."""

    names: LaunchNames
    launched: LaunchedIds
    shown: dict[Bool, bool] = field(default_factory=dict[Bool, bool])
    """What never holds."""
    _of_lanes: dict[int | None, tuple[dict[Term, Polynomial], dict[int, Counted]]] = field(
        default_factory=dict[int | None, tuple[dict[Term, Polynomial], dict[int, Counted]]]
    )

    @cached_property
    def extremes(self) -> dict[Term, Extremes]:
        """The bounds of the words that the kernel loads as elements of buffers."""
        return extremes_of(self.names)

    def atoms(self, lane: int | None) -> tuple[dict[Term, Polynomial], dict[int, Counted]]:
        """Words with their integers, and in which dimensions the id of the lane follows from a word."""
        if lane not in self._of_lanes:
            self._of_lanes[lane] = self._atoms(lane)
        return self._of_lanes[lane]

    def _atoms(self, lane: int | None) -> tuple[dict[Term, Polynomial], dict[int, Counted]]:
        words = {**self.names.by_word(), **self.names.own_words()}
        found: dict[Term, Polynomial] = {word: {(name,): 1} for word, name in words.items()
                                         if self.is_number(cast(BitVec, word), name)}  # fmt: skip
        found |= {word: {(InnerName(Kind.GROUP, d),): 1} for d, word in enumerate(GROUP_IDS)}
        for d, word in enumerate(self.strides):
            if is_inner(self.stride_name(word, d), Kind.STRIDE):
                found[word] = {(InnerName(Kind.STRIDE, d),): 1}
        steps: dict[int, Counted] = {}
        ids = self.launched.ids  # a kernel of the VectorCompiler has one work item, and lanes of its messages
        for d, word in enumerate(ids[lane] if lane is not None and lane < len(ids) else ()):
            first, parts = linear_parts(word)
            if len(parts) == 1:
                ((atom, times),) = parts.items()
                if (first + times * atom.high) >> word.width == 0:  # no such id wraps
                    found[bare(atom)], steps[d] = {(InnerName(Kind.ID, d),): 1}, Counted(times, first)
        return found, steps

    def halves(self) -> dict[Term, Half]:
        """Of arguments of 64 bits."""
        found: dict[Term, Half] = {}
        for word, name in self.names.by_word().items():
            if isinstance(word, BitVec) and word.width == 2 * DWORD and self.is_number(word, name):
                for place in (0, DWORD):
                    found[extract(word, place + DWORD - 1, place)] = Half({(name,): 1}, place)
        return found

    @cached_property
    def strides(self) -> list[BitVec]:
        """From one group to the next."""
        shape = GroupShape(self.names.kernel, self.names.launch, len(self.launched.ids))
        return [stride_of(shape, self.launched, d) for d in range(len(DIMENSIONS))]

    def stride_name(self, stride: BitVec, dimension: int) -> str:
        """The name of that, or one that stands for it here alone."""
        known = self.names.by_word()
        name = known.get(stride) or known.get(bare(stride))
        return name if name is not None and self.is_number(stride, name) else InnerName(Kind.STRIDE, dimension)

    def step(self, dimension: int) -> Polynomial:
        """From one group to the next."""
        stride = self.strides[dimension]
        value = value_of(stride)
        return {(): value} if value else {(self.stride_name(stride, dimension),): 1}

    def in_strides(self, one: Polynomial, dimension: int) -> Polynomial:
        """With the enqueued local size in the place of the local size by which a group is multiplied: it is no less."""
        size, stride = self.launched.sizes[dimension], self.strides[dimension]
        name, other = self.names.own_size(dimension), self.stride_name(stride, dimension)
        if name == other or value_of(size) is not None or not self.is_at_most(size, stride):
            return one
        total: Polynomial = {}
        for part, number in one.items():
            left = list(part)
            if number > 0 and InnerName(Kind.GROUP, dimension) in left and name in left and other not in left:
                left[left.index(name)] = other
            total = plus(total, {tuple(sorted(left)): number})
        return total

    def local_size(self, dimension: int) -> Polynomial:
        """Of the group itself: the last one may be smaller than the one that has the name."""
        size = self.launched.sizes[dimension]
        if (value := value_of(size)) is not None:
            return {(): value}
        return {(self.names.own_size(dimension),): 1}

    def most(self, name: str) -> Polynomial:
        """The same, but for the size of a group: at most that of which the host knows."""
        if not (isinstance(name, InnerName) and name.kind is Kind.OWN_SIZE):
            return {(name,): 1}
        known = f"{LOCAL}_{DIMENSIONS[name.number]}"
        value = value_of(self.names.found(known).word.term)
        return {(known,): 1} if value is None else {(): value}

    def at_sizes(self, one: Polynomial) -> Polynomial:
        """With the enqueued local size for those of groups, which may be smaller: none is subtracted any more."""
        total: Polynomial = {}
        for part, count in upper(one).items():
            whole: Polynomial = {(): count}
            for name in part:
                whole = times(whole, self.most(name))
            total = plus(total, whole)
        return total

    def is_number(self, word: BitVec, name: str) -> bool:
        """Whether the word holds what the name stands for, where that is at least 0."""
        own = self.names.found(name).word.term
        width = max(word.width, own.width)
        return self.never(neg(eq(wide(word, width), wide(own, width))))

    def is_at_most(self, one: BitVec, other: BitVec) -> bool:
        """Whether it is in every launch, by what is known of local sizes."""
        width = max(one.width, other.width)
        return self.never(ult(wide(other, width), wide(one, width)))

    def never(self, formula: Bool) -> bool:
        """Whether it holds in no launch, by what is known of local sizes."""
        if formula not in self.shown:
            answer = solve([conj(*self.launched.size_facts, formula)], QUICK_MS)
            self.shown[formula] = isinstance(answer, Unsatisfiable)
        return self.shown[formula]

    def above(self, guard: Bool) -> set[str]:
        """Names that a guard keeps above a number that it keeps from being negative."""
        greater = above_naturals(guard)
        return {name for word, name in self.names.by_word().items() if word in greater}

    def least(self, guard: Bool, used: Iterable[str]) -> dict[str, int]:
        """What the guard says of names by itself, n > 3; sizes are at least 1."""
        words = {cast(BitVec, word): name for word, name in self.names.by_word().items()}
        found = {name: 1 for name in used if name in SIZES_OF_LAUNCH}
        for word in _compared(guard):
            name = words.get(word)
            if name is None or value_of(word) is not None or not self.is_number(word, name):
                continue
            if least := least_of(guard, word):
                found[name] = _with_multiples(guard, word, max(found.get(name, 0), least))
        return found


def _compared(guard: Bool) -> Iterable[BitVec]:
    """Words that it compares, or of which something is subtracted or to which it is added there."""
    found = dict[BitVec, None]()
    for one in conjuncts(guard):
        inner = one.args[0] if one.op is Op.NOT else one
        for word in inner.args:
            if isinstance(word, BitVec):
                found |= dict.fromkeys((word, *linear_parts(word)[1]))
    return found


def conjuncts(guard: Bool) -> Iterator[Bool]:
    """What it says, also in each of several cases: of a thread, what it says whichever of its lanes runs.

    That a | b is not negative says it of both.
    """
    for one in literals(guard):
        yield one
        if one.op is Op.SLT and (whole := one.args[1]).op is Op.OR and _number(one.args[0]) == -1:
            yield from (slt(cast(BitVec, one.args[0]), cast(BitVec, part)) for part in whole.args)
        if one.op is Op.DISJ:
            cases = [frozenset(literals(cast(Bool, case))) for case in one.args]
            yield from frozenset[Bool].intersection(*cases)


def not_negative(condition: Bool) -> BitVec | None:
    """The word of which it says that it is no negative number: not (w < 0), or -1 < w."""
    inner = cast(Bool, condition.args[0]) if condition.op is Op.NOT else condition
    if inner.op is not Op.SLT:
        return None
    left, right = cast(tuple[BitVec, BitVec], inner.args)
    if condition.op is Op.NOT:
        return left if value_of(right) == 0 else None
    return right if value_of(left) == (1 << left.width) - 1 else None


def above_naturals(guard: Bool) -> set[Term]:
    """Words above one that is not negative, as signed numbers: n of 0 <= i and i < n."""
    said = frozenset(conjuncts(guard))
    natural = set(filter(None, map(not_negative, said)))
    return {one.args[1] for one in said if one.op is Op.SLT and one.args[0] in natural}


def wide(word: BitVec, width: int) -> BitVec:
    """The word with so many bits, if it has no more."""
    return zero_extend(word, width) if word.width < width else word


def least_of(guard: Bool, word: BitVec) -> int:
    """What the guard says of a word by itself: i > 0; or of what is less by k, as signed numbers: i − k >= 0."""
    found = 0
    for one in conjuncts(guard):
        inner = one.args[0] if one.op is Op.NOT else one
        if inner.op not in (Op.ULT, Op.SLT, Op.EQ) or not isinstance(inner.args[0], BitVec):
            continue
        left, right = cast(tuple[BitVec, BitVec], inner.args)
        if left.width != word.width:
            continue
        is_left = value_of(right) is not None
        number, more = _number(right if is_left else left), value_of(sub(word, left if is_left else right))
        if inner.op is not Op.SLT and (more or number == -1):
            continue
        if number is None or more is None or more >> (word.width - 1):
            continue
        match one.op, inner.op, is_left:
            case Op.ULT | Op.SLT, _, False:
                found = max(found, number + more + 1)
            case Op.NOT, Op.ULT | Op.SLT, True:
                found = max(found, number + more)
            case Op.NOT, Op.EQ, _ if number == 0:
                found = max(found, 1)
            case _:
                pass
    return found


def _with_multiples(guard: Bool, word: BitVec, least: int) -> int:
    """What a word is at least of which the guard excludes numbers or multiples, as loops do that are unrolled.

    a >= 4,  a & −4 ≠ 4      =>      a >= 8          a >= 1,  a ≠ 1      =>      a >= 2
    """
    excluded = set[tuple[int, int]]()
    for one in conjuncts(guard):
        inner = one.args[0] if one.op is Op.NOT else one
        if one.op is not Op.NOT or inner.op is not Op.EQ or not isinstance(inner.args[1], BitVec):
            continue
        number = value_of(cast(BitVec, inner.args[0]))
        if number is not None and inner.args[1] is word:
            excluded.add((number, 1))
            continue
        mask = value_of(cast(BitVec, inner.args[1].args[0])) if inner.args[1].op is Op.AND else None
        if number is not None and mask is not None and inner.args[1].args[1:] == (word,):
            unit = (1 << word.width) - mask
            if unit.bit_count() == 1:
                excluded.add((number, unit))
    while step := next((unit for number, unit in excluded if number == least), 0):
        least += step
    return least


def _number(word: Term) -> int | None:
    """Its value where that is no less than -1, of signed numbers."""
    value = value_of(word) if isinstance(word, BitVec) else None
    number = None if value is None or not isinstance(word, BitVec) else signed_value(value, word.width)
    return None if number is None or number < -1 else number
