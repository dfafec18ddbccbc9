"""Pointers in addresses, with what earlier addresses showed of their parts, and as without."""

from itertools import product

from visaproof.queries.kernels.buffer_places import Pointers, behind_pointer
from visaproof.smt import BitVec, add, bool_symbol, ite, mul, scale, symbol, zero_extend

P, Q = symbol("p", 64), symbol("q", 64)
INDEX = zero_extend(symbol("index", 32), 64)
CHOSEN = ite(bool_symbol("c"), INDEX, mul(INDEX, INDEX))
PARTS: tuple[BitVec, ...] = (INDEX, CHOSEN, ite(bool_symbol("c"), Q, CHOSEN), mul(Q, CHOSEN), P, scale(P, 2))


def test_earlier_addresses_change_nothing() -> None:
    seen = Pointers((P, Q))
    addresses = [add(*some) for some in product((P, Q, INDEX), PARTS, PARTS)]
    found = [seen.behind(one) for one in addresses]
    assert found == [behind_pointer(one, (P, Q)) for one in addresses]
    assert (P, add(INDEX, CHOSEN)) in found
    assert None in found


def test_a_pointer_beside_parts_without_one_is_seen() -> None:
    seen = Pointers((P, Q))
    assert not seen.occur_in(CHOSEN)
    assert seen.occur_in(mul(Q, CHOSEN))
    assert not seen.occur_in(add(CHOSEN, INDEX))
    assert seen.occur_in(add(CHOSEN, mul(Q, CHOSEN)))
