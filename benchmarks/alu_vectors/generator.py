"""Legal instructions of every row, and states to run them on; the same for the same seed."""

from collections.abc import Iterator
from random import Random

from benchmarks.alu_vectors.edges import content, value
from benchmarks.alu_vectors.pages import RELATIONS, ROWS, SPECIAL, Map, Row
from benchmarks.alu_vectors.reading import place
from benchmarks.alu_vectors.special_forms import special
from benchmarks.alu_vectors.types import PACKED, TYPES, Type
from benchmarks.alu_vectors.vector import SCALAR, Constant, Predication, Region, Source, State, Target, Vector

REGISTERS = 4
"""Registers of each variable; MADW writes up to four from any one on."""
STATES = 3
"""How many states each instruction is run on."""
POLICIES = 4
CONTROLS = (0, 0x4C0, 0x4C0, 0x480, 0x4D0, 0x4E0, 0x4F0, 0x10, 0xA0, 0x70, 0x400, 0x80)
SPEAKS_16 = {"w", "uw", "hf"}


def instructions(form: str, count: int, seed: int) -> Iterator[Vector]:
    """`count` instructions of one row or special form."""
    for k in range(count):
        random = Random(f"{seed} {form} {k}")
        yield special(form, random) if form in SPECIAL else _ordinary(form, ROWS[form], random)


