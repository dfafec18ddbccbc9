"""What the pages say that an opcode takes, one row each: operand types, sources, saturation, modifiers, platforms.

A page's "operand type maps" hold where it has them, else its "supported types".  The note on a page holds against
its map (`asr`: signed types only).  Platforms: appendix_instruction_by_platform.md and the marks {XEHP+}, {PVC+}.
"""

from msgspec import Struct, field

NARROW = ("ud", "d", "uw", "w", "ub", "b")
WORDS = ("ud", "d", "uw", "w")
DWORDS = ("ud", "d")
WIDE = ("uq", "q")

REGISTER_BYTES = {"skl": 32, "icllp": 32, "tgllp": 32, "dg2": 32, "pvc": 64, "pvcxt": 64}
EVERYWHERE = ("tgllp", "dg2", "pvc")
INT64 = ("skl", "pvc")
"""Page of SEL: Q and UQ are "not supported on all platforms without int64 (ICL, TGL, DG2, MTL, etc.)"."""
XEHP = ("dg2", "pvc")
INT_DIVISION = ("skl", "tgllp")
"""The appendix ends with TGLLP; the finalizer refuses integer division on DG2 and PVC."""
OLD = ("skl",)
"""LRP, PLN, SAD2 and SAD2ADD end before ICLLP."""


class Map(Struct, frozen=True):
    """Types of the destination and of each source; `rule` says which combinations of them are legal."""

    destination: tuple[str, ...]
    sources: tuple[tuple[str, ...], ...]
    rule: str = "mix"
    """"mix": any; "equal": one type for all; "size": the sizes of the destination and all sources agree."""
    platforms: tuple[str, ...] | None = None
    """None: those of the row."""


class Row(Struct, frozen=True):
    """What one page says of an opcode on vector operands."""

    maps: tuple[Map, ...]
    saturates: str = "no"
    """"yes", "no", or "float": of floats only."""
    modifiers: tuple[str, ...] = ()
    immediates: str = "any"
    """"any", "16" (16-bit types), or "none"."""
    platforms: tuple[str, ...] = EVERYWHERE
    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    predicated: bool = True
    aligned: int = 1
    """Bytes to which operands must be aligned unless one lane is executed."""
    extra: tuple[str, ...] = field(default=())
    """Further destinations before the sources: "carry"."""


ARITHMETIC, LOGIC = ("-", "abs", "-abs"), ("~",)


def _alike(names: tuple[str, ...], count: int, **more: object) -> Map:
    return Map(names, (names,) * count, **more)  # type: ignore[arg-type]


def _floats(count: int, *, mixed: bool = True) -> tuple[Map, ...]:
    """F and HF (mixed, where the map lists them in one row), F and BF from XEHP on, DF."""
    halves = (_alike(("f", "hf"), count),) if mixed else (_alike(("f",), count), _alike(("hf",), count))
    wide = _alike(("df",), count, platforms=INT64)
    return *halves, _alike(("f", "bf"), count, platforms=XEHP), wide


def _wide(count: int) -> Map:
    return _alike(WIDE, count, platforms=INT64)


NO_BYTES_ON_PVC = Map(NARROW, (NARROW,) * 2, platforms=("tgllp", "dg2"))
SIGNED_MAPS = (
    Map(("d", "w", "b"), (("d", "w", "b"), NARROW)),
    Map(("q",), (("q", "d", "w"), (*WORDS, "uq", "q")), platforms=INT64),
    Map(("d", "w"), (("q",), (*WORDS, "uq", "q")), platforms=INT64),
)
UNSIGNED_MAPS = (
    Map(("ud", "uw", "ub"), (("ud", "uw", "ub"), NARROW)),
    Map(("uq",), (("uq",), (*NARROW, "uq", "q")), platforms=INT64),
)
EVERY = (*NARROW, "f", "hf")
EVERY64 = (*EVERY, "df", "uq", "q")
NOT_TWO = (1, 4, 8, 16)

