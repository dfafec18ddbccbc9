"""What images hold in a run of two kernels that read them through the sampler."""

from collections.abc import Iterator, Mapping, Sequence

from visaproof.engine.ladder import Values
from visaproof.engine.refinement.memory import Content, Memory, cell_at
from visaproof.engine.refinement.thread_group import AnyRunner
from visaproof.kernel.open_values import Arbitrary
from visaproof.kernel.sampler import LOAD
from visaproof.semantics.concrete.surface import Texel
from visaproof.smt import BitVec, const
from visaproof.smt.evaluate import evaluate_all

CHANNELS = range(4)


def images_of(runners: Sequence[AnyRunner]) -> dict[str, bool]:
    """The typed surfaces, and whether a kernel reads them in a way that is modelled of an image of 0 alone."""
    by_sampler = {name for name, one in _reads(runners) if one.instruction.opcode != LOAD}
    return {name: name in by_sampler for runner in runners for name in runner.images}


def fill_loaded(
    runners: Sequence[AnyRunner], images: Mapping[str, bool], memory: Memory, values: Values, content: Content
) -> None:
    """Puts something into the texels that are read by their coordinates."""
    reads = [(name, _coordinates(one)) for name, one in _reads(runners) if images.get(name) is False and one.operands]
    terms = list(dict.fromkeys(term for _, coordinates in reads for term in coordinates))
    known = dict(zip(terms, evaluate_all(terms, values), strict=True))
    for name, coordinates in dict.fromkeys(reads):
        u, v, r = (known[term] for term in coordinates)
        texel: Texel = u, v, r, 0
        for channel in CHANNELS:
            cell = cell_at(texel, channel)
            memory[name][1].setdefault(cell, content(name, 4 * cell, 4))


def _reads(runners: Sequence[AnyRunner]) -> Iterator[tuple[str, Arbitrary]]:
    """Each value that a kernel reads through the sampler, and the common name of its image."""
    for runner in runners:
        for one in runner.trace.arbitrary:
            if one.origin is not None:
                yield runner.surface(one.origin.surface), one


def _coordinates(read: Arbitrary) -> tuple[BitVec, BitVec, BitVec]:
    """Where it reads: what is not given is 0."""
    given = [source.bits for source in read.operands or ()]
    u, v, r = (*given, *[const(0, 32)] * 3)[:3]
    return u, v, r
