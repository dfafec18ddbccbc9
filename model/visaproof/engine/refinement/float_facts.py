"""What IEEE 754 says of sums and products of floats, whatever their operands are: the arithmetic of the runs.

Of operands that are results themselves nothing is taken to be known, and a result that is NaN may be any NaN.  So more
seems possible than is, and never less.
"""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from visaproof.engine.refinement.alone import Alone
from visaproof.isa.types import DataType
from visaproof.queries.shared_memory import SharedMemory
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.float_bits import LAYOUTS, is_nan
from visaproof.semantics.symbolic.float_meaning import arithmetic, mode_of
from visaproof.smt import BitVec, Bool, Term, conj, disj, eq, symbols_of

KNOWN = ("add", "mul")
"""Opcodes of which nothing is left to an implementation but which NaN it gives, and what it flushes."""


def float_facts(memory: SharedMemory, alone: Alone, terms: Iterable[Term]) -> Iterator[Bool]:
    """What the results in the terms can be."""
    for one in symbols_of(*terms):
        operation = memory.operations.get(one)
        if isinstance(operation, tuple) and len(cast(tuple[Any, ...], operation)) == 7:
            yield from _fact(cast(BitVec, one), cast(tuple[Any, ...], operation), alone)


def _fact(result: BitVec, operation: tuple[Any, ...], alone: Alone) -> Iterator[Bool]:
    """At most one: nothing of what is no such operation, or has a rounding that is not known."""
    named, data_type, _, _, control, origin, function = operation
    if len(named) != 1 or named[0] not in KNOWN or origin is not None or control is None:
        return
    if not isinstance(data_type, DataType) or data_type not in LAYOUTS:
        return
    register, *bits = alone.known([control, *(word for word, _, _ in function)])
    mode, rest = mode_of(register), [parts[1:] for parts in function]
    sources = [Source(word, *parts) for word, parts in zip(bits, rest, strict=True)]
    meaning = None if mode is None else arithmetic(named[0], sources, data_type, mode)
    if meaning is not None:
        value, layout = cast(BitVec, meaning.value), LAYOUTS[data_type]
        yield disj(meaning.open, eq(result, value), conj(is_nan(value, layout), is_nan(result, layout)))
