"""Runs without what decides no place, mask or branch: where lanes store, and when, is what the whole run says."""

from collections.abc import Callable
from operator import is_
from pathlib import Path

import pytest

from visaproof.isa.platform import Platform, platform_named
from visaproof.machine.symbolic.run import trace, uninitialised
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.lower import lowered
from visaproof.program.operands import PredicateTarget
from visaproof.program.places_alone import COSTLY, accesses_alone, places_alone, with_open_conditions
from visaproof.program.program import Program
from visaproof.program.statements import Compare, Compute, Nothing
from visaproof.semantics.symbolic.accesses import Load, every_term
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import OpenValue, RegisterByte
from visaproof.smt import BitVec, Bool, Term, evaluate, symbol, symbols_of
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import Kernel

DATA = Path(__file__).parents[2] / "data" / "visaasm"
FILES = sorted(DATA.glob("*/*.visaasm"))[1::3]

HEADER = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl ROWS v_type=G type=ud num_elts=16 align=GRF
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input A offset=32 size=32
.input D offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    movs (M1_NM, 1) T7(0) 0x1:ud
"""

STORE = "    scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 E.0\n"
LOAD = "    gather_scaled.4 (M1, 8) T7 0x0:ud {1}.0 {0}.0\n"
ADD = "    add (M1, 8) {0}(0,0)<1> {1}(0,0)<1;1,0> 0x5:ud\n"
BACK = "    scatter_scaled.4 (M1, 8) %scratch 0x0:ud D.0 E.0\n    gather_scaled.4 (M1, 8) %scratch 0x0:ud D.0 {}.0\n"

NEEDED = {
    "an address": ADD.format("A", "D") + STORE,
    "an address that is loaded": LOAD.format("A", "D") + STORE,
    "where an address is loaded from": ADD.format("E", "D") + LOAD.format("A", "E") + STORE,
    "a mask": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + STORE,
    "a loaded mask": LOAD.format("D", "D") + "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + STORE,
    "a branch": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1) goto (M1, 8) over\n" + STORE + "over:\n" + STORE,
    "a mask of what computes an address": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + ADD.format("A", "D")
    + STORE,
    "what is stored and loaded again": ADD.format("E", "D") + BACK.format("A") + STORE,
    "what is read through an address": ADD.format("ROWS", "D") + "    addr_add (M1_NM, 1) A0(0)<1> &ROWS 0x0:uw\n"
    "    mov (M1, 8) A(0,0)<1> r[A0(0),0]<8;8,1>:ud\n" + STORE,
    "how floats are rounded": "    or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n"
    "    mov (M1, 8) F(0,0)<1> D(0,0)<1;1,0>\n    mov (M1, 8) A(0,0)<1> F(0,0)<1;1,0>\n" + STORE,
}  # fmt: skip
"""Kernels of which nothing may be left out."""

NEEDLESS = {
    "what is stored": (ADD.format("E", "D") + STORE, 1),
    "what is loaded and stored": (LOAD.format("E", "D") + ADD.format("E", "E") + STORE, 2),
    "where data is loaded from": (ADD.format("D", "D") + LOAD.format("E", "D") + STORE, 2),
    "a mask of data alone": (
        "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + ADD.format("E", "D") + STORE, 2
    ),
    "data that is stored and loaded again": (ADD.format("E", "D") + BACK.format("E") + STORE, 2),
}  # fmt: skip
"""With how many statements may be left out."""


def of(body: str) -> Kernel:
    return read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")


def left_out(kernel: Kernel) -> int:
    program = lowered(kernel, Platform.TGLLP)
    alone = places_alone(program, None)
    pairs = zip(program.statements, alone.program.statements, strict=True)
    return len(alone.loads) + sum(one is not other and isinstance(other, Nothing) for one, other in pairs)


def places(ran: Trace) -> list[tuple[int, str, Bool, tuple[BitVec, ...]]]:
    """Where lanes store, and when."""
    return [
        (one.instruction.position.line, one.surface, access.guard, access.cell)
        for one in ran.performed
        for access in one.accesses
        if not isinstance(access, Load)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_lanes_store_where_they_do_in_the_whole_run(path: Path) -> None:
    kernel = read_kernel_file(path)
    platform = platform_named(path.stem.split("-")[0])
    whole = trace(kernel, platform, nondeterministic=True)
    alone = trace(kernel, platform, nondeterministic=True, places=places_alone(lowered(kernel, platform), None))
    assert places(alone) == places(whole)
    assert [one.jumping for one in alone.branches] == [one.jumping for one in whole.branches]
    assert alone.bounded == whole.bounded
    assert alone.surfaces.keys() == whole.surfaces.keys()
    assert [one for one, _ in alone.conditions] == [one for one, _ in whole.conditions]


@pytest.mark.parametrize("body", NEEDED.values(), ids=NEEDED)
def test_what_decides_a_place_is_not_left_out(body: str) -> None:
    kernel = of(body)
    assert left_out(kernel) == 0
    assert places_alone(lowered(kernel, Platform.TGLLP), None).is_whole


@pytest.mark.parametrize(("body", "count"), NEEDLESS.values(), ids=NEEDLESS)
def test_data_is_left_out(body: str, count: int) -> None:
    kernel = of(body)
    assert left_out(kernel) == count
    program = lowered(kernel, Platform.TGLLP)
    whole, alone = (trace(kernel, Platform.TGLLP, places=one) for one in (None, places_alone(program, None)))
    assert places(alone) == places(whole)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The variables that were read, one word after another."""
    found: list[str] = []
    plain = GuardedRegisters.read_under

    def counted(registers: GuardedRegisters, variable: str, start: int, width: int, assumed: Literals) -> BitVec:
        found.append(variable)
        return plain(registers, variable, start, width, assumed)

    monkeypatch.setattr(GuardedRegisters, "read_under", counted)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_nothing_writes_is_taken_as_it_was(path: Path, read: list[str]) -> None:
    kernel = read_kernel_file(path)
    platform = platform_named(path.stem.split("-")[0])
    alone = places_alone(lowered(kernel, platform), None)
    assert alone.unwritten <= alone.written
    found, reads = list[list[Term]](), list[int]()
    for unwritten in (alone.unwritten, frozenset[str]()):
        vars(alone)["unwritten"] = unwritten
        ran = trace(kernel, platform, nondeterministic=True, places=alone)
        found.append([term for one in ran.performed for access in one.accesses for term in every_term(access)])
        reads.append(len(read))
        read.clear()
    assert all(map(is_, *found))
    assert reads[0] <= reads[1]


