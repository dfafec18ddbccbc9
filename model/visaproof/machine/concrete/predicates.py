"""Predicates that statements set or combine, on ints."""

from visaproof.decode.statement import lane_offset
from visaproof.isa.errors import NotModelled, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.program.operands import Unlowered
from visaproof.program.statements import CombinePredicates, SetPredicate
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits, concrete


def enabled_lanes(state: ConcreteState, execution: Execution) -> list[int]:
    """The lanes of a statement that are enabled."""
    mask, lanes = concrete(execution.mask), list(range(execution.size))
    if mask < ExecMask.M1_NM:
        on = state.exec_mask >> 4 * mask
        lanes = [lane for lane in lanes if on >> lane & 1]
    if execution.predicate is None:
        return lanes
    return [lane for lane in lanes if state.channel_enabled(execution, lane)]


class ConcretePredicates:
    """Runs `setp`, and the logic opcodes on predicates."""

    def __init__(self, state: ConcreteState, operands: ConcreteOperands) -> None:
        self._state = state
        self._operands = operands

    def set(self, setp: SetPredicate) -> None:
        target, source, execution = setp.target, setp.source, setp.lanes
        if isinstance(target, Unlowered):
            raise NotModelled(target.what, target.position)
        if source.is_scalar:
            self._set_half(target.variable, execution, self._operands.read(source, 0)[0])
            return
        first, lanes = lane_offset(execution), enabled_lanes(self._state, execution)
        self.set_bits(target.variable, {first + lane: bool(self._operands.read(source, lane)[0] & 1) for lane in lanes})

    def _set_half(self, variable: str, execution: Execution, bits: int) -> None:
        """Page SETP: with 32 lanes every bit, else "the lower/upper 16 dst elements", whatever lanes run."""
        first, width = (0, 32) if execution.size == 32 else (lane_offset(execution), 16)
        count = max(self._state.predicates[variable].count, first + execution.size)
        self.set_bits(variable, {first + k: bool(bits >> k & 1) for k in range(width) if first + k < count})

    def combine(self, statement: CombinePredicates) -> None:
        """Page AND (OR, XOR, NOT): "dst[i] = src0[i] & src1[i]" of enabled lanes, from the mask's first lane on."""
        bits: dict[int, bool] = {}
        for lane in enabled_lanes(self._state, statement.lanes):
            place = lane_offset(statement.lanes) + lane
            sources = [self._bit(name, place) for name in statement.sources]
            match statement.operation.name:
                case "and":
                    bits[place] = all(sources)
                case "or":
                    bits[place] = any(sources)
                case "xor":
                    bits[place] = sources[0] is not sources[1]
                case _:
                    bits[place] = not sources[0]
        self.set_bits(statement.target, bits)

    def _bit(self, variable: str, place: int) -> bool:
        predicate = self._state.predicates[variable]
        if place >= predicate.count:
            if (beyond := self._state.beyond_of(variable)) is not None:
                return beyond.bit(variable, place)
            raise UndefinedBehavior(f"{variable} has no bit for lane {place}")
        return bool(predicate.bits >> place & 1)

    def set_bits(self, variable: str, bits: dict[int, bool]) -> None:
        before = self._state.predicates[variable]
        value = before.bits
        for place, bit in bits.items():
            if place >= before.count and self._state.beyond_of(variable) is not None:
                continue
            if place >= before.count:
                raise UndefinedBehavior(f"{variable} has no bit for lane {place}")
            value = value & ~(1 << place) | bit << place
        self._state.predicates[variable] = PredicateBits(before.count, value)
