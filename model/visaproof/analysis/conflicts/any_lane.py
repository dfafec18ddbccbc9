"""A question about one lane as one about any lane: of its local ids it is only known that a group has them.

    id of x < local size of x,   id of y < local size of y,   id of z < local size of z

The ids of lane k follow from those of the first lane, so that each lane is a question of its own; with words that are
merely below the local size all lanes of a message mostly ask the same.  What cannot hold for such words cannot hold
for the ids; the other way round it may.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeVar, cast

from visaproof.checking.stages import literals
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    extract,
    kept,
    linear_parts,
    mul,
    neg,
    scale,
    signed_value,
    sub,
    subterms,
    symbol,
    symbols_of,
    ule,
    ult,
    zero_extend,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.integers.products import with_integer_products
from visaproof.smt.solvers import solve_sums
from visaproof.smt.substitution import substitute_all

T = TypeVar("T", bound=Term)

QUICK_MS = 2_000
"""To show that an id is below the local size."""
KEPT_ANSWERS = 1024
"""Lanes and messages come to the same questions about ids."""
KEPT_PARTS = 8192
"""Of premises, which are asked again with each size that is tried."""
KEPT_LANES = 256
"""Whose ids such parts, and conditions, were rewritten for."""


def about_any_lane(launched: LaunchedIds, lanes: Sequence[Bool], premise: Bool, condition: Bool) -> Iterator[Bool]:
    """What follows from both, with any ids; both as they are where the condition is not about one lane with such ids.

    First what is the same question for most lanes: it leaves out how far the first lane is.  Then the question with it,
    as for lanes that reach back to the one before.
    """
    known = set(literals(condition))
    on = [lane for lane, each in enumerate(lanes[: len(launched.ids)]) if each in known]
    if len(on) != 1 or all(word.op is Op.CONST for word in launched.ids[on[0]]):
        yield conj(premise, condition)
        return
    ids = launched.ids[on[0]]
    asked, *assumed = with_any_ids([condition, *literals(premise)], ids)
    launch = {one for words in launched.ids for word in words for one in symbols_in(word)}
    launch = (launch | set(lanes)) - {one for size in launched.sizes for one in symbols_in(size)} - {lanes[on[0]]}
    kept = [one for one in assumed if launch.isdisjoint(symbols_in(one))]
    near = [one for one in kept if not _is_of_the_first(one, ids)]
    in_group = list(_in_group(launched, on[0]))
    for facts in (near, kept) if len(near) < len(kept) else (kept,):
        yield _of_any_items(asked, [*facts, *in_group], ids)


def _is_of_the_first(part: Bool, ids: tuple[BitVec, ...]) -> bool:
    """Whether it is about an id of the first lane, told by how far this one is from it."""
    own = {any_id(word, dimension) for dimension, word in enumerate(ids) if word.op is not Op.CONST}
    if own.isdisjoint(symbols_in(part)):
        return False
    sums = (linear_parts(cast(BitVec, one)) for one in subterms(part) if one.op is Op.SUM)
    return any(constant and not own.isdisjoint(atoms) for constant, atoms in sums)


def _of_any_items(asked: Bool, kept: list[Bool], ids: tuple[BitVec, ...]) -> Bool:
    for dimension, word in enumerate(ids):
        if word.op is not Op.CONST:
            asked, kept = _of_any_item(asked, kept, dimension, any_id(word, dimension))
    return conj(asked, *kept)


def with_any_ids(parts: Sequence[T], ids: tuple[BitVec, ...]) -> list[T]:
    """With a word of its own for each id of a lane: what is put in the place of ids depends on no other parts."""
    known = cast(dict[T, T], _with_ids(ids))
    fresh = cut = [part for part in dict.fromkeys(parts) if part not in known]
    for dimension, word in enumerate(ids):
        names = frozenset(symbols_of(word))
        while not all(names.isdisjoint(symbols_in(part)) for part in cut):
            if not (found := _cut(cut, word, any_id(word, dimension))):
                break
            cut = substitute_all(cut, found)  # sums within those that are replaced come next
    known.update(zip(fresh, cut, strict=True))
    return [known[part] for part in parts]


@kept(KEPT_LANES)
def _with_ids(_: tuple[BitVec, ...]) -> dict[Term, Term]:
    """What such parts were found to be."""
    return {}


@kept(KEPT_PARTS)
def symbols_in(part: Term) -> frozenset[Term]:
    """The symbols of a part that many formulas share."""
    return frozenset(symbols_of(part))


def _of_any_item(asked: Bool, assumed: list[Bool], dimension: int, own: BitVec) -> tuple[Bool, list[Bool]]:
    """The same with a word for the global id, group · stride + local id, of which its bounds are shown.

    Unchanged where the condition does not multiply the number of the group by the same word as the launch.
    """
    group = GROUP_IDS[dimension]
    products = [one for one in subterms(asked) if one.op is Op.MUL and group in _factors(one)]
    strides = set(_multiplied_with(group, assumed))
    for product in products:
        strides &= set(_factors(product))
    if len(strides) != 1 or not products:
        return asked, assumed
    (stride,) = strides
    item, inner = symbol(f"any_global_id_{DIMENSIONS[dimension]}", group.width), _wide(own, group.width)
    known = {one for part in assumed if group in symbols_in(part) for one in symbols_in(part)}
    of_ids = [one for one in assumed if known.union((own,)).issuperset(symbols_in(one))]
    cut: dict[Term, Term] = {}
    for one in cast(list[BitVec], products):
        if one.width > group.width and not _follow(of_ids, _fits(group, stride, inner, one.width)):
            continue
        both = sub(zero_extend(item, one.width), zero_extend(inner, one.width))
        cut[one] = _with_item(one, zero_extend(group, one.width), zero_extend(stride, one.width), both)
    if not cut:
        return asked, assumed
    facts = _bounds(add(mul(group, _wide(stride, group.width)), inner), item, known - {group, stride, own}, of_ids)
    asked = substitute_all([asked], cut)[0]
    gone = {group, own} - set(symbols_of(asked))
    return asked, [*(one for one in assumed if gone.isdisjoint(symbols_in(one))), *facts]


def _factors(product: Term) -> tuple[BitVec, ...]:
    """Of a product of words, also of one in more bits."""
    return tuple(
        cast(BitVec, one.args[0] if one.op is Op.ZERO_EXTEND else one) for one in cast(tuple[BitVec, ...], product.args)
    )


def _fits(group: BitVec, stride: BitVec, inner: BitVec, width: int) -> Bool:
    """That the global id is the same number in more bits: group · stride + local id does not wrap."""
    wide = [zero_extend(one, width) for one in (group, stride, inner)]
    return ult(add(mul(wide[0], wide[1]), wide[2]), const(1 << group.width, width))


def _multiplied_with(group: BitVec, assumed: Sequence[Bool]) -> Iterator[BitVec]:
    """The words by which the launch multiplies the number of a group."""
    for term in subterms(*assumed):
        if term.op is Op.MUL and len(term.args) == 2:
            words = _factors(term)
            if group in words:
                yield words[1 - words.index(group)]


def _with_item(product: Term, group: BitVec, stride: BitVec, both: BitVec) -> BitVec:
    """The product with another word for group · stride."""
    left = list(cast(tuple[BitVec, ...], product.args))
    left.remove(group)
    left.remove(stride)
    return reduce(mul, left, both)


def _bounds(word: BitVec, item: BitVec, limits: set[Term], assumed: Sequence[Bool]) -> list[Bool]:
    """What is shown of a global id: that it is no negative number, and below words that bound it."""
    highest = const((1 << (word.width - 1)) - 1, word.width)
    shown = [ule(item, highest)] if _follow(assumed, ule(word, highest)) else []
    for limit in cast(set[BitVec], limits):
        if limit.width >= word.width and _follow(assumed, _is_below(word, limit)):
            shown.append(_is_below(item, limit))
    return shown


def _follow(assumed: Sequence[Bool], goal: Bool) -> bool:
    return _is_excluded(conj(*assumed, neg(goal)))


@kept(KEPT_ANSWERS)
def _is_excluded(formula: Bool) -> bool:
    return isinstance(solve_sums(with_integer_products(formula) or formula, QUICK_MS), Unsatisfiable)


def any_id(lane_word: BitVec, dimension: int) -> BitVec:
    """What stands for any id."""
    return symbol(f"any_id_{DIMENSIONS[dimension]}", lane_word.width)


def _cut(parts: Sequence[Term], word: BitVec, own: BitVec) -> dict[Term, Term]:
    """What is put in the place of an id, in whatever width and sum it stands.

    A word c·base + k is c·base + k in a longer sum as well: there c·base is own − k.  So it is with its low bits, which
    are another word where a part of the id is chosen: what is left over of it in a loop that is unrolled.
    """
    constant, atoms = linear_parts(word)
    ((base, times),) = atoms.items() if len(atoms) == 1 else ((word, 1),)
    constant = constant if len(atoms) == 1 else 0
    found, every = dict[Term, Term](), subterms(*parts)
    known = set(every)
    for width in {term.width for term in every if term.width}:
        wide, less = _in_bits(base, width), sub(_in_bits(own, width), const(constant, width))
        if wide.op is Op.CONST:
            continue
        if times == 1 and wide in known:
            found[wide] = less
        for term in every if times > 1 else ():
            if term.op is Op.SUM and term.width == width:
                added, atoms = linear_parts(cast(BitVec, term))
                new = add(const(added, width), *(_in_sum(*part, wide, times, less) for part in atoms.items()))
                if new is not term:  # else the sums within it are looked at
                    found[term] = new
    return found


def _in_sum(atom: BitVec, count: int, base: BitVec, times: int, less: BitVec) -> BitVec:
    """A part of a sum with `less` for the base so many times, also where the base is multiplied.

    What is subtracted is a negative number of times: -128·base is -4·less.  As 2^32 - 128 it would be another
    2^27·less, which is 0 of multiples of 32 alone.
    """
    count = signed_value(count, atom.width)
    factors = list(cast(tuple[BitVec, ...], atom.args)) if atom.op is Op.MUL else [atom]
    if base not in factors or count % times:
        return scale(atom, count)
    factors.remove(base)
    return scale(reduce(mul, factors, less), count // times)


def _in_group(launched: LaunchedIds, lane: int) -> Iterator[Bool]:
    """That its ids are below the local size, as far as it is shown."""
    for dimension, (word, size) in enumerate(zip(launched.ids[lane], launched.sizes, strict=True)):
        if word.op is not Op.CONST and is_in_group(launched, lane, dimension):
            yield _is_below(any_id(word, dimension), size)


def is_in_group(launched: LaunchedIds, lane: int, dimension: int) -> bool:
    """Whether it is shown that the id of a lane that is on is below the local size."""
    known = launched.in_group.get((lane, dimension))
    if known is None:
        known = _follows_from_the_lane(launched, lane, dimension) or _by_induction(launched, lane, dimension)
        launched.in_group[lane, dimension] = known
    return known


def _follows_from_the_lane(launched: LaunchedIds, lane: int, dimension: int) -> bool:
    """Whether the id is below the local size since the lane is on."""
    word, size = launched.ids[lane][dimension], launched.sizes[dimension]
    return word.op is not Op.ITE and _follow([*launched.facts, launched.on[lane]], _is_below(word, size))


def _by_induction(launched: LaunchedIds, lane: int, dimension: int) -> bool:
    """Whether the first lane has such an id, and each lane up to this one if the lane before has."""
    first = _is_below(launched.ids[0][dimension], launched.sizes[dimension])
    return _follow(launched.facts, first) and all(_follows(launched, each, dimension) for each in range(1, lane + 1))


def _follows(launched: LaunchedIds, lane: int, dimension: int) -> bool:
    if launched.tiled is not None:
        return _in_tile_and_row(launched, launched.tiled, lane, dimension)
    before: Mapping[Term, Term] = {
        word: symbol(f"id before.{name}", word.width)
        for name, word in zip(DIMENSIONS, launched.ids[lane - 1], strict=True)
        if word.op is not Op.CONST
    }
    (word,) = substitute_all([launched.ids[lane][dimension]], before)
    known = [
        _is_below(before.get(word, word), size)
        for word, size in zip(launched.ids[lane - 1], launched.sizes, strict=True)
    ]
    return _follow([*known, *launched.size_facts], _is_below(word, launched.sizes[dimension]))


def _in_tile_and_row(launched: LaunchedIds, tiled: Bool, lane: int, dimension: int) -> bool:
    """In tiles from where the first lane is; else from the lane before."""
    tile, row = _either(launched.ids[lane][dimension], tiled)
    rows = [_either(word, tiled)[1] for word in launched.ids[lane - 1]]
    before: Mapping[Term, Term] = {
        word: symbol(f"id before.{name}", word.width)
        for name, word in zip(DIMENSIONS, rows, strict=True)
        if word.op is not Op.CONST
    }
    (row,) = substitute_all([row], before)
    known = [_is_below(before.get(word, word), size) for word, size in zip(rows, launched.sizes, strict=True)]
    size = launched.sizes[dimension]
    return _follow([*known, *launched.size_facts], _is_below(row, size)) and _follow(
        [*launched.facts, launched.on[lane], tiled], _is_below(tile, size)
    )


def _either(word: BitVec, tiled: Bool) -> tuple[BitVec, BitVec]:
    """The id in a tile, and in a row."""
    if word.op is not Op.ITE or word.args[0] is not tiled:
        return word, word
    return cast(BitVec, word.args[1]), cast(BitVec, word.args[2])


def _is_below(word: BitVec, size: BitVec) -> Bool:
    width = max(word.width, size.width)
    return ult(_wide(word, width), _wide(size, width))


def _wide(word: BitVec, width: int) -> BitVec:
    return zero_extend(word, width) if word.width < width else word


def _in_bits(word: BitVec, width: int) -> BitVec:
    return _wide(word, width) if width >= word.width else extract(word, width - 1, 0)