def test_words_that_are_left_out_are_read_for_no_lane(read: list[str]) -> None:
    kernel = of(ADD.format("E", "D") + STORE)
    alone = places_alone(lowered(kernel, Platform.TGLLP), None)
    assert alone.unwritten == {"E"}
    trace(kernel, Platform.TGLLP, places=alone)
    assert "E" not in read
    assert "A" in read


def test_what_something_else_writes_is_read() -> None:
    kernel = of("    mov (M1, 8) E(0,0)<1> D(0,0)<1;1,0>\n" + BACK.format("A") + STORE)
    assert "E" not in places_alone(lowered(kernel, Platform.TGLLP), None).unwritten


ASKED = {
    "where data is loaded from": (ADD.format("D", "D") + LOAD.format("E", "D") + STORE, 0),
    "what is computed of it": (ADD.format("D", "D") + LOAD.format("E", "D") + ADD.format("E", "E") + STORE, 1),
}
"""With how many statements may be left out where it is asked what loads reach."""


@pytest.mark.parametrize(("body", "count"), ASKED.values(), ids=ASKED)
def test_loads_stay_where_they_are_asked_about(body: str, count: int) -> None:
    kernel = of(body)
    program = lowered(kernel, Platform.TGLLP)
    alone = accesses_alone(program, None)
    assert len(alone.left_out) == count
    assert not alone.loads
    whole, ran = (trace(kernel, Platform.TGLLP, places=one) for one in (None, alone))
    cells = [[access.cell for one in each.performed for access in one.accesses] for each in (whole, ran)]
    assert cells[0] == cells[1]


