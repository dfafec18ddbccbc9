"""The same counterexample with fewer lanes and more zeros, as far as runs confirm it."""

from visaproof.rules.guesses import Case, Values
from visaproof.rules.questions.symbols import lanes
from visaproof.rules.search import Search
from visaproof.rules.verdicts import Counterexample
from visaproof.semantics.symbolic.names import is_size

SMALL = (1, 2, 4, 8, 16)
"""Numbers that are read more easily than others."""


def smaller(search: Search, found: Counterexample, filler: int = 0) -> Counterexample:
    """The counterexample, or one of the same kind that is easier to read."""
    return _Smaller(search, found, filler).shown()


class _Smaller:
    """The smallest one so far, and the inputs that it comes from."""

    def __init__(self, search: Search, found: Counterexample, filler: int) -> None:
        self._search = search
        self._case = Case(dict(found.values), filler)
        self._best = search.difference(self._case) or found

    def shown(self) -> Counterexample:
        symbols = set(self._search.symbols)
        inputs = {one: value for one, value in self._case.values.items() if one in symbols}
        any(self._take(Case(inputs, filler)) for filler in (0, 1, 0x8000_0001))
        for lane in lanes():
            if self._case.values.get(lane):
                self._try({lane: 0})
        chunk = len(symbols)
        while chunk >= 1:
            nonzero = [one for one, value in self._case.values.items() if value and not is_size(one)]
            for start in range(0, len(nonzero), chunk):
                self._try(dict.fromkeys(nonzero[start : start + chunk], 0))
            chunk //= 2
        for one, value in list(self._case.values.items()):
            if one.width > 1 and not is_size(one):
                any(self._try({one: number}) for number in SMALL if number < value)
        return self._best

    def _try(self, changed: Values) -> bool:
        return self._take(Case({**self._case.values, **changed}, self._case.filler))

    def _take(self, case: Case) -> bool:
        """Takes the case if it shows the same kind of thing: a difference, or an undefined target."""
        found = self._search.difference(case) if self._search.admits(case.values) else None
        if found is None or (found.place is None) != (self._best.place is None):
            return False
        self._best, self._case = found, case
        return True
