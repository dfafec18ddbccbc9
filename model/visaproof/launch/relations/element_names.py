"""Bounds on the integers that a kernel loads of a buffer, by names: `max(row)` and `min(row)`.

    max(row)   no element that the kernel loads of row is larger      element <= max(row)
    min(row)   none is smaller                                        min(row) <= element

An element has the type that the argument points to; where no type is known it is read unsigned, with 32 bits.  What
is loaded in other widths is bounded by neither.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Literal

from msgspec import Struct

from visaproof.launch.input_meaning import Argument
from visaproof.launch.launch import BufferAddress, BufferOffset, Launch, Surface
from visaproof.launch.overlap import SCALARS
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.expressions import Name
from visaproof.launch.relations.named_words import Named, NoNumber
from visaproof.program.kernel import Kernel
from visaproof.smt import BitVec, Bool, sle, symbol, ule

UNTYPED_BITS = 32
SIGNED = frozenset(("char", "short", "int", "long", "ptrdiff_t", "intptr_t"))
UNSIGNED = frozenset(("uchar", "ushort", "uint", "ulong", "size_t", "uintptr_t", "bool"))


def is_typedef(name: str) -> bool:
    """Whether a type has a name that a program gives: compilers do not say for what it stands."""
    return name.isidentifier() and name not in SIGNED | UNSIGNED and name.rstrip("0123456789") not in SCALARS


"""The integer types of OpenCL C."""

_Code = Literal["b", "B", "h", "H", "i", "I", "q", "Q"]
_CODES: Mapping[int, tuple[_Code, _Code]] = {8: ("b", "B"), 16: ("h", "H"), 32: ("i", "I"), 64: ("q", "Q")}

Loaded = Mapping[int, Sequence[BitVec]]
"""What a kernel loads of the buffers of arguments, by their numbers."""
NOTHING_LOADED: Loaded = {}


class Which(Enum):
    """Of the elements of a buffer that are loaded."""

    MAX = "max"
    MIN = "min"


_BOUND = {Which.MAX: "upper bound", Which.MIN: "lower bound"}


class Extreme(Struct, frozen=True):
    """The largest of them, or the smallest."""

    which: Which
    argument: Argument

    def __str__(self) -> str:
        return f"{self.which.value}({self.argument.name or f'arg{self.argument.index}'})"


class ElementType(Struct, frozen=True):
    """How an element is read."""

    bits: int
    signed: bool

    @property
    def code(self) -> _Code:
        """As `struct` and `memoryview` call it."""
        signed, unsigned = _CODES[self.bits]
        return signed if self.signed else unsigned


def extreme_of(name: str, kernel: Kernel, launch: Launch) -> Extreme | None:
    """What the name of an extreme stands for; None of another name.  Raises NoNumber where no buffer is called so."""
    which = next((one for one in Which if name.startswith(f"{one.value}(")), None)
    if which is None:
        return None
    arguments, inner = buffers(kernel, launch), name[len(which.value) + 1 : -1]
    found = next((one for one in arguments if inner in (one.name, f"arg{one.index}", str(one.index))), None)
    if found is None:
        known = ", ".join(one.name or f"arg{one.index}" for one in arguments)
        raise NoNumber(f"no buffer is called {inner!r}", f"buffers: {known}" if known else "the kernel has none")
    return Extreme(which, found)


def buffers(kernel: Kernel, launch: Launch) -> list[Argument]:
    """The arguments with a surface or an address."""
    handed = (piece.meaning for item in kernel.inputs for piece in launch.pieces(item.variable))
    found = [one.argument for one in handed if isinstance(one, Surface | BufferAddress | BufferOffset)]
    bound = (launch.surface(number) for number in launch.binding_table)
    return list({one.index: one for one in (*found, *bound) if one is not None}.values())


def elements_named(names: Iterable[Name], kernel: Kernel, launch: Launch) -> frozenset[int]:
    """The arguments of which these names say something about elements."""
    found: set[int] = set()
    for one in names:
        with suppress(NoNumber):
            extreme = extreme_of(one.text, kernel, launch)
            found |= set() if extreme is None else {extreme.argument.index}
    return frozenset(found)


def element_type(launch: Launch, argument: Argument) -> ElementType | None:
    """How the elements of its buffer are read; None where they are no integers."""
    info = launch.info(argument.index)
    if not info.type_name:
        return ElementType(UNTYPED_BITS, False)
    scalar = "" if info.pointee is None else info.pointee[0]
    return ElementType(8 * SCALARS[scalar], scalar in SIGNED) if scalar in SIGNED | UNSIGNED else None


def named_extreme(extreme: Extreme, launch: Launch, loaded: Loaded | None) -> Named:
    """The word that it stands for, with that no element is beyond it.  Raises NoNumber."""
    if loaded is None:
        raise NoNumber(
            f"{extreme}: elements of buffers have no bounds here", "`--size` and `--where` of `bounds` know them"
        )
    of_type = element_type(launch, extreme.argument)
    if of_type is None:
        raise NoNumber(
            f"{extreme.argument} is no buffer of integers but {launch.info(extreme.argument.index).type_name}", ""
        )
    word = symbol(extreme, of_type.bits)
    what = f"{_BOUND[extreme.which]} of the elements loaded of {extreme.argument}"
    facts = tuple(_beyond(extreme.which, one, word, of_type) for one in elements(loaded, extreme.argument, of_type))
    return Named(Word(word, of_type.signed), facts=facts, what=what)


def elements(loaded: Loaded, argument: Argument, of_type: ElementType) -> Iterator[BitVec]:
    """What is loaded of its buffer in the width of an element."""
    yield from (one for one in loaded.get(argument.index, ()) if one.width == of_type.bits)


def _beyond(which: Which, element: BitVec, word: BitVec, of_type: ElementType) -> Bool:
    """That no such element is beyond the word."""
    no_more = sle if of_type.signed else ule
    return no_more(element, word) if which is Which.MAX else no_more(word, element)
