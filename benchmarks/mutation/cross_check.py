"""The states on which the two writings of a mutant are compared.

Nothing of visaproof is imported before the mutant is.  What finds most with little work comes first: the shapes of the
proofs, then operands that are too short under any readings, then each alternative of a reading; then more of all.
"""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from benchmarks.mutation.targets import Target

if TYPE_CHECKING:
    from visaproof.queries.subject import Subject

FIRST_STATES, STATES = 4, 36
"""For each shape: these many to begin with, these many in all; the slowest variant of `proofs` needs 34."""
FIRST_LOOSE_STATES, LOOSE_STATES = 200, 800
"""For each instruction, with operands that are too short or share a variable; every other one has other readings."""
FIRST_ALTERNATIVE_STATES, ALTERNATIVE_STATES = 4, 12
"""For each shape under each alternative of a reading."""


def found_disagreement(target: Target) -> str | None:
    """Where the two writings part on one of the states made from the seeds 0, 1, 2, …; None if on none."""
    usual: list[Subject] = []
    reread: list[Subject] = []
    found = (
        _on_each(_subjects(target), range(FIRST_STATES), usual)
        or _on_loose_operands(target, range(FIRST_LOOSE_STATES))
        or _on_each(_subjects_under_alternatives(target), range(FIRST_ALTERNATIVE_STATES), reread)
    )
    if found:
        return found
    return (
        _on_loose_operands(target, range(FIRST_LOOSE_STATES, LOOSE_STATES))
        or _on(usual, range(FIRST_STATES, STATES))
        or _on(reread, range(FIRST_ALTERNATIVE_STATES, ALTERNATIVE_STATES))
    )


def _on_each(subjects: Iterator["Subject"], seeds: range, built: list["Subject"]) -> str | None:
    """As `_on`, one subject after the other; notes each, for none is built before it is needed."""
    for subject in subjects:
        built.append(subject)
        found = _on([subject], seeds)
        if found:
            return found
    return None


def _on(subjects: list["Subject"], seeds: range) -> str | None:
    from tests.strategies import start_of
    from tests.two_writings import disagreement

    for seed in seeds:
        for subject in subjects:
            found = disagreement(subject, start_of(subject, Random(seed)))
            if found:
                return f"{subject.scope} {subject.variant}, seed {seed}: {found}"
    return None


def _subjects(target: Target) -> Iterator["Subject"]:
    """Every shape of the proofs, some with variables that are too short, and every operation on every kind of texel."""
    from proofs import shapes
    from tests.two_writings import short_subjects

    every = (shapes.PLAIN, *shapes.ALL, shapes.PLAIN_QW, *shapes.READERS)
    for name, shape in {shape.name: shape for shape in every}.items():
        if name.partition("-")[0] in target.instructions:
            yield shape()
    yield from (each for each in short_subjects().values() if each.instruction.spec.name in target.instructions)
    if "typed_atomic" in target.instructions:
        yield from _texels()


def _texels() -> Iterator["Subject"]:
    """Every kind of surface, with and without levels, and every operation on 16 bits."""
    from visaproof.isa.atomics import AtomicOp
    from visaproof.isa.platform import Platform
    from visaproof.isa.surfaces import SurfaceKind
    from visaproof.queries.subject import typed_atomic

    for kind in SurfaceKind:
        for levels in (0, 3):
            yield typed_atomic(AtomicOp.ADD, kind, Platform.PVC, levels == 0, levels=levels)
    for op in AtomicOp:
        yield typed_atomic(op, SurfaceKind.LINE, Platform.TGLLP, False, texel_bits=16)


def _subjects_under_alternatives(target: Target) -> Iterator["Subject"]:
    """Some shapes of each instruction under each other answer to a question that it asks."""
    from tests.two_writings import ASKED, ASKED_OF_FLOATS, short_subjects
    from visaproof.instructions import ALL
    from visaproof.isa.answers import FloatAtomics, ShortVariable
    from visaproof.isa.readings import DEFAULT, alternatives

    asks = {instruction.spec.name: instruction.spec.readings for instruction in ALL}
    for name, answer in alternatives():
        readings = DEFAULT.with_answer(name, answer)
        for instruction in target.instructions:
            if name in asks[instruction]:
                yield from (build(readings) for build in ASKED[instruction])
            elif _of_floats(name, instruction) and answer is not FloatAtomics.REJECT:  # illegal, so no effects
                yield from (build(readings) for build in ASKED_OF_FLOATS)
    for subject in short_subjects(DEFAULT.with_answer("short-variable", ShortVariable.ALL_LANES)).values():
        if subject.instruction.spec.name in target.instructions:
            yield subject


def _of_floats(reading: str, instruction: str) -> bool:
    """Only the float operations ask these, so that they do not stand among the instruction's."""
    return instruction == "typed_atomic" and reading.startswith("float-")


def _on_loose_operands(target: Target, seeds: range) -> str | None:
    from tests.strategies import any_readings, loose_start
    from tests.two_writings import difference
    from visaproof.engine.mirror import mirrored
    from visaproof.instructions import ALL
    from visaproof.instructions.undefined_bytes import undefined_bytes_of
    from visaproof.isa.readings import DEFAULT

    for kind in (each for each in ALL if each.spec.name in target.instructions):
        for seed in seeds:
            pick = Random(seed)
            loose = loose_start(pick, any_readings(pick) if seed % 2 else DEFAULT, [kind])
            state, values = mirrored(loose.before)
            accesses = list(loose.instruction.footprint(state))
            undefined = undefined_bytes_of(loose.instruction, state)
            found = difference(loose.instruction, accesses, loose.before, values, undefined)
            if found:
                answers = ", ".join(loose.before.readings.chosen_otherwise())
                return f"{loose.instruction}, {answers}, seed {seed}: {found}"
    return None
