"""Store by store: what was decided of one lane is said of another only where as much is assumed of it."""

import pytest

from tests.support.differences import byte_of
from visaproof.checking.stages import Answer, GaveUp, Holds
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.queries.kernels import shared_memory
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import UnitStore
from visaproof.refinement import steps
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.question import Launched, Question
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import BitVec, Bool, add, bit_and, bit_or, const, is_true, symbol, true
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl H v_type=G type=ud num_elts=8 align=GRF
.decl L v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input X offset=32 size=32
.input AT offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
movs (M1_NM, 1) T7(0) 0x1:ud
mov (M1_NM, 8) Y(0,0)<1> 0x0:ud
setp (M1_NM, 8) P2 0x1:ud
(P2) scatter4_scaled.R (M1_NM, 8) T7 0x0:ud X.0 Y.0
mul (M1_NM, 8) H(0,0)<1> X(0,0)<1;1,0> 0x9e3779b1:ud
shr (M1_NM, 8) L(0,0)<1> H(0,0)<1;1,0> 0xf:ud
xor (M1_NM, 8) H(0,0)<1> H(0,0)<1;1,0> L(0,0)<1;1,0>
and (M1_NM, 8) L(0,0)<1> X(0,0)<1;1,0> 0x3:ud
"""
"""Lane 0 stores at X, which has to be a multiple of 4 there and may be anything in the other lanes."""

ONE_WHERE_X_IS_ODD_AND_HARD_TO_GUESS = """cmp.eq (M1_NM, 8) P1 H(0,0)<1;1,0> 0x9cb9c34e:ud
cmp.eq (M1_NM, 8) P2 L(0,0)<1;1,0> 0x3:ud
and (M1_NM, 8) P1 P1 P2
(P1) sel (M1_NM, 8) Y(0,0)<1> 0x1:ud 0x0:ud
"""
STORE = "scatter4_scaled.R (M1_NM, 8) T6 0x0:ud AT.0 Y.0\nret (M1, 1)\n"


def program(body: str) -> Program:
    return Program(read_kernel(HEAD + body + STORE, "k.visaasm"), NOTHING_KNOWN, Platform.DG2)


def test_what_holds_of_lane_0_where_the_source_has_a_meaning_is_asked_again_of_lane_1() -> None:
    comparison = compare(program(""), program(ONE_WHERE_X_IS_ODD_AND_HARD_TO_GUESS), Scope(Assume.NONE))
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference)
    assert (byte_of(found).source, byte_of(found).target) == (0, 1)


def test_that_two_loads_bring_one_value_is_said_of_others_only_where_their_addresses_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """a + b is (a | b) + (a & b), and not (a | b) + a: of so many cells no question says where they are."""

    def only_plain(assumed: tuple[Bool, ...], goal: Bool, timeout_ms: int) -> Answer:
        return Holds("plain") if is_true(goal) else GaveUp("no time")

    monkeypatch.setattr(shared_memory, "MOST_PAIRS", 0)
    monkeypatch.setattr(steps, "uncut", only_plain)
    memory = SharedMemory({"s": 4})
    a, b = symbol("a", 32), symbol("b", 32)
    one, same, other = add(a, b), add(bit_or(a, b), bit_and(a, b)), add(bit_or(a, b), a)

    def stores(*addresses: BitVec) -> Effects:
        loaded = (memory.initial("s", address) for address in addresses)
        return Effects({"s": tuple(UnitStore(true(), const(4 * k, 32), each) for k, each in enumerate(loaded))}, {})

    launched = Launched((lane_on(0),))
    assert steps.one_by_one(Question(stores(one), stores(same), memory, launched), ["s"], 1_000)
    assert not steps.one_by_one(Question(stores(one, one), stores(same, other), memory, launched), ["s"], 1_000)
