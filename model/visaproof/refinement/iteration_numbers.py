"""Words to which every iteration of a loop adds one amount, as what they were before it and the number of iterations.

    p += a  in each iteration        p = before + a·number

Also where p is two words, high : low, of which each iteration adds to the low one, and to the high one with the carry.

Two kernels that go through a loop in step are in an iteration of one number.  So the index of one kernel is where the
pointer of the other one is, in words of another width, too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.machine.symbolic.loops.iteration import Held, LoopIteration
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.trace import Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.elements import Source
from visaproof.semantics.symbolic.literals import literals_of
from visaproof.semantics.symbolic.value_names import InSecondRun, LoadedValue, OfLoop, OpenValue
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    concat,
    conj,
    extract,
    linear_parts,
    mul,
    sub,
    symbol,
    symbols_of,
    truncate,
    ult,
)
from visaproof.smt.halves.sums import recombined
from visaproof.smt.substitution import Substitution, substitute, substitute_all

NUMBER_BITS = 64
"""Words are at most as wide, and numbers of iterations are taken modulo 2^64."""

At = Callable[[Term], Term]

T = TypeVar("T", bound=Term)

Runs = Mapping[Term, tuple[int, int]]
"""The loop and the lane of each symbol that says that a lane runs an iteration."""


class IterationNumber(Struct, frozen=True):
    """How many iterations of a loop came before the one that stands for all."""

    loop: int

    def __str__(self) -> str:
        return f"iterations.{self.loop}"


def counted(trace: Trace) -> Trace:
    """The same run with such words by the numbers of iterations, where they are of the thread or of a lane that runs.

    A lane that runs an iteration has been through all before; what one holds that has left the loop keeps its name.
    The run is unchanged where it would be said of more accesses that they are private: it did not take them for that.
    """
    words: dict[tuple[int, int], dict[Term, Term]] = {}
    for loop, one in reversed([*enumerate(trace.loops)]):  # inner loops begin with what outer ones count
        for held in one.held:
            if (amount := _amount(held)) is not None:
                number = truncate(symbol(IterationNumber(loop), NUMBER_BITS), held.during.width)
                moved = add(cast(BitVec, held.before), mul(amount, number))
                words.setdefault((loop, held.lane), {})[held.during] = moved
        for halves, moved in _halves_counted(one, loop):
            own = words.setdefault((loop, halves.low.lane), {})
            own[halves.low.during], own[halves.high.during] = halves.of(moved)
    if not words:
        return trace
    of_thread = _resolved(words, {(loop, EVERY_LANE) for loop in range(len(trace.loops))})
    found: list[Term] = []
    changed_in(trace, lambda term: found.append(term) or term)
    there = dict(zip(found, substitute_all(found, of_thread), strict=True))
    changed = changed_in(trace, there.__getitem__)
    runs = {one.during: (loop, one.lane) for loop, each in enumerate(trace.loops) for one in each.lanes}

    kept: dict[frozenset[tuple[int, int]], Substitution] = {}

    def in_these(running: Iterable[tuple[int, int]]) -> Substitution:
        """What the words hold where these run: one for all accesses of a lane, which share most of their terms."""
        key = frozenset(running)
        if key not in kept:
            kept[key] = Substitution(_resolved(words, key))
        return kept[key]

    def where_lanes_run(access: Access) -> Access:
        return _access(access, in_these(_running(access.guard, runs)).of)

    def where_they_run(term: Term) -> Term:
        return in_these(_running(term, runs)).of(term)

    changed = replace(
        changed,
        performed=tuple(one.with_accesses(where_lanes_run) for one in changed.performed),
        loops=tuple(
            replace(
                one,
                held=tuple(_where_it_runs(held, in_these({(loop, held.lane)})) for held in one.held),
                lanes=tuple(unsigned(held, loop) for held in _held(one.lanes, where_they_run)),
                exits=tuple(_held(each, where_they_run) for each in one.exits),
            )
            for loop, one in enumerate(changed.loops)
        ),
    )
    return changed if _private(changed) == _private(trace) else trace


def unsigned(lane: Held, loop: int) -> Held:
    """Whether a lane goes on, of a number that every iteration makes larger by 1, by an order without signs.

    For 0 <= k, and 0 <= n < 2^31 that no iteration changes:

        a lane goes on after iteration i only if  k + i <s n    ⇒    after each that it runs  k + i <s n  =  k + i <u n

    In iteration 0 it is k.  A lane runs a later one only if k + i − 1 <s n, so that k + i <= n has not wrapped.
    """
    found: list[Bool] = []
    for part in lane.after.args if lane.after.op is Op.CONJ else (lane.after,):
        if part.op is Op.SLT:
            moved, most = cast(tuple[BitVec, BitVec], part.args)
            sign, (first, parts) = 1 << (moved.width - 1), linear_parts(moved)
            number = truncate(symbol(IterationNumber(loop), NUMBER_BITS), moved.width)
            if parts == {number: 1} and first < sign and most.high < sign and _stays(most):
                part = ult(moved, most)
        found.append(cast(Bool, part))
    return lane._replace(after=conj(*found))


def in_another_iteration(access: Access) -> Access:
    """The access of a thread that is in another iteration."""
    terms = [getattr(access, name) for name in access.__struct_fields__]
    names = symbols_of(*access.cell, *(term for term in terms if isinstance(term, Term)))
    other: dict[Term, Term] = {
        one: symbol(InSecondRun(one.payload), one.width) for one in names if isinstance(one.payload, IterationNumber)
    }
    return _access(access, lambda term: substitute(term, other)) if other else access


def _amount(held: Held) -> BitVec | None:
    """What an iteration adds to a word, if that is the same in all of them."""
    if not 0 < held.during.width <= NUMBER_BITS or held.during.op is not Op.SYMBOL:
        return None
    amount = sub(cast(BitVec, held.after), cast(BitVec, held.during))
    return amount if _stays(amount) else None


def _stays(amount: BitVec) -> bool:
    """Whether it is the same in all iterations."""
    changing = OfLoop | LoadedValue | OpenValue | IterationNumber
    return not any(isinstance(one.payload, changing) for one in symbols_of(amount))


# ---------------------------------------------------------------- words in two halves


class _Halves(NamedTuple):
    """Two words that are one number."""

    high: Held
    low: Held

    def joined(self, high: Term, low: Term) -> BitVec:
        """The number, with these halves."""
        return recombined(concat(cast(BitVec, high), cast(BitVec, low)))

    def of(self, number: BitVec) -> tuple[BitVec, BitVec]:
        """The low and the high half of a number."""
        half = self.low.during.width
        return truncate(number, half), extract(number, 2 * half - 1, half)


def _halves_counted(one: LoopIteration, loop: int) -> Iterator[tuple[_Halves, BitVec]]:
    """Numbers in halves to which each iteration adds one amount, and what they are."""
    lows = {(held.lane, held.during): held for held in one.held if 0 < held.during.width <= NUMBER_BITS // 2}
    for high in lows.values():
        if (low := _low_half(high, lows)) is None:
            continue
        halves = _Halves(high, low)
        amount = sub(halves.joined(high.after, low.after), halves.joined(high.during, low.during))
        if _stays(amount):
            number = truncate(symbol(IterationNumber(loop), NUMBER_BITS), amount.width)
            yield halves, add(halves.joined(high.before, low.before), mul(amount, number))


def _low_half(high: Held, lows: Mapping[tuple[int, Term], Held]) -> Held | None:
    """The word of the same lane whose carry an iteration adds to this one."""
    if high.during.op is not Op.SYMBOL:
        return None
    half = high.during.width
    for carry in linear_parts(sub(cast(BitVec, high.after), cast(BitVec, high.during)))[1]:
        if carry.op is not Op.EXTRACT or carry.payload != (2 * half - 1, half):
            continue
        for part in linear_parts(cast(BitVec, carry.args[0]))[1]:
            low = lows.get((high.lane, part.args[0])) if part.op is Op.ZERO_EXTEND else None
            if low is not None and low.during.width == half:
                return low
    return None


def _resolved(
    words: Mapping[tuple[int, int], Mapping[Term, Term]], running: Iterable[tuple[int, int]]
) -> dict[Term, Term]:
    """What the words of these loops and lanes hold, and those of the thread, the outer loops' first."""
    known: dict[Term, Term] = {}
    with_thread = {each for loop, lane in running for each in ((loop, lane), (loop, EVERY_LANE))}
    for key in sorted(with_thread, key=lambda each: (-each[0], each[1])):
        own = words.get(key, {})
        known |= dict(zip(own, substitute_all(list(own.values()), known), strict=True))
    return known