ROWS: dict[str, Row] = {
    "add": Row((_alike(NARROW, 2), _wide(2), *_floats(2, mixed=False)), "yes", ARITHMETIC),
    "add3": Row((_alike(WORDS, 3),), "yes", ARITHMETIC, "16", XEHP),
    "addc": Row((_alike(("ud",), 2),), extra=("carry",)),
    "subb": Row((_alike(("ud",), 2),), extra=("borrow",)),
    "and": Row((_alike(NARROW, 2), _wide(2)), "no", LOGIC),
    "or": Row((_alike(NARROW, 2), _wide(2)), "no", LOGIC),
    "xor": Row((_alike(NARROW, 2), _wide(2)), "no", LOGIC),
    "not": Row((_alike(NARROW, 1), _wide(1)), "no", LOGIC),
    "asr": Row(SIGNED_MAPS, "no", ARITHMETIC),
    "shr": Row(UNSIGNED_MAPS, "yes", ARITHMETIC),
    "shl": Row((_alike(NARROW, 2), Map(WIDE, (WIDE, (*NARROW, *WIDE)), platforms=INT64)), "yes", ARITHMETIC),
    "rol": Row((_alike(WORDS, 2, rule="size"), _alike(WIDE, 2, platforms=("pvc",))), platforms=EVERYWHERE),
    "ror": Row((_alike(WORDS, 2, rule="size"), _alike(WIDE, 2, platforms=("pvc",))), platforms=EVERYWHERE),
    "avg": Row((_alike(NARROW, 2),), "yes", ARITHMETIC),
    "bfe": Row((_alike(DWORDS, 3, rule="equal"),), sizes=NOT_TWO, aligned=16),
    "bfi": Row((_alike(DWORDS, 4),), sizes=NOT_TWO, aligned=16),
    "bfn": Row((_alike(WORDS, 3),), "no", (), "16", XEHP),
    "bfrev": Row((_alike(("ud",), 1),)),
    "cbit": Row((Map(("ud",), (("ub", "uw", "ud"),)),)),
    "fbh": Row((Map(("ud",), (DWORDS,)),)),
    "fbl": Row((_alike(("ud",), 1),)),
    "lzd": Row((_alike(("ud",), 1),)),
    "div": Row((_alike(NARROW, 2),), "float", ARITHMETIC, platforms=INT_DIVISION),
    "mod": Row((_alike(NARROW, 2),), "yes", ARITHMETIC, platforms=INT_DIVISION),
    "dp4a": Row((_alike(DWORDS, 3),), "yes"),
    "mul": Row(
        (NO_BYTES_ON_PVC, Map(NARROW, (WORDS,) * 2, platforms=("pvc",)), Map(WIDE, (DWORDS,) * 2, platforms=INT64),
         *_floats(2)), "float", ARITHMETIC),
    "mulh": Row((_alike(DWORDS, 2, rule="equal"),), "no", ARITHMETIC),
    "mad": Row((_alike(NARROW, 3), *_floats(3)), "float", ARITHMETIC, "16"),
    "madw": Row((_alike(DWORDS, 3),), "no", ARITHMETIC, sizes=(1, 2, 4, 8, 16)),
    "min": Row((_alike(NARROW, 2), _wide(2), *_floats(2, mixed=False)[:2], _alike(("df",), 2, platforms=INT64)),
               "yes", ARITHMETIC),
    "max": Row((_alike(NARROW, 2), _wide(2), *_floats(2, mixed=False)[:2], _alike(("df",), 2, platforms=INT64)),
               "yes", ARITHMETIC),
    "mov": Row((_alike(EVERY, 1), _alike(EVERY64, 1, platforms=INT64), _alike(("f", "bf"), 1, platforms=XEHP)),
               "yes", ARITHMETIC),
    "sel": Row((_alike(NARROW, 2), _alike((*NARROW, *WIDE), 2, platforms=INT64), *_floats(2)), "yes", ARITHMETIC),
    "frc": Row((_alike(("f",), 1),), "no", ARITHMETIC),
    "rndd": Row((_alike(("f",), 1),), "yes", ARITHMETIC),
    "rnde": Row((_alike(("f",), 1),), "yes", ARITHMETIC),
    "rndu": Row((_alike(("f",), 1),), "yes", ARITHMETIC),
    "rndz": Row((_alike(("f",), 1),), "yes", ARITHMETIC),
    "lrp": Row((_alike(("f",), 3),), "yes", ARITHMETIC, platforms=OLD, aligned=16),
    "cmp": Row(
        (_alike(NARROW, 2), _wide(2), Map(("f", "hf"), (NARROW,) * 2), _alike(("f", "hf"), 2, rule="equal"),
         _alike(("f", "bf"), 2, rule="equal", platforms=XEHP), _alike(("df",), 2, platforms=INT64)),
        "no", ARITHMETIC, predicated=False),
    "fcvt": Row(
        (Map(("hf",), (("ub",),), platforms=("pvc",)), Map(("ub",), (("hf",),), platforms=("pvc",)),
         Map(("f",), (("ud",),), platforms=("pvcxt",)), Map(("ud",), (("f",),), platforms=("pvcxt",))),
        immediates="none", predicated=False),
    "sad2": Row((Map(("w", "uw"), (("b", "ub"),) * 2),), "yes", ARITHMETIC, platforms=OLD, sizes=(2, 4, 8, 16, 32)),
    "sad2add": Row((Map(("w", "uw"), (("b", "ub"), ("b", "ub"), ("w", "uw"))),), "yes", platforms=OLD,
                   sizes=(2, 4, 8, 16, 32)),
    "plane": Row((_alike(("f",), 2),), "yes", platforms=OLD, sizes=(8, 16), immediates="none", aligned=32),
}  # fmt: skip
"""Opcodes on vector operands.  `div` of floats and the functions beside it (INV, SQRT, …) are approximations."""

RELATIONS = ("eq", "ne", "gt", "ge", "lt", "le")

SPECIAL = ("and.p", "or.p", "xor.p", "not.p", "setp", "mov.p", "movs", "addr_add")
"""Forms on predicates, states and addresses, each with a generator and an oracle of its own."""
