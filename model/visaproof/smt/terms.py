"""Hash-consed bit-vector and Boolean terms, in normal form from their construction on.

Equal terms are the same object, so `is` compares them.  A bit-vector of width w is a polynomial modulo 2^w over
atoms wherever it can be one: `SUM` holds a constant and coefficients, `MUL` a product of atoms.  Every term knows an
unsigned interval and the bits that are certainly zero; a constant result is folded at once.

Operations say signedness and loss in their names (`ult`, `slt`, `truncate`, `zero_extend`); Python's operators are
not overloaded.
"""

from collections.abc import Callable, Hashable, Sequence
from enum import Enum, auto
from functools import lru_cache
from gc import collect
from itertools import count
from typing import TYPE_CHECKING, TypeVar, cast
from weakref import ref

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]


class Op(Enum):
    """The kinds of term; `payload` is what the arguments do not say."""

    CONST = auto()  # payload: value
    SYMBOL = auto()  # payload: name, a text or what `str` makes one of
    SUM = auto()  # payload: (constant, coefficients); arguments: atoms or products
    MUL = auto()  # arguments: two or more atoms
    AND = auto()
    OR = auto()
    XOR = auto()
    SHL = auto()  # by a bit-vector of the same width
    LSHR = auto()
    ASHR = auto()
    UDIV = auto()  # as SMT-LIB's: by 0 all ones
    UREM = auto()  # as SMT-LIB's: by 0 the dividend
    CONCAT = auto()  # most significant part first
    EXTRACT = auto()  # payload: (high, low)
    ZERO_EXTEND = auto()
    SIGN_EXTEND = auto()
    ITE = auto()
    FLOAT = auto()  # payload: the operation, of `ieee`
    NOT = auto()  # Boolean, as all below
    CONJ = auto()
    DISJ = auto()
    EQ = auto()
    ULT = auto()
    SLT = auto()

    __hash__ = object.__hash__  # Enum hashes its name; every construction of a term hashes its kind


class Term:
    """A bit-vector of `width` bits, or a Boolean where `width` is 0."""

    __slots__ = ("__weakref__", "args", "high", "low", "marks", "op", "payload", "serial", "width", "zeros")

    op: Op
    args: tuple["Term", ...]
    payload: object
    width: int
    serial: int
    low: int
    """The value is at least this, read unsigned."""
    high: int
    """The value is at most this, read unsigned."""
    zeros: int
    """Bits that are certainly 0."""
    marks: int
    """Those of all Booleans in it: where a Boolean's mark is missing, it does not stand there."""

    def __repr__(self) -> str:
        return show(self)


class BitVec(Term):
    """A bit-vector term."""

    __slots__ = ()


class Bool(Term):
    """A Boolean term."""

    __slots__ = ()


T = TypeVar("T", bound=Term)
R = TypeVar("R")


class _Entry(ref[Term]):
    """A term that lives as long as somebody uses it; a WeakValueDictionary does the same at three times the cost."""

    __slots__ = ("key",)

    key: tuple[object, ...]


_interned: dict[tuple[object, ...], _Entry] = {}
_serials = count()
_MARKS = tuple(1 << mark for mark in range(256))
"""Booleans share them; with so many, those in one term mostly have different ones."""


def _forget(entry: _Entry) -> None:
    if _interned.get(entry.key) is entry:
        del _interned[entry.key]


def make(
    kind: type[T],
    op: Op,
    args: tuple[Term, ...],
    payload: object,
    width: int,
    bounds: tuple[int, int],
    zeros: int,
) -> T:
    key = (op, width, payload, *args)
    entry = _interned.get(key)
    if entry is not None and (found := entry()) is not None:
        return cast(T, found)
    term = kind()
    term.op, term.args, term.payload, term.width, term.serial = op, args, payload, width, next(_serials)
    full = (1 << width) - 1
    high = min(bounds[1], full & ~zeros) if width else bounds[1]
    term.low, term.high = bounds[0], high
    term.zeros = zeros | (full ^ ((1 << high.bit_length()) - 1)) if width else 0
    marks = 0 if width or not (args or op is Op.SYMBOL) else _MARKS[term.serial % len(_MARKS)]
    for arg in args:
        marks |= arg.marks
    term.marks = marks
    entry = _Entry(term, _forget)
    entry.key = key
    _interned[key] = entry
    return term


def own_mark(term: Term) -> int:
    """The mark of a Boolean that is no constant."""
    return _MARKS[term.serial % len(_MARKS)]


def apart(kind: type[T], op: Op, args: tuple[Term, ...], payload: object, width: int) -> T:
    """A term that no other is: not interned, and nothing is known of its value.  `smt.written` makes such terms."""
    term = kind()
    term.op, term.args, term.payload, term.width, term.serial = op, args, payload, width, next(_serials)
    term.low, term.high, term.zeros, term.marks = 0, (1 << width) - 1 if width else 1, 0, sum(_MARKS)
    return term


