"""Small kernels with everything that both machines run: regions, types, masks, predicates, branches, messages."""

from hypothesis import strategies as st

from visaproof.decode.opcode_check import require_described
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.visaasm.reader import read_kernel

TYPES = ("ud", "d", "uw", "w", "ub", "b", "uq", "q")
SIZES = {"ud": 4, "d": 4, "uw": 2, "w": 2, "ub": 1, "b": 1, "uq": 8, "q": 8}
REGIONS = ("<0;1,0>", "<1;1,0>", "<8;8,1>", "<2;1,0>", "<4;4,1>", "<4;2,1>", "<4;1,0>")
BINARY = ("add", "mul", "shl", "shr", "asr", "and", "or", "xor", "min", "max", "avg", "rol", "ror")
UNARY = ("mov", "not")
TERNARY = ("mad", "add3", "bfn.xd8", "bfn.x3c")
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")
LOGIC = (("and", 3), ("or", 3), ("xor", 3), ("not", 2))
PREDICATES = ("(P1)", "(!P1)", "(P2)", "(P1.any)", "(!P2.all)")

HEADER = """.version 4.1
.kernel "generated"
"""

DECLARATIONS = (
    [f".decl V{kind}{k} v_type=G type={kind} num_elts={256 // SIZES[kind]}" for kind in TYPES for k in (0, 1)]
    + [".decl VA v_type=G type=ud num_elts=40 alias=<Vq0, 0>", ".decl VB v_type=G type=w num_elts=60 alias=<Vud1, 6>"]
    + [".decl OFFSETS v_type=G type=ud num_elts=16", ".decl LOADED v_type=G type=ud num_elts=64"]
    + [".decl COUNT v_type=G type=d num_elts=16", ".decl P3 v_type=P num_elts=16"]
    + [".decl P1 v_type=P num_elts=16", ".decl P2 v_type=P num_elts=16", ".decl T6 v_type=T num_elts=1"]
    + [".kernel_attr SimdSize=16", '.function "generated"', "_main:"]
)


@st.composite
def variables(draw: st.DrawFn) -> tuple[str, str]:
    kind = draw(st.sampled_from(TYPES))
    return draw(st.sampled_from([(f"V{kind}0", kind), (f"V{kind}1", kind), ("VA", "ud"), ("VB", "w")]))


@st.composite
def sources(draw: st.DrawFn) -> str:
    if draw(st.integers(0, 3)) == 0:
        kind = draw(st.sampled_from(("ud", "d", "w", "uw", "b", "v", "uv")))
        return f"{draw(st.sampled_from([0, 1, 2, 7, 31, 0x8F, 0xFFFE, 0x89ABCDEF])):#x}:{kind}"
    name, _ = draw(variables())
    modifier = draw(st.sampled_from(["", "", "", "(-)", "(abs)"]))
    return f"{modifier}{name}(0,{draw(st.integers(0, 2))}){draw(st.sampled_from(REGIONS))}"


@st.composite
def executions(draw: st.DrawFn) -> str:
    size = draw(st.sampled_from([1, 4, 8]))
    masks = ["M1", "M1_NM", "M2", "M3_NM"] if size < 8 else ["M1", "M3", "M1_NM", "M3_NM"]
    return f"({draw(st.sampled_from(masks))}, {size})"


