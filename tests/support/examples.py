"""Counterexamples written by hand."""

from visaproof.checking.claims.identity_record import IdentityExample, Side
from visaproof.checking.counterexample import Counterexample, Outcome, Run, State, SurfaceState

PROGRAM = [
    ".version 4.1",
    '.kernel "counterexample"',
    ".decl VO v_type=G type=ud num_elts=8 align=GRF",
    ".decl VS v_type=G type=ud num_elts=8 align=GRF",
    ".decl T6 v_type=T num_elts=1",
    '.function "counterexample"',
    "    scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0",
    "    ret (M1, 1)",
]


def dwords(*values: int) -> str:
    """Eight dwords as a register's bytes."""
    return b"".join(value.to_bytes(4, "little") for value in (*values, *[0] * (8 - len(values)))).hex()


def wrong_scatter() -> Counterexample:
    """Lane 0 writes 5 to address 0; lane 1 writes 7 to address 16, outside a surface of 16 bytes: it is dropped."""
    state = State(
        exec_mask="0x3",
        registers={"VO": dwords(0, 16), "VS": dwords(5, 7)},
        predicates={},
        surfaces={"T6": SurfaceState(size=16)},
    )
    return Counterexample(
        claim="scatter4_scaled/example",
        shows="without-bounds writes outside",
        violation="claim-differs",
        variant="without-bounds",
        platform="TGLLP",
        program=list(PROGRAM),
        state=state,
        runs=[Run(steps=["0x3"], outcome=Outcome(changes={"T6[0x0]": "0x05"}))],
        claimed=Outcome(changes={"T6[0x0]": "0x05", "T6[0x10]": "0x07"}),
    )


def exchange_in_two_orders() -> Counterexample:
    """Two lanes exchange 1 and 2 with one texel: the last one stays."""
    program = [
        *PROGRAM[:2],
        *(f".decl {name} v_type=G type=ud num_elts=8 align=GRF" for name in ("VU", "VS0", "VD")),
        *PROGRAM[4:6],
        "    typed_atomic.xchg (M1, 8) T6 VU.0 %null.0 %null.0 %null.0 VS0.0 %null.0 VD.0",
        PROGRAM[-1],
    ]
    state = State(
        exec_mask="0xff",
        registers={"VU": dwords(), "VS0": dwords(1, 2), "VD": dwords()},
        predicates={},
        surfaces={"T6": SurfaceState(levels=[(1, 1, 1)])},
    )
    return Counterexample(
        claim="typed_atomic/example",
        shows="the final value depends on the order",
        violation="orders-differ",
        platform="TGLLP",
        program=program,
        state=state,
        runs=[
            Run(steps=["0x1", "0x2"], outcome=Outcome(changes={"VD.4": "0x1", "T6[0,0,0,0]": "0x2"})),
            Run(steps=["0x2", "0x1"], outcome=Outcome(changes={"VD.0": "0x2", "T6[0,0,0,0]": "0x1"})),
        ],
    )


def colliding_kernel() -> Counterexample:
    """Both lanes of the second message of a kernel write address 0."""
    program = [
        *PROGRAM[:6],
        "    mov (M1, 8) VS(0,0)<1> 0x1:ud",
        "    scatter4_scaled.R (M1, 1) T6 0x0:ud VO.0 VS.0",
        "    scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0",
        "    ret (M1, 1)",
    ]
    program.insert(6, "    movs (M1_NM, 1) T6(0) 0x0:ud")
    return Counterexample(
        claim="counterexample/example",
        shows="lanes 0 and 1 of line 10 write one byte",
        violation="lanes-collide",
        platform="TGLLP",
        program=program,
        state=State(exec_mask="0x3", registers={}, predicates={}, surfaces={"bti 0": SurfaceState(size=64)}),
        runs=[Run(steps=["0x3"], outcome=Outcome(undefined="two lanes write one byte"))],
        line=10,
    )


def wrong_rule() -> IdentityExample:
    """x | y = x + y, where bits meet."""
    return IdentityExample(
        claim="normal-form/bits[or, 4 bits]",
        shows="or is not the sum",
        values={"x": "#x1", "y": "#x3"},
        written=Side("(bvor x y)", "#x3"),
        other=Side("(bvadd x y)", "#x4"),
    )
