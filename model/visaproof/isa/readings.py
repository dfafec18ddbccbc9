"""What visaproof reads where the pages are silent or contradict other evidence.  Source: docs/decisions.md.

The default of every reading is the page where it speaks.  A reading with alternatives is a field of `Readings`; both
writings of the four pages in `instructions.ALL` ask for it.  The instructions beside them know the defaults only.
"""

from collections.abc import Iterator
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa import answers
from visaproof.isa.answers import Answer


class Reading(Struct, frozen=True):
    """One open question and its answers, the default first; a text where there is only one."""

    decision: str
    """Its entry in docs/decisions.md; "ours" where the pages and that list are silent."""
    question: str
    answers: type[Answer] | str

    @property
    def alternatives(self) -> tuple[Answer, ...]:
        """The answers beside the default; none where there is no choice."""
        return () if isinstance(self.answers, str) else tuple(self.answers)[1:]

    @property
    def default(self) -> Answer | None:
        return None if isinstance(self.answers, str) else next(iter(self.answers))

    @property
    def chosen(self) -> str:
        """What the machine does by default."""
        return self.answers if isinstance(self.answers, str) else next(iter(self.answers)).effect


class Readings(Struct, frozen=True):
    """What a machine answers to each question that has more than one answer; one field for each, the page's first."""

    mask_alignment: answers.MaskAlignment = answers.MaskAlignment.ALIGNED
    short_predicate: answers.ShortPredicate = answers.ShortPredicate.UNDEFINED
    small_sizes: answers.SmallSizes = answers.SmallSizes.ILLEGAL
    any_all_window: answers.AnyAllWindow = answers.AnyAllWindow.EXEC_SIZE
    short_variable: answers.ShortVariable = answers.ShortVariable.ENABLED_LANES
    disabled_lanes: answers.DisabledLanes = answers.DisabledLanes.PRESERVED
    offset_sum_wraps: answers.OffsetSum = answers.OffsetSum.WRAPS
    channel_address_wraps: answers.ChannelAddress = answers.ChannelAddress.NO_WRAP
    scatter_bounds_grain: answers.ScatterBounds = answers.ScatterBounds.PER_DWORD
    slm_bounds: answers.SlmBounds = answers.SlmBounds.AS_ELSEWHERE
    dword_misaligned: answers.DwordMisaligned = answers.DwordMisaligned.UNDEFINED
    collision: answers.Collision = answers.Collision.UNDEFINED
    channel_sets: answers.ChannelSets = answers.ChannelSets.ANY
    oword_bounds_grain: answers.OwordBounds = answers.OwordBounds.PER_DWORD
    oword_address_wraps: answers.OwordAddress = answers.OwordAddress.NO_WRAP
    oword_rest: answers.OwordRest = answers.OwordRest.PRESERVED
    qword_blocks: answers.QwordBlocks = answers.QwordBlocks.ONE
    qword_stride: answers.QwordStride = answers.QwordStride.EXEC_SIZE
    qword_unit: answers.QwordUnit = answers.QwordUnit.BYTES
    qword_bounds_grain: answers.QwordBounds = answers.QwordBounds.PER_DWORD
    qword_misaligned: answers.QwordMisaligned = answers.QwordMisaligned.UNDEFINED
    typed_bounds: answers.TypedBounds = answers.TypedBounds.ZERO
    lod_range: answers.LodRange = answers.LodRange.OUT_OF_BOUNDS
    half_result_rest: answers.HalfResultRest = answers.HalfResultRest.UNDEFINED
    float_atomics: answers.FloatAtomics = answers.FloatAtomics.AS_NAMED
    float_nan: answers.FloatNan = answers.FloatNan.NUMBER_WINS
    float_zeros: answers.FloatZeros = answers.FloatZeros.EQUAL
    float_denormals: answers.FloatDenormals = answers.FloatDenormals.EXACT

    def with_answer(self, name: str, answer: Answer) -> "Readings":
        """The same with another answer to the reading of this name."""
        return replace(self, **{name.replace("-", "_"): answer})

    def of_floats(self) -> "Readings":
        """The default but for how float atomics compare."""
        return Readings(float_nan=self.float_nan, float_zeros=self.float_zeros, float_denormals=self.float_denormals)

    def chosen_otherwise(self) -> list[str]:
        """Each answer that is not the default, as `NAME=VALUE`."""
        return [setting(name, answer) for name, answer in self._answers() if answer is not READINGS[name].default]

    def _answers(self) -> Iterator[tuple[str, Answer]]:
        for name in self.__struct_fields__:
            yield name.replace("_", "-"), cast(Answer, getattr(self, name))


