"""Atomic read-modify-writes of many threads, one after the other: by thread, then by lane."""

from collections.abc import Callable

import numpy as np

from visaproof.instructions.dword_atomic import integer_new_value
from visaproof.instructions.family import DwordAtomic, LscAtomic, SvmAtomic
from visaproof.isa.atomics import FLOAT_OPS, AtomicOp
from visaproof.isa.operands import NULL, RawOperand
from visaproof.isa.readings import DEFAULT
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arrays import Array, Bools, Indices, any_lane
from visaproof.machine.arrays.batch import Batch, Enabled
from visaproof.machine.arrays.messages import raw
from visaproof.machine.arrays.messages.pages import lsc_address
from visaproof.machine.arrays.step import Move
from visaproof.machine.arrays.threads import Threads
from visaproof.semantics.concrete.float_atomics import float_new_value

AtomicMessage = DwordAtomic | SvmAtomic | LscAtomic


class Atomics:
    """Turns atomic messages into moves."""

    def __init__(self, threads: Threads, arena: Arena) -> None:
        self._threads = threads
        self._arena = arena

    def move(self, message: AtomicMessage) -> Move:
        """Raises NotVectorised for an operand that is too short."""
        threads, arena, lanes, op = self._threads, self._arena, message.execution.size, message.op
        address = self.address(message)
        src0, src1 = (self._source(operand, lanes) for operand in _roles(message))
        write = None if message.dst == NULL else raw.writer(raw.words(threads, message.dst, 0, 4, 4, lanes))

        def move(batch: Batch, enabled: Enabled, key: str) -> Bools | None:
            places, left = address(batch), None
            misaligned = (places & np.uint64(3)) != 0
            if misaligned.any():
                left = any_lane(misaligned, enabled.lanes)
                enabled = enabled.without(left)
            index, inside = arena.locate(key, places, 4, batch.owners(key))
            strays = arena.strays(key, inside, enabled.lanes, places, batch.indices)
            if strays is not None:
                left = strays if left is None else left | strays
                enabled = enabled.without(strays)
            live = enabled.lanes & inside
            results = np.zeros(live.shape, np.uint32)
            results[live] = _updated(arena, op, index[live], src0(batch)[live], src1(batch)[live])
            if write is not None:
                write(batch, results, enabled.lanes, enabled.full)
            return left

        return move

    def address(self, message: AtomicMessage) -> raw.Numbers:
        """Where each lane's dword is."""
        lanes = message.execution.size
        match message:
            case DwordAtomic():
                return raw.numbers(self._threads, message.element_offset, 4, lanes)
            case SvmAtomic():
                return raw.numbers(self._threads, message.addresses, 8, lanes)
            case LscAtomic():
                return lsc_address(message, self._threads)

    def _source(self, operand: RawOperand, lanes: int) -> Callable[[Batch], Array]:
        """The dwords (threads, lanes) of a source; 0 where it is null."""
        if operand == NULL:
            return lambda batch: np.zeros((batch.count, lanes), np.uint32)
        view = raw.words(self._threads, operand, 0, 4, 4, lanes)
        return lambda batch: batch.pick(view)


def _roles(message: AtomicMessage) -> tuple[RawOperand, RawOperand]:
    """The sources as DWORD_ATOMIC names them: LSC's icas has (compared, new), CMPXCHG (new, compared) (D38)."""
    if isinstance(message, LscAtomic):
        return (message.src2, message.src1) if message.op is AtomicOp.CMPXCHG else (message.src1, message.src2)
    return message.src0, message.src1


def _updated(arena: Arena, op: AtomicOp, index: Indices, src0: Array, src1: Array) -> Array:
    """Updates the dwords at these places (accesses,) in this order; what each access returns."""
    if op in _ON_ARRAYS and len(np.unique(index)) == len(index):
        old = arena.read(index, 4)
        new = _ON_ARRAYS[op](old, src0, src1)
        arena.write(index, 4, new)
        return new if op is AtomicOp.PREDEC else old
    return _serially(arena, op, index, src0, src1)


def _serially(arena: Arena, op: AtomicOp, index: Indices, src0: Array, src1: Array) -> Array:
    """Page: "serialized and atomically updated" (D30)."""
    places, order = np.unique(index, return_inverse=True)
    held: list[int] = arena.read(places, 4).tolist()
    returned: list[int] = []
    turns: list[tuple[int, int, int]] = list(zip(order.tolist(), src0.tolist(), src1.tolist(), strict=True))
    for at, first, second in turns:
        old = held[at]
        if op in FLOAT_OPS:
            new = float_new_value(op, old, first, second, 32, DEFAULT)
        else:
            new = integer_new_value(op, old, first, second, 32) & 0xFFFF_FFFF
        held[at] = new
        returned.append(new if op is AtomicOp.PREDEC else old)
    arena.write(places, 4, np.array(held, np.uint32))
    return np.array(returned, np.uint32)


def _signed(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.int32)


_ONE = np.uint32(1)

_ON_ARRAYS: dict[AtomicOp, Callable[[Array, Array, Array], Array]] = {
    AtomicOp.ADD: lambda old, src0, _: old + src0,
    AtomicOp.SUB: lambda old, src0, _: old - src0,
    AtomicOp.INC: lambda old, _, __: old + _ONE,
    AtomicOp.DEC: lambda old, _, __: old - _ONE,
    AtomicOp.PREDEC: lambda old, _, __: old - _ONE,
    AtomicOp.MIN: lambda old, src0, _: np.minimum(old, src0),
    AtomicOp.MAX: lambda old, src0, _: np.maximum(old, src0),
    AtomicOp.IMIN: lambda old, src0, _: np.minimum(_signed(old), _signed(src0)),
    AtomicOp.IMAX: lambda old, src0, _: np.maximum(_signed(old), _signed(src0)),
    AtomicOp.XCHG: lambda _, src0, __: src0,
    AtomicOp.CMPXCHG: lambda old, src0, src1: np.where(old == src1, src0, old),
    AtomicOp.AND: lambda old, src0, _: old & src0,
    AtomicOp.OR: lambda old, src0, _: old | src0,
    AtomicOp.XOR: lambda old, src0, _: old ^ src0,
}
"""New values on dwords that no two accesses share."""
