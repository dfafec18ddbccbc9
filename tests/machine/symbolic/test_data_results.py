"""Results that are left open, as no address, branch or mask depends on them: what is asked about is as it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from visaproof.isa.platform import Platform, platform_named
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.lower import lowered
from visaproof.queries.kernels.suspects import Effect, sinks, suspects, tainted
from visaproof.queries.kernels.uninitialised import launched_variables
from visaproof.semantics.symbolic.value_names import OpenValue
from visaproof.smt import Term, symbols_of
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import Kernel

DATA = Path(__file__).parents[2] / "data" / "visaasm"
FILES = sorted(DATA.glob("*/*.visaasm"))[::3]

HEADER = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl U v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl ROWS v_type=G type=ud num_elts=16 align=GRF
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input A offset=32 size=32
.input D offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
"""

STORE = "    scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 E.0\n"
ADD = "    add (M1, 8) {0}(0,0)<1> {1}(0,0)<1;1,0> 0x5:ud\n"
BACK = "    scatter_scaled.4 (M1, 8) %scratch 0x0:ud A.0 E.0\n    gather_scaled.4 (M1, 8) %scratch 0x0:ud A.0 A.0\n"

ASKED = {
    "an address": ADD.format("A", "D") + STORE,
    "what an address is computed of": ADD.format("E", "D") + ADD.format("A", "E") + STORE,
    "a mask": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + STORE,
    "a branch": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1) goto (M1, 8) over\n"
    + ADD.format("E", "D") + "over:\n" + STORE,
    "a combined mask": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    cmp.lt (M1, 8) P2 D(0,0)<1;1,0> 0x2:ud\n"
    "    and (M1, 8) P2 P1 P2\n    (P2)" + STORE,
    "what is loaded again from private memory": ADD.format("E", "D") + BACK + STORE,
    "what is read through an address": ADD.format("ROWS", "D") + "    addr_add (M1_NM, 1) A0(0)<1> &ROWS 0x0:uw\n"
    "    mov (M1, 8) A(0,0)<1> r[A0(0),0]<8;8,1>:ud\n" + STORE,
    "an index of registers": ADD.format("E", "D") + "    addr_add (M1_NM, 1) A0(0)<1> &ROWS E(0,0)<0;1,0>\n"
    "    mov (M1, 8) A(0,0)<1> r[A0(0),0]<8;8,1>:ud\n" + STORE,
    "how floats are rounded": "    or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n"
    "    mov (M1, 8) F(0,0)<1> D(0,0)<1;1,0>\n    mov (M1, 8) A(0,0)<1> F(0,0)<1;1,0>\n" + STORE,
}  # fmt: skip
"""Kernels of which everything is asked about."""

OPEN = ADD.format("E", "D") + "    mul (M1, 8) E(0,0)<1> E(0,0)<1;1,0> E(0,0)<1;1,0>\n" + STORE

UNDEFINED = {
    "copied": ADD.format("E", "U"),
    "through another one": ADD.format("D", "U") + ADD.format("E", "D"),
    "chosen": "    cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x5:ud\n"
    "    (P1) sel (M1, 8) E(0,0)<1> U(0,0)<1;1,0> D(0,0)<1;1,0>\n",
    "as what chooses": "    cmp.lt (M1, 8) P1 U(0,0)<1;1,0> 0x5:ud\n"
    "    (P1) sel (M1, 8) E(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n",
    "as a mask of what is stored": ADD.format("E", "D") + "    cmp.lt (M1, 8) P1 U(0,0)<1;1,0> 0x5:ud\n"
    "    (P1) mov (M1, 8) E(0,0)<1> 0x1:ud\n" + ADD.format("E", "E"),
    "by a predicate of its own": ADD.format("E", "D")
    + "    (P2) mov (M1, 8) E(0,0)<1> 0x1:ud\n"
    + ADD.format("E", "E"),
    "through a predicate": "    cmp.lt (M1, 8) P1 U(0,0)<1;1,0> 0x5:ud\n    not (M1, 8) P2 P1\n"
    "    (P2) sel (M1, 8) E(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n",
    "through an address": ADD.format("ROWS", "U") + "    addr_add (M1_NM, 1) A0(0)<1> &ROWS 0x0:uw\n"
    "    mov (M1, 8) D(0,0)<1> r[A0(0),0]<8;8,1>:ud\n" + ADD.format("E", "D"),
    "through an address that was taken before": "    addr_add (M1_NM, 1) A0(0)<1> &ROWS 0x0:uw\n"
    + ADD.format("ROWS", "U")
    + "    mov (M1, 8) D(0,0)<1> r[A0(0),0]<8;8,1>:ud\n"
    + ADD.format("E", "D"),
    "beyond a variable": "    mov (M1, 8) E(0,0)<1> D(0,4)<1;1,0>\n" + ADD.format("E", "E"),
}  # fmt: skip
"""What is stored depends on something undefined."""


