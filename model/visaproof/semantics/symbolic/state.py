"""The symbolic state of one thread: what `footprint` reads."""

from collections.abc import Mapping
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.answers import AnyAllWindow, Collision, ShortPredicate, ShortVariable, SlmBounds
from visaproof.isa.execution import THREAD_LANES, Combine
from visaproof.isa.operands import SLM, Execution, ImmediateUD, Parameter, Predicate, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.surfaces import Axis, SurfaceKind
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.names import SIZE_BITS
from visaproof.semantics.symbolic.registers import RegisterFile
from visaproof.semantics.symbolic.slm_tag import without_slm_tag
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    false,
    is_false,
    ite_bool,
    neg,
    symbol,
    true,
    ule,
    ult,
)

ADDRESS_BITS = SIZE_BITS
"""Wide enough that no address of a page wraps: 16·(2^32 − 1) + 255 < 2^40."""


FLAT_BITS = 64
"""An address of the flat address space; sums of them wrap."""
_FLAT_SIZE = const(1 << FLAT_BITS, FLAT_BITS + 1)
SCRATCH_BITS = 32
"""An address of private memory as a surface; sums of them wrap."""
_SCRATCH_SIZE = const(1 << SCRATCH_BITS, ADDRESS_BITS)
_ONE_LAYER = const(1, 32)


class SymbolicBuffer(Struct, frozen=True):
    """A surface of `size` bytes; `size` has ADDRESS_BITS bits."""

    size: BitVec

    def contains(self, address: BitVec, width: int) -> Bool:
        """Whether `width` bytes at a byte address lie inside."""
        return ule(add(address, const(width, ADDRESS_BITS)), self.size)


class SymbolicLocal(SymbolicBuffer, frozen=True):
    """Shared local memory, of whose addresses IGC's tag is no part."""

    def contains(self, address: BitVec, width: int) -> Bool:
        """Whether `width` bytes at a byte address lie inside."""
        return super().contains(without_slm_tag(address), width)

    def reached(self, access: Access) -> Access:
        """The access at its address without the tag."""
        return replace(access, cell=tuple(map(without_slm_tag, access.cell)))


class SymbolicFlat(SymbolicBuffer, frozen=True):
    """The 64-bit address space: 2^64 bytes, all of which exist (D12b).  Its addresses have FLAT_BITS bits."""

    size: BitVec = _FLAT_SIZE

    def contains(self, address: BitVec, width: int) -> Bool:
        """Whether `width` bytes at an address end before 2^64."""
        return ule(address, const(-width, FLAT_BITS))


class SymbolicScratch(SymbolicBuffer, frozen=True):
    """A thread's private memory: a byte for each of its 32-bit addresses, of which the first follows on the last."""

    size: BitVec = _SCRATCH_SIZE

    def contains(self, address: BitVec, width: int) -> Bool:
        """Whether there are such bytes: always."""
        return true()


class SymbolicImage(Struct, frozen=True):
    """A typed surface; all extents have 32 bits."""

    levels: tuple[tuple[BitVec, BitVec, BitVec], ...]
    """Width, height and depth in pixels at each LOD; an axis that the kind does not have is not looked at."""
    kind: SurfaceKind = SurfaceKind.VOLUME
    layers: BitVec = _ONE_LAYER
    """The size of an array: one for all levels."""

    def contains(self, u: BitVec, v: BitVec, r: BitVec, lod: BitVec) -> Bool:
        """Whether the texel exists: at one of the levels, each coordinate below its extent there."""
        coordinates = list(zip_longest((u, v, r), self.kind.axes))
        return disj(
            *(
                conj(eq(lod, const(level, 32)), *(ult(place, self._extent(axis, level)) for place, axis in coordinates))
                for level in range(len(self.levels))
            )
        )

    def _extent(self, axis: Axis | None, level: int) -> BitVec:
        if axis is None:
            return _ONE_LAYER  # N/A: only 0 exists
        width, height, depth = self.levels[level]
        return {Axis.X: width, Axis.Y: height, Axis.Z: depth, Axis.LAYER: self.layers}[axis]


