"""What there is to say about one instruction: its page, its fields, its rules, and its footprint by lane.

The picture is the footprint itself, on symbols that are named for what they hold: `o3` is the offset of lane 3,
`V2.96` the dword at byte 96 of V2, `EM[19]` a bit of the execution mask.  No address is computed here.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.decode.message import OPCODES, decode
from visaproof.decode.texels import TYPED
from visaproof.instructions import ALL, Instruction
from visaproof.instructions.family import FAMILY
from visaproof.instructions.lsc.block2d import BlockPlace
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import NULL, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.spec import Spec
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    SymbolicBuffer,
    SymbolicFlat,
    SymbolicImage,
    SymbolicState,
    SymbolicSurface,
)
from visaproof.smt import bool_symbol, const, symbol
from visaproof.visaasm.bytecode.instructions import encode
from visaproof.visaasm.bytecode.messages import indices_of
from visaproof.visaasm.bytecode.statements import encoded_statement
from visaproof.visaasm.bytecode.tables import EncodedInstruction
from visaproof.visaasm.printing.single_statement import Alone
from visaproof.visaasm.syntax import GeneralVariable, PredicateVariable
from visaproof.visaasm.validity import Finding, Mode, check_instruction
from visaproof.visaasm.validity.hazards import hazards
from visaproof.visaasm.validity.message import MESSAGES
from visaproof.visaasm.validity.rule import INSTRUCTION

SPECS: Mapping[str, Spec] = {page.spec.name: page.spec for page in (*ALL, *FAMILY)}
"""Every modelled instruction by the grammar's mnemonic."""

NOT_MODELLED = (
    "media_ld", "media_st", "gather", "scatter", "svm_scatter4scaled", "lsc_fence",
    "urb_write", "rt_write", "rt_read", "raw_send", "raw_sends", "nbarrier",
)  # fmt: skip
"""Messages of docs/pages/family.md that have no semantics here."""


def page_of(opcode: str) -> str:
    """The name of its page: `lsc_atomic` of `lsc_atomic_iadd`, `lsc_load_quad_tgm` of `lsc_load_quad`."""
    found = (name for name in SPECS if opcode.startswith(f"{name}_") or name.startswith(f"{opcode}_"))
    return opcode if opcode in SPECS else next(found, opcode)


_LANE_OPERANDS = {"element_offset": "o", "offset": "o", "u": "u", "v": "v", "r": "r", "lod": "lod"}
"""The operands with one dword of an address for each lane, and what a lane's is called."""


class LaneName(Struct, frozen=True):
    """`o0, o1, …` are the dwords of an operand."""

    letter: str
    operand: RawOperand
    lanes: int


class Picture(Struct, frozen=True):
    """The accesses of an instruction, on named symbols."""

    instruction: Instruction
    names: tuple[LaneName, ...]
    accesses: tuple[Access, ...]
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of a 2D block: what the dwords of its place are called, `X`, and where they stand."""


class Explanation(Struct, frozen=True):
    """One statement, by its page and by Intel's tools."""

    platform: Platform
    spec: Spec
    statement: Alone
    encoded: EncodedInstruction | None
    """Its byte code, of the four pages, with the assumed declarations in their order; None where it has none."""
    findings: tuple[Finding, ...]
    """The rules of its page that it breaks; those on types are left out, since nothing declares them."""
    rejections: tuple[Finding, ...]
    """What Intel's parser and verifier object to: of the four pages only."""
    hazards: tuple[Finding, ...]
    picture: Picture | None
    """None where the instruction is illegal."""


def explain(statement: Alone, platform: Platform) -> Explanation:
    """Raises ReadError for operands that do not fit, NotModelled for forms without semantics."""
    try:
        return _explained(statement, platform)
    except ReadError as error:
        raise ReadError(error.message, statement.place(error.position), error.hint) from None
    except NotModelled as error:
        raise NotModelled(error.what) from None


