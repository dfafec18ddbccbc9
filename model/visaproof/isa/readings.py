"""What visaproof reads where the pages are silent or contradict other evidence.  Source: spec/decisions.md."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """One open question and the answer that the model takes."""

    decision: str
    question: str
    chosen: str


@dataclass(frozen=True, slots=True)
class Readings:
    """What a machine answers to each question that has more than one answer; one field for each, the page's first."""


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
    "half-texel": Reading("D33", "The texel of a 16-bit atomic?", "a word of a surface with 16-bit texels"),
    "half-sources": Reading("D35", "The upper half of a 16-bit source?", "ignored"),
    "half-result-rest": Reading("D34", "Bits 31..16 of a 16-bit result?", "undefined"),
    "lod-range": Reading("D32", "LOD beyond the surface?", "out of bounds; a null LOD is level 0"),
}
