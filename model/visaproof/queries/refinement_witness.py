"""What a source may find in registers that nothing wrote: for each byte, one that the target finds in the same place.

∀ inputs ∀ choices of the target ∃ choices of the source: any choice will do, so that a wrong guess loses a proof only.
Only bytes of registers are chosen one by one; what else is left open may hang together, and is never chosen here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from visaproof.queries.refinement import Question
from visaproof.queries.refinement_stores import UnitStore
from visaproof.queries.shared_memory import SharedMemory
from visaproof.smt import Op, Term

Choices = dict[Term, Term]
"""A choice of the source, and the target's that it is to be.  Of what is no byte of a register it is not made."""


def witness(question: Question) -> Choices:
    """The choices at equal places in what both kernels do, as far as they do it alike."""
    found: Choices = {}
    walk = _Pairs(question.memory)
    for source, target in walk.from_roots(_roots(question)):
        if _is_own(source, "source:") and _is_own(target, "target:") and source.width == target.width:
            found.setdefault(source, target)
    return found


def _roots(question: Question) -> Iterator[tuple[object, object]]:
    source, target = question.source, question.target
    for surface in question.surfaces:
        yield source.stores.get(surface, ()), target.stores.get(surface, ())
    yield tuple(source.undefined), tuple(target.undefined)


def _is_own(term: Term, prefix: str) -> bool:
    return term.op is Op.SYMBOL and str(term.payload).startswith(prefix)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The parts of two things that stand in the same place, through names and results."""

    memory: SharedMemory

    def from_roots(self, roots: Iterable[tuple[object, object]]) -> Iterator[tuple[Term, Term]]:
        seen: set[tuple[Term, Term]] = set()
        stack = [*roots]
        stack.reverse()
        while stack:
            one, other = stack.pop()
            if isinstance(one, Term) and isinstance(other, Term):
                if one is other or (one, other) in seen:
                    continue
                seen.add((one, other))
                yield one, other
            stack += reversed(list(self._parts(one, other)))

    def _parts(self, one: object, other: object) -> Iterator[tuple[object, object]]:
        match one, other:
            case (Term(), Term()):
                named = [self.memory.definitions.get(each) or self.memory.operations.get(each) for each in (one, other)]
                if None not in named:
                    yield named[0], named[1]
                elif one.op is other.op and len(one.args) == len(other.args):
                    yield from zip(one.args, other.args, strict=True)
            case (UnitStore(), UnitStore()):
                yield from ((one.guard, other.guard), (one.cell, other.cell), (one.value, other.value))
            case (tuple(), tuple()):
                yield from zip(cast(tuple[object, ...], one), cast(tuple[object, ...], other), strict=False)
            case _:
                pass
