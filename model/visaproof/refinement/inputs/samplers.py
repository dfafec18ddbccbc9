"""The samplers of two kernels: what stands at each number, and what it reads outside of an image in a run.

A sampler of the source code says how it reads; of one that is passed the launch chooses: in runs the nearest texel, and
outside of an image what is at its edge or 0.  Where not both kernels say what stands at each number, the same does.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from visaproof.checking.stages import Values
from visaproof.decode.texels import Outside
from visaproof.isa.surface_keys import OfArgument
from visaproof.launch.input_meaning import Argument, SamplerModes
from visaproof.launch.matching import Program
from visaproof.smt import Bool, Term, bool_symbol


class ReadsBorder(Struct, frozen=True):
    """Whether the sampler at a number, or the argument, brings 0 outside of an image."""

    sampler: int | str
    """Its number, or `argument 1`: kernels may name one argument differently."""

    def __str__(self) -> str:
        return f"sampler number {self.sampler}" if isinstance(self.sampler, int) else f"sampler {self.sampler}"


Samplers = Mapping[int, SamplerModes | Argument]
"""What stands at each number; the number itself where nothing is said."""

_KNOWN = {"clamp_edge": Outside.EDGE, "clamp_border": Outside.BORDER, "none": Outside.UNKNOWN}
"""ze_info's words of what can be run."""


def said_of_samplers(source: Program, target: Program) -> tuple[Samplers, Samplers]:
    """What stands at the numbers that each kernel uses, if both say it of all of theirs."""
    used = [program.sampler_numbers for program in (source, target)]
    one, other = source.launch.samplers, target.launch.samplers
    if not set(used[0]) <= one.keys() or not set(used[1]) <= other.keys():
        return {}, {}
    return {number: one[number] for number in used[0]}, {number: other[number] for number in used[1]}


def chosen(used: Iterator[int] | list[int], samplers: Samplers) -> Iterator[Bool]:
    """Whether each sampler that the launch chooses brings 0 outside of an image, and not what is at its edge."""
    for number in used:
        what = samplers.get(number, number)
        if not isinstance(what, SamplerModes):
            yield sampler_symbol(what)


def sampler_symbol(what: int | Argument) -> Bool:
    return bool_symbol(ReadsBorder(what if isinstance(what, int) else str(OfArgument(what.index))))


def is_sampler(term: Term) -> bool:
    """Whether this is such a symbol."""
    return isinstance(term.payload, ReadsBorder)


def samplers_in(values: Values) -> Iterator[tuple[str, Outside]]:
    """The samplers that the launch chooses, by their numbers or as `argument 1`, and what each reads outside."""
    for one, border in values.items():
        if isinstance(one.payload, ReadsBorder):
            yield str(one.payload.sampler), Outside.BORDER if border & 1 else Outside.EDGE


def outside_of(samplers: Samplers, values: Values) -> dict[int, Outside]:
    """What the samplers of a kernel read outside of an image, by their numbers; of others this is not modelled."""
    found = dict(samplers_in(values))
    outside = {int(name): one for name, one in found.items() if name.isdecimal()}
    for number, what in samplers.items():
        if isinstance(what, Argument):
            outside[number] = found.get(str(OfArgument(what.index)), Outside.EDGE)
        elif what.filtering == "nearest" and not what.normalized and what.addressing in _KNOWN:
            outside[number] = _KNOWN[what.addressing]
    return outside