def _running(guard: Term, runs: Runs) -> set[tuple[int, int]]:
    """The loops and lanes that run them where the guard holds."""
    return {runs[one] for one in literals_of(cast(Bool, guard)) if one in runs}


def _where_it_runs(held: Held, own: Substitution) -> Held:
    """The word with what its lane finds when it runs."""
    return held._replace(after=own.of(held.after), ended=own.of(held.ended))


def _private(trace: Trace) -> list[bool]:
    return [is_private(trace, one, access) for one in trace.performed for access in one.accesses]


# ---------------------------------------------------------------- the terms of a run


def changed_in(trace: Trace, at: At) -> Trace:
    """The run with each term changed, but for registers at the end and what nobody compares."""

    def access(one: Access) -> Access:
        return _access(one, at)

    return replace(
        trace,
        performed=tuple(one.with_accesses(access) for one in trace.performed),
        arbitrary=tuple(
            replace(
                one,
                operands=None if one.operands is None else tuple(_source(each, at) for each in one.operands),
                control=None if one.control is None else _of(one.control, at),
            )
            for one in trace.arbitrary
        ),
        conditions=tuple((_of(condition, at), position) for condition, position in trace.conditions),
        bounded=tuple((_of(condition, at), position) for condition, position in trace.bounded),
        events=tuple(replace(one, guard=_of(one.guard, at)) for one in trace.events),
        loops=tuple(one.changed(lambda words: _held(words, at)) for one in trace.loops),
    )


def _of(term: T, at: At) -> T:
    return cast(T, at(term))


def _access(one: Access, at: At) -> Access:
    changes: dict[str, object] = {"cell": tuple(map(at, one.cell))}
    for name in one.__struct_fields__:
        if isinstance(value := getattr(one, name), Term):
            changes[name] = at(value)
    return replace(one, **changes)  # pyright: ignore[reportArgumentType]


def _source(one: Source, at: At) -> Source:
    return replace(one, bits=_of(one.bits, at))


def _held(words: Iterable[Held], at: At) -> tuple[Held, ...]:
    """What names them stays."""
    return tuple(one._replace(before=at(one.before), after=at(one.after), ended=at(one.ended)) for one in words)
