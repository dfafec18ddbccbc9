"""Legal instructions on predicates, states and addresses."""

from collections.abc import Callable
from random import Random

from benchmarks.alu_vectors.edges import value
from benchmarks.alu_vectors.pages import EVERYWHERE, REGISTER_BYTES
from benchmarks.alu_vectors.types import TYPES
from benchmarks.alu_vectors.vector import SCALAR, Constant, Region, Source, Target, Vector

SIZES = (1, 2, 4, 8, 16, 32)


def special(form: str, random: Random) -> Vector:
    """An instruction of a special form."""
    platform = random.choice(EVERYWHERE)
    return MAKERS[form](form, platform, random)


def _holding(bits: int, random: Random) -> int:
    """The size of a predicate variable that has so many bits."""
    return random.choice([size for size in SIZES if size >= bits])


def _logic(form: str, platform: str, random: Random) -> Vector:
    size = random.choice(SIZES)
    offset = random.choice([at for at in range(0, 32, 4) if at % size == 0 and at + size <= 32])
    bits = _holding(offset + size, random)
    predicates: dict[str, int] = {"P1": bits, "P2": bits, "R": bits}
    operands = "P1" if form == "not.p" else random.choice(["P1 P2", "P1 P1", "R P2"])
    return Vector(form, platform, size, offset, random.random() < 0.3, predicates=predicates, result="R",
                  operands=operands)  # fmt: skip


def _setp(form: str, platform: str, random: Random) -> Vector:
    size = random.choice(SIZES)
    offset = 0 if size == 32 else random.choice([0, 0, 16])
    kind = TYPES[random.choice(["ud", "uw", "ub"])]
    region = random.choice([SCALAR, SCALAR, Region(1, 1, 0), Region(2, 1, 0)])
    if size == 1 or size * kind.bytes * max(1, region.vertical) > 2 * REGISTER_BYTES[platform]:
        region = SCALAR
    source = Source("S0", kind, 0, region)
    constant = Constant(kind.name, value(kind, random))
    return Vector(form, platform, size, offset, True, sources=(random.choice([source, constant]),),
                  predicates={"R": _holding(offset + size, random)}, result="R")  # fmt: skip


def _predicate_value(form: str, platform: str, random: Random) -> Vector:
    bits = random.choice(SIZES)
    kind = TYPES[random.choice([name for name in ("ub", "uw", "ud") if TYPES[name].bits >= bits])]
    target = Target("D", kind, random.randrange(8), 1)
    return Vector(form, platform, 1, 0, random.random() < 0.5, (target,), predicates={"P1": bits}, operands="P1")


def _state_index(form: str, platform: str, random: Random) -> Vector:
    """An index goes into a state variable, maybe on into another one of its class, and into a general variable."""
    index, k = random.choice([0, 1, 7, 31, 240]), random.randrange(4)
    name = random.choice(["T6", "SM"])
    prelude = [f"movs (M1_NM, 1) {name}({k}) {index:#x}:ud"]
    if random.random() < 0.3:
        prelude.append(f"movs (M1_NM, 1) {name}({(k + 1) % 4}) {name}({k})")
        k = (k + 1) % 4
    target = Target("D", TYPES["ud"], random.randrange(8), 1)
    return Vector(form, platform, 1, 0, random.random() < 0.7, (target,), operands=f"{name}({k})",
                  prelude=tuple(prelude), number=index)  # fmt: skip


def _address(form: str, platform: str, random: Random) -> Vector:
    """Each row of an indirect source has an address of its own."""
    size, kind = random.choice((1, 2, 4, 8)), TYPES[random.choice(["ub", "uw", "ud"])]
    width = random.choice([width for width in (1, 2, 4) if width <= size])
    base = kind.bytes * random.randrange(3)
    moved = kind.bytes * random.randrange(3)
    source = Source("S0", kind, 0, Region(0, width, random.choice((0, 1, 2))), indirect=moved, rows=True)
    target = Target("D", kind, 0, random.choice((1, 2)))
    rows = size // width
    start = f"&S0[{base}]" if base else "&S0"
    prelude = (f"addr_add (M1_NM, {rows}) A0(0)<1> {start} OFF(0,0)<1;1,0>",)
    return Vector(form, platform, size, 0, random.random() < 0.3, (target,), (source,), prelude=prelude,
                  number=base + moved)  # fmt: skip


MAKERS: dict[str, Callable[[str, str, Random], Vector]] = {
    "and.p": _logic,
    "or.p": _logic,
    "xor.p": _logic,
    "not.p": _logic,
    "setp": _setp,
    "mov.p": _predicate_value,
    "movs": _state_index,
    "addr_add": _address,
}
