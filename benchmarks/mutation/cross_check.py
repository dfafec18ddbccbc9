"""The states on which the two writings of a mutant are compared.

Nothing of visaproof is imported before the mutant is.  What finds most with little work comes first: the shapes of the
proofs, then operands that are too short under any readings, then each alternative of a reading; then more of all.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property, partial
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct

from benchmarks.mutation.targets import Target

if TYPE_CHECKING:
    from visaproof.queries.subject import Subject

    Build = Callable[[], Subject]

FIRST_STATES, STATES = 4, 36
"""For each shape: these many to begin with, these many in all; the slowest variant of `proofs` needs 34."""
FIRST_LOOSE_STATES, LOOSE_STATES = 200, 800
"""For each instruction, with operands that are too short or share a variable; every other one has other readings."""
FIRST_ALTERNATIVE_STATES, ALTERNATIVE_STATES = 4, 24
"""For each shape under each alternative of a reading."""


class Kind(Enum):
    """Where a state comes from."""

    SHAPE = "shape"
    """A shape of the proofs."""
    ALTERNATIVE = "alternative"
    """A shape under another answer to one question."""
    LOOSE = "loose"
    """Operands that are too short or share a variable, under any readings."""


class Trial(Struct, frozen=True):
    """One state: of the `number`-th shape, or instruction, of its kind; made from a seed."""

    kind: Kind
    number: int
    seed: int

    def __str__(self) -> str:
        return f"{self.kind.value} {self.number} {self.seed}"

    @staticmethod
    def from_text(text: str) -> "Trial":
        kind, number, seed = text.split()
        return Trial(Kind(kind), int(number), int(seed))


class CrossCheck:
    """The trials of one target; none of its shapes is built before it is needed."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._built: dict[tuple[Kind, int], Subject] = {}

    @cached_property
    def _builds(self) -> dict[Kind, list["Build"]]:
        return {Kind.SHAPE: list(_shapes(self._target)), Kind.ALTERNATIVE: list(_alternatives(self._target))}

    def trials(self) -> Iterator[Trial]:
        """All of them, in the order in which they are worth trying."""
        yield from self._each_on(Kind.SHAPE, range(FIRST_STATES))
        yield from self._loose(range(FIRST_LOOSE_STATES))
        yield from self._each_on(Kind.ALTERNATIVE, range(FIRST_ALTERNATIVE_STATES))
        yield from self._loose(range(FIRST_LOOSE_STATES, LOOSE_STATES))
        yield from self._each_on(Kind.SHAPE, range(FIRST_STATES, STATES))
        yield from self._each_on(Kind.ALTERNATIVE, range(FIRST_ALTERNATIVE_STATES, ALTERNATIVE_STATES))

    def _each_on(self, kind: Kind, seeds: range) -> Iterator[Trial]:
        return (Trial(kind, number, seed) for number in range(len(self._builds[kind])) for seed in seeds)

    def _loose(self, seeds: range) -> Iterator[Trial]:
        return (Trial(Kind.LOOSE, number, seed) for seed in seeds for number in range(len(self._target.instructions)))

    def disagreement(self, trial: Trial) -> str | None:
        """Where the two writings part on the state of a trial; None if they do not, or if there is no such trial."""
        if trial.kind is Kind.LOOSE:
            name = self._target.instructions[trial.number % len(self._target.instructions)]
            return _on_loose_operands(name, trial.seed)
        if trial.number >= len(self._builds[trial.kind]):
            return None
        from tests.strategies import start_of
        from tests.two_writings import disagreement

        subject = self._subject(trial)
        found = disagreement(subject, start_of(subject, Random(trial.seed)))
        return f"{subject.scope} {subject.variant}, seed {trial.seed}: {found}" if found else None

    def _subject(self, trial: Trial) -> "Subject":
        key = trial.kind, trial.number
        if key not in self._built:
            self._built[key] = self._builds[trial.kind][trial.number]()
        return self._built[key]


def _shapes(target: Target) -> Iterator["Build"]:
    """Every shape of the proofs, some with variables that are too short, and every operation on every kind of texel."""
    from proofs import shapes
    from tests.two_writings import short_shapes

    every = (shapes.PLAIN, *shapes.ALL, shapes.PLAIN_QW, *shapes.READERS)
    yield from (
        shape
        for name, shape in {shape.name: shape for shape in every}.items()
        if name.partition("-")[0] in target.instructions
    )
    yield from (build for name in target.instructions for build in short_shapes(name))
    if "typed_atomic" in target.instructions:
        yield from _texels()


def _texels() -> Iterator["Build"]:
    """Every kind of surface, with and without levels, and every operation on 16 bits."""
    from visaproof.isa.atomics import AtomicOp
    from visaproof.isa.platform import Platform
    from visaproof.isa.surfaces import SurfaceKind
    from visaproof.queries.subject import typed_atomic

    for kind in SurfaceKind:
        for levels in (0, 3):
            yield partial(typed_atomic, AtomicOp.ADD, kind, Platform.PVC, levels == 0, levels=levels)
    for op in AtomicOp:
        yield partial(typed_atomic, op, SurfaceKind.LINE, Platform.TGLLP, False, texel_bits=16)


def _alternatives(target: Target) -> Iterator["Build"]:
    """Some shapes of each instruction under each other answer to a question that it asks, and under several."""
    from tests.two_writings import ASKED, ASKED_OF_FLOATS, answered_together, short_shapes
    from visaproof.instructions import ALL
    from visaproof.isa.answers import FloatAtomics, ShortVariable
    from visaproof.isa.readings import DEFAULT, alternatives

    asks = {instruction.spec.name: instruction.spec.readings for instruction in ALL}
    for name, answer in alternatives():
        readings = DEFAULT.with_answer(name, answer)
        for instruction in target.instructions:
            if name in asks[instruction]:
                yield from (partial(build, readings) for build in ASKED[instruction])
            elif _of_floats(name, instruction) and answer is not FloatAtomics.REJECT:  # illegal, so no effects
                yield from (partial(build, readings) for build in ASKED_OF_FLOATS)
    readings = DEFAULT.with_answer("short-variable", ShortVariable.ALL_LANES)
    yield from (build for name in target.instructions for build in short_shapes(name, readings))
    yield from (build for name in target.instructions for build in answered_together(name))


def _of_floats(reading: str, instruction: str) -> bool:
    """Only the float operations ask these, so that they do not stand among the instruction's."""
    return instruction == "typed_atomic" and reading.startswith("float-")


def _on_loose_operands(name: str, seed: int) -> str | None:
    from tests.strategies import any_readings, loose_start
    from tests.two_writings import difference
    from visaproof.checking.symbolise import symbolised
    from visaproof.instructions import ALL
    from visaproof.instructions.undefined_bytes import undefined_bytes_of
    from visaproof.isa.readings import DEFAULT

    (kind,) = (each for each in ALL if each.spec.name == name)
    pick = Random(seed)
    loose = loose_start(pick, any_readings(pick) if seed % 2 else DEFAULT, [kind])
    state, values = symbolised(loose.before)
    accesses = list(loose.instruction.footprint(state))
    found = difference(loose.instruction, accesses, loose.before, values, undefined_bytes_of(loose.instruction, state))
    if not found:
        return None
    return f"{loose.instruction}, {', '.join(loose.before.readings.chosen_otherwise())}, seed {seed}: {found}"