_forgetting: list[Callable[[], None]] = []
_left = 0
"""How many terms `forget` has left: those of modules, and of whoever holds some."""


def kept(size: int) -> Callable[[Callable[..., R]], "_lru_cache_wrapper[R]"]:
    """`functools.lru_cache` for results that hold terms, or are found by terms: `forget` empties them all."""

    def wrapped(function: Callable[..., R]) -> "_lru_cache_wrapper[R]":
        found = lru_cache(size)(function)
        _forgetting.append(found.cache_clear)
        return found

    return wrapped


def forget() -> None:
    """Drops what is kept of earlier questions, so that the next one comes to the same values as in a new process.

    Operands stand by the age of terms: one that is left of an earlier question is older than it would be, and then a
    solver is asked about another formula, and finds other values.
    """
    global _left
    for clear in _forgetting:
        clear()
    collect(1)
    if len(_interned) > _left:  # older garbage holds terms, or a module that was imported since
        collect()
        _left = len(_interned)


def interned(op: Op, args: tuple[Term, ...], payload: object, width: int) -> Term | None:
    """The term if it exists: what is known of its value need not be worked out again."""
    entry = _interned.get((op, width, payload, *args))
    return None if entry is None else entry()


def bit_vector(
    op: Op,
    args: tuple[Term, ...],
    payload: object,
    width: int,
    bounds: tuple[int, int] | None = None,
    zeros: int = 0,
) -> BitVec:
    return make(BitVec, op, args, payload, width, bounds or (0, (1 << width) - 1), zeros)


def boolean(op: Op, args: tuple[Term, ...], payload: object = None) -> Bool:
    return make(Bool, op, args, payload, 0, (0, 1), 0)


KEPT_CONSTANTS = 4_096
"""Most constants are built again and again."""


@kept(KEPT_CONSTANTS)
def const(value: int, width: int) -> BitVec:
    """The bit-vector of `width` bits that is congruent to `value`."""
    value &= (1 << width) - 1
    return bit_vector(Op.CONST, (), value, width, (value, value), ~value & ((1 << width) - 1))


def symbol(name: Hashable, width: int) -> BitVec:
    """An arbitrary bit-vector; the same name and width give the same term.  Names that differ print differently."""
    return bit_vector(Op.SYMBOL, (), name, width)


@kept(2)
def bool_const(value: bool) -> Bool:
    return boolean(Op.CONST, (), value)


def true() -> Bool:
    return bool_const(True)


def false() -> Bool:
    return bool_const(False)


def bool_symbol(name: Hashable) -> Bool:
    """An arbitrary truth value."""
    return boolean(Op.SYMBOL, (), name)


def value_of(term: Term) -> int | None:
    """The value of a constant (0 or 1 for a Boolean), else None."""
    return int(cast(int, term.payload)) if term.op is Op.CONST else None


def is_true(term: Bool) -> bool:
    return value_of(term) == 1


def is_false(term: Bool) -> bool:
    return value_of(term) == 0


def trailing_zeros(value: int, width: int) -> int:
    """How many of the low bits of `value` are 0; `width` for 0."""
    return (value & -value).bit_length() - 1 if value else width


def known_trailing_zeros(term: BitVec) -> int:
    """How many of the low bits of `term` are certainly 0."""
    return lowest_bit(term).bit_length() - 1


def lowest_bit(term: BitVec) -> int:
    """The lowest power of two that a value of `term` may contain; 2^width for 0."""
    return (term.zeros + 1) & ~term.zeros


def signed_value(value: int, width: int) -> int:
    """The number that so many low bits are in two's complement."""
    half = 1 << width - 1
    return (value + half) % (2 * half) - half


def common_width(terms: Sequence[BitVec]) -> int:
    width = terms[0].width
    for term in terms:
        if term.width != width:
            raise ValueError(f"widths differ: {[term.width for term in terms]}")
    return width


def ordered(left: BitVec, right: BitVec) -> tuple[BitVec, BitVec]:
    """Constants first, then the older term: both operand orders give one term."""
    if right.op is Op.CONST or (left.op is not Op.CONST and right.serial < left.serial):
        return right, left
    return left, right


def show(term: Term, depth: int = 6) -> str:
    """A short reading of the term; deep parts are cut."""
    if term.op is Op.CONST:
        return str(term.payload) if term.width == 0 else f"{cast(int, term.payload):#x}:{term.width}"
    if term.op is Op.SYMBOL:
        return str(term.payload)
    if depth == 0:
        return "…"
    inside = [show(arg, depth - 1) for arg in term.args]
    payload = "" if term.payload is None else f"{term.payload}"
    return f"{term.op.name.lower()}{payload}({', '.join(inside)})"
