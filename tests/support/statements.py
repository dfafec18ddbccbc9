"""Kernels of random statements over every opcode, type and region that the arrays run, floats included."""

import re

from hypothesis import strategies as st

from visaproof.testing.random_kernels import LOGIC, PREDICATES, REGIONS, RELATIONS, described_only

INTEGERS = ("ud", "d", "uw", "w", "ub", "b", "uq", "q")
FLOATS = ("f", "hf", "df")
SIZES = {"ud": 4, "d": 4, "uw": 2, "w": 2, "ub": 1, "b": 1, "uq": 8, "q": 8, "f": 4, "hf": 2, "df": 8}
UNARY = ("mov", "not", "cbit", "fbl", "fbh", "lzd", "bfrev")
BINARY = (
    "add", "mul", "shl", "shr", "asr", "and", "or", "xor", "min", "max", "avg", "rol", "ror", "mulh", "div", "mod",
)  # fmt: skip
TERNARY = ("mad", "add3", "dp4a", "bfn.xd8", "bfn.x3c", "bfn.x01", "bfn.xff")
FLOAT_ONLY = (("rndd", 1), ("rnde", 1), ("rndu", 1), ("rndz", 1), ("frc", 1), ("lrp", 3))
ON_ONE_TYPE = (
    ("lzd", ("ud",), 1), ("fbh", ("ud",), 1), ("bfrev", ("ud", "d"), 1), ("bfe", ("ud",), 3), ("bfe", ("d",), 3),
    ("bfi", ("ud", "d"), 4), ("rol", ("uw",), 2), ("ror", ("d",), 2), ("cbit", ("ud",), 1), ("fbl", ("ud",), 1),
)  # fmt: skip
FLOAT_BINARY = ("add", "mul", "min", "max")
IMMEDIATES = ("0x0:ud", "0x1:ud", "0xffffffff:d", "0x80000000:d", "0x1f:uw", "0x8000:w", "0x7f:b", "0x89abcdef:v",
              "0x76543210:uv", "0xffffffffffffffff:uq", "0x8000000000000000:q", "0x3f800000:f", "0x7f7fffff:f",
              "0x80000000:f", "0x3ff0000000000000:df", "0x3c00:hf")  # fmt: skip

DECLARATIONS = (
    [f".decl V{kind}{k} v_type=G type={kind} num_elts={256 // SIZES[kind]}" for kind in SIZES for k in (0, 1)]
    + [
        ".decl ODD v_type=G type=ud num_elts=40 alias=<Vq0, 2>",
        ".decl TAIL v_type=G type=w num_elts=60 alias=<Vud1, 6>",
    ]
    + [".decl AF v_type=G type=f num_elts=64 alias=<Vud0, 0>", ".decl AD v_type=G type=d num_elts=64 alias=<Vf0, 0>"]
    + [".decl P1 v_type=P num_elts=16", ".decl P2 v_type=P num_elts=16", ".decl P4 v_type=P num_elts=4"]
    + [".decl A0 v_type=A num_elts=16", ".kernel_attr SimdSize=16", '.function "statements"', "_main:"]
)

PREDICATE_OR_NONE = (*([""] * 12), *(PREDICATES * 4), "(P4)", "(P4.any)")


@st.composite
def executions(draw: st.DrawFn) -> str:
    size = draw(st.sampled_from([1, 2, 4, 8, 16]))
    masks = (
        ["M1", "M1_NM", "M2", "M3_NM"] if size < 8 else ["M1", "M3", "M1_NM", "M3_NM"] if size < 16 else ["M1", "M1_NM"]
    )
    return f"({draw(st.sampled_from(masks))}, {size})"


