"""The words that only one kernel has: what it finds in registers that neither the launch nor the device writes."""

from visaproof.machine.symbolic.arbitrary_values import ARBITRARY
from visaproof.machine.symbolic.machine import LOADED
from visaproof.smt import Op, Term


def is_own(term: Term, prefix: str) -> bool:
    """Whether it is a symbol of the kernel that the prefix names."""
    return term.op is Op.SYMBOL and str(term.payload).startswith(prefix)


def is_unwritten(term: Term) -> bool:
    """Whether it is a part of the source's registers that neither the launch nor the device writes.

    A result that is left open is none, and what is loaded from private memory is none: they may hang together.
    """
    if not is_own(term, "source:"):
        return False
    names = str(term.payload).split(":")[1:]  # behind that of its thread, if there are several
    return not any(name.startswith(("%", ARBITRARY, LOADED)) for name in names)


def is_unwritten_word(term: Term) -> bool:
    """Whether it is a word of several such parts, none of them there twice: then it may be any word."""
    return term.op is Op.CONCAT and all(map(is_unwritten, term.args)) and len(set(term.args)) == len(term.args)
