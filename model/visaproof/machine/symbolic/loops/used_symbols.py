"""The symbols on which it depends what an iteration accesses: of what else it found nothing has to be known."""

from collections.abc import Sequence

from visaproof.machine.symbolic.machine import Contents, Machine
from visaproof.semantics.symbolic.accesses import every_term
from visaproof.smt import Bool, Term, symbols_of


def used_symbols(machine: Machine, before: Contents, goes_on: Sequence[Bool]) -> frozenset[Term]:
    """Those of accesses since then, of who goes on, of what values left open are functions of, of counters inside."""
    terms: list[Term] = [*goes_on]
    for one in machine.performed[before.performed :]:
        for access in (*one.accesses, *(loaded for loaded, _ in one.loaded), *one.short):
            terms += every_term(access)
    values = machine.arithmetic.arbitrary[before.arbitrary :]
    terms += (source.bits for one in values for source in one.operands or ())
    terms += (part for loop in machine.counted for one in loop.counters for part in (one.first, one.step))
    return frozenset(symbols_of(*terms))