@st.composite
def sources(draw: st.DrawFn, kinds: tuple[str, ...]) -> str:
    kind = draw(st.sampled_from(kinds))
    modifier = draw(st.sampled_from(["", "", "", "(-)", "(abs)", "(-abs)"]))
    match draw(st.integers(0, 9)):
        case 0:
            packed = ("v", "uv") if set(kinds) <= set(INTEGERS) else ()
            return draw(st.sampled_from([text for text in IMMEDIATES if text.split(":")[1] in (*kinds, *packed)]))
        case 1 if kind not in FLOATS:
            return f"{modifier}{draw(st.sampled_from(['ODD', 'TAIL']))}(0,1){draw(st.sampled_from(REGIONS))}"
        case 2:
            region = draw(st.sampled_from(["<1;1,0>", "<1,0>", "<2,1>", "<8,2>"]))
            return f"{modifier}r[A0({draw(st.integers(0, 1))}),{draw(st.sampled_from([0, 8, 16]))}]{region}:{kind}"
        case _:
            column = draw(st.integers(0, 2))
            return f"{modifier}V{kind}{draw(st.integers(0, 1))}(0,{column}){draw(st.sampled_from(REGIONS))}"


@st.composite
def targets(draw: st.DrawFn, kinds: tuple[str, ...]) -> str:
    kind, stride = draw(st.sampled_from(kinds)), draw(st.sampled_from([1, 1, 2]))
    if draw(st.integers(0, 9)) == 0:
        return f"r[A0({draw(st.integers(0, 1))}),{draw(st.sampled_from([0, 8]))}]<{stride}>:{kind}"
    return f"V{kind}{draw(st.integers(0, 1))}(0,{draw(st.integers(0, 2))})<{stride}>"


@st.composite
def predicate_settings(draw: st.DrawFn, execution: str) -> str:
    """`setp`, or logic on predicates."""
    if draw(st.booleans()):
        source = draw(st.one_of(st.sampled_from(["0xa5c3:uw", "0x9:ud"]), sources(INTEGERS)))
        return f"setp {execution} {draw(st.sampled_from(['P1', 'P2']))} {source}"
    opcode, count = draw(st.sampled_from(LOGIC))
    return f"{opcode} {execution} {' '.join(draw(st.sampled_from(('P1', 'P2', 'P4'))) for _ in range(count))}"


@st.composite
def statements_on_one_type(draw: st.DrawFn, head: str, sat: str) -> str:
    """Opcodes whose operands have one type; `head` has a place for the opcode."""
    if draw(st.booleans()):
        opcode, count = draw(st.sampled_from(FLOAT_ONLY))
        given = " ".join(draw(sources(("f",))) for _ in range(count))
        return f"{head % (opcode + sat)} {draw(targets(('f',)))} {given}"
    opcode, kinds, count = draw(st.sampled_from(ON_ONE_TYPE))
    given = " ".join(draw(sources(kinds)) for _ in range(count))
    return re.sub(r"\((-|abs|-abs)\)", "", f"{head % opcode} {draw(targets(kinds))} {given}")


@st.composite
def two_results(draw: st.DrawFn, head: str) -> str:
    """Opcodes that write two dwords a lane; `head` has a place for the opcode."""
    if draw(st.booleans()):
        where = draw(st.sampled_from(["Vud0(0,0)<1> Vud1(0,1)<1>", "Vud0(0,0)<1> Vud0(0,1)<1>"]))
        opcode = draw(st.sampled_from(["addc", "subb"]))
        return f"{head % opcode} {where} {draw(sources(('ud',)))} {draw(sources(('ud',)))}"
    given = " ".join(draw(sources(("ud", "d"))) for _ in range(3))
    return f"{head % 'madw'} Vud0(0,0)<1> {given}"


@st.composite
def addresses(draw: st.DrawFn, predicate: str) -> str:
    """A statement that sets address registers, or clears them."""
    lanes = draw(st.sampled_from([1, 2]))
    if draw(st.integers(0, 3)) == 0:
        return f"{predicate} mov ({draw(st.sampled_from(['M1', 'M1_NM']))}, {lanes}) A0(0)<1> 0x0:uw"
    base = draw(st.sampled_from(["&Vud0", "&Vw1[4]", "&Vf0", "A0(0)<0;1,0>"]))
    return f"{predicate} addr_add (M1_NM, {lanes}) A0(0)<1> {base} Vuw0(0,0)<0;1,0>"


