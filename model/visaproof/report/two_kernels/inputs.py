"""The inputs of a run of two kernels that a host sets, for the reader."""

from collections.abc import Iterator

from visaproof.instructions.svm_gather import FLAT
from visaproof.queries.kernels.surface_names import PRIVATE
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.inputs.samplers import is_sampler
from visaproof.refinement.testing.memory import bases_of
from visaproof.refinement.verdicts import Difference
from visaproof.report.records.common import InputValue, input_value
from visaproof.report.two_kernels.elements import surface_name
from visaproof.semantics.symbolic.names import BufferOffset, is_base, is_extent, is_lane, is_of_memory, is_size
from visaproof.smt import Op, Term

MOST_DECIMAL = 1 << 32
"""Numbers from here on are addresses, mostly."""


def inputs_of(comparison: Comparison, found: Difference) -> Iterator[InputValue]:
    """The inputs that are not 0, with what they mean."""
    pointers = _pointers(comparison, found)
    for unknown, counted in (found.values | pointers).items():
        name = str(unknown.payload)
        value = pointers[unknown] if unknown in pointers else counted + comparison.start.least.get(name, 0)
        if isinstance(unknown.payload, BufferOffset):
            name = f"buffer offset of {surface_name(comparison, unknown.payload.buffer)}"
            value *= unknown.payload.unit
        if value and not _is_internal(unknown):
            yield input_value(name, comparison.start.meanings.get(name), value)


def number_text(value: int) -> str:
    """In decimal, and in hexadecimal, too, where that differs; an address has no decimal form that one reads."""
    if value < 10:
        return f"{value}"
    return f"{value} ({value:#x})" if value < MOST_DECIMAL else f"{value:#x}"


def _is_internal(unknown: Term) -> bool:
    """Whether other lines show it, or nothing that a host sets."""
    of_memory = (is_size(unknown) and not is_extent(unknown)) or is_base(unknown) or is_of_memory(unknown)
    return of_memory or is_lane(unknown) or is_sampler(unknown) or unknown.op is Op.CONST


def _pointers(comparison: Comparison, found: Difference) -> dict[Term, int]:
    """The addresses that the runs got, whatever the solver said of them: buffers lie where `bases_of` puts them."""
    placed: dict[Term, int] = {}
    for runner in comparison.runners:
        bases = bases_of(runner.pointers.values(), found.values, runner.sharing)
        apart = {word: name for word, name in runner.pointers.items() if FLAT not in found.memory or name == PRIVATE}
        placed |= {word: bases[name] for word, name in apart.items()}
    return placed