def setting(name: str, answer: Answer) -> str:
    """`NAME=VALUE`, as the command line and the files write it."""
    return f"{name}={answer.value}"


def readings_from(settings: list[str]) -> Readings:
    """The readings that these `NAME=VALUE` choose.  Raises KeyError with the name or value that does not exist."""
    chosen = DEFAULT
    for text in settings:
        name, _, value = text.partition("=")
        reading = READINGS[name]
        if isinstance(reading.answers, str):
            raise KeyError(value)
        known: dict[str, Answer] = {answer.value: answer for answer in reading.answers}
        chosen = chosen.with_answer(name, known[value])
    return chosen


def alternatives() -> Iterator[tuple[str, Answer]]:
    """Every answer that is not a default, with the name of its reading."""
    for name, reading in READINGS.items():
        for answer in reading.alternatives:
            yield name, answer


DEFAULT = Readings()
"""The answers that visaproof gives where it is not asked for others."""

SURFACE_LIKE = "as in any surface: each element on its own dropped, or zero"

READINGS: dict[str, Reading] = {
    "mask-alignment": Reading("D1", "Which pairs of execution size and mask are legal?", answers.MaskAlignment),
    "short-predicate": Reading("D3", "A predicate variable with too few bits?", answers.ShortPredicate),
    "any-all-window": Reading("D4", "Which bits do .any and .all combine?", answers.AnyAllWindow),
    "short-variable": Reading("D6", "An operand shorter than its lanes?", answers.ShortVariable),
    "disabled-lanes": Reading("D7", "What do disabled lanes of a destination hold?", answers.DisabledLanes),
    "scatter4-address": Reading("D9", "What is `address`?", "offset + element_offset[i]"),
    "offset-sum-wraps": Reading("D10", "Does offset + element offset wrap?", answers.OffsetSum),
    "channel-address-wraps": Reading("D10b", "Does the channel's +4c wrap?", answers.ChannelAddress),
    "scatter-bounds-grain": Reading("D11", "What is dropped of a partly outside scatter?", answers.ScatterBounds),
    "slm-bounds": Reading("D12", "Out of bounds in SLM?", answers.SlmBounds),
    "flat-bounds": Reading(
        "D12b", "Out of bounds at 64-bit addresses?", "every address exists; only what would pass 2^64 is outside"
    ),
    "flat-address-wraps": Reading("ours", "Do sums of 64-bit addresses wrap?", "modulo 2^64"),
    "lsc-bounds-grain": Reading("D11", "Out of bounds in LSC?", SURFACE_LIKE),
    "lsc-immediate-wraps": Reading(
        "ours",
        "Does an LSC offset of 32 bits wrap where an immediate is added to it?",
        "modulo 2^32: a load of two dwords does not, so that it is not two loads at offsets next to 4 GiB",
    ),
    "lsc-misaligned": Reading("D13", "A misaligned LSC address?", "any byte address is defined"),
    "lsc-typed-outside": Reading(
        "ours", "What does a typed LSC load return outside its image?", "0 in each component, alpha too"
    ),
    "lsc-narrow": Reading("D34", "The upper bytes of a narrow LSC load?", "undefined up to PVC, 0 from Xe2 on"),
    "block2d-edges": Reading(
        "ours", "Elements of a 2D block outside its matrix?", "each element on its own: 0 is read, a write is dropped"
    ),
    "block2d-alignment": Reading(
        "ours",
        "A matrix that is not aligned to 64 bytes, or has a pitch below its width or no multiple of 16?",
        "as the formula of the addresses has it",
    ),
    "block2d-overlap": Reading(
        "ours", "Rows of a stored 2D block that share bytes, as the pitch is below the width?", "the lower row stays"
    ),
    "dpas-floats": Reading(
        "ours",
        "In which order are the products of dpas on floats added, and how are the sums rounded?",
        "an uninterpreted function of accumulator, row and column; a run adds by k and rounds each sum to float32",
    ),
    "dpas-mask": Reading("ours", "dpas with lanes that are off?", "their columns are not written; their data is read"),
    "dpas-narrow": Reading(
        "ours",
        "Where does dpas find elements of 1 and 2 bits, or of 4 bits beside 8, which fill no dword?",
        "those of a lane one behind the other, in as many registers as they fill",
    ),
    "dword-misaligned": Reading("D13", "A misaligned dword address?", answers.DwordMisaligned),
    "collision": Reading("D14", "Lanes that write the same address?", answers.Collision),
    "flat-collision": Reading(
        "ours",
        "Lanes of SVM and LSC messages that write the same address, of which their pages say nothing?",
        "undefined as soon as they share an in-bounds byte, as D14 has it for scatters",
    ),
    "channel-sets": Reading("D15", "Which channel sets are legal?", answers.ChannelSets),
    "oword-unit": Reading("D18", "The unit of OWORD_LD's offset?", "owords"),
    "oword-bounds-grain": Reading("D19", "What is zero of a partly outside block?", answers.OwordBounds),
    "oword-address-wraps": Reading("D20", "16·offset beyond 32 bits?", answers.OwordAddress),
    "oword-rest": Reading("D21", "The rest of the register after a short block?", answers.OwordRest),
    "qword-blocks": Reading("D22", "More than one block in QW_SCATTER?", answers.QwordBlocks),
    "qword-stride": Reading("D24", "Where does src hold block j of lane i?", answers.QwordStride),
    "qword-unit": Reading("D23", "The unit of QW_SCATTER's offsets?", answers.QwordUnit),
    "qword-bounds-grain": Reading("D25", "What is dropped of a straddling qword?", answers.QwordBounds),
    "qword-misaligned": Reading("D26", "A misaligned qword address?", answers.QwordMisaligned),
    "atomic-order": Reading("D30", "The order of colliding atomic lanes?", "some serial order"),
    "typed-bounds": Reading("D31", "What does a lane out of bounds return?", answers.TypedBounds),
    "typed-alpha": Reading("D31", "The ones of an alpha channel out of bounds?", "1, or 1.0 where dst has type F"),
    "typed-format": Reading(
        "ours",
        "How does a typed message convert data?",
        "not at all: each channel of a texel is a dword of the data's type",
    ),
    "half-texel": Reading("D33", "The texel of a 16-bit atomic?", "a word of a surface with 16-bit texels"),
    "half-sources": Reading("D35", "The upper half of a 16-bit source?", "ignored"),
    "half-result-rest": Reading("D34", "Bits 31..16 of a 16-bit result?", answers.HalfResultRest),
    "lod-range": Reading("D32", "LOD beyond the surface?", answers.LodRange),
    "float-atomics": Reading("D29", "What are fmax, fmin, fcmpwr of TYPED_ATOMIC?", answers.FloatAtomics),
    "float-nan": Reading("D29", "What do fmax and fmin leave of a NaN?", answers.FloatNan),
    "float-zeros": Reading("D29", "Which zero do fmax and fmin leave?", answers.FloatZeros),
    "float-denormals": Reading("D29", "What are denormals in a float atomic?", answers.FloatDenormals),
    "half-denormals": Reading(
        "ours",
        "Denormals of HF in operations, for which %cr0 has a bit that 2_datatypes.md does not have?",
        "flushed, or kept where the bit says so: the result is nondeterministic there; kept in conversions",
    ),
    "float-sums": Reading(
        "ours",
        "How do fadd and fsub of an atomic round, and which NaN do they give?",
        "to nearest even, and the quiet NaN with no other bit set; denormals as float-denormals says",
    ),
    "rounded-zero": Reading("ours", "The sign of a 0 to which rndd, rnde, rndu and rndz round?", "that of the source"),
    "mixed-floats": Reading(
        "ours",
        "How often is an operation on F mixed with HF or BF rounded to a narrower destination?",
        "once, or first to F: the result is nondeterministic where that matters",
    ),
    "lrp-rounding": Reading(
        "ours", "Which steps of lrp are rounded?", "any: the result is nondeterministic where that matters"
    ),
    "approximations": Reading(
        "D51",
        "How near are inv, sqrt, rsqrt, exp, log, sin and cos of F and HF, pow of F, and div?",
        "within the error that OpenCL C or Intel states: a run takes the nearest first, and says what depends on it",
    ),
    "plane-rounding": Reading(
        "ours",
        "Which steps of plane are rounded?  The finalizer emits two mad on TGLLP and DG2, a native pln on SKL.",
        "all, or p·u + r and q·v and that are fused: the result is nondeterministic where that matters",
    ),
    "setp-lanes": Reading(
        "ours",
        "setp of a vector with fewer lanes than 16?",
        "the bits of enabled lanes: the finalizer emits an `and` of as many lanes into the flag",
    ),
    "setp-mask": Reading(
        "ours",
        "setp of a scalar with M1 or M5 but without NoMask, which Intel's compiler emits?",
        "its mask is ignored: the finalizer emits one unmasked mov to the flag",
    ),
    "predicate-not": Reading(
        "ours",
        "not of a predicate under NoMask with fewer lanes than the predicate has bits?",
        "the bits of its lanes alone: the finalizer emits an xor of as many lanes",
    ),
    "asr-types": Reading(
        "ours",
        "asr with an unsigned source or destination, which Intel's compiler emits?",
        "zeros are shifted into an unsigned source; the destination gets the low bits",
    ),
    "shr-destination": Reading(
        "ours", "shr with a signed destination, which Intel's compiler emits?", "it gets the low bits of the result"
    ),
    "mulh-destination": Reading(
        "ours", "mulh of UD into D, which Intel's compiler emits?", "the high dword of the unsigned product"
    ),
    "mad-of-qwords": Reading(
        "ours", "mad of dwords into Q or UQ, which Intel's compiler emits?", "the exact result modulo 2^64"
    ),
    "bfrev-types": Reading("ours", "bfrev of D, which Intel's compiler emits?", "the bits are reversed as those of UD"),
    "fbl-of-words": Reading(
        "ours", "fbl of UB or UW, which Intel's compiler emits?", "as of the same number in UD; all ones for 0"
    ),
    "movs-signed": Reading(
        "ours", "movs of D into a surface or a sampler, which Intel's compiler emits?", "its 32 bits, as those of UD"
    ),
    "addr-add-offset": Reading(
        "ours", "addr_add of an offset that is not UW?", "added as the integer that its type makes of it"
    ),
    "addc-of-words": Reading(
        "ours", "addc of UD and UW, which Intel's compiler emits?", "the words are taken as the same numbers in UD"
    ),
    "mov-of-predicate": Reading(
        "ours", "mov of a predicate into D, which Intel's compiler emits for ballots?", "its bits, as into UD"
    ),
    "mov-of-address": Reading(
        "ours",
        "mov of 0 into address registers, which Intel's compiler emits before addr_add of some lanes?",
        "they name no variable, as if they were uninitialised: to read through them is undefined",
    ),
    "movs-mask": Reading(
        "ours",
        "movs into a state variable under a mask, which Intel's compiler emits before messages of any lanes?",
        "its mask is ignored, though the finalizer's mov has it: a message has one surface",
    ),
    "movs-lanes": Reading(
        "ours",
        "movs of several elements of a state variable, of which the finalizer reads the first for all lanes?",
        "contiguous elements, as its page has it",
    ),
    "repeated-names": Reading(
        "ours",
        "A name that a dump declares several times: scopes of inline assembly, printed without their braces?",
        "the scopes are copies of one text in the order of their declarations; other names are refused",
    ),
    "small-sizes": Reading(
        "D41", "Execution sizes 1, 2 and 4 of SCATTER4_SCALED and TYPED_ATOMIC?", answers.SmallSizes
    ),
}
"""Every reading by name, in the order of the decisions."""
