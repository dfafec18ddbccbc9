"""Questions about words in which ids, products of words and quotients may be any numbers."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import cast

from msgspec import Struct

from visaproof.analysis.conflicts.digits.records import DIVISIONS
from visaproof.smt import BitVec, Bool, Op, Term, conj, extract, symbol, value_of
from visaproof.smt.substitution import substitute


class AnyNumbers(Struct, frozen=True):
    """A solver, about formulas in which ids, products of words and quotients may be any numbers.

    What never holds of any numbers does not hold of these.
    """

    ids: Collection[Term]
    holds_never: Callable[[Bool], bool]
    """Whether a formula holds for no values at all; False where that is not known."""

    def never(self, *formulas: Bool) -> bool:
        """Whether they cannot hold together."""
        formula = conj(*formulas)
        any_ones, products = dict[Term, Term](), dict[BitVec, None]()
        left, seen = [cast(Term, formula)], set[Term]()
        while left:
            one = left.pop()
            if one in seen or not one.args:
                continue
            seen.add(one)
            if one.op in DIVISIONS or one in self.ids:
                any_ones[one] = symbol(f"any_number_{len(any_ones)}", cast(BitVec, one).width)
            elif _is_product(one):
                products[cast(BitVec, one)] = None
            else:
                left += one.args
        any_ones |= _any_products(products)
        return self.holds_never(substitute(formula, any_ones) if any_ones else formula)


def _any_products(products: Iterable[BitVec]) -> Iterator[tuple[BitVec, BitVec]]:
    """What stands for each: the low bits of another one, if their factors have the same low bits, each as often.

    x·y mod 2^k  =  (x mod 2^k)·(y mod 2^k) mod 2^k      but x·y·y is another number
    """
    known = dict[frozenset[tuple[Term, int]], list[tuple[BitVec, int]]]()
    for place, one in enumerate(sorted(products, key=lambda each: -each.width)):
        factors = [_low_bits(cast(BitVec, each)) for each in one.args]
        own = min(bits for _, bits in factors)
        alike = known.setdefault(frozenset(Counter(whole for whole, _ in factors).items()), [])
        wider = next((other for other, bits in alike if min(own, bits) >= one.width), None)
        if wider is None:
            wider = symbol(f"any_product_{place}", one.width)
            alike.append((wider, own))
        yield one, extract(wider, one.width - 1, 0)


def _low_bits(word: BitVec) -> tuple[BitVec, int]:
    """A word that has the same low bits, and how many of them."""
    bits = word.width
    while word.op is Op.ZERO_EXTEND or (word.op is Op.EXTRACT and not cast(tuple[int, int], word.payload)[1]):
        word = cast(BitVec, word.args[0])
        bits = min(bits, word.width)
    return word, bits


def _is_product(word: Term) -> bool:
    return word.op is Op.MUL and all(value_of(cast(BitVec, each)) is None for each in word.args)
