"""The state of one thread: registers, predicates, execution mask and surfaces, as plain numbers."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct

from visaproof.isa.answers import AnyAllWindow, ShortPredicate, ShortVariable, SlmBounds
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.execution import Combine
from visaproof.isa.implicit_arguments import IDS, TABLE
from visaproof.isa.operands import SLM, Execution, ImmediateUD, Parameter, Predicate, RawOperand, Scalar
from visaproof.isa.platform import THREAD_NUMBER_BYTE, Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.semantics.concrete.beyond import Found, write_held
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.surface import Buffer, Image, Surface, WithoutTag

T = TypeVar("T")


class PredicateBits(Struct, frozen=True):
    """`count` bits of a predicate variable, lane 0 in bit 0."""

    count: int
    bits: int


@dataclass
class ConcreteState:
    """What an instruction can see of one thread; `execute` changes it in place."""

    platform: Platform
    exec_mask: int = 0xFFFF_FFFF
    registers: dict[str, bytearray] = field(default_factory=dict[str, bytearray])
    predicates: dict[str, PredicateBits] = field(default_factory=dict[str, PredicateBits])
    surfaces: dict[str, Surface] = field(default_factory=dict[str, Surface])
    readings: Readings = field(default=DEFAULT, kw_only=True)
    backwards: bool = field(default=False, kw_only=True)
    """Whether the lanes of an atomic take their turns from the last to the first: their order is left open (D30)."""
    beyond: Found | None = field(default=None, kw_only=True)
    """What lies beyond variables; without it, to use that is undefined behaviour."""
    tags: bool = field(default=False, kw_only=True)
    """Whether the tag that IGC sets in addresses of shared local memory is no part of them."""
    choices: Choices = field(default=STRICT, kw_only=True, compare=False, repr=False)
    """What a result is that no page states."""

    def copy(self) -> "ConcreteState":
        return deepcopy(self)

    def beyond_of(self, variable: str) -> Found | None:
        """What lies beyond a variable."""
        return None if self.beyond is None or variable in self.beyond.strict else self.beyond

    def read_dword(self, operand: RawOperand, index: int) -> int:
        """Dword `index` behind a raw operand.  Undefined beyond its variable (D6)."""
        return self.read_bytes(operand, 4 * index, 4)

    def write_dword(self, operand: RawOperand, index: int, value: int) -> None:
        """Writes dword `index` behind a raw operand.  Undefined beyond its variable (D6)."""
        self.write_bytes(operand, 4 * index, 4, value)

    def read_bytes(self, operand: RawOperand, start: int, width: int) -> int:
        """`width` bytes from byte `start` behind a raw operand on.  Undefined beyond its variable (D6)."""
        first = operand.offset + start
        variable = self.registers[operand.variable]
        if first + width > len(variable):
            if (beyond := self.beyond_of(operand.variable)) is not None:
                return beyond.read(operand.variable, variable, first, width)
            raise UndefinedBehavior(f"{operand} dword {start // 4} lies beyond its variable")
        return int.from_bytes(variable[first : first + width], "little")

    def write_bytes(self, operand: RawOperand, start: int, width: int, value: int) -> None:
        """Writes `width` bytes from byte `start` behind a raw operand on.  Undefined beyond its variable (D6)."""
        first = operand.offset + start
        variable = self.registers[operand.variable]
        if first + width > len(variable):
            if self.beyond_of(operand.variable) is None:
                raise UndefinedBehavior(f"{operand} dword {start // 4} lies beyond its variable")
            write_held(variable, first, value.to_bytes(width, "little"))
        else:
            variable[first : first + width] = value.to_bytes(width, "little")

    def scalar(self, operand: Scalar) -> int:
        """The value of a UD scalar."""
        if isinstance(operand, ImmediateUD):
            return operand.value
        return self.read_dword(RawOperand(operand.variable, operand.offset), 0)

    def in_turn(self, lanes: Sequence[T]) -> Sequence[T]:
        """What the lanes of an atomic do, in the order in which they do it."""
        return lanes[::-1] if self.backwards else lanes

    def buffer(self, name: str) -> Buffer:
        surface = self.surfaces[name]
        if not isinstance(surface, Buffer):
            raise TypeError(f"{name} is not a buffer")
        return WithoutTag(surface) if name == SLM and self.tags else surface

    def loaded(self, address: int, width: int, memory: Buffer) -> int:
        """What is in 64-bit memory: in the row of local ids that is the thread's own, what the launch put there."""
        if (row := self.registers.get(IDS)) is not None:
            table, number = int.from_bytes(self.registers[TABLE], "little"), self.registers["%r0"][THREAD_NUMBER_BYTE]
            place = (address - table - number * len(row)) % 2**64
            if place + width <= len(row):
                return int.from_bytes(row[place : place + width], "little")
        return memory.read(address, width)

    def image(self, name: str) -> Image:
        surface = self.surfaces[name]
        if not isinstance(surface, Image):
            raise TypeError(f"{name} is not a typed surface")
        return surface

    def require_aligned(self, address: int, unit: int) -> None:
        """Raises UndefinedBehavior unless the address is a multiple of `unit` (D13, D26)."""
        if address % unit:
            raise UndefinedBehavior(f"address {address:#x} is not a multiple of {unit}")

    def require_lanes(self, operand: RawOperand, last: int) -> None:
        """Under D6 `all-lanes`: raises UndefinedBehavior unless the dword of the last lane lies in the variable; under
        `whole-payload` unless the register does in which that dword lies."""
        if self.readings.short_variable is not ShortVariable.ENABLED_LANES:
            self.read_dword(operand, last)
        if self.readings.short_variable is ShortVariable.WHOLE_PAYLOAD:
            grf = self.platform.grf_bytes
            register = (operand.offset + 4 * last) // grf
            if (
                len(self.registers[operand.variable]) < (register + 1) * grf
                and self.beyond_of(operand.variable) is None
            ):
                raise UndefinedBehavior(f"{operand} register {register} lies beyond its variable")

    def require_block(self, operand: RawOperand, dwords: int) -> None:
        """Raises UndefinedBehavior unless the variable has the whole block, and what else D6 asks of its last dword."""
        self.read_dword(operand, dwords - 1)
        self.require_lanes(operand, dwords - 1)

    def require_inside(self, name: str, address: int, width: int) -> None:
        """Under D12 `undefined`: raises UndefinedBehavior for an address beyond SLM."""
        if name == SLM and self.readings.slm_bounds is SlmBounds.UNDEFINED:
            size = self.buffer(name).size
            if address + width > size:
                raise UndefinedBehavior(f"address {address:#x} lies beyond the {size} bytes of SLM")

    def channel_enabled(self, execution: Execution, lane: int) -> bool:
        """The pages' `ChEn[lane]`: the execution mask unless NoMask, and the predicate."""
        mask = concrete(execution.mask)
        offset = 4 * (mask % 8)
        if mask < 8 and not self.exec_mask >> (offset + lane) & 1:
            return False
        if execution.predicate is None:
            return True
        return self._predicate(execution.predicate, offset, execution.size, lane)

    def _predicate(self, predicate: Predicate, offset: int, size: int, lane: int) -> bool:
        variable = self.predicates[predicate.variable]
        inverse = bool(concrete(predicate.inverse))
        if predicate.combine is Combine.PLAIN and offset + size <= variable.count:  # no reading says more
            return bool(variable.bits >> offset + lane & 1) != inverse
        beyond = self.beyond_of(predicate.variable)
        undefined = offset + size > variable.count and self.readings.short_predicate is ShortPredicate.UNDEFINED
        if undefined and beyond is None:
            raise UndefinedBehavior(f"{predicate.variable} has no bits for lanes {offset}..{offset + size - 1}")
        declared = [bool(variable.bits >> k & 1) for k in range(variable.count)]
        missing = self.readings.short_predicate is ShortPredicate.FREE  # any value may stand there, for example 1
        window = [declared[offset + k] if offset + k < variable.count else missing for k in range(size)]  # D3
        if undefined and beyond is not None:
            held = max(0, variable.count - offset)
            window[held:] = (beyond.bit(predicate.variable, offset + k) for k in range(held, size))
        combining = declared if self.readings.any_all_window is AnyAllWindow.DECLARED_WIDTH else window  # D4
        match predicate.combine:
            case Combine.ANY:
                combined = any(combining)
            case Combine.ALL:
                combined = all(combining)
            case _:
                combined = window[lane]
        return combined != inverse


def concrete(field_value: int | Parameter) -> int:
    """A field as a number; a parameter has none."""
    if isinstance(field_value, Parameter):
        raise TypeError(f"{field_value.name} stands for any value: execute needs one")
    return field_value
