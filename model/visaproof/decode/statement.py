"""A memory message on its way to a page: operands as root variables and bytes, lanes, suffixes."""

from msgspec import Struct, field

from visaproof.decode.parts import Taken
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.execution import EXEC_SIZES, ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, Predicate, RawOperand, Scalar, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.types import DataType
from visaproof.visaasm import predefined, syntax
from visaproof.visaasm.opcode_kinds import BRANCHES, label_of


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


def may_run_from(kernel: syntax.Kernel, place: int) -> frozenset[Position]:
    """The statements that may be run from this place on: it, those after it, and those to which branches lead back."""
    labels, first = label_places(kernel), place
    for at in range(len(kernel.statements) - 1, -1, -1):
        branch = kernel.statements[at]
        if at >= first and isinstance(branch, syntax.Instruction) and branch.opcode in BRANCHES:
            first = min(first, labels.get(label_of(branch), 0))
    return frozenset(one.position for one in kernel.statements[max(0, first) :])


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


class Statement(Struct, frozen=True):
    """An instruction on its way to a page, with what its operands need to be resolved."""

    instruction: syntax.Instruction
    kernel: syntax.Kernel
    platform: Platform
    readings: Readings = DEFAULT
    taken: Taken = field(default_factory=Taken)

    @property
    def position(self) -> Position:
        return self.instruction.position

    def operands(self, count: int) -> tuple[syntax.Operand, ...]:
        found = self.instruction.operands
        if len(found) != count:
            raise ReadError(f"{self.instruction.opcode} takes {count} operands, not {len(found)}", self.position)
        return found

    def execution(self) -> Execution:
        """The predicate, the mask and the lanes."""
        self.taken.take(self.instruction, "predicate", "execution")
        return execution_of(self.instruction)

    def suffix(self, what: str) -> str:
        if not self.instruction.suffixes:
            raise ReadError(f"{self.instruction.opcode} needs .{what}", self.position)
        self.taken.suffix(self.instruction, 0)
        return self.instruction.suffixes[0]

    def has_suffix(self, number: int, *words: str) -> bool:
        """Whether the suffix of this number is one of these words."""
        if self.instruction.suffixes[number : number + 1] not in {(word,) for word in words}:
            return False
        self.taken.suffix(self.instruction, number)
        return True

    def surface(self, operand: syntax.Operand) -> str:
        if not isinstance(operand, syntax.Name | syntax.SubscriptedName):
            raise ReadError("this operand must be a surface", operand.position)
        if not isinstance(self.kernel.variables.get(operand.name), syntax.SurfaceVariable):
            raise ReadError("this operand must be a surface", operand.position)
        self.taken.take(operand, "name")
        if isinstance(operand, syntax.SubscriptedName) and operand.element == 0:
            self.taken.take(operand, "element")
        return operand.name

    def raw(self, operand: syntax.Operand) -> RawOperand:
        if not isinstance(operand, syntax.RawOperand):
            raise ReadError("this operand must be raw: VARIABLE.OFFSET", operand.position)
        self.taken.take(operand, "variable", "offset")
        if operand.variable == predefined.NULL:
            return NULL
        return RawOperand(*root_byte(self.kernel, operand.variable, operand.offset))

    def type_of(self, operand: syntax.Operand) -> DataType | None:
        """The declared type of a raw operand's variable."""
        declared = self.kernel.variables.get(operand.variable) if isinstance(operand, syntax.RawOperand) else None
        return declared.type if isinstance(declared, syntax.GeneralVariable) else None

    def scalar(self, operand: syntax.Operand) -> Scalar:
        if isinstance(operand, syntax.Immediate):
            self.taken.take(operand, "bits", "type")
            return ImmediateUD(dword(operand.bits, operand.type, operand.position))
        element = self.integer(operand, 4, "an offset")
        return ScalarUD(element.variable, element.offset)

    def wide_scalar(self, operand: syntax.Operand) -> RawOperand:
        """The eight bytes of a scalar UQ address."""
        return self.integer(operand, 8, "an address")

    def integer(self, operand: syntax.Operand, size: int, what: str) -> RawOperand:
        """An integer of so many bytes in a register.  Its region has no effect: a scalar has one element."""
        if not isinstance(operand, syntax.VectorSource):
            raise NotModelled(f"{what} in this form", operand.position)
        self.taken.take(operand, "variable", "row", "column", "region", "modifier")
        declared = self.kernel.variables[operand.variable]
        if not isinstance(declared, syntax.GeneralVariable):
            raise ReadError("a scalar operand must be a general variable", operand.position)
        if operand.modifier or declared.type.size != size or declared.type.floating:
            raise NotModelled(f"{what} of type {declared.type.spelling}{operand.modifier}", operand.position)
        start = operand.row * self.platform.grf_bytes + operand.column * size
        return RawOperand(*root_byte(self.kernel, operand.variable, start))

    def block_size(self) -> int:
        """The owords of a block message, written where others have their lanes.

        A mask has no effect there: block messages run under no mask.
        """
        if self.instruction.execution is None:
            raise ReadError(f"{self.instruction.opcode} needs a number of owords", self.position)
        self.taken.take(self.instruction, "execution")
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
