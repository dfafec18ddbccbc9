"""What the symbols stand for that a kernel finds in registers, or that a run leaves open, as in `names`."""

from collections.abc import Hashable

from msgspec import Struct
from msgspec.structs import replace

from visaproof.smt import BitVec, Bool, Op, Term, bool_symbol, symbol


class RegisterByte(Struct, frozen=True):
    """What a variable holds from a byte on."""

    variable: str
    byte: int

    def __str__(self) -> str:
        return f"{self.variable}.{self.byte}"


class PredicateBit(Struct, frozen=True):
    """A bit of a predicate."""

    variable: str
    lane: int

    def __str__(self) -> str:
        return f"{self.variable}[{self.lane}]"


class Anew(Struct, frozen=True):
    """What one of several reads of an uninitialised place finds, each for itself."""

    what: Hashable
    read: int

    def __str__(self) -> str:
        return f"{self.what} read {self.read}"


class LoadedValue(Struct, frozen=True):
    """What a load brings."""

    thread: str
    """Stands before the names of one of several threads."""
    site: str

    def __str__(self) -> str:
        return f"{self.thread}load.{self.site}"


class OpenValue(Struct, frozen=True):
    """A value that the model leaves open."""

    thread: str
    site: str

    def __str__(self) -> str:
        return f"{self.thread}arbitrary.{self.site}"


class OfLoop(Struct, frozen=True):
    """What iterations of a loop that were not unrolled hold or leave, or which lanes run them."""

    loop: str
    what: Hashable

    def __str__(self) -> str:
        return f"{self.loop}.{self.what}"


class BeyondVariable(Struct, frozen=True):
    """What is read beyond a variable."""

    variable: str
    place: str | int

    def __str__(self) -> str:
        return f"{self.variable}.beyond.{self.place}"


class UnboundIndex(Struct, frozen=True):
    """The index of an element of a state variable that nothing bound."""

    variable: str
    element: int

    def __str__(self) -> str:
        return f"index of {self.variable}.{self.element}"


class InSecondRun(Struct, frozen=True):
    """What a symbol stands for in the second of two runs."""

    what: Hashable

    def __str__(self) -> str:
        return f"{self.what}'"


# ---------------------------------------------------------------- of two kernels


class Owner(Struct, frozen=True):
    """One of two kernels, or of several threads of a kernel one."""

    side: str
    """source or target"""
    thread: int | None = None

    def __str__(self) -> str:
        return self.side if self.thread is None else f"{self.side}:thread {self.thread}"


class Own(Struct, frozen=True):
    """What only one kernel has, and may choose: an uninitialised register, or what the model leaves open."""

    owner: Owner
    what: Hashable

    def __str__(self) -> str:
        return f"{self.owner}:{self.what}"

    @property
    def place(self) -> str:
        """What it is, for the reader, without the kernel."""
        return str(self.what) if self.owner.thread is None else f"thread {self.owner.thread}:{self.what}"

    def on(self, side: str) -> "Own":
        """The same of the other kernel."""
        return replace(self, owner=replace(self.owner, side=side))


class OnlyHanded(Struct, frozen=True):
    """What the launch hands to one of the kernels only."""

    side: str
    what: Hashable

    def __str__(self) -> str:
        return f"{self.side} only:{self.what}"


class Unmatched(Struct, frozen=True):
    """What the hardware hands to threads of different width unlike."""

    owner: Owner
    what: Hashable

    def __str__(self) -> str:
        return f"unmatched:{self.owner}:{self.what}"


def like(term: Term, name: Hashable) -> BitVec | Bool:
    """A symbol of the width of the term."""
    return symbol(name, term.width) if term.width else bool_symbol(name)


def owned(side: str, term: Term) -> BitVec | Bool:
    """A value that is arbitrary, as one that only this kernel has."""
    return like(term, Own(Owner(side), term.payload))


def is_own(term: Term, side: str) -> bool:
    """Whether it is a symbol of this kernel alone, the source or the target."""
    return term.op is Op.SYMBOL and isinstance(term.payload, Own) and term.payload.owner.side == side


def read_anew(name: object, read: int) -> Hashable:
    """The name of what one more read finds in a place: as the place, it may be of one kernel alone."""
    match name:
        case Own(owner, what):
            return Own(owner, Anew(what, read))
        case Unmatched(owner, what):
            return Unmatched(owner, Anew(what, read))
        case OnlyHanded(side, what):
            return OnlyHanded(side, Anew(what, read))
        case _:
            return Anew(name, read)


def place_of(term: Term) -> Hashable:
    """Where a value is found, whosever it is: a byte of a register, a bit of a predicate, or another name."""
    match term.payload:
        case Own(_, what) | OnlyHanded(_, what) | Unmatched(_, what) | OfLoop(_, what):
            return what
        case name:
            return name
