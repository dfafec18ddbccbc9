"""Elements that an iteration of a loop writes without a mask, each as that of the lane whose number it has.

A lane that runs has run all iterations before.  So what it finds in its element may be what another kernel keeps there
under the mask, though the elements of lanes that are off go on to change.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from visaproof.machine.symbolic.loops.iteration import LoopWrites, words_of
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.thread import Thread
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import BitVec, Bool, Term, is_false, symbol


class Element(NamedTuple):
    """Bytes of a variable, and the lane."""

    variable: str
    start: int
    size: int
    lane: int


class LaneElements:
    """Those that the iterations of a loop write; `running` are the lanes that come to it."""

    def __init__(self, thread: Thread, writes: LoopWrites, running: Sequence[Bool]) -> None:
        self._thread = thread
        self._elements = tuple(_elements(thread, writes, running))

    @property
    def lanes(self) -> list[int]:
        return [one.lane for one in self._elements]

    def held(self, running: Sequence[Bool], facts: Literals) -> list[Term]:
        """What each holds here where its lane is running and the `facts` hold."""
        return [self._now(one, literals_of(running[one.lane]) | facts) for one in self._elements]

    def havoc(self, name: str, running: Sequence[Bool]) -> None:
        """Makes each arbitrary where its lane is running, apart from what it holds where the lane is not."""
        for one, word in zip(self._elements, self._words(f"{name}.on"), strict=True):
            self._thread.registers.write_under(one.variable, one.start, word, literals_of(running[one.lane]))

    def left(self, name: str) -> list[Term]:
        """Nothing: behind the loop they hold what the last iteration left, and not the last one of their lane."""
        return list(self._words(f"{name}.nowhere"))

    def _words(self, name: str) -> Iterator[BitVec]:
        return (symbol(OfLoop(name, RegisterByte(one.variable, one.start)), 8 * one.size) for one in self._elements)

    def _now(self, one: Element, assumed: Literals) -> Term:
        registers = self._thread.registers
        reader, registers.reader = registers.reader, None
        found = registers.read_under(one.variable, one.start, one.size, assumed)
        registers.reader = reader
        return under(found, assumed)


def _elements(thread: Thread, writes: LoopWrites, running: Sequence[Bool]) -> Iterator[Element]:
    """The words that no one lane writes, of variables that have an element, or several, for each lane."""
    lanes = sum(not is_false(one) for one in running)
    for variable, start, size, lane in words_of(writes) if lanes else ():
        declared = thread.program.storage.get(variable)
        if lane != EVERY_LANE or declared is None:
            continue
        element = declared.type.size
        place = start // element % lanes
        if not declared.size % (lanes * element) and not is_false(running[place]):
            yield Element(variable, start, size, place)
