"""What images hold in a run of two kernels that read them through the sampler."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from visaproof.checking.ladder import Values
from visaproof.decode.sampler import LOAD
from visaproof.isa.errors import Position
from visaproof.machine.symbolic.arbitrary_values import Arbitrary
from visaproof.program.lower import lowered
from visaproof.program.statements import SamplerMessage
from visaproof.refinement.testing.memory import Content, Memory, cell_at
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.concrete.surface import Texel
from visaproof.semantics.symbolic.names import extents_of
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import BitVec, const
from visaproof.smt.evaluate import evaluate_all

CHANNELS = range(4)

CORNER = (8, 8, 2)
"""The texels at the origin of an image that hold something where coordinates are floats, which terms do not know."""


def images_of(runners: Sequence[AnyRunner]) -> dict[str, bool]:
    """The typed surfaces, and whether a kernel reads them in a way that is modelled of an image of 0 alone.

    Such are reads of other forms than of texels as they are, and those by a sampler of what a kernel also stores.
    """
    stored = {runner.surface(key): surface for runner in runners for key, surface in runner.trace.surfaces.items()}
    bytes_alone = {name for name, surface in stored.items() if isinstance(surface, SymbolicBuffer)}
    reads = {(name, one.instruction.position): (runner, one.instruction) for runner, name, one in _reads(runners)}
    zeros = {
        name
        for (name, _), (runner, instruction) in reads.items()
        if (name in stored and instruction.opcode != LOAD) or instruction.position not in _of_texels(runner)
    }
    return {name: name in zeros for runner in runners for name in runner.images if name not in bytes_alone}


def _of_texels(runner: AnyRunner) -> set[Position]:
    """The reads that bring texels as they are."""
    statements = lowered(runner.kernel, runner.platform).statements
    return {one.position for one in statements if isinstance(one, SamplerMessage) and one.read.of_texels}


def fill_images(
    runners: Sequence[AnyRunner], images: Mapping[str, bool], memory: Memory, values: Values, content: Content
) -> None:
    """Puts something into the texels that are read."""
    reads = [(name, one) for _, name, one in _reads(runners) if images.get(name) is False]
    for name in dict.fromkeys(name for name, one in reads if one.instruction.opcode != LOAD):
        extents = [values.get(term, 1) for term in extents_of(name, 0)]
        for u, v, r in product(*(range(min(size, most)) for size, most in zip(extents, CORNER, strict=True))):
            _fill(memory, name, (u, v, r, 0), content)
    loaded = [(name, _coordinates(one)) for name, one in reads if one.instruction.opcode == LOAD and one.operands]
    terms = list(dict.fromkeys(term for _, coordinates in loaded for term in coordinates))
    known = dict(zip(terms, evaluate_all(terms, values), strict=True))
    for name, coordinates in dict.fromkeys(loaded):
        u, v, r = (known[term] for term in coordinates)
        _fill(memory, name, (u, v, r, 0), content)


def _fill(memory: Memory, name: str, texel: Texel, content: Content) -> None:
    for channel in CHANNELS:
        cell = cell_at(texel, channel)
        memory[name][1].setdefault(cell, content(name, 4 * cell, 4))


def _reads(runners: Sequence[AnyRunner]) -> Iterator[tuple[AnyRunner, str, Arbitrary]]:
    """Each value that a kernel reads through the sampler, and the common name of its image."""
    for runner in runners:
        for one in runner.trace.arbitrary:
            if one.origin is not None:
                yield runner, runner.surface(one.origin.surface), one


def _coordinates(read: Arbitrary) -> tuple[BitVec, BitVec, BitVec]:
    """Where it reads: what is not given is 0."""
    given = [source.bits for source in read.operands or ()]
    u, v, r = (*given, *[const(0, 32)] * 3)[:3]
    return u, v, r
