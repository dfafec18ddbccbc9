"""What each ALU, predicate and conversion page says of its operands: one row an opcode.

A row holds what the page lists; forms beside it that Intel's compiler emits name the reading by which they are run.
`opcode_check.py` refuses what lies outside a row.  Pages: documentation/visa/instructions and 2_datatypes.md.
"""

from enum import Enum, auto

from msgspec import Struct

from visaproof.isa.execution import EXEC_SIZES
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType as T

Types = tuple[T, ...]


class Mix(Enum):
    """Which types of one form go together."""

    EACH = "each operand has any of its types"
    ALIKE = "all operands have one type"
    WIDE = "the destination has the size of the first source"


class Modifiers(Enum):
    """The source modifiers of a page; the value holds those in the text."""

    NONE = ("",)
    ARITHMETIC = ("", "-", "abs", "-abs")
    LOGIC = ("", "~")


class Saturation(Enum):
    NO = auto()
    YES = auto()
    FLOATS = auto()
    """ "Only when type is float"."""


class Predicates(Enum):
    """Which operands may be predicates instead."""

    NONE = auto()
    ALL = auto()
    """Page AND: "In this mode, all operands must be predicates"."""
    RESULT = auto()


class Regions(Enum):
    """Which regions an operand's elements are taken from."""

    HONOURED = "as written"
    CONTIGUOUS = "scalar regions, or contiguous elements whatever is written"
    PLANE = "four scalars, and pairs of eight elements, whatever is written"


class Lanes(Enum):
    """What a statement writes."""

    ENABLED = "enabled lanes"
    HALVES = "16 bits of the predicate, or 32; of a vector source, enabled lanes"
    PAIRS = "even lanes that are enabled; the odd one beside each becomes undefined"
    UNMASKED = "enabled lanes; the mask is NoMask where the destination has 8 bits"


class Form(Struct, frozen=True):
    """Operand types that go together: of each destination, then of each source."""

    results: tuple[Types, ...]
    sources: tuple[Types, ...]
    mix: Mix = Mix.EACH
    since: Platform = Platform.BDW
    reading: str = ""
    """What allows it, where the page does not list it: a name in `READINGS`."""


class Row(Struct, frozen=True):
    """An opcode."""

    page: str
    forms: tuple[Form, ...]
    modifiers: Modifiers = Modifiers.ARITHMETIC
    saturation: Saturation = Saturation.NO
    sizes: tuple[int, ...] = EXEC_SIZES
    """Execution sizes."""
    regions: Regions = Regions.HONOURED
    lanes: Lanes = Lanes.ENABLED
    predicated: bool = True
    """Whether a predicate may choose its lanes."""
    predicates: Predicates = Predicates.NONE
    indirect: bool = True
    """Whether an operand may be indirect."""
    immediate: bool = True
    """Whether a source may be an immediate."""
    not_modelled: str = ""
    """Why no machine here runs it; "" where all do."""

    @property
    def results(self) -> int:
        """Destinations."""
        return len(self.forms[0].results)

    @property
    def operands(self) -> int:
        """Destinations and sources."""
        return len(self.forms[0].results) + len(self.forms[0].sources)


UD, F, HF, DF, BF = (T.UD,), (T.F,), (T.HF,), (T.DF,), (T.BF,)
UNSIGNED, SIGNED = (T.UB, T.UW, T.UD, T.UQ), (T.B, T.W, T.D, T.Q)
INTEGERS = (*UNSIGNED, *SIGNED)
BYTES, WORDS, DWORDS, QWORDS = (T.UB, T.B), (T.UW, T.W), (T.UD, T.D), (T.UQ, T.Q)
SMALL = (*BYTES, *WORDS, *DWORDS)
SINGLE = (T.F, T.HF)
IEEE = (*SINGLE, T.DF)
NUMBERS = (*INTEGERS, *IEEE)


def _any(count: int, types: Types) -> Form:
    """One destination and so many sources.  2_datatypes.md: "sources can have mixed integer types"."""
    return Form((types,), (types,) * count)


def _alike(count: int, types: Types, since: Platform = Platform.BDW) -> Form:
    return Form((types,), (types,) * count, Mix.ALIKE, since)


def _numbers(count: int, integers: Types) -> tuple[Form, ...]:
    """2_datatypes.md: sources "cannot have mixed integer and float types"; a float result has the sources' type."""
    return _any(count, integers), _alike(count, IEEE)


def _mixed(count: int, types: Types, since: Platform = Platform.BDW) -> Form:
    """Floats of several types that a page lists in one row; the execution type is F (reading "mixed-floats")."""
    return Form((types,), (types,) * count, since=since)


