"""One instruction and the states that it is run on, and its text.  Grammar: 8_appendix_visa_assembly_syntax.md."""

from msgspec import Struct, field

from benchmarks.alu_vectors.pages import REGISTER_BYTES
from benchmarks.alu_vectors.types import PACKED, TYPES, Type


class Region(Struct, frozen=True):
    """`<vertical;width,horizontal>`."""

    vertical: int
    width: int
    horizontal: int

    def element(self, lane: int) -> int:
        return lane // self.width * self.vertical + lane % self.width * self.horizontal

    def __str__(self) -> str:
        return f"<{self.vertical};{self.width},{self.horizontal}>"


SCALAR = Region(0, 1, 0)


class Source(Struct, frozen=True):
    """A region of a variable; read through an address register where `indirect` bytes are what it is moved by."""

    variable: str
    kind: Type
    first: int
    """The element of lane 0, from the start of the variable."""
    region: Region
    modifier: str = ""
    indirect: int | None = None
    rows: bool = False
    """Whether each row of the region has an address of its own: `r[A0(0),n]<width,horizontal>`."""


class Constant(Struct, frozen=True):
    """An immediate, possibly packed."""

    kind: str
    bits: int

    @property
    def element_type(self) -> Type:
        return TYPES[PACKED.get(self.kind, self.kind)]


class Target(Struct, frozen=True):
    """A destination: element `first` and every `stride`-th after it."""

    variable: str
    kind: Type
    first: int
    stride: int
    indirect: bool = False


class Predication(Struct, frozen=True):
    """`(!P.any)`: combine first, then invert."""

    combine: str
    inverse: bool


class State(Struct, frozen=True):
    """What an instruction is run on: contents of variables, predicate bits, enabled lanes."""

    registers: dict[str, bytes]
    predicates: dict[str, int]
    lanes: int
    policy: int = 0
    """How a machine picks among several allowed results, if it does."""


class Vector(Struct, frozen=True):
    """One instruction with its operands.  `form` is the opcode, or an entry of SPECIAL."""

    form: str
    platform: str
    size: int
    offset: int
    nomask: bool
    targets: tuple[Target, ...] = ()
    sources: tuple[Source | Constant, ...] = ()
    suffix: str = ""
    """`.lt` of CMP, `.x1b` of BFN."""
    saturate: bool = False
    predication: Predication | None = None
    control: int | None = None
    """What is written to the control register before; None: nothing, of instructions without floats."""
    predicates: dict[str, int] = field(default_factory=dict[str, int])
    """Bits of each predicate variable; "P" is the one that predicates."""
    result: str | None = None
    """The predicate variable that is written."""
    operands: str = ""
    """The text of the operands of a special form."""
    prelude: tuple[str, ...] = ()
    number: int = 0
    """The truth table of BFN; what a special form has beside operands: see its oracle."""

    @property
    def register_bytes(self) -> int:
        return REGISTER_BYTES[self.platform]

    @property
    def opcode(self) -> str:
        return "mov" if self.form == "addr_add" else self.form.removesuffix(".p")


def source_text(source: Source | Constant, vector: Vector) -> str:
    if isinstance(source, Constant):
        return f"{source.bits:#x}:{source.kind}"
    modifier = f"({source.modifier})" if source.modifier else ""
    if source.rows:
        return f"r[A0(0),{source.indirect}]<{source.region.width},{source.region.horizontal}>:{source.kind.name}"
    if source.indirect is not None:
        return f"{modifier}r[A0(0),{source.indirect}]{source.region}:{source.kind.name}"
    return f"{modifier}{source.variable}{_place(source.first, source.kind, vector)}{source.region}"


def target_text(target: Target, vector: Vector) -> str:
    if target.indirect:
        return f"r[A1(0),0]<{target.stride}>:{target.kind.name}"
    return f"{target.variable}{_place(target.first, target.kind, vector)}<{target.stride}>"


def _place(first: int, kind: Type, vector: Vector) -> str:
    row, column = divmod(first, vector.register_bytes // kind.bytes)
    return f"({row},{column})"


def statement(vector: Vector) -> str:
    """The instruction as it is written."""
    execution = f"(M{vector.offset // 4 + 1}{'_NM' if vector.nomask else ''}, {vector.size})"
    guard = ""
    if vector.predication is not None:
        use = vector.predication
        guard = f"({'!' if use.inverse else ''}P{'.' + use.combine if use.combine else ''}) "
    opcode = vector.opcode + vector.suffix + ".sat" * vector.saturate
    written = [vector.result] if vector.result else []
    written += [target_text(target, vector) for target in vector.targets]
    written += [source_text(source, vector) for source in vector.sources]
    return f"{guard}{opcode} {execution} {' '.join([*written, vector.operands]).rstrip()}"


def _addresses(vector: Vector) -> list[str]:
    """What puts the addresses of indirect operands into A0 and A1."""
    lines: list[str] = []
    for source in vector.sources:
        if isinstance(source, Source) and source.indirect is not None and not source.rows:
            start = source.first * source.kind.bytes - source.indirect
            lines.append(f"addr_add (M1_NM, 1) A0(0)<1> &{source.variable} {start % 2**16:#x}:uw")
    for target in vector.targets:
        if target.indirect:
            lines.append(f"addr_add (M1_NM, 1) A1(0)<1> &{target.variable} {target.first * target.kind.bytes:#x}:uw")
    return lines


def text(vector: Vector, variables: dict[str, tuple[Type, int]]) -> str:
    """A kernel of this instruction; `variables` by name, with type and number of elements."""
    lines = [".version 4.1", '.kernel "k"']
    lines += [f".decl {name} v_type=G type={kind.name} num_elts={count} align=GRF"
              for name, (kind, count) in variables.items()]  # fmt: skip
    lines += [".decl A0 v_type=A num_elts=16", ".decl A1 v_type=A num_elts=1"]
    lines += [".decl T6 v_type=T num_elts=4", ".decl SM v_type=S num_elts=4"]
    lines += [f".decl {name} v_type=P num_elts={count}" for name, count in vector.predicates.items()]
    lines += [".kernel_attr SimdSize=32", '.function "k"']
    if vector.control is not None:
        lines.append(f"mov (M1_NM, 1) %cr0(0,0)<1> {vector.control:#x}:ud")
    return "\n".join([*lines, *_addresses(vector), *vector.prelude, statement(vector), "ret (M1, 1)", ""])
