"""Instructions that Intel's verifier accepts, and that then mean something else than on the page.

Each row says what is emitted, and cites the evidence.  Source: docs/pages/validity.md §3, §4; docs/decisions.md.
"""

from visaproof.instructions.typed_atomic import NOT_TYPED
from visaproof.isa.atomics import LOWERED
from visaproof.isa.encoding import ATOMIC_SOURCES, BLOCK_CODES, FLOAT_ATOMICS
from visaproof.isa.execution import Combine
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm import predefined, syntax
from visaproof.visaasm.validity.check import Judged, Mode, check_instruction, findings_as_written, judged_by_igc
from visaproof.visaasm.validity.message import MESSAGES, PREDICATED, Message
from visaproof.visaasm.validity.page_rules import RAW_OPERANDS, has_its_bytes, predicate_has_its_bits
from visaproof.visaasm.validity.rule import Finding, Rule, broken

EMITTED_ATOMICS = {str(op.spelling): str(sent.spelling) for op, sent in LOWERED.items()} | {
    "fadd": "xchg",
    "fsub": "inc",
}
"""The integer operation that is sent for a float operation: the one with the same low bits (D29)."""

_MASKS = {32: (0, 16), 16: (0, 16), 8: (0, 8, 16, 24)}
"""The lane offsets that a size has a mask for; smaller sizes have all of them (Get_Gen4_Emask)."""
_NATIVE_TYPES = (DataType.UD, DataType.D, DataType.UW, DataType.UB)
"""Types of a scalar that keep its value modulo 2^32 when it is added as UD."""


def hazards(instruction: syntax.Instruction, kernel: syntax.Kernel, platform: Platform) -> tuple[Finding, ...]:
    """What an instruction loses on its way; nothing for one that Intel's verifier rejects."""
    if instruction.opcode not in MESSAGES or check_instruction(instruction, kernel, platform, Mode.IGC):
        return ()
    return broken(HAZARDS, Message(instruction, kernel, platform))


def text_hazards(text: str, path: str, platform: Platform) -> tuple[Finding, ...]:
    """What the accepted statements of a file lose.  Raises ReadError where it cannot be read."""
    return hazards_of(judged_by_igc(text, path, platform))


def hazards_of(judged: Judged) -> tuple[Finding, ...]:
    """What the statements lose that were accepted by Intel's rules."""
    return tuple(hazard for message in judged.accepted for hazard in broken(HAZARDS, message))


def hazards_beside(judged: Judged) -> tuple[Finding, ...]:
    """What the statements lose that were judged by the pages' rules, legal or not, and that Intel's verifier accepts.

    A statement in the pages' spelling counts as the one that it is read as.
    """
    found = (
        hazard
        for message, _ in judged.statements
        if message is not None
        for hazard in hazards(message.instruction, message.kernel, message.platform)
    )
    return findings_as_written(found, judged.notes)


def emitted_lane_offset(message: Message) -> int:
    """The lane offset of the message that is sent: 0 where there is no mask for the pair of size and offset."""
    size, wide = message.size, message.platform >= Platform.PVC
    if message.mnemonic == "scatter4_scaled":
        size = max(size, 16 if wide else 8)  # the table is asked for the lanes of the payload (D1)
    offsets = _MASKS.get(size, range(0, 32, 4))
    nibble = message.lane_offset % 8 == 4 and wide  # no control over four lanes from PVC on
    return message.lane_offset if message.lane_offset in offsets and not nibble else 0


def _keeps_its_mask(message: Message, _: str) -> bool:
    return emitted_lane_offset(message) == message.lane_offset


def _window_is_the_size(message: Message, _: str) -> bool:
    use = message.instruction.predicate
    if use is None or use.combine is Combine.PLAIN:
        return True
    variable = message.kernel.variables.get(use.variable)
    return not isinstance(variable, syntax.PredicateVariable) or variable.num_elts == message.size


def _blocks(message: Message) -> int:
    return int(message.suffix)


def _is_one_element(message: Message, name: str) -> bool:
    match message.operand(name):
        case syntax.VectorSource(region=region) | syntax.IndirectOperand(region=region):
            return region == syntax.Region(0, 1, 0)
        case syntax.Text():
            return False
        case _:
            return True


def _has_one_address(message: Message, name: str) -> bool:
    match message.operand(name):
        case syntax.IndirectOperand(region=region):
            return isinstance(region, syntax.Region)
        case syntax.Text():
            return False
        case _:
            return True


def _has_no_sign(message: Message, name: str) -> bool:
    match message.operand(name):
        case syntax.VectorSource(modifier=modifier) | syntax.IndirectOperand(modifier=modifier):
            return not modifier
        case syntax.Text(text):
            return not text.startswith("(")
        case _:
            return True


def _keeps_its_value(message: Message, name: str) -> bool:
    match message.operand(name), message.variable(name):
        case syntax.Immediate(type=found) | syntax.IndirectOperand(type=found), _:
            return found in _NATIVE_TYPES
        case _, syntax.GeneralVariable(type=found):
            return found in _NATIVE_TYPES
        case _:
            return True


def _origin_fits_a_byte(message: Message, name: str) -> bool:
    operand = message.operand(name)
    return not isinstance(operand, syntax.VectorSource) or max(operand.row, operand.column) <= 255


def _has_its_sources(message: Message, name: str) -> bool:
    needed = ATOMIC_SOURCES[message.suffix] > int(name == "Src1")
    return message.is_null(name) != needed


def _is_a_register(message: Message, name: str) -> bool:
    return not isinstance(message.variable(name), syntax.AddressVariable)


