"""Files with one instruction each: mostly legal, each with up to three oddities, for the same seed always the same.

The oddities cover the rows of docs/pages/validity.md §4: sizes, masks, suffixes, surfaces, forms and types of the
offset, raw offsets, predicates, null operands, numbers of operands, and spellings that only one of the readers takes.
"""

from collections.abc import Iterator
from random import Random

from msgspec import Struct, field

from visaproof.isa.platform import SUPPORTED, Platform

DECLARATIONS = """.version 4.1
.kernel "k"
.decl O v_type=G type=ud num_elts=64 align=GRF
.decl D v_type=G type=d num_elts=128 align=GRF
.decl U v_type=G type=ud num_elts=128 align=GRF
.decl F v_type=G type=f num_elts=128 align=GRF
.decl Q v_type=G type=uq num_elts=64 align=GRF
.decl DF v_type=G type=df num_elts=64 align=GRF
.decl W v_type=G type=w num_elts=64 align=GRF
.decl HF v_type=G type=hf num_elts=64 align=GRF
.decl S v_type=G type=ud num_elts=1 align=dword
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ub num_elts=3
.decl L32 v_type=G type=ud num_elts=32 alias=<U, 32>
.decl L4 v_type=G type=ud num_elts=16 alias=<U, 4>
.decl L36 v_type=G type=uw num_elts=16 alias=<L32, 4>
.decl L64 v_type=G type=d num_elts=16 alias=<L32, 32>
.decl LE v_type=G type=uw num_elts=4 alias=<E, 16>
.decl LR v_type=G type=ud num_elts=4 alias=<%r0, 4>
.decl A0 v_type=A num_elts=1
.decl A1 v_type=A num_elts=8
.decl P1 v_type=P num_elts=1
.decl P2 v_type=P num_elts=8
.decl P3 v_type=P num_elts=32
.decl SAM v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T5 v_type=T num_elts=1
.input T6 offset=64 size=4
.function "k"
_main:
"""

TYPED = ("O", "D", "U", "F", "Q", "DF", "W", "HF", "S", "E", "B", "L32", "L4", "L36", "L64", "LE", "LR", "%r0")
STARTS = (0, 1, 4, 8, 16, 31, 32, 33, 48, 64, 96, 128, 192, 256, 320)
BEYOND = (510, 512, 544, 576, 1024)
TYPES = ("ud", "d", "uw", "w", "ub", "b", "uq", "q", "f", "df", "hf", "v", "uv", "vf", "bf", "bool", "UD", "Uw", "UV")
OPERATIONS = (
    "add", "sub", "inc", "dec", "min", "max", "xchg", "cmpxchg", "and", "or", "xor", "minsint", "maxsint", "fmax",
    "fmin", "fcmpwr", "fadd", "fsub",
)  # fmt: skip
STRANGE_OPERATIONS = ("imin", "imax", "predec", "ADD", "nop", "Add", "addx", "inc.64", "add.32", "or.0", "16", "")
MASKS = ("M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8")
STRANGE_MASKS = ("NoMask", "nomask", "m1", "M0", "M9", "M1_nm", "M5_NM_", "NM", "P2")
STRANGE_SURFACES = (
    "T0", "T3", "T4", "T255", "T7", "T6(0)", "T6.0", "O", "P2", "A0", "SAM", "%null", "%r0", "6", "%SLM", "V7",
)  # fmt: skip
REGIONS = ("<0;1,0>", "<1;1,0>", "<8;8,1>", "<2;2,1>", "<16;8,2>", "<32;16,4>", "<0;0,0>", "<3;1,0>", "<8;32,1>")
REGIONS_ODD = ("", "<1>", "<1,0>", "<0;1>", "<8;8,8>", "<4; 4, 1>", "<0 ; 1,0 >")


class Draft(Struct):
    """The parts of an instruction."""

    mnemonic: str
    predicate: str
    suffix: str
    execution: str
    operands: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return f"{self.predicate}{self.mnemonic}{self.suffix} {self.execution} {' '.join(self.operands)}"


class Case(Struct, frozen=True):
    """A file and the platform to try it on."""

    statement: str
    platform: Platform

    @property
    def text(self) -> str:
        return f"{DECLARATIONS}    {self.statement}\n    ret (M1, 1)\n"