@st.composite
def statements(draw: st.DrawFn) -> str:
    execution = draw(executions())
    name, _ = draw(variables())
    target = f"{name}(0,{draw(st.integers(0, 2))})<{draw(st.sampled_from([1, 1, 2]))}>"
    predicate = draw(st.sampled_from(["", "", *PREDICATES]))
    operand = [draw(sources()) for _ in range(3)]
    match draw(st.integers(0, 10)):
        case 10:
            opcode, count = draw(st.sampled_from(LOGIC))
            return f"{opcode} {execution} {' '.join(draw(st.sampled_from(('P1', 'P2'))) for _ in range(count))}"
        case 0:
            return f"{predicate} {draw(st.sampled_from(UNARY))} {execution} {target} {operand[0]}"
        case 1:
            opcode = draw(st.sampled_from(TERNARY))
            return f"{predicate} {opcode} {execution} {target} {' '.join(operand)}"
        case 2 | 3:
            relation, written = draw(st.sampled_from(RELATIONS)), draw(st.sampled_from(["P1", "P2", target]))
            return f"cmp.{relation} {execution} {written} {operand[0]} {operand[1]}"
        case 4:
            return f"{draw(st.sampled_from(PREDICATES))} sel {execution} {target} {operand[0]} {operand[1]}"
        case 5:
            return f"{predicate} addc {execution} Vud0(0,0)<1> Vud1(0,1)<1> Vud0(0,2)<1;1,0> VA(0,0)<0;1,0>"
        case 6:
            where = f"T6 {draw(st.sampled_from(['0x0:ud', '0x4:ud', 'Vud0(0,1)<0;1,0>']))} OFFSETS.0"
            message = draw(st.sampled_from(["gather_scaled.2", "gather_scaled.4", "gather4_scaled.RB"]))
            lanes = draw(st.sampled_from(["(M1, 8)", "(M3, 8)", "(M1_NM, 8)"]))
            return f"{predicate} {message} {lanes} {where} LOADED.0"
        case 7:
            message = draw(st.sampled_from(["scatter_scaled.1", "scatter_scaled.4", "scatter4_scaled.RG"]))
            lanes = draw(st.sampled_from(["(M1, 8)", "(M3, 8)", "(M1_NM, 8)"]))
            return f"{predicate} {message} {lanes} T6 0x0:ud OFFSETS.0 LOADED.0"
        case _:
            opcode = draw(st.sampled_from(BINARY))
            return f"{predicate} {opcode} {execution} {target} {operand[0]} {operand[1]}"


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """The text of a kernel with branches ahead, and at times a loop that each lane goes through one to four times."""
    body = [f"    {draw(statements())}" for _ in range(draw(st.integers(1, 12)))]
    for label in ("one", "two")[: draw(st.integers(0, 2))]:
        start = draw(st.integers(0, len(body)))
        end = draw(st.integers(start, len(body)))
        predicate = draw(st.sampled_from(["", *PREDICATES]))
        lanes = draw(st.sampled_from(["(M1, 16)", "(M1, 8)", "(M3, 8)", "(M1, 1)"]))
        body.insert(end, f"{label}:")
        body.insert(start, f"    {predicate} goto {lanes} {label}")
    if draw(st.booleans()):
        start = draw(st.integers(0, len(body)))
        end = draw(st.integers(start, len(body)))
        # A lane that is off must not keep a loop going for ever: all bits that `.any` reads are set.
        mask, back = draw(st.sampled_from([("M1", "(P3) goto (M1, 16)"), ("M1_NM", "(P3.any) goto (M1, 1)")]))
        step = ["    add (M1_NM, 16) COUNT(0,0)<1> COUNT(0,0)<1;1,0> 0xffff:w"]
        test = [f"    cmp.gt ({mask}, 16) P3 COUNT(0,0)<1;1,0> 0x0:d", f"    {back} again"]
        body[start:end] = [
            "    and (M1_NM, 16) COUNT(0,0)<1> Vud0(0,0)<1;1,0> 0x3:ud",
            "again:",
            *body[start:end],
            *step,
            *test,
        ]
    spread = "    mul (M1_NM, 16) OFFSETS(0,0)<1> 0x76543210:v Vud0(0,0)<0;1,0>"
    return described_only(HEADER + "\n".join([*DECLARATIONS, spread, *body, "    ret (M1, 1)"]) + "\n")


def described_only(text: str) -> str:
    """The kernel without the statements that no page describes: a run ends at the first of them."""
    kernel, lines = read_kernel(text, "generated.visaasm"), text.split("\n")
    for instruction in kernel.instructions():
        try:
            require_described(instruction, kernel, Platform.TGLLP)
        except NotModelled:
            lines[instruction.position.line - 1] = ""
    return "\n".join(lines)
