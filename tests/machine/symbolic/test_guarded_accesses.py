"""Accesses simplified by what holds where they happen."""

import pytest

from visaproof.machine.symbolic import thread
from visaproof.machine.symbolic.thread import under_guard, under_guards
from visaproof.semantics.symbolic.accesses import Access, Store
from visaproof.semantics.symbolic.literals import literals_of
from visaproof.smt import BitVec, add, bool_symbol, const, ite, sub, symbol, true, value_of

GUARD = bool_symbol("on")


def stores() -> list[Access]:
    """Of one lane: four bytes apart where it is on, one of them a choice more."""
    small, large = symbol("a", 32), ite(GUARD, add(symbol("a", 32), const(4, 32)), symbol("other", 32))
    return [Store(GUARD, 0, "T6", (cell,), 4, true(), true(), const(0, 32)) for cell in (small, large)]


def distance(accesses: tuple[Access, ...]) -> int | None:
    return value_of(sub(accesses[1].cell[0], accesses[0].cell[0]))


def test_accesses_of_one_lane_stay_at_constant_distances_however_large_their_addresses_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bounded = thread.substitute_bools

    def none(roots: tuple[BitVec, ...], known: object, most: int) -> list[BitVec]:
        return list(roots) if most == thread.MOST_CHANGED else bounded(roots, known, most)  # pyright: ignore

    monkeypatch.setattr(thread, "substitute_bools", none)
    one, other = (under_guard(access, literals_of(GUARD)) for access in stores())
    assert distance((one, other)) is None
    assert distance(under_guards(stores(), literals_of)) == 4