def of(body: str) -> Kernel:
    return read_kernel(f"{HEADER}    movs (M1_NM, 1) T6(0) 0x0:ud\n{body}    ret (M1, 1)\n", "k.visaasm")


def both(kernel: Kernel, platform: Platform) -> tuple[Trace, Trace]:
    """With results left open, and with all of them."""
    launched = launched_variables(kernel)
    return (
        trace(kernel, platform, nondeterministic=True, launched=launched),
        trace(kernel, platform, nondeterministic=True),
    )


def asked_about(found: Trace) -> Iterator[Term]:
    """Everything that a question may be about, but for what is stored."""
    for sink in sinks(found):
        yield sink.guard
        if sink.effect not in (Effect.OUTPUT, Effect.SHARED):
            yield from sink.terms
    yield from (condition for condition, _ in (*found.conditions, *found.bounded))


def left_open(terms: Iterator[Term]) -> list[Term]:
    return [
        one
        for one in symbols_of(*terms)
        if isinstance(one.payload, OpenValue) and one.payload.site.partition(".")[2].startswith("data")
    ]


def uses(kernel: Kernel, found: Trace) -> list[tuple[str, int, Effect, int | None]]:
    """On what undefined values each effect depends that the terms show."""
    shown: list[tuple[str, int, Effect, int | None]] = []
    for suspect in suspects(lowered(kernel, Platform.TGLLP), found):
        taint = tainted(found, suspect.symbols)
        for sink in sinks(found):
            if not taint.isdisjoint(symbols_of(*sink.terms)):
                shown.append((suspect.what, sink.position.line, sink.effect, sink.lane))
    return shown


@pytest.mark.slow(but=16)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_asked_about_a_kernel_depends_on_no_result_that_is_left_open(path: Path) -> None:
    kernel = read_kernel_file(path)
    platform = platform_named(path.stem.split("-")[0])
    found, full = both(kernel, platform)
    assert left_open(asked_about(found)) == []
    assert uses(kernel, found) == uses(kernel, full)
    assert len(found.performed) == len(full.performed)
    assert (found.stopped is None) == (full.stopped is None)


@pytest.mark.parametrize("case", ASKED)
def test_what_something_depends_on_is_computed(case: str) -> None:
    found, full = both(of(ASKED[case]), Platform.TGLLP)
    assert left_open(asked_about(found)) == []
    assert [one.accesses[0].cell for one in found.performed] == [one.accesses[0].cell for one in full.performed]


def test_what_is_only_stored_is_left_open() -> None:
    found, _ = both(of(OPEN), Platform.TGLLP)
    assert len(left_open(term for sink in sinks(found) for term in sink.terms)) == 8


@pytest.mark.parametrize("case", UNDEFINED)
def test_what_depends_on_something_undefined_is_computed(case: str) -> None:
    kernel = of(UNDEFINED[case] + STORE)
    found, full = both(kernel, Platform.TGLLP)
    assert uses(kernel, found) == uses(kernel, full)
    assert any(effect is Effect.OUTPUT for _, _, effect, _ in uses(kernel, found))


def test_what_is_undefined_in_lanes_that_are_off_alone_is_no_reason() -> None:
    """IGC inverts predicates in all lanes, also in those in which nothing wrote them."""
    body = (
        "    cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x5:ud\n    not (M1_NM, 8) P2 P1\n"
        "    (P2) sel (M1, 8) E(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n"
    )
    kernel = of(body + STORE)
    found, _ = both(kernel, Platform.TGLLP)
    assert uses(kernel, found) == []
    assert len(left_open(term for sink in sinks(found) for term in sink.terms)) == 8
