"""The unknowns of a rewrite rule: registers, predicates, lanes, sizes and contents of memory before both sides."""

from msgspec import Struct

from visaproof.isa.execution import THREAD_LANES
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.value_names import Own, Owner
from visaproof.smt import BitVec, Bool, Term, bool_symbol, subterms, symbol


class EveryDword(Struct, frozen=True):
    """The unknown that stands for each dword of a surface in a condition on its contents."""

    surface: str

    def __str__(self) -> str:
        return f"every dword of {self.surface}"


def element(register: str, index: int, bits: int, side: str = "") -> BitVec:
    """What an element of a register holds before; of a temporary register, for this side alone."""
    name = f"{register}[{index}]"
    return symbol(Own(Owner(side), name) if side else name, bits)


def lanes() -> tuple[Bool, ...]:
    """The execution mask of the thread."""
    return tuple(lane_on(lane) for lane in range(THREAD_LANES))


def predicate_bit(name: str, lane: int) -> Bool:
    return bool_symbol(f"{name}[{lane}]")


def any_dword(surface: str) -> BitVec:
    return symbol(EveryDword(surface), 32)


def surfaces_described(term: Term) -> list[str]:
    """The surfaces whose dwords the condition is about."""
    return sorted({one.payload.surface for one in subterms(term) if isinstance(one.payload, EveryDword)})
