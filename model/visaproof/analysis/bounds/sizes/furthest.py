"""How far an address reaches, as a sum of products of names: each id stands at its largest value.

    group·16·local + id + 3·local      16·global_size_x − 12·local_size_x − 1

Only a proposal: signs, wrapping and what bounds the ids are the business of who proves that it suffices.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import cast

from visaproof.analysis.conflicts.digits.records import EXTENSIONS
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_start import stride_of
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.launch_names import COUNT, GLOBAL, LOCAL, LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.smt import BitVec, Op, Term, linear_parts, signed_value, value_of

MOST_PARTS = 24
"""Products of a sum: a longer one is not read by anybody."""
MOST_ADDRESSES = 8
"""From which sizes are made."""
ZERO = ""
"""The name of a word that is 0."""
ONE: Polynomial = {(): 1}


def furthest_ends(
    reaching: Mapping[BitVec, int], names: LaunchNames, arguments: Sequence[str], zeros: Sequence[BitVec]
) -> Iterator[Polynomial]:
    """The bytes up to behind the last access: of addresses with the bytes of each, the farthest of those alike."""
    ends: dict[frozenset[tuple[tuple[str, ...], int]], int] = {}
    for address, width in list(reaching.items())[:MOST_ADDRESSES]:
        for one in furthest(address, names, arguments, zeros):
            parts = frozenset((part, count) for part, count in one.items() if part)
            ends[parts] = max(one.get((), 0) + width, ends.get(parts, 0))
    for parts, end in ends.items():
        yield {**dict(sorted(parts)), (): end}


def furthest(
    address: BitVec, names: LaunchNames, arguments: Sequence[str], zeros: Sequence[BitVec] = ()
) -> Iterator[Polynomial]:
    """The last first bytes of lane 0, where global ids end at the global size, or each at one of the arguments.

    `zeros` are words that are 0.
    """
    launched = names.start.group.launched
    if launched is None or not launched.ids:
        return
    words: dict[Term, str] = dict(names.by_word())
    words |= {word: InnerName(Kind.GROUP, d) for d, word in enumerate(GROUP_IDS)}
    words |= dict.fromkeys(zeros, ZERO)
    shape = GroupShape(names.kernel, names.launch, len(launched.ids))
    for d, size in enumerate(launched.sizes):
        words.setdefault(size, f"{LOCAL}_{DIMENSIONS[d]}")
    strides = [_stride(stride_of(shape, launched, d), words, d) for d in range(len(DIMENSIONS))]
    steps: dict[str, int] = {}
    for d, word in enumerate(launched.ids[0]):
        constant, parts = linear_parts(word)
        if len(parts) == 1 and not constant:  # the number of the thread, times its lanes
            ((atom, steps[InnerName(Kind.ID, d)]),) = parts.items()
            words[_bare(atom)] = InnerName(Kind.ID, d)
    found = _polynomial(address, words)
    found = None if found is None else _in_steps(found, steps)
    if found is None:
        return
    own = [InnerName(Kind.ID, d) for d in range(len(DIMENSIONS))]
    groups = [InnerName(Kind.GROUP, d) for d in range(len(DIMENSIONS))]
    dimensions = [d for d in range(len(DIMENSIONS)) if _has(found, own[d]) or _has(found, groups[d])]
    ends: list[list[str | None]] = []
    for d in dimensions:
        of_group = not _has(found, own[d]) or _has(_of_global_ids(found, d, strides[d]), groups[d])
        ends.append([None] if of_group else [f"{GLOBAL}_{DIMENSIONS[d]}", *arguments])
    for chosen in product(*ends):
        one = found
        for d, end in zip(dimensions, chosen, strict=True):
            if end is None:
                one = _at_most(one, own[d], f"{LOCAL}_{DIMENSIONS[d]}")
                one = _at_most(one, groups[d], f"{COUNT}_{DIMENSIONS[d]}")
            else:
                one = _at_most(_of_global_ids(one, d, strides[d]), own[d], end)
        if not any(_has(one, InnerName(Kind.STRIDE, d)) for d in dimensions):
            yield _with_global_sizes(one)


def _polynomial(word: BitVec, words: Mapping[Term, str]) -> Polynomial | None:
    """The integer that a word is where nothing wraps; None where it depends on something that has no name."""
    if (value := value_of(word)) is not None:
        return {(): signed_value(value, word.width)}
    if (name := words.get(word)) is not None:
        return {} if name == ZERO else {(name,): 1}
    if word.op in EXTENSIONS:
        return _polynomial(cast(BitVec, word.args[0]), words)
    if word.op is Op.MUL:
        total: Polynomial = ONE
        for factor in cast(tuple[BitVec, ...], word.args):
            if (one := _polynomial(factor, words)) is None:
                return None
            total = times(total, one)
        return total if len(total) <= MOST_PARTS else None
    constant, parts = linear_parts(word)
    if list(parts) == [word]:
        return None
    total = {(): signed_value(constant, word.width)}
    for atom, factor in parts.items():
        if (one := _polynomial(atom, words)) is None:
            return None
        total = plus(total, times(one, {(): signed_value(factor, word.width)}))
    return total if len(total) <= MOST_PARTS else None


def _bare(word: BitVec) -> BitVec:
    return cast(BitVec, word.args[0]) if word.op in EXTENSIONS else word


def _in_steps(one: Polynomial, steps: Mapping[str, int]) -> Polynomial | None:
    """With ids where numbers of threads were counted; None where that is no integer."""
    total: Polynomial = {}
    for part, count in one.items():
        step = prod(steps.get(name, 1) for name in part)
        if count % step:
            return None
        total = plus(total, {part: count // step})
    return total


def _has(one: Polynomial, name: str) -> bool:
    return any(name in part for part in one)


def _stride(word: BitVec, words: dict[Term, str], dimension: int) -> Polynomial:
    """From one group to the next: a number, or the local size where all groups are alike."""
    if (value := value_of(word)) is not None:
        return {(): value}
    return {(words.setdefault(word, InnerName(Kind.STRIDE, dimension)),): 1}


def _of_global_ids(one: Polynomial, dimension: int, stride: Polynomial) -> Polynomial:
    """With the global id in the place of the local id: id − group · local size."""
    name = InnerName(Kind.ID, dimension)
    return _replaced(one, name, plus({(name,): 1}, times({(InnerName(Kind.GROUP, dimension),): -1}, stride)))


def _at_most(one: Polynomial, name: str, end: str) -> Polynomial:
    """With the name just below its end where that adds to the sum, and at 0 where it takes away."""
    kept = {part: count for part, count in one.items() if count > 0 or name not in part}
    return _replaced(kept, name, {(end,): 1, (): -1})


def _replaced(one: Polynomial, name: str, by: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for part, count in one.items():
        whole: Polynomial = {tuple(each for each in part if each != name): count}
        for _ in range(part.count(name)):
            whole = times(whole, by)
        total = plus(total, whole)
    return {part: count for part, count in total.items() if count}


def _with_global_sizes(one: Polynomial) -> Polynomial:
    """Groups times the local size are the global size."""
    for dimension in DIMENSIONS:
        both = f"{COUNT}_{dimension}", f"{LOCAL}_{dimension}"
        total: Polynomial = {}
        for part, count in one.items():
            left = list(part)
            while all(name in left for name in both):
                for name in both:
                    left.remove(name)
                left.append(f"{GLOBAL}_{dimension}")
            total = plus(total, {tuple(sorted(left)): count})
        one = total
    return {part: count for part, count in one.items() if count}