SymbolicSurface = SymbolicBuffer | SymbolicImage


class SymbolicState(Struct, frozen=True):
    """Registers, predicates (lane 0 first), execution mask (32 lanes) and surfaces, symbolically."""

    platform: Platform
    exec_mask: tuple[Bool, ...]
    registers: RegisterFile
    predicates: Mapping[str, tuple[Bool, ...]]
    surfaces: Mapping[str, SymbolicSurface]
    readings: Readings = DEFAULT

    def read_dword(self, operand: RawOperand, index: int, when: Bool | None = None) -> tuple[BitVec, bool]:
        """Dword `index` behind a raw operand, and whether its variable has it (D6).

        `when` is the guard of everything that the dword is used for; what a register holds elsewhere may be left out.
        """
        return self.read_bytes(operand, 4 * index, 4, when)

    def read_bytes(self, operand: RawOperand, start: int, width: int, when: Bool | None = None) -> tuple[BitVec, bool]:
        """`width` bytes from byte `start` behind a raw operand on, and whether its variable has them (D6)."""
        first = operand.offset + start
        if not self.registers.holds(operand.variable, first, width):
            return const(0, 8 * width), False
        return self.registers.read(operand.variable, first, width), True

    def read_lane(self, operand: RawOperand, index: int, last: int, when: Bool | None = None) -> tuple[BitVec, bool]:
        """Dword `index` as `read_dword` has it; under D6 `all-lanes`, the variable must also have dword `last`."""
        value, _ = self.read_dword(operand, index, when)
        return value, self.holds_lane(operand, index, last)

    def holds_lane(self, operand: RawOperand, index: int, last: int) -> bool:
        """Whether the variable has dword `index` behind the operand, and what else a lane needs of it (D6)."""
        reading, end = self.readings.short_variable, operand.offset + 4 * index + 4
        if reading is not ShortVariable.ENABLED_LANES:
            end = operand.offset + 4 * max(index, last) + 4
        if reading is ShortVariable.WHOLE_PAYLOAD:
            end += -end % self.platform.grf_bytes
        return self.registers.holds(operand.variable, end - 4, 4)

    def holds_block(self, operand: RawOperand, dwords: int) -> bool:
        """Whether the variable has so many dwords behind the operand, and what else a block needs of it (D6)."""
        return self.holds_lane(operand, dwords - 1, dwords - 1)

    def has_meaning(self, name: str, address: BitVec, width: int) -> Bool:
        """Whether an access at this address is defined, in bounds or not: under D12 `undefined`, none beyond SLM is."""
        if name == SLM and self.readings.slm_bounds is SlmBounds.UNDEFINED:
            return self.buffer(name).contains(address, width)
        return true()

    def yields(self, lane: int) -> Bool:
        """Whether a lane's write does not replace that of a lower lane (D14): under `any-wins`, it may or may not."""
        free = self.readings.collision is Collision.ANY_WINS
        return neg(bool_symbol(f"overwrites.{lane}")) if free else false()

    def scalar(self, operand: Scalar) -> tuple[BitVec, bool]:
        """A UD scalar, and whether its variable has it."""
        if isinstance(operand, ImmediateUD):
            return const(operand.value, 32), True
        return self.read_dword(RawOperand(operand.variable, operand.offset), 0)

    def buffer(self, name: str) -> SymbolicBuffer:
        surface = self.surfaces[name]
        if not isinstance(surface, SymbolicBuffer):
            raise TypeError(f"{name} is not a buffer")
        return surface

    def image(self, name: str) -> SymbolicImage:
        surface = self.surfaces[name]
        if not isinstance(surface, SymbolicImage):
            raise TypeError(f"{name} is not a typed surface")
        return surface

    def lanes_enabled(self, execution: Execution) -> list[tuple[Bool, Bool]]:
        """For each lane `ChEn[lane]`, and whether the predicate has the bits that it is computed from (D3)."""
        mask = field_term(execution.mask, 4)
        lanes = range(execution.size)
        offsets = _possible_offsets(mask)
        running = [disj(bit(mask, 3), _at_offset(self.exec_mask, offsets, lane)) for lane in lanes]
        if execution.predicate is None:
            return [(runs, true()) for runs in running]
        passed, defined = self._predicate(execution.predicate, offsets, execution.size)
        return [(conj(runs, disj(passes, neg(defined))), defined) for runs, passes in zip(running, passed, strict=True)]

    def lane_enabled(self, execution: Execution, lane: int) -> tuple[Bool, Bool]:
        """The entry of one lane in `lanes_enabled`."""
        return self.lanes_enabled(execution)[lane]

    def _predicate(self, predicate: Predicate, offsets: "_Offsets", size: int) -> tuple[list[Bool], Bool]:
        lanes = self.predicates[predicate.variable]
        free = self.readings.short_predicate is ShortPredicate.FREE
        known = [_at_offset(lanes, offsets, k) for k in range(size)]
        window = [
            disj(there, self._free_bit(predicate, offsets, k)) if free else there for k, there in enumerate(known)
        ]
        combine = field_term(predicate.combine, 2)
        is_any, is_all = (eq(combine, const(code.value, 2)) for code in (Combine.ANY, Combine.ALL))
        combining = lanes if self.readings.any_all_window is AnyAllWindow.DECLARED_WIDTH else window  # D4
        some, every = disj(*combining), conj(*combining)
        inverse = bit(field_term(predicate.inverse, 1), 0)
        passed: list[Bool] = []
        for own in window:
            combined = ite_bool(is_any, some, ite_bool(is_all, every, own))
            passed.append(ite_bool(inverse, neg(combined), combined))
        if self.readings.short_predicate is not ShortPredicate.UNDEFINED:  # a missing bit of `known` is false already
            return passed, true()
        too_short = (chosen for offset, chosen in offsets if offset + size > len(lanes))
        return passed, neg(disj(*too_short))

    def _free_bit(self, predicate: Predicate, offsets: "_Offsets", lane: int) -> Bool:
        """Whether bit `lane` of the window is missing, and 1: it is 0 where its symbol holds."""
        count = len(self.predicates[predicate.variable])
        missing = disj(*(chosen for offset, chosen in offsets if offset + lane >= count))
        return conj(missing, neg(bool_symbol(f"{predicate.variable}.missing.{lane}")))


_Offsets = list[tuple[int, Bool]]
"""Lane offsets that a mask code can have, each with the condition that it has it."""


def _possible_offsets(mask: BitVec) -> _Offsets:
    offsets = [(offset, _selects(mask, offset)) for offset in range(0, THREAD_LANES, 4)]
    return [(offset, chosen) for offset, chosen in offsets if not is_false(chosen)]


def _at_offset(lanes: tuple[Bool, ...], offsets: _Offsets, lane: int) -> Bool:
    """Bit `lane` + lane offset of the mask; false beyond the end."""
    return disj(*(conj(chosen, lanes[offset + lane]) for offset, chosen in offsets if offset + lane < len(lanes)))


def _selects(mask: BitVec, lane_offset: int) -> Bool:
    """Whether the mask code has this lane offset, with or without NoMask."""
    code = const(lane_offset // 4, 4)
    return disj(eq(mask, code), eq(mask, add(code, const(8, 4))))


def field_term(value: int | Combine | Parameter, width: int) -> BitVec:
    """A field as a term: the number itself, or an arbitrary one for a parameter."""
    if isinstance(value, Parameter):
        return symbol(value.name, width)
    return const(value.value if isinstance(value, Combine) else value, width)
