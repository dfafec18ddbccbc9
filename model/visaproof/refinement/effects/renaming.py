"""Terms of one kernel under the names that both share, each renamed once: messages of many lanes share most of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar, cast

from visaproof.refinement.effects.common_form import common_form
from visaproof.smt import Term
from visaproof.smt.expanded import Expansion
from visaproof.smt.substitution import rebuild

T = TypeVar("T", bound=Term)


class Walk:
    """The subterms of terms that no earlier terms had."""

    def __init__(self) -> None:
        self._seen: set[Term] = set()

    def new(self, roots: Iterable[Term]) -> Iterator[Term]:
        """The new ones, in any order."""
        stack = list(roots)
        while stack:
            term = stack.pop()
            if term not in self._seen:
                self._seen.add(term)
                yield term
                stack += term.args


class Renaming:
    """Names for symbols.  More may come while terms are renamed."""

    def __init__(self, names: Mapping[Term, Term], expand: bool) -> None:
        self._names = dict(names)
        self._done: dict[Term, Term] = {}
        """What each term is under these names; its symbols have no others since."""
        self._expansion = Expansion() if expand else None

    @property
    def names(self) -> Mapping[Term, Term]:
        return self._names

    def add(self, names: Mapping[Term, Term]) -> None:
        """Takes in further names.  What was renamed before is renamed anew if it holds a symbol of them."""
        if not self._done.keys().isdisjoint(names):
            self._done.clear()
        self._names |= names

    def __call__(self, terms: Sequence[T]) -> list[T]:
        """The terms under the names, in the common form, and on request in the second normal form."""
        for term in self._unknown(terms):
            name = self._names.get(term)
            if name is None:
                args = tuple([self._done[arg] for arg in term.args])
                name = common_form(term if args == term.args else rebuild(term, args))
            self._done[term] = name
        found = [cast(T, self._done[term]) for term in terms]
        return found if self._expansion is None else self._expansion(found)

    def _unknown(self, terms: Iterable[Term]) -> list[Term]:
        """The subterms that were not renamed yet, arguments before the terms that use them."""
        found: set[Term] = set()
        stack = [term for term in terms if term not in self._done]
        while stack:
            term = stack.pop()
            if term not in found:
                found.add(term)
                if term not in self._names:
                    stack += [arg for arg in term.args if arg not in self._done]
        return sorted(found, key=attrgetter("serial"))
