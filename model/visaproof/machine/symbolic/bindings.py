"""Which surface an element of a variable stands for symbolically, where a `movs` may lie on one way of several."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from visaproof.decode.surfaces import StateElement, unbound
from visaproof.isa.errors import NotModelled, Position
from visaproof.machine.symbolic.lanes import Lanes
from visaproof.program.statements import BindState
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import Bool


class Bound(NamedTuple):
    """An element of a surface variable stands for `key` if the thread came through a place where the `facts` hold."""

    facts: Literals
    key: str


class GuardedBindings:
    """The surfaces that each element may stand for, the one that was bound last first."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._bound: dict[StateElement, tuple[Bound, ...]] = {}
        self.log: list[tuple[StateElement, str]] = []
        """Every surface that was bound since it was last cleared, and by which element."""

    def contents(self) -> dict[StateElement, tuple[Bound, ...]]:
        """What `restore` brings back."""
        return dict(self._bound)

    def restore(self, bound: Mapping[StateElement, tuple[Bound, ...]]) -> None:
        self._bound = dict(bound)

    def changed_since(self, before: Mapping[StateElement, tuple[Bound, ...]]) -> bool:
        """Whether a variable was bound to another surface than the last one of those it stood for before."""
        for place, bound in self._bound.items():
            old = before.get(place, _itself(place))
            if any(one.key != old[0].key for one in bound if one not in old):
                return True
        return False

    def bind(self, movs: BindState, known: Mapping[StateElement, str]) -> None:
        """Takes note of a `movs`, with the surfaces `known` by their handles; one of a sampler changes no surface."""
        keys = {
            place: self._key(one, movs.position) if isinstance(one, StateElement) else known.get(place, one)
            for place, one in movs.surfaces.items()
        }
        self.log += keys.items()
        for place, key in keys.items():
            before = self._bound.get(place, _itself(place))
            shown = () if not self._lanes.facts else tuple(one for one in before if not self._lanes.facts <= one.facts)
            self._bound[place] = (Bound(self._lanes.facts, key), *shown)

    def loosen(self, bound: Mapping[StateElement, set[str]], mark: Bool) -> None:
        """Lets elements stand for any of these surfaces, or for what they stood for: who reads one has to know."""
        for place, keys in bound.items():
            some = (Bound(frozenset((mark,)), key) for key in sorted(keys))
            self._bound[place] = (*some, *self._bound.get(place, _itself(place)))

    def key(self, variable: str, reader: Position) -> str:
        """The surface that the variable stands for here.  Raises NotModelled where it may be one of several."""
        return self._key(StateElement(variable, 0), reader)

    def _key(self, place: StateElement, reader: Position) -> str:
        shown = {bound.key for bound in self._shown(place)}
        if len(shown) > 1:
            raise NotModelled(f"{unbound(place)}, which may stand for either of two surfaces", reader)
        return shown.pop() if shown else unbound(place)

    def _shown(self, place: StateElement) -> Iterator[Bound]:
        """What was bound last, and what was before that where the thread may not have come through there."""
        for bound in self._bound.get(place, ()):
            yield bound
            if self._lanes.follow(bound.facts):
                return


def _itself(place: StateElement) -> tuple[Bound, ...]:
    """What an element stands for that nothing has bound."""
    return (Bound(frozenset(), unbound(place)),)