def variables(vector: Vector) -> dict[str, tuple[Type, int]]:
    """Every general variable of a vector, with its type and number of elements."""
    found = {each.variable: each.kind for each in (*vector.targets, *vector.sources) if not isinstance(each, Constant)}
    if vector.form == "addr_add":
        found["OFF"] = TYPES["uw"]
    rows = 2 * REGISTERS if vector.form == "madw" else REGISTERS
    return {name: (kind, rows * vector.register_bytes // kind.bytes) for name, kind in sorted(found.items())}


def states(vector: Vector, seed: int) -> Iterator[State]:
    """States to run a vector on."""
    for k in range(STATES):
        random = Random(f"{seed} {k} {vector}")
        taste = "small" if vector.form == "plane" or (random.random() < 0.25) else "edges"
        registers: dict[str, bytes] = {}
        for name, (kind, count) in variables(vector).items():
            bf8 = vector.form == "fcvt" and kind.name == "ub" and name != "D"
            registers[name] = content(kind, count, random, "bf8" if bf8 else taste)
        if vector.form == "addr_add":
            registers["OFF"] = _offsets(vector, random)
        bits = {name: random.choice([0, -1, random.getrandbits(32)]) & ((1 << count) - 1)
                for name, count in vector.predicates.items()}  # fmt: skip
        lanes = random.choice([0xFFFF_FFFF, random.getrandbits(32) | 1, random.getrandbits(32) | 0x8000, 0xFFFF])
        yield State(registers, bits, lanes, random.randrange(POLICIES))


def _offsets(vector: Vector, random: Random) -> bytes:
    """Bytes by which each address is moved: aligned, and inside the variable with the row that is read from there."""
    (source,) = vector.sources
    assert isinstance(source, Source)
    size = source.kind.bytes
    last = REGISTERS * vector.register_bytes - vector.number - 16 * size
    count = REGISTERS * vector.register_bytes // 2
    return b"".join((random.randrange(last // size) * size).to_bytes(2, "little") for _ in range(count))


def _ordinary(form: str, row: Row, random: Random) -> Vector:
    (chosen,) = random.choices(row.maps, [len(each.destination) for each in row.maps])
    platform = random.choice(chosen.platforms or row.platforms)
    kinds = _types(chosen, random)
    sizes = [size for size in row.sizes if not (form == "madw" and size == 16 and platform != "pvc")]
    size = random.choice(sizes)
    offset = random.choice([at for at in range(0, 32, 4) if at % size == 0 and at + size <= 32])
    nomask = (form == "fcvt" and kinds[0].name == "ub") or random.random() < 0.2
    shape = Vector(form, platform, size, offset, nomask)
    target = _target("D", kinds[0], shape, row, random)
    if target is None:
        return _ordinary(form, row, random)
    sources = tuple(_source(k, kind, chosen, shape, row, random) for k, kind in enumerate(kinds[1:]))
    return _finished(shape, row, target, sources, random)


def _types(chosen: Map, random: Random) -> list[Type]:
    """The destination's type and each source's."""
    while True:
        names = [random.choice(chosen.destination), *(random.choice(each) for each in chosen.sources)]
        if chosen.rule == "equal":
            names = [names[0]] * len(names)
        kinds = [TYPES[name] for name in names]
        if chosen.rule != "size" or len({kind.bits for kind in kinds}) == 1:
            return kinds


def _fits(bytes_of: list[int], kind: Type, register_bytes: int) -> bool:
    """Rule 6: at most two adjacent registers; and inside the variable."""
    first, last = min(bytes_of), max(bytes_of) + kind.bytes - 1
    return last // register_bytes - first // register_bytes <= 1 and last < REGISTERS * register_bytes


def _target(name: str, kind: Type, shape: Vector, row: Row, random: Random) -> Target | None:
    strides = [1] if shape.form in ("madw", "plane") else [1, 1, 1, 2, 4]
    for _ in range(20):
        stride = random.choice(strides)
        first = _first(kind, shape, row, random)
        if shape.form == "madw":
            first -= first % (shape.register_bytes // 4)
        step = 1 if shape.form == "lrp" else stride
        if _fits([(first + lane * step) * kind.bytes for lane in range(shape.size)], kind, shape.register_bytes):
            spared = kind.name == "bf" or shape.form in ("lrp", "fcvt", "madw", "cmp", "plane")
            indirect = not spared and random.random() < 0.08
            return Target(name, kind, first, stride, indirect)
    return None


def _first(kind: Type, shape: Vector, row: Row, random: Random) -> int:
    first = random.choice([0, 0, random.randrange(REGISTERS * shape.register_bytes // kind.bytes)])
    unit = max(1, row.aligned // kind.bytes) if shape.size > 1 else 1
    return first - first % unit


def _source(index: int, kind: Type, chosen: Map, shape: Vector, row: Row, random: Random) -> Source | Constant:
    if row.immediates != "none" and random.random() < 0.2:
        constant = _constant(kind, chosen.sources[index], shape, row, random)
        if constant is not None:
            return constant
    modifier = random.choice(row.modifiers) if row.modifiers and random.random() < 0.3 else ""
    if shape.form == "plane":
        return Source(f"S{index}", kind, 0, SCALAR if index == 0 else Region(8, 8, 1), modifier)
    for _ in range(20):
        region, first = _region(shape, random), _first(kind, shape, row, random)
        if row.aligned > 1 and shape.form != "lrp" and region != SCALAR:
            region = Region(1, 1, 0)  # of align16 instructions the pages state no other regions
        source = Source(f"S{index}", kind, first, region, modifier)
        places = [(first + place(shape, source, lane)) * kind.bytes for lane in range(shape.size)]
        if _fits(places, kind, shape.register_bytes):
            moved = random.choice([0, kind.bytes, 8 * kind.bytes])
            spared = index > 0 or kind.name == "bf" or shape.form in ("lrp", "fcvt", "bfe", "bfi")
            indirect = moved if not spared and random.random() < 0.06 else None
            return Source(f"S{index}", kind, first, region, modifier, indirect if moved <= min(places) else None)
    return Source(f"S{index}", kind, 0, SCALAR, modifier)


def _region(shape: Vector, random: Random) -> Region:
    usual = [SCALAR, Region(1, 1, 0), Region(1, 1, 0)]
    widths = [width for width in (1, 2, 4, 8, 16) if width <= shape.size]
    other = Region(random.choice((0, 1, 2, 4, 8, 16, 32)), random.choice(widths), random.choice((0, 1, 2, 4)))
    return random.choice([*usual, other, other])


def _constant(kind: Type, legal: tuple[str, ...], shape: Vector, row: Row, random: Random) -> Constant | None:
    # VF "is compatible with the F type": not where a row mixes F with other floats.
    packed = [name for name, of in PACKED.items() if of in legal and shape.size <= 8 and name != "vf"]
    packed += ["vf"] if legal == ("f",) and shape.size <= 4 else []
    if packed and row.immediates == "any" and row.maps[0].rule == "mix" and random.random() < 0.15:
        return Constant(random.choice(packed), random.getrandbits(32))
    if kind.name == "bf" or (row.immediates == "16" and kind.name not in SPEAKS_16):
        return None  # the grammar has no immediate, and no indirect operand, of type bf
    return Constant(kind.name, value(kind, random))


def _finished(
    shape: Vector, row: Row, target: Target, sources: tuple[Source | Constant, ...], random: Random
) -> Vector:
    floating = target.kind.format is not None or any(
        each.kind.format is not None if isinstance(each, Source) else each.element_type.format is not None
        for each in sources
    )
    legal = row.saturates == "yes" or (row.saturates == "float" and floating)
    wide = shape.form == "shl" and target.kind.bits == 64
    truth = random.randrange(256) if shape.form == "bfn" else 0
    suffix = f".x{truth:02x}" if shape.form == "bfn" else ""
    targets = [target, *(Target("E", target.kind, target.first, target.stride) for _ in row.extra)]
    result, bits = None, 32
    if shape.form == "cmp":
        suffix = f".{random.choice(RELATIONS)}"
        if random.random() < 0.6:
            targets, result = [], "R"
            bits = random.choice([n for n in (1, 2, 4, 8, 16, 32) if n >= shape.offset + shape.size])
    predicates = {"R": bits} if result else {}
    predication = None
    if shape.form == "sel" or (row.predicated and random.random() < 0.45):
        predication = Predication(random.choice(["", "", "any", "all"]), random.random() < 0.4)
        predicates["P"] = random.choice([n for n in (1, 2, 4, 8, 16, 32) if n >= shape.offset + shape.size])
    return Vector(
        shape.form, shape.platform, shape.size, shape.offset, shape.nomask, tuple(targets), sources, suffix,
        legal and not wide and random.random() < 0.3, predication, random.choice(CONTROLS) if floating else None,
        predicates, result, number=truth,
    )  # fmt: skip
