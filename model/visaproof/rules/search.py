"""Finds inputs on which the target of a rule does what its source cannot do: by guesses, or from a solver's values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import IllegalInstruction, NotModelled
from visaproof.rules.guesses import Case, Guesses, Values
from visaproof.rules.language.instances import Instance, Register
from visaproof.rules.questions.conditions import Premise
from visaproof.rules.questions.question import Side, observed_elements, surface_names, surface_of, whole_cell
from visaproof.rules.questions.symbols import any_dword, element, lanes, predicate_bit
from visaproof.rules.runs import CHOICES, TooManyOrders, outcomes
from visaproof.rules.states import Inputs
from visaproof.rules.verdicts import Counterexample, Place, Run
from visaproof.semantics.symbolic.names import surface_size
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import BitVec, Term, extract, substitute, subterms
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import evaluate_all

RUNS = 40
"""Guesses that meet the premises and are run."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An instance with both sides run symbolically."""

    instance: Instance
    both: tuple[Side, Side]
    guesses: Guesses


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of memory that a side may look at."""

    surface: str
    cell: BitVec
    width: int
    typed: bool
    value: Term | None = None
    """Whose value it holds."""


class Search:
    """Runs of one instance."""

    def __init__(self, ready: Prepared, premise: Premise, cells: Sequence[Cell]) -> None:
        self._instance = ready.instance
        self._sides = ready.both
        self._guesses = ready.guesses
        self._premise = premise
        self._cells = [*cells, *_cells(self._instance, self._sides)]
        self.symbols = self._guesses.symbols
        self._lanes = [place for place, one in enumerate(self.symbols) if one in set(lanes())]
        self._holds = compiled(premise.inputs, self.symbols)
        self._open = _open_bytes(self._instance, self._sides[0])
        self._choices = CHOICES if self._sides[1].trace.arbitrary else CHOICES[:1]

    # ------------------------------------------------------------ guesses

    def admitted(self) -> Iterator[Case]:
        """The guesses that meet the preconditions, as many as are run."""
        return islice((case for case in self._guesses if self.admits(case.values)), RUNS)

    def guessed(self) -> Counterexample | None:
        """A counterexample among seeded random inputs, near edges."""
        return next((found for case in self.admitted() if (found := self.difference(case)) is not None), None)

    def has_meaning(self) -> bool:
        """Whether a run shows inputs that meet the preconditions and for which the source is defined."""
        return any(self.source_defined(case.values) for case in self.admitted())

    def source_defined(self, values: Values) -> bool:
        """Whether a run of the source on these inputs is defined, with memory of zeros."""
        inputs = self._inputs(Case(values, 0))
        try:
            found = outcomes(self._instance, "source", inputs)
        except (TooManyOrders, NotModelled, IllegalInstruction):
            return False
        return self._contents_admitted(inputs) and not any(one.undefined for one in found)

    def admits(self, values: Values) -> bool:
        """Whether the inputs meet the preconditions, with a lane on."""
        given = [values.get(one, 0) for one in self.symbols]
        return any(given[lane] for lane in self._lanes) and all(self._holds(given))

    # ------------------------------------------------------------ one run

    def difference(self, case: Case) -> Counterexample | None:
        """What the runs on these inputs show, if they show anything."""
        inputs = self._inputs(case)
        if not self._contents_admitted(inputs):
            return None
        try:
            allowed = outcomes(self._instance, "source", inputs)
            if any(one.undefined for one in allowed):
                return None
            for readings in self._choices:
                for observed in outcomes(self._instance, "target", inputs, readings):
                    found = self._compared(allowed, observed, case, inputs)
                    if found is not None:
                        return found
        except (TooManyOrders, NotModelled, IllegalInstruction):
            return None
        return None

    def _compared(self, allowed: list[Run], observed: Run, case: Case, inputs: Inputs) -> Counterexample | None:
        """The difference from the outcome of the source that is most like the target's."""
        nearest: tuple[int, Run, Place] | None = None
        for one in allowed:
            differing = [] if observed.undefined else self._differing(one, observed)
            if not differing and not observed.undefined:
                return None
            if nearest is None or len(differing) < nearest[0]:
                nearest = len(differing), one, differing[0] if differing else ("", ())
        assert nearest is not None
        _, source, place = nearest
        contents: dict[Place, int] = {}
        for name, (_, known) in inputs.buffers.items():
            contents |= {(name, (at,)): byte for at, byte in known.items()}
        for name, (_, texels) in inputs.images.items():
            contents |= {(name, texel): value for texel, value in texels.items()}
        sizes: dict[str, tuple[int, ...]] = {name: (size,) for name, (size, _) in inputs.buffers.items()}
        sizes |= {name: levels[0] for name, (levels, _) in inputs.images.items()}
        return Counterexample(
            self._instance, case.values, inputs.exec_mask, sizes, contents, source, observed, len(allowed),
            None if observed.undefined else place, contents.get(place, self._register_before(place, inputs)),
        )  # fmt: skip

    @staticmethod
    def _register_before(place: Place, inputs: Inputs) -> int:
        name, where = place
        return inputs.registers[name][where[0]] if name in inputs.registers else 0

    def _differing(self, source: Run, target: Run) -> list[Place]:
        memory = [
            place
            for place in sorted(source.memory.keys() | target.memory.keys())
            if source.memory.get(place) != target.memory.get(place)
        ]
        registers = [
            place
            for place, byte in source.observed.items()
            if place not in self._open and byte != target.observed[place]
        ]
        return memory + registers

    # ------------------------------------------------------------ inputs

    def _inputs(self, case: Case) -> Inputs:
        instance, values = self._instance, case.values
        buffers: dict[str, tuple[int, dict[int, int]]] = {FLAT: (1 << 64, {})}
        images: dict[str, tuple[tuple[tuple[int, int, int], ...], dict[tuple[int, int, int, int], int]]] = {}
        for side in self._sides:
            for key, surface in side.trace.surfaces.items():
                name = instance.surfaces.get(key, key)
                if isinstance(surface, SymbolicImage):
                    flat = [part for level in surface.levels for part in level]
                    sizes = evaluate_all(flat, values)
                    images[name] = tuple((sizes[k], sizes[k + 1], sizes[k + 2]) for k in range(0, len(sizes), 3)), {}
                elif name != FLAT:
                    buffers[name] = values.get(surface_size(name), 0), {}
        self._fill(case, buffers, images)
        registers = {one.name: _packed(one, "", values) for one in instance.registers.values() if not one.temporary}
        temporary = [one for one in instance.registers.values() if one.temporary]
        own = {side: {one.name: _packed(one, side, values) for one in temporary} for side in ("source", "target")}
        predicates = {
            name: sum((values.get(predicate_bit(name, lane), 0) & 1) << lane for lane in range(count))
            for name, count in instance.predicates.items()
        }
        mask = sum((values.get(lane, 0) & 1) << index for index, lane in enumerate(lanes()))
        return Inputs(mask, registers, predicates, buffers, images, own)

    def _fill(
        self,
        case: Case,
        buffers: dict[str, tuple[int, dict[int, int]]],
        images: dict[str, tuple[tuple[tuple[int, int, int], ...], dict[tuple[int, int, int, int], int]]],
    ) -> None:
        """Gives the cells that may be looked at their contents."""
        places = evaluate_all([one.cell for one in self._cells], case.values)
        for index, (cell, place) in enumerate(zip(self._cells, places, strict=True)):
            known = case.values.get(cell.value) if cell.value is not None else None
            content = known if known is not None else (case.filler + index if case.filler else 0)
            if cell.typed:
                words = [place >> shift & 0xFFFF_FFFF for shift in (96, 64, 32, 0)]
                texel = words[0], words[1], words[2], words[3]
                images[cell.surface][1].setdefault(texel, content % (1 << 8 * cell.width))
            elif cell.surface in buffers:
                size, contents = buffers[cell.surface]
                for byte in range(cell.width):
                    if place + byte < size:
                        contents.setdefault(place + byte, content >> 8 * byte & 0xFF)

    def _contents_admitted(self, inputs: Inputs) -> bool:
        """Whether each dword that is not 0 is as the preconditions say."""
        for surface, condition in self._premise.contents:
            words: dict[int, int] = {}
            for at, byte in inputs.buffers.get(surface, (0, {}))[1].items():
                words[at // 4] = words.get(at // 4, 0) | byte << 8 * (at % 4)
            found = [*words.values(), 0]
            if surface in inputs.images:
                found += inputs.images[surface][1].values()
            if not all(evaluate_all([condition], {any_dword(surface): word})[0] for word in found):
                return False
        return True


def _packed(register: Register, side: str, values: Mapping[Term, int]) -> bytes:
    size = register.type.bits // 8
    words = (values.get(element(register.name, k, register.type.bits, side), 0) for k in range(register.count))
    return b"".join((word % (1 << 8 * size)).to_bytes(size, "little") for word in words)


def _cells(instance: Instance, sides: tuple[Side, Side]) -> Iterator[Cell]:
    """The cells of all accesses, as far as the inputs decide them."""
    for side in sides:
        names = surface_names(instance, side.trace)
        for performed in side.trace.performed:
            for access in performed.accesses:
                cell = substitute(whole_cell(access), names)
                yield Cell(surface_of(instance, performed), cell, access.width, len(access.cell) > 1)


def _open_bytes(instance: Instance, source: Side) -> frozenset[Place]:
    """The bytes of observed registers that may be anything after the source: the page leaves them undefined."""
    choices = {one.symbol for one in source.trace.arbitrary}
    if not choices:
        return frozenset()
    found: set[Place] = set()
    for name, k, value in observed_elements(instance, source.trace):
        for byte in range(value.width // 8):
            part = extract(value, 8 * byte + 7, 8 * byte)
            if any(one in choices for one in subterms(part)):
                found.add((name, (k * value.width // 8 + byte,)))
    return frozenset(found)
