"""What IEEE 754 says of sums and products of floats, whatever their operands are: the arithmetic of the runs.

Of operands that are results themselves nothing is taken to be known, and a result that is NaN may be any NaN.  So more
seems possible than is, and never less.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.refinement.effects.open_operation import OpenOperation
from visaproof.refinement.nondeterminism.fixed_memory import Alone
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
        if isinstance(operation, OpenOperation):
            yield from _fact(cast(BitVec, one), operation, alone)


def _fact(result: BitVec, operation: OpenOperation, alone: Alone) -> Iterator[Bool]:
    """At most one: nothing of what is no such operation, or has a rounding that is not known."""
    named, data_type, control = operation.named, operation.result, operation.control
    if len(named) != 1 or named[0] not in KNOWN or operation.origin is not None or control is None:
        return
    if data_type not in LAYOUTS:
        return
    register, *bits = alone.known([control, *(word for word, _, _ in operation.operands)])
    sources = [Source(word, *how[1:]) for word, how in zip(bits, operation.operands, strict=True)]
    mode = mode_of(register)
    meaning = None if mode is None else arithmetic(named[0], sources, data_type, mode)
    if meaning is not None:
        value, layout = cast(BitVec, meaning.value), LAYOUTS[data_type]
        yield disj(meaning.open, eq(result, value), conj(is_nan(value, layout), is_nan(result, layout)))
