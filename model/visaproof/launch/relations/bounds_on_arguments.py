"""Which relations between an argument and the launch are tried where only one is missing, the weakest first."""

import re
from collections.abc import Iterator
from itertools import combinations

from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.expressions import Expression, Name, Number, Operation, Relation
from visaproof.launch.relations.launch_names import GLOBAL, LOCAL
from visaproof.program.kernel import Kernel

FACTORS = (1, 2, 4, 8, 16)
"""Of a size: elements that a work item writes in a row."""
LARGEST_CONSTANT = 1024
"""Of the code: larger ones are no lengths of rows that lanes of one thread write."""
UPPER_BITS = (31, 28, 26, 24, 22, 20, 18, 16, 14)
"""Bounds from above, so that what is multiplied by the argument does not wrap."""

_CONSTANT = re.compile(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=:)", re.IGNORECASE)


def lower_bounds(kernel: Kernel, name: str, read: tuple[int, ...]) -> Iterator[Relation]:
    """`a >= 1`, then multiples of local sizes, constants of the code, multiples of global sizes: in this order.

    `read` are the dimensions of which the kernel reads local ids.
    """
    yield _at_least(name, Number(1))
    yield from _sizes(name, LOCAL, read)
    yield from (_at_least(name, Number(value)) for value in constants(kernel) if value > 1)
    yield from _sizes(name, GLOBAL, read)


def _sizes(name: str, size: str, read: tuple[int, ...]) -> Iterator[Relation]:
    for factor in FACTORS:
        for dimension in read:
            own = Name(f"{size}_{DIMENSIONS[dimension]}")
            yield _at_least(name, own if factor == 1 else Operation("*", Number(factor), own))


def upper_bounds(name: str) -> Iterator[Relation]:
    """The largest first."""
    yield from (Relation("<", Name(name), Number(1 << bits)) for bits in UPPER_BITS)


def fewer_dimensions(unused: tuple[int, ...]) -> Iterator[tuple[Relation, ...]]:
    """That groups have one work item in dimensions on which it does not depend where a scatter writes."""
    flat = [Relation("==", Name(f"{LOCAL}_{DIMENSIONS[dimension]}"), Number(1)) for dimension in unused]
    for count in range(1, len(flat) + 1):
        yield from combinations(flat, count)


def constants(kernel: Kernel) -> list[int]:
    """The small immediates of the code."""
    found = {int(text, 0) for one in kernel.instructions() for text in _CONSTANT.findall(one.text)}
    return sorted(value for value in found if 0 < value <= LARGEST_CONSTANT)


def _at_least(name: str, least: Expression) -> Relation:
    return Relation(">=", Name(name), least)
