"""Functions of which nothing is known have equal values where their operands are equal, also where a launch says so.

    x = y   ⟹   f(x) = f(y)

A symbolic run has one symbol for one operation on the same operands.  In one launch more operands are the same.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted, function_of
from visaproof.smt import Bool, Term, symbols_of
from visaproof.smt.substitution import Substitution


def alike_values(needed: Iterable[Uninterpreted], launch: Mapping[Term, Term]) -> dict[Term, Term]:
    """Those of the values that are another one where this launch is: with that one.

    The values are `functions_in` a formula.
    """
    found, first = dict[Term, Term](), dict[tuple[object, ...] | None, Term]()
    in_launch = Substitution(launch)
    for one in needed:
        operands = tuple(replace(source, bits=in_launch.of(source.bits)) for source in one.operands or ())
        same = first.setdefault(function_of(replace(one, operands=operands)), one.symbol)
        if same is not one.symbol:
            found[one.symbol] = same
            in_launch.add(one.symbol, same)
    return found


def functions_in(formula: Bool, values: Iterable[Uninterpreted]) -> list[Uninterpreted]:
    """The functions on whose values it depends, by operands of others, too; in the order of the values, the run's."""
    known: dict[Term, Uninterpreted] = {one.symbol: one for one in values if function_of(one) is not None}
    needed, stack = set[Term](), [one for one in symbols_of(formula) if one in known]
    while stack:
        symbol = stack.pop()
        if symbol not in needed:
            needed.add(symbol)
            operands: Sequence[Term] = [source.bits for source in known[symbol].operands or ()]
            stack += [one for one in symbols_of(*operands) if one in known]
    return [one for symbol, one in known.items() if symbol in needed]