def _explained(statement: Alone, platform: Platform) -> Explanation:
    instruction, kernel = statement.instruction, statement.kernel
    if instruction.opcode not in OPCODES:
        raise NotModelled(f"opcode {instruction.opcode}", instruction.position)
    spec = SPECS.get(instruction.opcode) or decode(instruction, kernel, platform).spec
    findings: tuple[Finding, ...]
    rejections: tuple[Finding, ...] = ()
    found_hazards: tuple[Finding, ...] = ()
    if instruction.opcode in MESSAGES:
        findings = tuple(
            finding
            for finding in check_instruction(instruction, kernel, platform, Mode.PAGE)
            if not finding.id.startswith("page.type")
        )
        rejections = check_instruction(instruction, kernel, platform, Mode.IGC)
        found_hazards = hazards(instruction, kernel, platform)
    else:
        findings = tuple(_family_findings(statement, platform))
    picture = None if findings else _picture(decode(instruction, kernel, platform), statement, platform)

    def placed(found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(replace(each, position=statement.place(each.position)) for each in found)

    encoded = _encoded(statement, platform)
    return Explanation(
        platform, spec, statement, encoded, placed(findings), placed(rejections), placed(found_hazards), picture
    )


def _family_findings(statement: Alone, platform: Platform) -> Iterator[Finding]:
    instruction = statement.instruction
    try:
        decode(instruction, statement.kernel, platform).validate(platform)
    except IllegalInstruction as broken:
        yield Finding("page.operands", broken.rule, broken.source, INSTRUCTION, instruction.position)


def _encoded(statement: Alone, platform: Platform) -> EncodedInstruction | None:
    if statement.instruction.opcode not in MESSAGES:
        return None
    try:
        found = encoded_statement(statement.instruction, indices_of(statement.kernel.variables, platform.grf_bytes))
        encode(found)
    except (ReadError, NotModelled, KeyError, ValueError):
        return None  # an illegal form, or a number that has no room
    return found


# ---------------------------------------------------------------- the picture


def _picture(instruction: Instruction, statement: Alone, platform: Platform) -> Picture:
    names = tuple(_lane_names(instruction))
    parts = dict(_parts(instruction))
    state = _named_state(instruction, names, parts, statement, platform)
    shown = {name: f"{variable}.{start}" for (variable, start), name in parts.items()}
    return Picture(instruction, names, tuple(instruction.footprint(state)), shown)


def _parts(instruction: Instruction) -> Iterator[tuple[tuple[str, int], str]]:
    """The dwords of the place of a 2D block, in the words of its page."""
    place = getattr(instruction, "place", None)
    if isinstance(place, BlockPlace):
        named = {"BASE": place.base, "WIDTH": place.width, "HEIGHT": place.height, "PITCH": place.pitch}
        for name, operand in (named | {"X": place.x, "Y": place.y}).items():
            if isinstance(operand, RawOperand):
                for start in (0, 4) if name == "BASE" else (0,):
                    yield (operand.variable, operand.offset + start), f"{name}.{start}" if name == "BASE" else name


def _lane_names(instruction: Instruction) -> Iterator[LaneName]:
    execution = getattr(instruction, "execution", None)
    for name in instruction.__struct_fields__:
        operand = getattr(instruction, name)
        if execution is None or name not in _LANE_OPERANDS or operand == NULL:
            continue
        if isinstance(operand, RawOperand):
            yield LaneName(_LANE_OPERANDS[name], operand, execution.size)


def _named_state(
    instruction: Instruction,
    names: tuple[LaneName, ...],
    parts: Mapping[tuple[str, int], str],
    statement: Alone,
    platform: Platform,
) -> SymbolicState:
    by_place = {
        **parts,
        **{
            (name.operand.variable, name.operand.offset + 4 * lane): f"{name.letter}{lane}"
            for name in reversed(names)
            for lane in range(name.lanes)
        },
    }

    def initial(variable: str, byte: int) -> Byte:
        start = byte - byte % 4
        return symbol(by_place.get((variable, start), f"{variable}.{start}"), 32), byte % 4

    variables = statement.kernel.variables.values()
    sizes = {each.name: each.size for each in variables if isinstance(each, GeneralVariable)}
    predicates = {
        each.name: tuple(bool_symbol(f"{each.name}[{lane}]") for lane in range(each.num_elts))
        for each in variables
        if isinstance(each, PredicateVariable)
    }
    surface: str = getattr(instruction, "surface", FLAT)
    mask = tuple(bool_symbol(f"EM[{lane}]") for lane in range(THREAD_LANES))
    surfaces = {surface: _surface(instruction, surface)}
    return SymbolicState(platform, mask, RegisterFile(sizes, initial), predicates, surfaces)


def _surface(instruction: Instruction, name: str) -> SymbolicSurface:
    if isinstance(instruction, TYPED):
        width, height, depth = (symbol(f"extent of {letter}", 32) for letter in "UVR")
        return SymbolicImage(((width, height, depth),))
    return SymbolicFlat() if name == FLAT else SymbolicBuffer(const(1 << 32, ADDRESS_BITS))