POINTERS = ".decl Q v_type=G type=uq num_elts=8 align=GRF\n.decl R v_type=G type=uq num_elts=8 align=GRF\n"
PRIVATE = """    svm_scatter.4.1 (M1, 8) {stored}.0 E.0
    svm_gather.4.1 (M1, 8) {loaded}.0 A.0
"""
ANOTHER = "    add (M1, 8) R(0,0)<1> Q(0,0)<1;1,0> 0x8:ud\n"
"""Another pointer is computed from the one."""
KEPT = "    svm_scatter.8.1 (M1, 8) Q.0 Q.0\n    svm_gather.8.1 (M1, 8) Q.0 R.0\n"
"""Or loaded, where it was stored."""


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        (PRIVATE.format(stored="Q", loaded="Q"), True),
        (ANOTHER + PRIVATE.format(stored="R", loaded="Q"), True),
        (KEPT + PRIVATE.format(stored="Q", loaded="R"), True),
        (PRIVATE.format(stored="Q", loaded="R"), False),
        (PRIVATE.format(stored="R", loaded="Q"), False),
    ],
    ids=["the pointer", "one computed from it", "one stored and loaded", "another is loaded from", "and stored behind"],
)
def test_what_is_stored_in_private_memory_is_needed_where_it_may_be_loaded_again(body: str, needed: bool) -> None:
    """Private is what is reached by the pointer that the launch hands over, or by one that may come from it."""
    text = HEADER.replace(".decl A0", f"{POINTERS}.decl A0").replace(".input D", ".input Q offset=96 size=64\n.input D")
    kernel = read_kernel(text + ADD.format("E", "D") + body + STORE + "    ret (M1, 1)\n", "k.visaasm")
    program = lowered(kernel, Platform.TGLLP)
    add = next(one for one in program.statements if isinstance(one, Compute))
    assert (add not in places_alone(program, "Q").left_out) == needed
    assert add in places_alone(program, None).left_out
    base = symbol(RegisterByte("Q", 0), 64)
    runs = [
        trace(kernel, Platform.TGLLP, behind_pointer(program, base), private_base=base, places=one)
        for one in (None, places_alone(program, "Q"))
    ]
    assert places(runs[0]) == places(runs[1])


def behind_pointer(program: Program, base: BitVec) -> Callable[[str, int], Byte]:
    """Each lane has this pointer in Q at the start, and all else is arbitrary."""
    otherwise = uninitialised(program)
    return lambda variable, byte: (base, byte % 8) if variable == "Q" else otherwise(variable, byte)


MIXED = "    mul (M1, 8) E(0,0)<1> E(0,0)<1;1,0> D(0,0)<1;1,0>\n"
ABOVE = "    cmp.lt (M1, 8) P1 E(0,0)<1;1,0> 0x5:ud\n    (P1)" + STORE
CHEAP = "    cmp.lt (M1, 8) P2 D(0,0)<1;1,0> 0x5:ud\n    (P2)" + STORE


def test_comparisons_of_what_takes_many_statements_are_open_and_no_others() -> None:
    program = lowered(of(MIXED * (COSTLY + 1) + ABOVE + CHEAP), Platform.TGLLP)
    found = with_open_conditions(program, None)
    assert found is not None
    (opened,) = found.opened
    assert isinstance(opened.it, Compare)
    assert opened.it.target == PredicateTarget("P1")
    assert len(found.left_out) == COSTLY + 1


@pytest.mark.parametrize("body", [MIXED * (COSTLY - 1) + ABOVE, MIXED * (COSTLY + 1) + ABOVE.replace(" A.0", " E.0")])
def test_nothing_is_open_where_little_or_an_address_depends_on_it(body: str) -> None:
    assert with_open_conditions(lowered(of(body), Platform.TGLLP), None) is None


def test_either_result_of_an_open_comparison_is_possible_in_each_lane() -> None:
    kernel = of(MIXED * (COSTLY + 1) + ABOVE + CHEAP)
    program = lowered(kernel, Platform.TGLLP)
    exact, ran = (
        [guard for _, _, guard, _ in places(trace(kernel, Platform.TGLLP, places=one))]
        for one in (places_alone(program, None), with_open_conditions(program, None))
    )
    opened, cheap = ran[:8], ran[8:]
    assert cheap == exact[8:]
    bits = [{one for one in symbols_of(guard) if isinstance(one.payload, OpenValue)} for guard in opened]
    assert all(len(one) == 1 for one in bits)
    assert len(set().union(*bits)) == 8
    for guard, bit in zip(opened, bits, strict=True):
        (value,) = bit
        assert not evaluate(guard, {value: 0})
        assert evaluate(guard, dict.fromkeys(symbols_of(guard), 1))
