"""`dpas` on terms.  Source: docs/pages/current-compiler.md §7.

A sum of integers is a term.  One of floats is an uninterpreted function of the accumulator, the row of A and the column
of B: their order and rounding are the hardware's, and the same operands give the same sum.
"""

from visaproof.decode.dpas import DWORD_BITS, Dpas, Element
from visaproof.instructions.family import LscLoadBlock2d
from visaproof.instructions.lsc.block2d import data_bytes
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.operands import NULL, RawOperand
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.arithmetic import SymbolicArithmetic
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread, ThreadState
from visaproof.machine.symbolic.uninterpreted_results import UNINTERPRETED
from visaproof.program.statements import MatrixProduct
from visaproof.semantics.symbolic.accesses import RegisterSlice
from visaproof.semantics.symbolic.elements import Source, resized
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import BitVec, Bool, add, conj, const, extract, ite, mul


def write_sums(statement: MatrixProduct, thread: Thread, arithmetic: SymbolicArithmetic) -> None:
    """Every source is read before anything is written.  Raises NotModelled where a variable is too short."""
    dpas = statement.product
    lanes, size = lanes_of(thread, dpas.execution), dpas.execution.size
    row_bytes = dpas.a_bits // 8
    reader = _Reader(thread, statement.position)
    sums: list[tuple[int, Literals, BitVec]] = []
    here = thread.lanes.facts  # a row is for all lanes: what is known of one is not looked at
    rows = [reader.row(dpas.a, row * row_bytes, row_bytes, here) for row in range(dpas.rows)]
    for lane, guard, assumed in lanes:
        column = [reader.dword(dpas.b, 4 * (register * size + lane), assumed) for register in range(dpas.b_dwords)]
        for row, line in enumerate(rows):
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


class LoadedBlock:
    """What a 2D block leaves in registers: each element once, with 0 where it is outside the matrix.

    As two writes, of what is loaded and of 0, each element would be a choice wherever it is read.
    """

    def __init__(self, message: LscLoadBlock2d, state: ThreadState) -> None:
        self._thread, self._message = state.thread, message
        ((enabled, _),) = state.lanes_enabled(message.execution)
        self._enabled = conj(enabled, *state.thread.lanes.facts)
        self._written: set[int] = set()

    def write(self, place: RegisterSlice, inside: Bool, value: BitVec) -> None:
        self._written |= set(range(place.start, place.start + place.width))
        self._put(place.start, ite(inside, value, const(0, 8 * place.width)), place.width)

    def clear_the_rest(self) -> None:
        """The gaps, and elements that cannot be inside."""
        first, grf = self._message.dst.offset, self._thread.platform.grf_bytes
        rest = sorted(set(range(first, first + data_bytes(self._message.shape, grf))) - self._written)
        for byte in rest:
            self._put(byte, const(0, 8), 1)

    def _put(self, start: int, value: BitVec, width: int) -> None:
        registers, name = self._thread.registers, self._message.dst.variable
        if registers.holds(name, start, width):
            registers.write(name, start, value, self._enabled)


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