@st.composite
def statements(draw: st.DrawFn) -> str:
    execution = draw(executions())
    predicate = draw(st.sampled_from(PREDICATE_OR_NONE))
    sat = draw(st.sampled_from(["", "", "", ".sat"]))
    match draw(st.integers(0, 13)):
        case 0:
            opcode = draw(st.sampled_from(UNARY))
            return f"{predicate} {opcode}{sat} {execution} {draw(targets(INTEGERS))} {draw(sources(INTEGERS))}"
        case 1:
            given = " ".join(draw(sources(INTEGERS)) for _ in range(3))
            return f"{predicate} {draw(st.sampled_from(TERNARY))} {execution} {draw(targets(INTEGERS))} {given}"
        case 2:
            kinds = draw(st.sampled_from([INTEGERS, INTEGERS, *((kind,) for kind in FLOATS)]))
            target = draw(st.one_of(st.sampled_from(["P1", "P2", "P1", "P2", "P1", "P4"]), targets(INTEGERS)))
            relation = draw(st.sampled_from(RELATIONS))
            return f"cmp.{relation} {execution} {target} {draw(sources(kinds))} {draw(sources(kinds))}"
        case 3:
            kinds = draw(st.sampled_from([INTEGERS, (*INTEGERS, *FLOATS)]))
            chosen = draw(st.sampled_from(PREDICATES))
            return f"{chosen} sel{sat} {execution} {draw(targets(kinds))} {draw(sources(kinds))} {draw(sources(kinds))}"
        case 4 | 5:
            return draw(two_results(f"{predicate} %s {execution}"))
        case 6:
            return draw(predicate_settings(execution))
        case 7:
            return f"{predicate} mov {execution} {draw(targets(INTEGERS))} {draw(st.sampled_from(['P1', 'P4']))}"
        case 8:
            kinds = (*INTEGERS, *FLOATS, *FLOATS)
            return f"{predicate} mov{sat} {execution} {draw(targets(kinds))} {draw(sources(kinds))}"
        case 9 | 10:
            kind = (draw(st.sampled_from(FLOATS)),)
            opcode, count = draw(st.sampled_from([*((name, 2) for name in FLOAT_BINARY), ("mad", 3)]))
            given = " ".join(draw(sources(kind)) for _ in range(count))
            return f"{predicate} {opcode}{sat} {execution} {draw(targets(kind))} {given}"
        case 11:
            return draw(addresses(predicate))
        case 12:
            return draw(statements_on_one_type(f"{predicate} %s {execution}", sat))
        case _:
            opcode = draw(st.sampled_from(BINARY))
            given = f"{draw(sources(INTEGERS))} {draw(sources(INTEGERS))}"
            return f"{predicate} {opcode}{sat} {execution} {draw(targets(INTEGERS))} {given}"


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """The text of a kernel of up to twelve statements behind one that gives the address registers a value."""
    head = [
        "    and (M1_NM, 16) Vuw0(0,0)<1> Vuw0(0,0)<1;1,0> 0x1c:uw",
        "    addr_add (M1_NM, 16) A0(0)<1> &Vw1 Vuw0(0,0)<1;1,0>",
        "    addr_add (M1_NM, 1) A0(0)<1> &Vud0 0x20:uw",
        "    addr_add (M1_NM, 1) A0(1)<1> &Vf1 Vuw0(0,0)<0;1,0>",
    ]
    body = [f"    {draw(statements())}" for _ in range(draw(st.integers(1, 12)))]
    text = [".version 4.1", '.kernel "statements"', *DECLARATIONS, *head, *body, "    ret (M1, 1)"]
    return described_only("\n".join(text) + "\n")
