"""The words that only one kernel has: what it finds in registers that neither the launch nor the device writes."""

from typing import cast

from visaproof.isa.predefined import PREDEFINED
from visaproof.semantics.symbolic.value_names import (
    Anew,
    LoadedValue,
    OpenValue,
    Own,
    PredicateBit,
    RegisterByte,
    is_own,
)
from visaproof.smt import Op, Term


def is_unwritten(term: Term) -> bool:
    """Whether it is a part of the source's registers that neither the launch nor the device writes.

    A result that is left open is none, and what is loaded from private memory is none: they may hang together.
    """
    if not is_own(term, "source"):
        return False
    match cast(Own, term.payload).what:
        case OpenValue() | LoadedValue():
            return False
        case RegisterByte(variable) | PredicateBit(variable) | Anew(RegisterByte(variable)):
            return variable not in PREDEFINED
        case _:
            return True


def is_initial(term: Term, side: str = "source") -> bool:
    """Whether it is the uninitialised value of a register or a predicate of this kernel.

    It is chosen once, before all iterations of all loops.
    """
    what = cast(Own, term.payload).what if is_own(term, side) else None
    return isinstance(what, RegisterByte | PredicateBit) and what.variable not in PREDEFINED


def is_unwritten_word(term: Term) -> bool:
    """Whether it is a word of several such parts, none of them there twice: then it may be any word."""
    return term.op is Op.CONCAT and all(map(is_unwritten, term.args)) and len(set(term.args)) == len(term.args)
