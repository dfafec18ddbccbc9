"""Words that a kernel loads as elements of a buffer, as integers: each is at most the largest that it loads.

min(row) <= element <= max(row)      an element is an integer of at least 0 where min(row) >= 0
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import permutations
from typing import cast

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.sums import is_unknown
from visaproof.launch.relations.element_names import Extreme, Which, element_type, elements
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, Bool, Op, Term


class Extremes(Struct, frozen=True):
    """The names of the largest element of a buffer, and of the smallest."""

    most: str
    least: str


def extremes_of(names: LaunchNames) -> dict[Term, Extremes]:
    """Of the buffers by whose elements they are bounded, for each word that is loaded as one."""
    found: dict[Term, Extremes] = {}
    for index in names.loaded or ():
        argument = names.launch.argument(index)
        if (of_type := element_type(names.launch, argument)) is not None:
            own = Extremes(*(str(Extreme(which, argument)) for which in (Which.MAX, Which.MIN)))
            found |= dict.fromkeys(elements(names.loaded or {}, argument, of_type), own)
    return found


class ElementWords(Struct):
    """Those on which one access depends."""

    found: dict[str, Extremes] = field(default_factory=dict[str, Extremes])
    ends: dict[str, tuple[Extremes, str]] = field(default_factory=dict[str, tuple[Extremes, str]])
    """Of an element or an argument, whichever a kernel takes: the argument that has to be no less than any element."""

    def named(
        self, words: Iterable[Term], extremes: Mapping[Term, Extremes], known: Mapping[Term, Polynomial]
    ) -> dict[Term, Polynomial]:
        """Names for those that are known to be nothing else."""
        new: dict[Term, Polynomial] = {}
        for word in words:
            if word in extremes and word not in known:
                name = InnerName(Kind.ELEMENT, len(self.found))
                self.found[name], new[word] = extremes[word], {(name,): 1}
        return new

    def chosen(
        self, guard: Iterable[Bool], extremes: Mapping[Term, Extremes], known: Mapping[Term, Polynomial]
    ) -> dict[Term, Polynomial]:
        """Names for what a guard compares that is an element, or else an argument."""
        new: dict[Term, Polynomial] = {}
        for word in (side for one in guard for side in _compared(one)):
            if word.op is not Op.ITE or word in known or word in new:
                continue
            for element, other in permutations(word.args[1:]):
                end = _argument(known.get(other, {}))
                if element in extremes and end is not None:
                    name = InnerName(Kind.ELEMENT, len(self.found) + len(self.ends))
                    self.ends[name], new[word] = (extremes[element], end), {(name,): 1}
        return new

    def has(self, one: Polynomial) -> bool:
        """Whether one is in a sum."""
        return any(name in self.found for part in one for name in part)

    def needed(self, signed: Collection[str]) -> bool:
        """Whether an element is among what has to be at least 0."""
        return any(one.least in signed for one in self.found.values())

    def most(self) -> Mapping[str, Polynomial]:
        """What each is at most."""
        ends = {name: {(end,): 1} for name, (_, end) in self.ends.items()}
        return {name: {(one.most,): 1} for name, one in self.found.items()} | ends

    def to_be_natural(self, used: Iterable[str]) -> set[str]:
        """Of names that have to be at least 0: the smallest element, and not the largest, which then is."""
        own = [self.found[name] for name in used if name in self.found]
        ends = [self.ends[name] for name in used if name in self.ends]
        both = {*used, *(one.least for one in own), *(end for _, end in ends), *(one.least for one, _ in ends)}
        return both - {one.most for one in own}

    def related(self, used: Iterable[str]) -> frozenset[tuple[str, str]]:
        """The largest elements, with the arguments that they must not be above."""
        return frozenset((one.most, end) for one, end in (self.ends[name] for name in used if name in self.ends))


def _argument(one: Polynomial) -> str | None:
    """The name that a sum is, if it is one that a host gives: users can state relations to no other."""
    names = [name for part in one for name in part]
    return names[0] if list(one.values()) == [1] and len(names) == 1 and not is_unknown(names[0]) else None


def _compared(condition: Bool) -> Iterator[BitVec]:
    inner = cast(Bool, condition.args[0]) if condition.op is Op.NOT else condition
    if inner.op in (Op.ULT, Op.SLT):
        yield from cast(tuple[BitVec, BitVec], inner.args)
