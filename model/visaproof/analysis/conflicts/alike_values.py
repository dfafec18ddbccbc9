"""Functions of which nothing is known have equal values where their operands are equal, also where a launch says so.

    x = y   ⟹   f(x) = f(y)

A symbolic run has one symbol for one operation on the same operands.  In one launch more operands are the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from visaproof.machine.symbolic.arbitrary_values import Arbitrary, function_of
from visaproof.smt import Bool, Term, symbols_of
from visaproof.smt.evaluate import substitute_all


def alike_values(formula: Bool, values: Iterable[Arbitrary], launch: Mapping[Term, Term]) -> dict[Term, Term]:
    """Those on which a formula depends that are another one where this launch is: with that one.

    The values are in the order of the run.
    """
    known: dict[Term, Arbitrary] = {one.symbol: one for one in values if function_of(one) is not None}
    needed = _needed(formula, known)
    found, first = dict[Term, Term](), dict[tuple[object, ...] | None, Term]()
    for symbol, one in known.items():
        if symbol in needed and one.operands is not None:
            bits = substitute_all([source.bits for source in one.operands], {**launch, **found})
            pairs = zip(one.operands, bits, strict=True)
            function = function_of(replace(one, operands=tuple(replace(source, bits=word) for source, word in pairs)))
            same = first.setdefault(function, symbol)
            if same is not symbol:
                found[symbol] = same
    return found


def _needed(formula: Bool, known: Mapping[Term, Arbitrary]) -> set[Term]:
    """The values on which it depends, by operands of others, too."""
    needed, stack = set[Term](), [one for one in symbols_of(formula) if one in known]
    while stack:
        symbol = stack.pop()
        if symbol not in needed:
            needed.add(symbol)
            operands: Sequence[Term] = [source.bits for source in known[symbol].operands or ()]
            stack += [one for one in symbols_of(*operands) if one in known]
    return needed
