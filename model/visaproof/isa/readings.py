"""What visaproof reads where the pages are silent or contradict other evidence.  Source: spec/decisions.md."""

from dataclasses import dataclass
from enum import Enum

OWN = "own"
"""In place of a decision: a question that spec/decisions.md does not ask, answered here."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One open question and the answer that the model takes."""

    decision: str
    question: str
    chosen: str


class FloatAtomics(Enum):
    """What fmax, fmin and fcmpwr of TYPED_ATOMIC are (D29)."""

    AS_NAMED = "as-named"
    """They are legal and mean what their names say, on operands of type UD that carry the bits."""
    REJECT = "reject"
    """They are illegal: the table of operations has them for DWORD and SVM messages only."""
    AS_LOWERED = "as-lowered"
    """They are and, or and xor, the integer operations that Intel's finalizer sends for them."""


class FloatNan(Enum):
    """What fmax and fmin leave of a NaN (D29).  Of two NaN the old one stays."""

    NUMBER_WINS = "number-wins"
    """Of a number and a NaN the number is kept, as by maxNum and minNum of IEEE 754-2008."""
    PROPAGATES = "propagates"
    """Of a number and a NaN the NaN is kept, as by maximum and minimum of IEEE 754-2019."""


class FloatZeros(Enum):
    """How fmax and fmin order zeros of both signs (D29); fcmpwr always finds them equal."""

    EQUAL = "equal"
    """They are equal: the old one stays."""
    ORDERED = "ordered"
    """−0 is less than +0."""


class FloatDenormals(Enum):
    """What the denormals of a float atomic are (D29).  What is stored is one of the operands, bit by bit."""

    EXACT = "exact"
    """They are the numbers that they stand for."""
    FLUSHED = "flushed"
    """They are compared as zeros of their sign."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What a machine answers to each question that has more than one answer; one field for each, the page's first."""

    float_atomics: FloatAtomics = FloatAtomics.AS_NAMED
    float_nan: FloatNan = FloatNan.NUMBER_WINS
    float_zeros: FloatZeros = FloatZeros.EQUAL
    float_denormals: FloatDenormals = FloatDenormals.EXACT


DEFAULT = Readings()
"""The answers that visaproof gives where it is not asked for others."""


READINGS: dict[str, Reading] = {
    "mask-alignment": Reading(
        "D1",
        "Which pairs of execution size and mask are legal?",
        "offset a multiple of the size, and size + offset <= 32",
    ),
    "short-predicate": Reading("D3", "A predicate variable with too few bits?", "undefined"),
    "any-all-window": Reading(
        "D4", "Which bits do .any and .all combine?", "the exec_size bits from the mask offset on"
    ),
    "short-variable": Reading(
        "D6", "An operand shorter than its lanes?", "undefined where an enabled lane reads beyond"
    ),
    "disabled-lanes": Reading("D7", "What do disabled lanes of a destination hold?", "their previous value"),
    "scatter4-address": Reading("D9", "What is `address`?", "offset + element_offset[i]"),
    "offset-sum-wraps": Reading("D10", "Does offset + element offset wrap?", "modulo 2^32"),
    "channel-address-wraps": Reading("D10b", "Does the channel's +4c wrap?", "no: beyond 2^32 is out of bounds"),
    "scatter-bounds-grain": Reading("D11", "What is dropped of a partly outside scatter?", "each dword on its own"),
    "slm-bounds": Reading("D12", "Out of bounds in SLM?", "as in any surface: dropped, or zero"),
    "flat-bounds": Reading(
        "D12c", "Out of bounds at 64-bit addresses?", "every address exists; only what would pass 2^64 is outside"
    ),
    "flat-address-wraps": Reading("D12c", "Do sums of 64-bit addresses wrap?", "modulo 2^64"),
    "lsc-bounds-grain": Reading(
        "D11", "Out of bounds in LSC?", "as in any surface: each element on its own dropped, or zero"
    ),
    "lsc-misaligned": Reading("D13", "A misaligned LSC address?", "any byte address has a meaning"),
    "lsc-narrow": Reading("D34", "The upper bytes of a narrow LSC load?", "undefined"),
    "dword-misaligned": Reading("D13", "A misaligned dword address?", "undefined"),
    "collision": Reading(
        "D14", "Lanes that write the same address?", "undefined as soon as they share an in-bounds byte"
    ),
    "oword-unit": Reading("D18", "The unit of OWORD_LD's offset?", "owords"),
    "oword-bounds-grain": Reading("D19", "What is zero of a partly outside block?", "each dword on its own"),
    "oword-address-wraps": Reading("D20", "16·offset beyond 32 bits?", "no wrap: out of bounds"),
    "oword-rest": Reading("D21", "The rest of the register after a short block?", "its previous value"),
    "qword-unit": Reading("D23", "The unit of QW_SCATTER's offsets?", "bytes"),
    "qword-bounds-grain": Reading("D25", "What is dropped of a straddling qword?", "each dword on its own"),
    "qword-misaligned": Reading("D26", "A misaligned qword address?", "undefined"),
    "atomic-order": Reading("D30", "The order of colliding atomic lanes?", "some serial order"),
    "typed-bounds": Reading("D31", "What does a lane out of bounds return?", "0, predec too; nothing is written"),
    "typed-alpha": Reading("D31", "The ones of an alpha channel out of bounds?", "1, or 1.0 where dst has type F"),
    "typed-format": Reading(
        OWN,
        "How does a typed message convert data?",
        "not at all: each channel of a texel is a dword of the data's type",
    ),
    "half-texel": Reading("D33", "The texel of a 16-bit atomic?", "a word of a surface with 16-bit texels"),
    "half-sources": Reading("D35", "The upper half of a 16-bit source?", "ignored"),
    "half-result-rest": Reading("D34", "Bits 31..16 of a 16-bit result?", "undefined"),
    "lod-range": Reading("D32", "LOD beyond the surface?", "out of bounds; a null LOD is level 0"),
    "float-atomics": Reading("D29", "What are fmax, fmin, fcmpwr of TYPED_ATOMIC?", "what their names say, on UD bits"),
    "float-nan": Reading("D29", "What do fmax and fmin leave of a NaN?", "the number; of two NaN the old one"),
    "float-zeros": Reading("D29", "Which zero do fmax and fmin leave?", "the old one: zeros are equal"),
    "float-denormals": Reading("D29", "What are denormals in a float atomic?", "the numbers that they stand for"),
}
