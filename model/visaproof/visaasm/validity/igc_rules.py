"""What Intel's parser and verifier ask of names and numbers, as a table.

Source: docs/pages/validity.md §1, §2, checked against the real tool (tests/genx).  Operand types, sizes of
variables, null operands, regions and the texel model are *not* asked for.
"""

import re

from visaproof.isa.platform import Platform
from visaproof.visaasm import predefined, syntax
from visaproof.visaasm.validity.message import MESSAGES, OPERANDS, PREDICATED, Form, Message, find_variable
from visaproof.visaasm.validity.rule import INSTRUCTION, Rule

LARGEST_RAW_OFFSET = 0x10000
"""It is stored in 16 bits: 0x10000 passes and becomes 0."""
LARGEST_COLUMN = 0xFFFF
SLM = predefined.SURFACES[0]

_ADDRESSED = re.compile(r"(?:\([^()]*\)\s*)?r\[\s*(%?\w+)\s*\(")
"""`r[A0(0)…`"""


def _is_predicate(message: Message, _: str) -> bool:
    use = message.instruction.predicate
    return use is None or isinstance(find_variable(message.kernel, use.variable), syntax.PredicateVariable)


def _is_register(message: Message, name: str) -> bool:
    """Address variables pass; for a predicate or a surface the tool crashes on an unchecked cast."""
    kinds = syntax.GeneralVariable | syntax.AddressVariable
    return message.is_null(name) or isinstance(message.variable(name), kinds)


def _scalar_is_known(message: Message, name: str) -> bool:
    match message.operand(name):
        case syntax.VectorSource():
            return isinstance(message.variable(name), syntax.GeneralVariable)
        case syntax.IndirectOperand():
            return isinstance(message.variable(name), syntax.AddressVariable)
        case syntax.Text(text) if behind := _ADDRESSED.match(text):
            return isinstance(find_variable(message.kernel, behind.group(1)), syntax.AddressVariable)
        case _:
            return True


def _offset_fits(message: Message, name: str) -> bool:
    operand = message.operand(name)
    return not isinstance(operand, syntax.RawOperand) or operand.offset <= LARGEST_RAW_OFFSET


def _origin_fits(message: Message, name: str) -> bool:
    operand = message.operand(name)
    return not isinstance(operand, syntax.VectorSource) or (operand.row >= 0 and 0 <= operand.column <= LARGEST_COLUMN)


def _is_aligned(message: Message, name: str) -> bool:
    """Own offset plus those of the aliases, on a root of at least one GRF; predefined variables are passed over."""
    operand, variable = message.operand(name), message.variable(name)
    if not isinstance(operand, syntax.RawOperand) or not isinstance(variable, syntax.GeneralVariable):
        return True
    start = operand.offset & 0xFFFF
    if variable.name in predefined.PREDEFINED:
        return True
    while variable.alias is not None and variable.alias.base not in predefined.PREDEFINED:
        start += variable.alias.offset
        base = message.kernel.variables[variable.alias.base]
        assert isinstance(base, syntax.GeneralVariable)
        variable = base
    if variable.alias is not None:
        return True  # an alias of %r0 is unchecked
    grf = message.platform.grf_bytes
    return variable.size < grf or start % grf == 0


def _surface_is_slm(message: Message) -> bool:
    """The first sampler that is declared, too, has index 0, and the verifier looks at no more than that."""
    if isinstance(message.variable("Surface"), syntax.SamplerVariable):
        samplers = [each for each in message.kernel.variables.values() if isinstance(each, syntax.SamplerVariable)]
        declared = [each.name for each in samplers if each.name != predefined.BINDLESS_SAMPLER]
        return message.surface in declared[:1]
    return message.surface == SLM


def _has_no_complement(message: Message, name: str) -> bool:
    match message.operand(name):
        case syntax.VectorSource(modifier=modifier) | syntax.IndirectOperand(modifier=modifier):
            return modifier != "~"
        case syntax.Text(text):
            return not text.startswith("(~)")
        case _:
            return True


_O, _Q = (("oword_ld",), ("qw_scatter",))
_WITH_SCALAR = ("scatter4_scaled", "oword_ld")
_RAW = tuple(dict.fromkeys(name for row in OPERANDS.values() for name, form in row if form is Form.RAW))

NAMES = (
    Rule("igc.surface", "must be a surface that is declared or predefined",
         "docs/pages/validity.md §1", MESSAGES, ("Surface",),
         lambda m, name: isinstance(m.variable(name), syntax.SurfaceVariable | syntax.SamplerVariable)),
    Rule("igc.predicate-variable", "must be a predicate that is declared",
         "docs/pages/validity.md §1", PREDICATED, ("Pred",), _is_predicate),
    Rule("igc.raw-variable", "must be a variable that is declared or predefined", "docs/pages/validity.md §1", MESSAGES,
         tuple(name for name in _RAW if name != "Offset"), _is_register),
    Rule("igc.raw-variable", "must be a variable that is declared or predefined",
         "docs/pages/validity.md §1", _Q, ("Offset",), _is_register),
    Rule("igc.scalar-variable", "must be in a general variable, or behind an address variable",
         "docs/pages/validity.md §1", _WITH_SCALAR, ("Offset",), _scalar_is_known),
    Rule("igc.raw-offset", "at most 65536 can be written", "docs/pages/validity.md §1", MESSAGES, _RAW, _offset_fits),
    Rule("igc.origin", "the column must be between 0 and 65535", "docs/pages/validity.md §1", _WITH_SCALAR, ("Offset",),
         _origin_fits),
)  # fmt: skip
"""What the parser asks, once the form is right."""

RULES = (
    Rule("igc.platform", "the instruction exists from XeHP_SDV on", "docs/pages/validity.md §2.1", _Q, (INSTRUCTION,),
         lambda m, _: m.platform >= Platform.XeHP_SDV),
    Rule("igc.modifier", "(~) is for logic instructions", "docs/pages/validity.md §2.2", _WITH_SCALAR, ("Offset",),
         _has_no_complement),
    Rule("igc.alignment", "a variable of a GRF or more must be used from a GRF boundary on",
         "docs/pages/validity.md §2.3", MESSAGES, _RAW, _is_aligned),
    Rule("igc.lanes", "size and lane offset must stay within 32 lanes",
         "docs/pages/validity.md §2.4", PREDICATED, ("Exec_size",), lambda m, _: m.size + m.lane_offset <= 32),
    Rule("igc.owords", "1, 2, 4, 8 or 16 owords",
         "docs/pages/validity.md §2, OWORD_LD", _O, ("Size",), lambda m, _: m.size <= 16),
    Rule("igc.slm", "%slm needs ICLLP or later", "docs/pages/validity.md §2, OWORD_LD", _O, ("Surface",),
         lambda m, _: not _surface_is_slm(m) or m.platform >= Platform.ICLLP),
)  # fmt: skip
"""What the verifier asks, once the parser has read it."""
