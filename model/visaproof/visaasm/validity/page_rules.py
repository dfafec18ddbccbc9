"""What the pages allow, as a table.  Source: the pages, and docs/decisions.md where they are silent."""

from visaproof.instructions import QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.typed_atomic import NOT_TYPED
from visaproof.isa.encoding import ATOMIC_CODES, ATOMIC_SOURCES, OFF_THE_PAGE
from visaproof.isa.platform import Platform
from visaproof.visaasm import syntax
from visaproof.visaasm.predefined import SURFACES
from visaproof.visaasm.printing.spelling import PAGE_OPERATIONS
from visaproof.visaasm.validity import type_rules
from visaproof.visaasm.validity.message import MESSAGES, OPERANDS, PREDICATED, Form, Message
from visaproof.visaasm.validity.rule import INSTRUCTION, Rule

EXEC_SIZES = {page.spec.name: page.spec.exec_sizes for page in (Scatter4Scaled, QwScatter, TypedAtomic)}
"""Operations that the grammar spells and the page does not list (D29)."""
CAN_BE_NULL = ("V", "R", "LOD", "Src0", "Src1", "Dst")
"""Of TYPED_ATOMIC; Src0 and Src1 have a rule of their own."""
SLM = SURFACES[0]

RAW_OPERANDS = tuple(dict.fromkeys(name for row in OPERANDS.values() for name, form in row if form is Form.RAW))
_ALL_OPERANDS = ("Surface", "Offset", *(name for name in RAW_OPERANDS if name != "Offset"))


# ---------------------------------------------------------------- predicates of the rules


def _has_its_form(message: Message, name: str) -> bool:
    operand = message.operand(name)
    match dict(OPERANDS[message.mnemonic])[name]:
        case Form.SURFACE:
            return isinstance(operand, syntax.Name) and isinstance(message.variable(name), syntax.SurfaceVariable)
        case Form.RAW:
            return isinstance(operand, syntax.RawOperand)
        case Form.SCALAR:
            return isinstance(operand, syntax.Immediate | syntax.VectorSource | syntax.IndirectOperand)


def _suffixes_are_known(message: Message, _: str) -> bool:
    first, *rest = message.instruction.suffixes or ("",)
    match message.mnemonic:
        case "scatter4_scaled":
            channels = [letter for letter in "RGBA" if letter in first.upper()]
            return not rest and first.upper() == "".join(channels) != ""
        case "qw_scatter":
            return not rest and first.isdecimal()
        case "typed_atomic":
            return operation(message) in (*ATOMIC_CODES, "predec") and rest in ([], ["16"])
        case _:
            return (first, rest) in (("", []), ("mod", []))  # D17: Is_modified is ignored


def operation(message: Message) -> str:
    """The operation of TYPED_ATOMIC as the grammar spells it."""
    return PAGE_OPERATIONS.get(message.suffix, message.suffix)


def _sources(message: Message) -> int:
    return ATOMIC_SOURCES.get(operation(message), 0)


def _mask_fits(message: Message, _: str) -> bool:
    return message.lane_offset % message.size == 0 and message.lane_offset + message.size <= 32


def predicate_has_its_bits(message: Message, _: str) -> bool:
    use = message.instruction.predicate
    if use is None:
        return True
    variable = message.kernel.variables.get(use.variable)
    assert isinstance(variable, syntax.PredicateVariable)
    return message.lane_offset + message.size <= variable.num_elts


def _is_scalar(message: Message, name: str) -> bool:
    match message.operand(name):
        case syntax.VectorSource(region=region, modifier=sign) | syntax.IndirectOperand(region=region, modifier=sign):
            return region == syntax.Region(0, 1, 0) and not sign
        case _:
            return True


def _has_its_type(message: Message, name: str) -> bool:
    wrong = type_rules.wrong_types(message.instruction, message.kernel)
    return name not in (each.name for each in wrong)