def _offset_is_stored(message: Message, name: str) -> bool:
    operand = message.operand(name)
    return not isinstance(operand, syntax.RawOperand) or operand.offset < 0x10000


def _is_16_owords_on_slm(message: Message, _: str) -> bool:
    return message.size != 16 or (message.surface == predefined.SURFACES[0] and message.platform >= Platform.XeHP_SDV)


_S, _O, _Q, _T = (("scatter4_scaled",), ("oword_ld",), ("qw_scatter",), ("typed_atomic",))
_REQUIRED = ("Element_offset", "Src", "Offset", "Dst")

HAZARDS = (
    Rule("hazard.mask", "there is no such mask for this size: the message is sent with M1",
         "docs/pages/validity.md §4; D1", PREDICATED, ("Exec_size",), _keeps_its_mask),
    Rule("hazard.32-lanes", "a message for 16 lanes or fewer is sent under a send of 32", "docs/pages/validity.md §4",
         PREDICATED, ("Exec_size",), lambda m, _: m.size <= 16),
    Rule("hazard.typed-lanes", "more lanes than the typed message has: one register comes back", "D42",
         _T, ("Exec_size",), lambda m, _: 4 * m.size <= m.platform.grf_bytes),
    Rule("hazard.oword-mask", "the mask is dropped: every oword is read", "docs/pages/validity.md §4", _O, ("Size",),
         lambda m, _: m.lane_offset == 0),
    Rule("hazard.any-all", ".any and .all combine as many bits as the predicate is declared with, not one for each "
         "lane", "D4", PREDICATED, ("Pred",), _window_is_the_size),
    Rule("hazard.predicate-bits", "the lanes read bits that the predicate does not have", "D3", PREDICATED, ("Pred",),
         predicate_has_its_bits),
    Rule("hazard.float-atomic", "an integer operation is sent instead: and, or, xor, xchg, inc for fmax, fmin, fcmpwr, "
         "fadd, fsub", "D29", _T, ("Op",), lambda m, _: m.suffix not in FLOAT_ATOMICS),
    Rule("hazard.16-bit", "a message for 16 bits is sent to a device before TGLLP", "D44", _T, ("Op",),
         lambda m, _: len(m.instruction.suffixes) == 1 or m.platform >= Platform.TGLLP),
    Rule("hazard.one-block", "no such number of blocks: one is sent", "D22", _Q, ("Num_blocks",),
         lambda m, _: _blocks(m) in BLOCK_CODES),
    Rule("hazard.blocks", "several blocks are sent, one register row of lanes apart; the page has one", "D22, D24", _Q,
         ("Num_blocks",), lambda m, _: _blocks(m) == 1 or _blocks(m) not in BLOCK_CODES),
    Rule("hazard.16-owords", "a message for 16 owords is sent where no device has it", "D16", _O, ("Size",),
         _is_16_owords_on_slm),
    Rule("hazard.texels", "a typed message is sent to a surface without texels", "D27", _T, ("Surface",),
         lambda m, _: m.surface not in NOT_TYPED),
    Rule("hazard.sampler", "the index of a sampler is used as that of a surface", "docs/pages/validity.md §1", MESSAGES,
         ("Surface",), lambda m, name: not isinstance(m.variable(name), syntax.SamplerVariable)),
    Rule("hazard.vector-offset", "each lane adds an element of its own", "docs/pages/validity.md §2.2", _S, ("Offset",),
         _is_one_element),
    Rule("hazard.addresses", "one address register is read for each row or lane; the tool may crash or never end",
         "found by tests/genx", (*_S, *_O), ("Offset",), _has_one_address),
    Rule("hazard.modifier", "the offset is negated or made absolute first",
         "docs/pages/validity.md §2.2", (*_S, *_O), ("Offset",), _has_no_sign),
    Rule("hazard.offset-type", "the offset is converted, or added as this type", "D10", (*_S, *_O), ("Offset",),
         _keeps_its_value),
    Rule("hazard.origin", "row and column are stored in a byte each: they are taken modulo 256",
         "docs/pages/validity.md §2", (*_S, *_O), ("Offset",), _origin_fits_a_byte),
    Rule("hazard.null", "the payload is sent without it: what follows moves up, or is missing",
         "docs/pages/validity.md §4", (*_S, *_O, *_Q), _REQUIRED, lambda m, name: not m.is_null(name)),
    Rule("hazard.null", "the payload is sent without it: what follows moves up, or is missing",
         "docs/pages/validity.md §4", _T, ("U",), lambda m, name: not m.is_null(name)),
    Rule("hazard.r-without-v", "R is sent in the place of V", "docs/pages/validity.md §3", _T, ("R",),
         lambda m, _: m.is_null("R") or not m.is_null("V")),
    Rule("hazard.sources", "the payload is sent with more or fewer sources than the operation has", "D39", _T,
         ("Src0", "Src1"), _has_its_sources),
    Rule("hazard.address-variable", "an address variable is taken for a general one; the tool often crashes",
         "found by tests/genx", MESSAGES, RAW_OPERANDS, _is_a_register),
    Rule("hazard.raw-offset", "the offset is stored in 16 bits: 65536 becomes 0", "docs/pages/validity.md §1", MESSAGES,
         RAW_OPERANDS, _offset_is_stored),
    Rule("hazard.past-the-end", "the lanes reach past the variable, into what lies behind it; the tool may crash", "D6",
         MESSAGES, RAW_OPERANDS, has_its_bytes),
)  # fmt: skip
"""Every row: what must not be so."""
