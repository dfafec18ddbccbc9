"""`dpas` on terms.  Source: docs/pages/current-compiler.md §7.

A sum of integers is a term.  One of floats is an uninterpreted function of the accumulator, the row of A and the column
of B: their order and rounding are the hardware's, and the same operands give the same sum.
"""

from visaproof.decode.dpas import DWORD_BITS, Dpas, Element
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.operands import NULL, RawOperand
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.arbitrary_values import UNINTERPRETED
from visaproof.machine.symbolic.arithmetic import SymbolicArithmetic
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.statements import MatrixProduct
from visaproof.semantics.symbolic.elements import Source, resized
from visaproof.semantics.symbolic.guarded import Literals
from visaproof.smt import BitVec, add, const, extract, mul


def write_sums(statement: MatrixProduct, thread: Thread, arithmetic: SymbolicArithmetic) -> None:
    """Every source is read before anything is written.  Raises NotModelled where a variable is too short."""
    dpas = statement.product
    lanes, size = lanes_of(thread, dpas.execution), dpas.execution.size
    row_bytes = dpas.a_bits // 8
    reader = _Reader(thread, statement.position)
    sums: list[tuple[int, Literals, BitVec]] = []
    for lane, guard, assumed in lanes:
        column = [reader.dword(dpas.b, 4 * (register * size + lane), assumed) for register in range(dpas.b_dwords)]
        for row in range(dpas.rows):
            line = reader.row(dpas.a, row * row_bytes, row_bytes, assumed)
            byte = 4 * (row * size + lane)
            start = const(0, DWORD_BITS) if dpas.acc == NULL else reader.dword(dpas.acc, byte, assumed)
            if dpas.floating:
                operands = tuple(Source(one, DataType.UD) for one in (start, *line, *column))
                value = arithmetic.fresh(statement, lane, DWORD_BITS, UNINTERPRETED, operands, DataType.F)
            else:
                value = _sum(start, line, column, dpas)
            sums.append((byte, guard, value))
    for byte, guard, value in sums:
        reader.require(dpas.dst, byte, DWORD_BITS // 8)
        thread.registers.write_under(dpas.dst.variable, dpas.dst.offset + byte, value, guard)


class _Reader:
    """Reads each word once for what is assumed of a lane."""

    def __init__(self, thread: Thread, position: Position) -> None:
        self._thread = thread
        self._position = position
        self._known: dict[tuple[str, int, int, Literals], BitVec] = {}

    def require(self, operand: RawOperand, start: int, width: int) -> None:
        if not self._thread.registers.holds(operand.variable, operand.offset + start, width):
            raise NotModelled(f"dpas beyond {operand.variable}", self._position)

    def dword(self, operand: RawOperand, start: int, assumed: Literals) -> BitVec:
        return self._word(operand, start, DWORD_BITS // 8, assumed)

    def row(self, operand: RawOperand, start: int, size: int, assumed: Literals) -> list[BitVec]:
        """The dwords of a row; the last one may be shorter."""
        return [self._word(operand, start + at, min(4, size - at), assumed) for at in range(0, size, 4)]

    def _word(self, operand: RawOperand, start: int, width: int, assumed: Literals) -> BitVec:
        key = operand.variable, operand.offset + start, width, assumed
        if key not in self._known:
            self.require(operand, start, width)
            self._known[key] = self._thread.registers.read_under(operand.variable, key[1], width, assumed)
        return self._known[key]


def _sum(start: BitVec, line: list[BitVec], column: list[BitVec], dpas: Dpas) -> BitVec:
    """acc + Σ a·b, modulo 2^32."""
    total = start
    for k in range(dpas.inner):
        total = add(total, mul(_element(line, k, dpas.a_type), _element(column, k, dpas.b_type)))
    return total


def _element(words: list[BitVec], number: int, kind: Element) -> BitVec:
    word, first = divmod(number * kind.bits, DWORD_BITS)
    return resized(extract(words[word], first + kind.bits - 1, first), DWORD_BITS, kind.signed)