def _with_bf(count: int, integers: Types) -> tuple[Form, ...]:
    return *_numbers(count, integers), _mixed(count, (T.F, T.BF), Platform.XeHP_SDV)


def _with_all(count: int, integers: Types) -> tuple[Form, ...]:
    return *_with_bf(count, integers), _mixed(count, SINGLE)


def _math(page: str, types: Types, count: int = 1, modifiers: Modifiers = Modifiers.ARITHMETIC) -> Row:
    """Floats of one type, with saturation."""
    return Row(page, (_alike(count, types),), modifiers, Saturation.YES)


def _logic(page: str, count: int) -> Row:
    return Row(page, (_any(count, INTEGERS),), Modifiers.LOGIC, predicates=Predicates.ALL)


def _shift(page: str, types: Types, saturation: Saturation, emitted: Types, reading: str) -> Row:
    """ "Dst and src0 must have …; Src1 may have any integer type"."""
    forms = Form((types,), (types, INTEGERS)), Form((INTEGERS,), (emitted, INTEGERS), reading=reading)
    return Row(page, forms, saturation=saturation)


def _rotate(page: str) -> Row:
    small, wide = (*WORDS, *DWORDS), (*WORDS, *DWORDS, *QWORDS)
    forms = (
        Form((small,), (small, small), Mix.WIDE),
        Form((QWORDS,), (QWORDS, wide), Mix.WIDE, Platform.PVC),
    )
    return Row(page, forms, Modifiers.NONE)


def _bits(page: str, sources: Types, *emitted: Form) -> Row:
    return Row(page, (Form((UD,), (sources,)), *emitted), Modifiers.NONE)


def _absolute_differences(page: str, modifiers: Modifiers, *addends: Types) -> Row:
    forms = (Form((WORDS,), (BYTES, BYTES, *addends)),)
    return Row(page, forms, modifiers, Saturation.YES, (2, 4, 8, 16, 32), lanes=Lanes.PAIRS)


def _approximation(page: str, count: int) -> Row:
    """With a predicate as its second destination."""
    types = (T.F, T.DF)
    form = Form((types, ()), (types,) * count, Mix.ALIKE)
    return Row(page, (form,), not_modelled="its page does not say which approximation it gives")


_CARRY = Form((UD, UD), (UD, UD))
_EXTREME = Row("MIN_MAX", _numbers(2, INTEGERS), saturation=Saturation.YES)
_NOT_TWO = (1, 4, 8, 16, 32)

