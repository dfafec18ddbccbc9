"""Smaller values that still show the failure: as many zeros as possible, then small numbers.  No solver."""

from collections.abc import Callable, Sequence

from visaproof.smt import Bool, Term, symbols_of
from visaproof.smt.compiled import compiled

Values = dict[Term, int]

_FRIENDLY = (1, 2, 3, 4, 8, 16, 32, 64)
"""Numbers to try in place of larger ones, best first."""


def minimised(values: Values, assumptions: Sequence[Bool], goal: Bool) -> Values:
    """`values` made smaller while every assumption holds and the goal fails."""
    symbols = symbols_of(*assumptions, goal)
    evaluate = compiled((*assumptions, goal), symbols)

    def fails(candidate: Values) -> bool:
        *premises, conclusion = evaluate([candidate.get(symbol, 0) for symbol in symbols])
        return all(premises) and not conclusion

    current = {symbol: values.get(symbol, 0) for symbol in symbols}
    if not fails(current):
        return current
    current = _zeroed(current, fails)
    for symbol in [symbol for symbol, value in current.items() if value > 1]:
        for smaller in _FRIENDLY:
            if smaller >= current[symbol]:
                break
            candidate = current | {symbol: smaller}
            if fails(candidate):
                current = candidate
                break
    return current


def _zeroed(values: Values, fails: Callable[[Values], bool]) -> Values:
    """Zeros in halves, quarters, … of the symbols, while the failure stays."""
    chunk = len(values)
    while chunk >= 1:
        nonzero = [symbol for symbol, value in values.items() if value]
        for start in range(0, len(nonzero), chunk):
            candidate = values | dict.fromkeys(nonzero[start : start + chunk], 0)
            if fails(candidate):
                values = candidate
        chunk //= 2
    return values
