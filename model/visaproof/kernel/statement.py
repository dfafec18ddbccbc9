"""A memory message on its way to a page: operands as root variables and bytes, lanes, suffixes."""

from dataclasses import dataclass

from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.execution import EXEC_SIZES, ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, Predicate, RawOperand, Scalar, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.types import DataType
from visaproof.kernel import predefined, syntax


def root_byte(kernel: syntax.Kernel, variable: str, offset: int) -> tuple[str, int]:
    """Byte `offset` of a general variable, as a byte of the variable that owns its storage."""
    declared = kernel.variables[variable]
    assert isinstance(declared, syntax.GeneralVariable)
    root, start = kernel.root_of(declared)
    return root.name, start + offset


def execution_of(instruction: syntax.Instruction) -> Execution:
    """`(P1) … (M3, 8)`.  Raises ReadError where the size is none of 1, 2, 4, 8, 16, 32."""
    field = instruction.execution
    if field is None:
        raise ReadError(f"{instruction.opcode} needs (mask, size)", instruction.position)
    if field.size not in EXEC_SIZES:
        raise ReadError(f"execution size {field.size}", instruction.position, f"one of {EXEC_SIZES}")
    use = instruction.predicate
    predicate = Predicate(use.variable, use.inverse, use.combine) if use else None
    return Execution(field.size, ExecMask(field.mask), predicate)


def label_places(kernel: syntax.Kernel) -> dict[str, int]:
    """The index of each label among the statements."""
    return {
        statement.name: place
        for place, statement in enumerate(kernel.statements)
        if isinstance(statement, syntax.Label)
    }


def lane_offset(execution: Execution) -> int:
    """The first of the thread's lanes that the instruction covers."""
    assert isinstance(execution.mask, ExecMask)
    return execution.mask.lane_offset


def without_mask(execution: Execution) -> Execution:
    """The same lanes and predicate, whatever the execution mask: `(M3, 8)` as `(M3_NM, 8)`."""
    assert isinstance(execution.mask, ExecMask)
    return Execution(execution.size, ExecMask(execution.mask | 8), execution.predicate)


def without_predicate(execution: Execution) -> Execution:
    return Execution(execution.size, execution.mask)


@dataclass(frozen=True, slots=True)
class Statement:
    """An instruction on its way to a page, with what its operands need to be resolved."""

    instruction: syntax.Instruction
    kernel: syntax.Kernel
    platform: Platform
    readings: Readings = DEFAULT

    @property
    def position(self) -> Position:
        return self.instruction.position

    def operands(self, count: int) -> tuple[syntax.Operand, ...]:
        found = self.instruction.operands
        if len(found) != count:
            raise ReadError(f"{self.instruction.opcode} takes {count} operands, not {len(found)}", self.position)
        return found

    def suffix(self, what: str) -> str:
        if not self.instruction.suffixes:
            raise ReadError(f"{self.instruction.opcode} needs .{what}", self.position)
        return self.instruction.suffixes[0]

    def surface(self, operand: syntax.Operand) -> str:
        match operand:
            case syntax.Name(name) | syntax.SubscriptedName(name):
                if isinstance(self.kernel.variables.get(name), syntax.SurfaceVariable):
                    return name
            case _:
                pass
        raise ReadError("this operand must be a surface", operand.position)

    def raw(self, operand: syntax.Operand) -> RawOperand:
        match operand:
            case syntax.RawOperand(predefined.NULL):
                return NULL
            case syntax.RawOperand(variable, offset):
                return RawOperand(*root_byte(self.kernel, variable, offset))
            case _:
                raise ReadError("this operand must be raw: VARIABLE.OFFSET", operand.position)

    def type_of(self, operand: syntax.Operand) -> DataType | None:
        """The declared type of a raw operand's variable."""
        declared = self.kernel.variables.get(operand.variable) if isinstance(operand, syntax.RawOperand) else None
        return declared.type if isinstance(declared, syntax.GeneralVariable) else None

    def scalar(self, operand: syntax.Operand) -> Scalar:
        match operand:
            case syntax.Immediate(bits, data_type):
                return ImmediateUD(dword(bits, data_type, operand.position))
            case syntax.VectorSource(variable, row, column, _, modifier):
                declared = self.kernel.variables[variable]
                if not isinstance(declared, syntax.GeneralVariable):
                    raise ReadError("a scalar operand must be a general variable", operand.position)
                if modifier or declared.type.size != 4 or declared.type.floating:
                    raise NotModelled(f"an offset of type {declared.type.spelling}{modifier}", operand.position)
                start = row * self.platform.grf_bytes + column * declared.type.size
                return ScalarUD(*root_byte(self.kernel, variable, start))
            case _:
                raise NotModelled("an offset in this form", operand.position)

    def wide_scalar(self, operand: syntax.Operand) -> RawOperand:
        """The eight bytes of a scalar UQ address."""
        match operand:
            case syntax.VectorSource(variable, row, column, _, modifier):
                declared = self.kernel.variables[variable]
                if not isinstance(declared, syntax.GeneralVariable):
                    raise ReadError("a scalar operand must be a general variable", operand.position)
                if modifier or declared.type.size != 8 or declared.type.floating:
                    raise NotModelled(f"an address of type {declared.type.spelling}{modifier}", operand.position)
                start = row * self.platform.grf_bytes + column * declared.type.size
                return RawOperand(*root_byte(self.kernel, variable, start))
            case _:
                raise NotModelled("an address in this form", operand.position)

    def at_most_suffixes(self, count: int) -> None:
        """Raises ReadError where more follow the mnemonic: none of them may get lost."""
        extra = self.instruction.suffixes[count:]
        if extra:
            raise ReadError(f"{self.instruction.opcode} takes no .{'.'.join(extra)}", self.position)

    def require_block_form(self, suffix: str | None = None) -> None:
        """A block message has no predicate, and at most this suffix.  Raises ReadError."""
        if self.instruction.predicate is not None:
            raise ReadError(f"{self.instruction.opcode} takes no predicate", self.position)
        self.at_most_suffixes(int(self.instruction.suffixes[:1] == (suffix,)))

    def block_size(self) -> int:
        """The owords of a block message, written where others have their lanes."""
        if self.instruction.execution is None:
            raise ReadError(f"{self.instruction.opcode} needs a number of owords", self.position)
        return self.instruction.execution.size

    def channels(self, suffix: str | None = None) -> Channels:
        """The channels that a suffix names, the first one unless another is given."""
        text = (suffix or self.suffix("RGBA")).upper()
        mask = sum(1 << "RGBA".index(name) for name in text if name in "RGBA")
        if str(Channels(mask)) != text:
            raise ReadError(f"channels {text}", self.position, "letters of RGBA, in that order")
        return Channels(mask)

    def blocks(self, legal: tuple[int, ...]) -> int:
        text = self.suffix("BLOCKS")
        if not text.isdecimal() or int(text) not in legal:
            raise ReadError(f"number of blocks {text}", self.position, f"one of {legal}")
        return int(text)


def dword(bits: int, data_type: DataType, position: Position) -> int:
    if data_type.floating or data_type.packed or data_type.size > 4:
        raise NotModelled(f"an offset of type {data_type.spelling}", position)
    negative = data_type.signed and bits >> (data_type.bits - 1)
    return (bits - (1 << data_type.bits) if negative else bits) % 2**32
