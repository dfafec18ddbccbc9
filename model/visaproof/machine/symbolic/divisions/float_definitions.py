"""What results of float operations were computed from: how sequences of them are recognised."""

from collections.abc import Callable, Iterator, Sequence
from struct import pack, unpack

from visaproof.isa.float_modes import CONTROL, ROUNDING_HIGH, ROUNDING_LOW, ROUNDINGS, Rounding
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.semantics.symbolic.elements import Source
from visaproof.semantics.symbolic.float_bits import with_modifier
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, const, extract, substitute, value_of


class FloatDefinitions:
    """The operations of a run whose results are symbols, of one type, and rounded in one way."""

    def __init__(
        self,
        defined: Callable[[BitVec], Uninterpreted | None],
        initial: Callable[[str, int], Byte],
        data_type: DataType,
        rounding: Rounding,
    ) -> None:
        """`defined` gives the operation of which a symbol is the result, `initial` the registers at the start."""
        self._defined = defined
        self._initial = initial
        self._type = data_type
        self._rounding = ROUNDINGS.index(rounding)

    def products(self, term: BitVec) -> Iterator[tuple[BitVec, BitVec, BitVec]]:
        """Of x·y + z the factors, in both orders, and the addend."""
        mad = self.rounded(term, "mad")
        if mad is not None:
            one, other, addend = (source.bits for source in mad)
            yield one, other, addend
            yield other, one, addend

    def operands(self, term: BitVec, opcode: str) -> Iterator[tuple[BitVec, BitVec]]:
        """The operands of a sum or a product, in both orders."""
        found = self.rounded(term, opcode)
        if found is not None:
            one, other = (source.bits for source in found)
            yield one, other
            yield other, one

    def rounded(self, term: BitVec, opcode: str) -> Sequence[Source] | None:
        """The operands of a float operation that rounds in this way, where kernels start in IEEE mode."""
        found = self._defined(term)
        if found is None or found.operation != (opcode,) or found.result is not self._type or found.control is None:
            return None
        rounding = extract(found.control, ROUNDING_HIGH, ROUNDING_LOW)
        start, _ = self._initial(CONTROL, 0)
        if value_of(start) is None:
            rounding = substitute(rounding, {start: const(0, start.width)})
        return found.operands if value_of(rounding) == self._rounding else None

    def moved(self, term: BitVec, source: DataType, result: DataType) -> BitVec | None:
        """What was converted, exactly or, as far as the claims need, in any way; of a constant the integer it is."""
        if (known := value_of(term)) is None:
            return self.unary(term, "mov", source, result)
        integer = _integer_of(known, result)
        return None if integer is None or source.floating or integer >> source.bits else const(integer, source.bits)

    def unary(self, term: BitVec, opcode: str, source: DataType, result: DataType) -> BitVec | None:
        """The operand of an operation between these types."""
        found = self._defined(term)
        if found is None or found.operation != (opcode,) or found.operands is None or found.result is not result:
            return None
        return found.operands[0].bits if is_plain(found.operands[0], source) else None

    def negative(self, number: BitVec) -> BitVec:
        """−number."""
        return with_modifier(Source(number, self._type, "-")).bits


def is_plain(source: Source, data_type: DataType) -> bool:
    """Whether it is of this type, and has no modifier."""
    return source.type is data_type and not source.modifier


def _integer_of(pattern: int, data_type: DataType) -> int | None:
    """The integer that a float or a double is, if it is one and has no sign: conversions of integers give no −0."""
    if data_type not in _LAYOUTS or pattern >> (data_type.bits - 1):
        return None
    word, number = _LAYOUTS[data_type]
    (value,) = unpack(number, pack(word, pattern))
    return int(value) if value.is_integer() else None


_LAYOUTS = {DataType.F: ("<I", "<f"), DataType.DF: ("<Q", "<d")}
