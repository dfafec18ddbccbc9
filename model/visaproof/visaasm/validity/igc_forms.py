"""What Intel's parser takes for one of the four instructions, as a table of patterns.

Source: docs/pages/validity.md §1; the patterns are the productions of Intel's grammar (visa/CISA.l, visa/CISA.y).  The
reader of this package takes more (a bare `V`, a size in hexadecimal): these patterns take it back.
"""

import re
from collections.abc import Callable

from visaproof.isa.encoding import ATOMIC_CODES
from visaproof.isa.errors import Position
from visaproof.visaasm import words
from visaproof.visaasm.fragment_records import FragmentError
from visaproof.visaasm.validity.message import OPERANDS, Form
from visaproof.visaasm.validity.rule import INSTRUCTION, Finding

SOURCE = "docs/pages/validity.md §1"

_NAME = r"[A-Za-z_]\w*"
_VARIABLE = rf"%?{_NAME}"
_MODIFIER = r"(?:\((?:-|abs|-abs|~)\)\s*)?"
_INTEGER_TYPE = r"(?:ud|d|uw|w|ub|b|q|uq|UD|D|UW|W|UB|B|Q|UQ|v|vf|V|VF|uv)"
_LITERAL = r"(?:0[xX][0-9A-Fa-f]+|[0-9]+)"
_FLOAT = r"(?:[0-9]+\.[0-9]+|[0-9]+(?:\.[0-9]+)?[eE][+-][0-9]+)"
_REGION = r"<[^<>;]+;[^<>;,]+,[^<>;,]+>"
_STRIDES = r"<[^<>;,]+(?:,\s*[0-9]+\s*)?>"

HEADS = {
    "scatter4_scaled": ("Channels", r"\.(?=[A-Za-z])[Rr]?[Gg]?[Bb]?[Aa]?", "a subsequence of RGBA behind the dot"),
    "oword_ld": (INSTRUCTION, r"(?:\.mod)?", "only .mod"),
    "qw_scatter": ("Num_blocks", r"\.\s*[0-9]+", "a decimal number behind the dot"),
    "typed_atomic": (
        "Op",
        rf"\.(?:{'|'.join(sorted(ATOMIC_CODES))})(?:\s*\.\s*0*16)?",
        "an operation in the grammar's spelling, with or without .16",
    ),
}
"""For each instruction the field that its suffixes are, their pattern, and that in words."""

PREDICATE = re.compile(rf"\(\s*!?\s*{_VARIABLE}\s*(?:\.any|\.all)?\s*\)")
EXECUTION = re.compile(r"\(\s*(?:(?:M[1-8](?:_NM)?|NoMask)\s*,\s*)?(?:0*(?:1|2|4|8|16|32))\s*\)")

OPERAND_FORMS = {
    Form.SURFACE: (re.compile(_VARIABLE), "the bare name of a surface"),
    Form.RAW: (
        re.compile(rf"%null\s*\.\s*0+|(?!%null\b){_VARIABLE}\s*\.\s*(?:[0-9]+|\(.*\))"),
        "NAME.OFFSET with a decimal offset; the null variable is %null.0",
    ),
    Form.SCALAR: (
        re.compile(
            rf"{_MODIFIER}(?!%null\b){_VARIABLE}\s*\([^,]*,[^,]*\)\s*{_REGION}"
            rf"|{_MODIFIER}r\[\s*{_VARIABLE}\s*\([^()]*\)\s*(?:,.*)?\]\s*(?:{_REGION}|{_STRIDES})\s*:(?:{_INTEGER_TYPE}|df|DF|f|F|hf|HF|bool|BOOL|Bool)"
            rf"|[-~!\s]*(?:{_LITERAL}|\(.*\))\s*:{_INTEGER_TYPE}"
            rf"|0[xX][0-9A-Fa-f]{{1,4}}\s*:(?:hf|HF)"
            rf"|-?\s*(?:{_LITERAL}\s*:(?:f|F|df|DF)|{_FLOAT}:(?:f|df))"
        ),
        "VARIABLE(row,column)<v;w,h>, r[A(k),n]<v;w,h>:type, or a constant with its type",
    ),
}
"""For each form of an operand its pattern, and that in words."""

_HEAD = re.compile(r"(\([^()]*\)\s*)?([A-Za-z_]\w*)([^()]*)(\([^()]*\))?\s*(.*)", re.DOTALL)


At = Callable[[int], Position]
"""The place in the file of a character of the statement."""


def form_findings(mnemonic: str, text: str, at: At) -> tuple[Finding, ...]:
    """What of a statement's text Intel's parser does not take."""
    try:
        found = words.split(text)
    except FragmentError as error:
        return (Finding("igc.syntax", error.message, SOURCE, INSTRUCTION, at(error.offset)),)
    count = min(words.head_length(found), len(found))
    last = found[count - 1]
    head = _head_findings(mnemonic, text[: last.offset + len(last.text)], at(0))
    return head or _operand_findings(mnemonic, words.operands(text, found[count:]), at)


def _head_findings(mnemonic: str, head: str, position: Position) -> tuple[Finding, ...]:
    parts = _HEAD.fullmatch(head)
    if parts is None:
        return (Finding("igc.syntax", "no instruction starts so", SOURCE, INSTRUCTION, position),)
    predicate, written, suffixes, execution, rest = (part or "" for part in parts.groups())
    field, pattern, in_words = HEADS[mnemonic]
    checks = (
        ("igc.lower-case", "the mnemonic must be in lower case", INSTRUCTION, written == mnemonic),
        ("igc.no-predicate", "OWORD_LD takes no predicate", "Pred", mnemonic != "oword_ld" or not predicate),
        ("igc.predicate", "must be (P), (!P), (P.any) or (P.all)", "Pred", _is(PREDICATE, predicate.strip(), True)),
        ("igc.suffix", f"must be {in_words}", field, _is(re.compile(pattern), suffixes.strip(), False)),
        ("igc.execution", "must be (MASK, SIZE) or (SIZE), in decimal", "Exec_size", _is(EXECUTION, execution, False)),
        ("igc.execution", "nothing can follow (MASK, SIZE)", "Exec_size", not rest),
    )
    return tuple(Finding(rule, text, SOURCE, where, position) for rule, text, where, fits in checks if not fits)


def _is(pattern: re.Pattern[str], text: str, may_be_absent: bool) -> bool:
    return (may_be_absent and not text) or pattern.fullmatch(text) is not None


def _operand_findings(mnemonic: str, written: list[words.Word], at: At) -> tuple[Finding, ...]:
    rows = OPERANDS[mnemonic]
    if len(written) != len(rows):
        text = f"takes {len(rows)} operands, not {len(written)}"
        return (Finding("igc.operand-count", text, SOURCE, INSTRUCTION, at(0)),)
    return tuple(
        Finding("igc.operand-form", f"must be {OPERAND_FORMS[form][1]}", SOURCE, name, at(word.offset))
        for word, (name, form) in zip(written, rows, strict=True)
        if not OPERAND_FORMS[form][0].fullmatch(word.text)
    )