def cases(count: int, seed: int) -> Iterator[Case]:
    """The platforms take turns, and the instructions too."""
    random = Random(seed)
    for number in range(count):
        platform = SUPPORTED[number % len(SUPPORTED)]
        draft = _LEGAL[number // len(SUPPORTED) % len(_LEGAL)](random)
        for _ in range(random.choice((0, 0, 1, 1, 1, 2, 3))):
            random.choice(_ODDITIES)(random, draft)
        yield Case(str(draft), platform)


# ---------------------------------------------------------------- legal instructions


def _predicate(random: Random) -> str:
    return random.choice(("", "", "(P2) ", "(!P2) ", "(P3.any) ", "(!P3.all) ", "( ! P2 .all ) "))


def _scalar(random: Random) -> str:
    return random.choice(("0x0:ud", "0x10:ud", "U(0,0)<0;1,0>", "O(1,3)<0;1,0>", "S(0,0)<0;1,0>"))


def _scatter4_scaled(random: Random) -> Draft:
    channels = "".join(letter for letter in "RGBA" if random.random() < 0.5) or "R"
    operands = [_surface(random), _scalar(random), _raw(random, "O"), _raw(random, "U")]
    return Draft("scatter4_scaled", _predicate(random), f".{channels}", _execution(random, (8, 16)), operands)


def _oword_ld(random: Random) -> Draft:
    size = f"({random.choice((1, 2, 4, 8))})"
    return Draft("oword_ld", "", "", size, [_surface(random), _scalar(random), _raw(random, "D")])


def _qw_scatter(random: Random) -> Draft:
    operands = [_surface(random), _raw(random, "O"), _raw(random, "Q")]
    return Draft("qw_scatter", _predicate(random), ".1", _execution(random, (1, 2, 4, 8, 16)), operands)


def _typed_atomic(random: Random) -> Draft:
    operation = random.choice(OPERATIONS)
    sources = 0 if operation in ("inc", "dec") else 2 if operation in ("cmpxchg", "fcmpwr") else 1
    null, used = "%null.0", ["U.0", "U.64"]
    operands = [random.choice(("T6", "T5")), "O.0", *[null] * 3, *used[:sources], *[null] * (2 - sources), "D.0"]
    return Draft("typed_atomic", _predicate(random), f".{operation}", _execution(random, (8,)), operands)


_LEGAL = (_scatter4_scaled, _oword_ld, _qw_scatter, _typed_atomic)


def _surface(random: Random) -> str:
    return random.choice(("T6", "T6", "T5", "%scratch"))


def _raw(random: Random, variable: str) -> str:
    return f"{variable}.{random.choice((0, 0, 64, 128))}"


def _execution(random: Random, sizes: tuple[int, ...]) -> str:
    size = random.choice(sizes)
    masks = [mask for code, mask in enumerate(MASKS) if 4 * code % size == 0 and 4 * code + size <= 32]
    return f"({random.choice(masks)}{random.choice(('', '_NM'))}, {size})"


# ---------------------------------------------------------------- oddities


def _odd_execution(random: Random, draft: Draft) -> None:
    size: str = random.choice(("1", "2", "4", "8", "16", "32", "32", "0", "3", "64", "0x8", "08"))
    mask: str = random.choice((*MASKS, *MASKS, *(f"{mask}_NM" for mask in MASKS), *STRANGE_MASKS))
    forms = (f"({mask}, {size})", f"({mask}, {size})", f"({size})", f"({mask},{size})", f"({size}, {mask})", "")
    draft.execution = random.choices(forms, (12, 12, 4, 2, 1, 1))[0]


def _odd_legal_execution(random: Random, draft: Draft) -> None:
    """A size and a mask that both exist, whether they fit together or not."""
    draft.execution = f"({random.choice(MASKS)}{random.choice(('', '_NM'))}, {random.choice((1, 2, 4, 8, 16, 32))})"


def _odd_suffix(random: Random, draft: Draft) -> None:
    match draft.mnemonic:
        case "scatter4_scaled":
            draft.suffix = random.choice(
                (".rgba", ".gA", ".Rb", ".AR", ".RR", ".X", ".", "", ".RGBAR", ". R", ".1", ".0", ".RG.R", " .GB")
            )
        case "oword_ld":
            draft.suffix = random.choice((".mod", ".mod", ".MOD", ".modified", ".4", ".R", " .mod", ".mod.mod"))
        case "qw_scatter":
            draft.suffix = random.choice((".2", ".4", ".8", ".0", ".3", ".16", "", ".", ".0x1", ".R", ". 1", ".01"))
        case _:
            operation = random.choice((*OPERATIONS, *STRANGE_OPERATIONS))
            width = random.choice(("", "", ".16", ".16", ".64", ".32", ".016", ". 16", ".0x10"))
            draft.suffix = f".{operation}{width}"


def _odd_surface(random: Random, draft: Draft) -> None:
    builtin = ("%slm", "%slm", "T1", "T2", "TSS", "%bss", "%scratch")
    draft.operands[:1] = [random.choice(builtin if random.random() < 0.7 else STRANGE_SURFACES)]


def _odd_immediate(random: Random) -> str:
    number = random.choice(
        ("0x10", "16", "-4", "(4*4)", "0xffffffff", "~0", "1.5", "1e+3", "1e3", "-1.5", "0x3c00", "(0-1)", "- 1", "!0")
    )
    return f"{number}{random.choice((':', ':', ':', ' :', ': '))}{random.choice(TYPES)}"


def _odd_general(random: Random) -> str:
    modifier = random.choice(("", "", "", "(-)", "(abs)", "(-abs)", "(~)", "(- )", "-"))
    variable = random.choice(("U", "F", "Q", "W", "S", "L4", "%r0", "V7", "NONE", "P2", "A0", "T6"))
    origin = random.choice(("(0,0)", "(0,0)", "(0,3)", "(1,0)", "( 0 , 1 )", "(0)", "(0,1+1)", "(5,200)", ""))
    return f"{modifier}{variable}{origin}{random.choice((*REGIONS, *REGIONS, *REGIONS_ODD))}"


def _odd_indirect(random: Random) -> str:
    modifier = random.choice(("", "", "(-)", "(~)"))
    inside = random.choice(("A0(0),16", "A1(3),-16", "A0(0)", "A1(7),(4*4)", "A0(5),0", "U(0),0", "NONE(0),0", "A0,0"))
    region = random.choice(("<0;1,0>", "<0;1,0>", "<8;8,1>", "<1,0>", "<1>", ""))
    return f"{modifier}r[{inside}]{region}{random.choice((':', ':', ''))}{random.choice(TYPES)}"


def _odd_scalar(random: Random, draft: Draft) -> None:
    """For messages without a scalar, an operand that should be raw is written so."""
    other = random.choice(("&U", "&U[4]", "A0(0)<0;1,0>", "P2", "U.0", "U", "%null.0", "5", "U(0,0)"))
    written = (_odd_immediate(random), _odd_general(random), _odd_indirect(random), other)
    index = 1 if draft.mnemonic in ("scatter4_scaled", "oword_ld") or random.random() < 0.2 else None
    if index is not None and len(draft.operands) > 1:
        draft.operands[index] = random.choices(written, (4, 4, 2, 1))[0]


def _odd_raw(random: Random, draft: Draft) -> None:
    start = (
        random.choice((*STARTS, *STARTS, *BEYOND)) if random.random() < 0.9 else random.choice((65536, 65537, 70000))
    )
    written = (
        f"{random.choice(TYPED)}.{start}",
        f"{random.choice(TYPED)}.{start}",
        random.choice(("U.(32*2)", "U.(64)", "U.0x20", "U .32", "U. 64", "U.%sizeof(GRF)", "U.(%sizeof(GRF))", "U.+4")),
        random.choice(
            ("U", "%null", "%null.4", "%null.00", "%null.(0)", "V7.0", "V7.4", "V0.0", "V0.4", "V21.0", "V32.0")
        ),
        random.choice(("NONE.0", "A0.0", "A1.0", "U.", "U.-4", "U(0,0)<1;1,0>", "0x0:ud", "r.0", "Q.0,", "32")),
    )
    if draft.operands:
        first = 1 if draft.mnemonic in ("qw_scatter", "typed_atomic") else 2
        index = random.randrange(min(first, len(draft.operands) - 1), len(draft.operands))
        draft.operands[index] = random.choices(written, (6, 6, 2, 1, 1))[0]


def _odd_null(random: Random, draft: Draft) -> None:
    index = random.randrange(1, len(draft.operands)) if len(draft.operands) > 1 else 0
    draft.operands[index:][:1] = ["%null.0"]
    if draft.mnemonic == "typed_atomic" and index < len(draft.operands):
        draft.operands[index] = random.choice(("%null.0", "%null.0", "U.0", "F.32"))
    elif index > (1 if draft.mnemonic != "qw_scatter" else 0):
        draft.operands[index] = "%null.0"


def _odd_predicate(random: Random, draft: Draft) -> None:
    draft.predicate = random.choice(
        (
            "(P1) ", "(!P1) ", "(P1.any) ", "(P1.all)", "(P3)", "(P2.ANY) ", "(P2 .any) ", "(P2. any) ", "(P2.one) ",
            "(NONE) ", "(O) ", "(T6) ", "(!!P2) ", "P2 ", "(P2 ", "(-P2) ", "()", "(P2) (P2) ", "(A0) ", "(%null) ",
        )
    )  # fmt: skip


def _odd_operand_count(random: Random, draft: Draft) -> None:
    if draft.operands and random.random() < 0.5:
        draft.operands.pop(random.randrange(len(draft.operands)))
    else:
        draft.operands.insert(random.randint(0, len(draft.operands)), random.choice(("U.0", "%null.0", "0x0:ud", "T6")))


def _odd_spelling(random: Random, draft: Draft) -> None:
    kind = random.randrange(4)
    if kind == 0:
        draft.mnemonic = random.choice((draft.mnemonic.upper(), draft.mnemonic.capitalize()))
    elif kind == 1 and draft.operands:
        draft.operands[-1] += random.choice((",", " ;", "  ", " // end", " /* end */"))
    elif kind == 2:
        draft.suffix += " "
    else:
        draft.execution += " "


_ODDITIES = (
    _odd_execution,
    _odd_legal_execution,
    _odd_suffix,
    _odd_surface,
    _odd_scalar,
    _odd_scalar,
    _odd_raw,
    _odd_raw,
    _odd_null,
    _odd_predicate,
    _odd_operand_count,
    _odd_spelling,
)
