"""The answers to the questions that the pages leave open.  Source: docs/decisions.md.

One enum for each question.  Its members are the answers, the one that visaproof gives by default first; a member's
value is what the command line calls it.
"""

from enum import Enum


class Answer(Enum):
    """One answer to a question: its name on the command line, and what the machine then does."""

    _value_: str
    effect: str

    def __new__(cls, value: str, effect: str) -> "Answer":
        member = object.__new__(cls)
        member._value_ = value
        member.effect = effect
        return member


class MaskAlignment(Answer):
    """D1."""

    ALIGNED = "aligned", "offset a multiple of the size, and size + offset <= 32"
    VERIFIER_ACCEPTS = "verifier-accepts", "size + offset <= 32, as IGC's verifier accepts"


class ShortPredicate(Answer):
    """D3."""

    UNDEFINED = "undefined", "undefined"
    ZERO = "zero", "the missing bits are 0"
    FREE = "free", "the missing bits have any value"


class SmallSizes(Answer):
    """D41: of SCATTER4_SCALED and TYPED_ATOMIC."""

    ILLEGAL = "illegal", "illegal: the pages do not list them"
    ACCEPTED = "accepted", "legal, by the same formulas, as IGC accepts them"


class AnyAllWindow(Answer):
    """D4."""

    EXEC_SIZE = "exec-size", "the exec_size bits from the mask offset on"
    DECLARED_WIDTH = "declared-width", "all bits of the predicate variable, as IGC lowers it"


class ShortVariable(Answer):
    """D6."""

    ENABLED_LANES = "enabled-lanes", "undefined where an enabled lane reads beyond"
    ALL_LANES = "all-lanes", "undefined where any lane reads beyond, as soon as one lane is enabled"
    WHOLE_PAYLOAD = (
        "whole-payload",
        "undefined where the last register of all lanes reaches beyond, as soon as one is on",
    )


class DisabledLanes(Answer):
    """D7."""

    PRESERVED = "preserved", "their previous value"
    UNDEFINED = "undefined", "any value"


class OffsetSum(Answer):
    """D10."""

    WRAPS = "wraps", "modulo 2^32"
    NO_WRAP = "no-wrap", "no: beyond 2^32 is another address, out of bounds of any surface of up to 4 GiB"


class ChannelAddress(Answer):
    """D10b."""

    NO_WRAP = "no-wrap", "no: beyond 2^32 is out of bounds"
    WRAPS = "wraps", "modulo 2^32"


class ScatterBounds(Answer):
    """D11."""

    PER_DWORD = "per-dword", "each dword on its own"
    PER_BYTE = "per-byte", "each byte on its own"
    PER_LANE = "per-lane", "all enabled channels of the lane"


class SlmBounds(Answer):
    """D12."""

    AS_ELSEWHERE = "as-elsewhere", "as in any surface: dropped, or zero"
    UNDEFINED = "undefined", "undefined"


class DwordMisaligned(Answer):
    """D13."""

    UNDEFINED = "undefined", "undefined"
    FLOOR = "floor", "the two low bits are ignored"
    BYTE_EXACT = "byte-exact", "the four bytes from that address on"
    DATA_UNDEFINED = "data-undefined", "the two low bits are ignored, and what is written there has any value"


class Collision(Answer):
    """D14."""

    UNDEFINED = "undefined", "undefined as soon as they share an in-bounds byte"
    EQUAL_ALLOWED = "equal-allowed", "undefined where the bytes that they share differ"
    LAST_WINS = "last-wins", "lanes write in ascending order, so the last one wins"
    ANY_WINS = "any-wins", "for each dword any one of the lanes that write it wins"


class ChannelSets(Answer):
    """D15."""

    ANY = "any", "any of the 15 sets that are not empty"
    PREFIX_ONLY = "prefix-only", "R, RG, RGB and RGBA; others are illegal"


class OwordBounds(Answer):
    """D19."""

    PER_DWORD = "per-dword", "each dword on its own"
    PER_OWORD = "per-oword", "each oword on its own"
    WHOLE_BLOCK = "whole-block", "the whole block"
    PER_ELEMENT = "per-element", "a dword whose first byte is outside; another is read even past the end"


class OwordAddress(Answer):
    """D20."""

    NO_WRAP = "no-wrap", "no wrap: out of bounds"
    WRAPS = "wraps", "modulo 2^32"


class OwordRest(Answer):
    """D21."""

    PRESERVED = "preserved", "its previous value"
    UNDEFINED = "undefined", "any value, up to the next GRF boundary"


class QwordBlocks(Answer):
    """D22."""

    ONE = "one", "illegal: the page has only one"
    SEVERAL = "several", "1, 2, 4 or 8 blocks for each lane, one behind the other"


class QwordStride(Answer):
    """D24.  With the page's one block they are the same."""

    EXEC_SIZE = "exec-size", "at qword j·exec_size + i"
    PADDED = "padded", "at qword j·max(exec_size, 8) + i; on GRF of 64 bytes 16 instead of 8"


class QwordUnit(Answer):
    """D23."""

    BYTES = "bytes", "bytes"
    QWORD_INDEX = "qword-index", "qwords: the address is 8·offset, without a wrap"
    LITERAL = "literal", "as the pseudo-code is written, offset + j: with the page's one block the same as bytes"


class QwordBounds(Answer):
    """D25."""

    PER_DWORD = "per-dword", "each dword on its own"
    PER_QWORD = "per-qword", "the whole qword"


class QwordMisaligned(Answer):
    """D26."""

    UNDEFINED = "undefined", "undefined"
    BYTE_EXACT = "byte-exact", "the eight bytes from that address on"
    FLOOR = "floor", "the three low bits are ignored"
    DWORD_ALIGNED = "dword-aligned", "undefined only off a multiple of 4"


class TypedBounds(Answer):
    """D31."""

    ZERO = "zero", "0, predec too; nothing is written"
    UNSPECIFIED = "unspecified", "any value; nothing is written"


class LodRange(Answer):
    """D32."""

    OUT_OF_BOUNDS = "out-of-bounds", "out of bounds; a null LOD is level 0"
    CLAMP = "clamp", "the last level that the surface has"
    UNDEFINED = "undefined", "undefined"


class HalfResultRest(Answer):
    """D34."""

    UNDEFINED = "undefined", "undefined"
    ZERO = "zero", "0"
    PRESERVED = "preserved", "their previous value"
    SIGN_EXTENDED = "sign-extended", "bit 15 of the result"


class FloatAtomics(Answer):
    """D29: fmax, fmin and fcmpwr of TYPED_ATOMIC."""

    AS_NAMED = "as-named", "what their names say, on operands of type UD that carry the bits"
    REJECT = "reject", "illegal: only DWORD and SVM messages have them"
    AS_LOWERED = "as-lowered", "and, or and xor, the integer operations that Intel's finalizer sends for them"


class FloatNan(Answer):
    """D29.  Of two NaN the old one stays."""

    NUMBER_WINS = "number-wins", "the number, as maxNum and minNum of IEEE 754-2008; of two NaN the old one"
    PROPAGATES = "propagates", "the NaN, as maximum and minimum of IEEE 754-2019; of two the old one"


class FloatZeros(Answer):
    """D29.  fcmpwr always finds zeros of both signs equal."""

    EQUAL = "equal", "the old one: zeros are equal"
    ORDERED = "ordered", "the one that counts: −0 is less than +0"


class FloatDenormals(Answer):
    """D29.  What is stored is one of the operands, bit by bit."""

    EXACT = "exact", "the numbers that they stand for"
    FLUSHED = "flushed", "compared as zeros of their sign"
