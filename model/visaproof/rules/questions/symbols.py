"""The unknowns of a rewrite rule: registers, predicates, lanes, sizes and contents of memory before both sides."""

from visaproof.isa.execution import THREAD_LANES
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import BitVec, Bool, Op, Term, bool_symbol, subterms, symbol

MEMORY = "every dword of"
"""The unknown that stands for each dword of a surface in a condition on its contents."""


def element(register: str, index: int, bits: int) -> BitVec:
    """What an element of a register holds before."""
    return symbol(f"{register}[{index}]", bits)


def lanes() -> tuple[Bool, ...]:
    """The execution mask of the thread."""
    return tuple(lane_on(lane) for lane in range(THREAD_LANES))


def predicate_bit(name: str, lane: int) -> Bool:
    return bool_symbol(f"{name}[{lane}]")


def any_dword(surface: str) -> BitVec:
    return symbol(f"{MEMORY} {surface}", 32)


def surfaces_described(term: Term) -> list[str]:
    """The surfaces whose dwords the condition is about."""
    names = (str(one.payload) for one in subterms(term) if one.op is Op.SYMBOL)
    return sorted({name.removeprefix(MEMORY).strip() for name in names if name.startswith(MEMORY)})