ROWS: dict[str, Row] = {
    # ------------------------------------------------------------ arithmetic
    "add": Row("ADD", _with_bf(2, INTEGERS), saturation=Saturation.YES),
    "add3": Row("ADD3", (_any(3, (*WORDS, *DWORDS)),), saturation=Saturation.YES),
    "add3o": Row(
        "ADD3O", (_any(3, (*WORDS, *DWORDS)),), not_modelled="its page does not say in which width the sum overflows"
    ),
    "addc": Row("ADDC", (_CARRY, Form((UD, UD), (UD, (T.UW,)), reading="addc-of-words")), Modifiers.NONE),
    "subb": Row("SUBB", (_CARRY,), Modifiers.NONE),
    "avg": Row("AVG", (_any(2, SMALL),), saturation=Saturation.YES),
    "div": Row("DIV", _numbers(2, SMALL), saturation=Saturation.FLOATS),
    "mod": Row("MOD", (_any(2, SMALL),), saturation=Saturation.YES),
    "mul": Row("MUL", _with_all(2, INTEGERS), saturation=Saturation.FLOATS),
    "mad": Row(
        "MAD",
        (*_with_all(3, SMALL), Form((QWORDS,), (SMALL,) * 3, reading="mad-of-qwords")),
        saturation=Saturation.FLOATS,
    ),
    "madw": Row("MADW", (_any(3, DWORDS),)),
    "mulh": Row("MULH", (_alike(2, DWORDS), Form((DWORDS,), (UD, UD), reading="mulh-destination"))),
    "dp4a": Row("DP4A", (_any(3, DWORDS),), Modifiers.NONE, Saturation.YES),
    "sad2": _absolute_differences("SAD2", Modifiers.ARITHMETIC),
    "sad2add": _absolute_differences("SAD2ADD", Modifiers.NONE, WORDS),
    "min": _EXTREME,
    "max": _EXTREME,
    # ------------------------------------------------------------ logic, shifts, bits
    "and": _logic("AND", 2),
    "or": _logic("OR", 2),
    "xor": _logic("XOR", 2),
    "not": _logic("NOT", 1),
    "bfn": Row("BFN", (_any(3, (*WORDS, *DWORDS)),), Modifiers.NONE),
    "shl": Row("SHL", (_any(2, INTEGERS),), saturation=Saturation.YES),
    "shr": _shift("SHR", UNSIGNED, Saturation.YES, UNSIGNED, "shr-destination"),
    "asr": _shift("ASR", SIGNED, Saturation.NO, INTEGERS, "asr-types"),
    "rol": _rotate("ROL"),
    "ror": _rotate("ROR"),
    "bfe": Row("BFE", (_alike(3, DWORDS),), Modifiers.NONE, sizes=_NOT_TWO),
    "bfi": Row("BFI", (_any(4, DWORDS),), Modifiers.NONE, sizes=_NOT_TWO),
    "bfrev": _bits("BFREV", UD, Form((DWORDS,), (DWORDS,), reading="bfrev-types")),
    "cbit": _bits("CBIT", (T.UB, T.UW, T.UD)),
    "fbh": _bits("FBH", DWORDS),
    "fbl": _bits("FBL", UD, Form((UD,), ((T.UB, T.UW),), reading="fbl-of-words")),
    "lzd": Row("LZD", (Form((UD,), (UD,)),), Modifiers.NONE, Saturation.YES),
    # ------------------------------------------------------------ floats
    "cos": _math("COS", SINGLE),
    "divm": _math("DIVM", (T.F, T.DF), 2, Modifiers.NONE),
    "exp": _math("EXP", SINGLE),
    "frc": Row("FRC", (_alike(1, F),)),
    "inv": _math("INV", IEEE),
    "invm": _approximation("INVM", 2),
    "log": _math("LOG", SINGLE),
    "lrp": Row("LRP", (_alike(3, F),), saturation=Saturation.YES, regions=Regions.CONTIGUOUS, indirect=False),
    "plane": Row(
        "PLN", (_alike(2, F),), Modifiers.NONE, Saturation.YES, (8, 16), Regions.PLANE, immediate=False
    ),
    "pow": _math("POW", SINGLE, 2),
    "rndd": _math("RNDD", F),
    "rnde": _math("RNDE", F),
    "rndu": _math("RNDU", F),
    "rndz": _math("RNDZ", F),
    "rsqrt": _math("RSQRT", SINGLE),
    "rsqtm": _approximation("RSQTM", 1),
    "sin": _math("SIN", SINGLE),
    "sqrt": _math("SQRT", SINGLE),
    "sqrtm": _math("SQRTM", (T.F, T.DF), 1, Modifiers.NONE),
    # ------------------------------------------------------------ moves and conversions
    "mov": Row(
        "MOV",
        (Form((NUMBERS,), (NUMBERS,)), Form(((T.F, T.BF),), ((T.F, T.BF),), since=Platform.XeHP_SDV)),
        saturation=Saturation.YES,
    ),
    "sel": Row("SEL", _with_all(2, INTEGERS), saturation=Saturation.YES),
    "movs": Row(
        "MOVS",
        (Form(((),), (UD,)), Form(((),), ((T.D,),), reading="movs-signed"), Form((UD,), ((),)), Form(((),), ((),))),
        Modifiers.NONE,
        predicated=False,
    ),
    "fcvt": Row(
        "FCVT",
        (
            Form((HF,), ((T.UB,),)),
            Form(((T.UB,),), (HF,)),
            Form((F,), (UD,), since=Platform.PVCXT),
            Form((UD,), (F,), since=Platform.PVCXT),
        ),
        Modifiers.NONE,
        lanes=Lanes.UNMASKED,
        predicated=False,
        indirect=False,
        immediate=False,
    ),
    "srnd": Row(
        "SRND",
        (Form((HF,), (F, (T.UW,))), Form(((T.UB,),), (HF, (T.UB,)))),
        Modifiers.NONE,
        predicated=False,
        not_modelled="its page does not say how a result beyond the mantissa is normalised",
    ),
    # ------------------------------------------------------------ predicates and addresses
    "cmp": Row(
        "CMP",
        (Form(((*INTEGERS, *SINGLE),), (INTEGERS, INTEGERS)), _alike(2, IEEE), _alike(2, BF, Platform.XeHP_SDV)),
        predicated=False,
        predicates=Predicates.RESULT,
    ),
    "setp": Row("SETP", (Form(((),), ((T.UB, T.UW, T.UD),)),), Modifiers.NONE, lanes=Lanes.HALVES, predicated=False),
    "addr_add": Row(
        "ADDR_ADD",
        (Form(((),), ((), (T.UW,))), Form(((),), ((), SMALL), reading="addr-add-offset")),
        predicated=False,
    ),
}  # fmt: skip
"""By the spelling of the opcode in the text.  An operand with an empty tuple of types has no type to be checked."""