def _bytes_used(message: Message, name: str) -> int:
    """How far an instruction with all lanes on reaches into a raw operand."""
    size = message.size
    if message.mnemonic == "scatter4_scaled" and name == "Src":
        slot = max(size, message.platform.grf_bytes // 4)  # Page: max(exec_size, GRF_SIZE / 4) dwords a channel
        return 4 * (slot * (len(message.suffix) - 1) + size)
    if message.mnemonic == "oword_ld":
        return 16 * size
    return 8 * size if message.mnemonic == "qw_scatter" and name == "Src" else 4 * size


def has_its_bytes(message: Message, name: str) -> bool:
    """Whether the storage behind a raw operand goes as far as its lanes."""
    operand, variable = message.operand(name), message.variable(name)
    if message.is_null(name) or not isinstance(operand, syntax.RawOperand):
        return True
    if not isinstance(variable, syntax.GeneralVariable):
        return True
    root, start = message.kernel.root_of(variable)
    return start + operand.offset + _bytes_used(message, name) <= root.size


# ---------------------------------------------------------------- the table

_S, _O, _Q, _T = (("scatter4_scaled",), ("oword_ld",), ("qw_scatter",), ("typed_atomic",))

FORMS = (
    Rule(
        "page.operand-count", "as many operands as the page's Text has", "page, Text", MESSAGES, (INSTRUCTION,),
        lambda m, _: len(m.instruction.operands) == len(m.names),
    ),
    Rule(
        "page.execution", "(mask, size) must stand before the operands", "page, Text", MESSAGES, (INSTRUCTION,),
        lambda m, _: m.instruction.execution is not None,
    ),
    Rule("page.operand-form", "must be a surface, a scalar or raw, as the page says", "page", MESSAGES, _ALL_OPERANDS,
         _has_its_form),
    Rule("page.channels", "letters of RGBA in that order, at least one", "SCATTER4_SCALED.md", _S, ("Channels",),
         _suffixes_are_known),
    Rule("page.num-blocks-number", "must be a number", "QW_SCATTER.md", _Q, ("Num_blocks",), _suffixes_are_known),
    Rule("page.op-known", "must be an operation of the page, with or without .16", "TYPED_ATOMIC.md", _T, ("Op",),
         _suffixes_are_known),
    Rule("page.oword-suffix", "takes no suffix but .mod", "OWORD_LD.md, D17", _O, (INSTRUCTION,), _suffixes_are_known),
)  # fmt: skip
"""What must hold before anything else can be asked."""

RULES = (
    Rule(
        "page.platform", "exists from XeHP_SDV on", "D46", _Q, (INSTRUCTION,),
        lambda m, _: m.platform >= QwScatter.spec.since,
    ),
    Rule("page.exec-size", "SCATTER4_SCALED has 8 or 16 lanes", "SCATTER4_SCALED.md, D41", _S, ("Exec_size",),
         lambda m, _: m.size in EXEC_SIZES[m.mnemonic]),
    Rule("page.exec-size", "QW_SCATTER has 1, 2, 4, 8 or 16 lanes", "QW_SCATTER.md", _Q, ("Exec_size",),
         lambda m, _: m.size in EXEC_SIZES[m.mnemonic]),
    Rule("page.exec-size", "TYPED_ATOMIC has 8 lanes", "TYPED_ATOMIC.md, D41, D42", _T, ("Exec_size",),
         lambda m, _: m.size in EXEC_SIZES[m.mnemonic]),
    Rule("page.mask", "the lane offset must be a multiple of the size, and both within 32 lanes", "D1, D2", PREDICATED,
         ("Exec_size",), _mask_fits),
    Rule("page.predicate-bits", "the predicate must have a bit for each lane", "D3", PREDICATED, ("Pred",),
         predicate_has_its_bits),
    Rule("page.no-predicate", "OWORD_LD has no predicate", "OWORD_LD.md", _O, ("Pred",),
         lambda m, _: m.instruction.predicate is None),
    Rule("page.no-mask", "OWORD_LD has no lanes to choose", "OWORD_LD.md", _O, ("Size",),
         lambda m, _: m.lane_offset == 0),
    Rule("page.num-blocks", "there is only one block", "QW_SCATTER.md, D22", _Q, ("Num_blocks",),
         lambda m, _: int(m.suffix) == 1),
    Rule("page.op", "fadd and fsub are not on the page", "TYPED_ATOMIC.md, D29", _T, ("Op",),
         lambda m, _: operation(m) not in OFF_THE_PAGE),
    Rule("page.16-bit", ".16 exists from TGLLP on", "TYPED_ATOMIC.md, D44", _T, ("Op",),
         lambda m, _: len(m.instruction.suffixes) == 1 or m.platform >= Platform.TGLLP),
    Rule("page.owords", "1, 2, 4, 8 or 16 owords", "OWORD_LD.md", _O, ("Size",),
         lambda m, _: m.size <= 16),
    Rule("page.16-owords", "16 owords need XeHP_SDV or later and surface T0", "OWORD_LD.md, D16", _O, ("Size",),
         lambda m, _: m.size != 16 or (m.platform >= Platform.XeHP_SDV and m.surface == SLM)),
    Rule("page.slm", "T0 (SLM) is allowed from ICLLP on", "OWORD_LD.md, D45", _O, ("Surface",),
         lambda m, _: m.surface != SLM or m.platform >= Platform.ICLLP),
    Rule("page.texels", "T0 and T5 have no texels", "D27", _T, ("Surface",),
         lambda m, _: m.surface not in NOT_TYPED),
    Rule("page.scalar", "a scalar has the region <0;1,0> and no modifier", "page", (*_S, *_O), ("Offset",), _is_scalar),
    Rule("page.null", "must not be null", "page", MESSAGES,
         tuple(name for name in _ALL_OPERANDS if name not in CAN_BE_NULL),
         lambda m, name: not m.is_null(name)),
    Rule("page.null", "must not be null", "page", (*_S, *_O, *_Q), ("Src", "Dst"),
         lambda m, name: not m.is_null(name)),
    Rule("page.r-needs-v", "R needs V", "TYPED_ATOMIC.md", _T, ("R",),
         lambda m, _: m.is_null("R") or not m.is_null("V")),
    Rule("page.src0", "must be there for an operation with sources, and null for the others", "TYPED_ATOMIC.md, D39",
         _T, ("Src0",), lambda m, _: m.is_null("Src0") == (_sources(m) < 1)),
    Rule("page.src1", "must be there for cmpxchg and fcmpwr, and null for the others", "TYPED_ATOMIC.md, D29, D39",
         _T, ("Src1",), lambda m, _: m.is_null("Src1") == (_sources(m) < 2)),
    Rule("page.type-ud", "must have type UD", "SCATTER4_SCALED.md", _S, ("Offset", "Element_offset"), _has_its_type),
    Rule("page.type-dword", "must have type UD, D or F", "SCATTER4_SCALED.md", _S, ("Src",), _has_its_type),
    Rule("page.type-ud", "must have type UD", "OWORD_LD.md", _O, ("Offset",), _has_its_type),
    Rule("page.type-ud", "must have type UD", "QW_SCATTER.md", _Q, ("Offset",), _has_its_type),
    Rule("page.type-qword", "must have type Q, UQ or DF", "QW_SCATTER.md", _Q, ("Src",), _has_its_type),
    Rule("page.type-ud", "must have type UD", "TYPED_ATOMIC.md", _T, ("U", "V", "R", "LOD"), _has_its_type),
    Rule("page.type-atomic", "must have type D for imin and imax, else UD", "TYPED_ATOMIC.md, D29", _T,
         ("Src0", "Src1", "Dst"), _has_its_type),
    Rule("page.bytes", "the variable must have the bytes of every lane", "D6", MESSAGES, RAW_OPERANDS, has_its_bytes),
)  # fmt: skip
"""What the pages allow, once the form is right."""
