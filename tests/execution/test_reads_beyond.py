"""Reads of registers beyond a variable: a launch goes on after them only if nothing is seen to depend on them."""

import pytest

from tests.execution.test_launch_choices import COMPARED, ENGINES, FOUND, OFFSETS, USES, launched, program
from visaproof.execution.payload import Program
from visaproof.execution.run import Engine

THROUGH_ADDRESS = """    addr_add (M1_NM, 1) A0(0)<1> &V 0xfffc:uw
    (P2) mov (M1, 8) R(0,0)<1> r[A0(0),0]<0;1,0>:ud
"""
READS = {"indirect": THROUGH_ADDRESS, "region": "    (P2) mov (M1, 8) R(0,0)<1> V(0,4)<1;1,0>\n"}
"""In lane 7 each reads bytes that V does not have."""
ELSEWHERE = "    div (M1, 8) V(0,0)<1> X(0,0)<1;1,0> V(0,0)<1;1,0>\n"
WRITTEN = "    mov (M1, 8) V(0,4)<1> X(0,0)<1;1,0>\n"


def reading(kind: str, use: str) -> Program:
    return program(READS[kind] + use, lane="0x7")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", READS)
def test_a_read_without_effect_ends_no_launch(kind: str, engine: Engine) -> None:
    stored = OFFSETS + "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0\n"
    ran, memory, found = launched(reading(kind, stored), engine)
    assert ran.undefined is None
    assert found is not None
    assert [(one.beyond, one.what, one.lane) for one in found.picked] == [(True, "what lies beyond V", 7)]
    assert found.dependent == ()
    assert memory.buffers[0].data == b"".join(lane.to_bytes(4, "little") for lane in range(8))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("use", [use for use in USES if FOUND[use]])
@pytest.mark.parametrize("kind", READS)
def test_a_read_on_which_something_depends_is_undefined(kind: str, use: str, engine: Engine) -> None:
    """Buffers, addresses, branches and masks; the buffer holds what was written before the read."""
    ran, memory, found = launched(reading(kind, USES[use].format(first="0x0")), engine)
    assert ran.undefined is not None
    assert "beyond V" in ran.undefined.message
    assert ran.undefined.position.line == line_of_read(kind)
    assert found is None
    assert bytes(memory.buffers[0].data) == bytes(32)


def line_of_read(kind: str) -> int:
    statements = reading(kind, "").kernel.source_lines
    return next(k for k, line in enumerate(statements, 1) if line.strip() == READS[kind].splitlines()[-1].strip())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_write_beyond_a_variable_is_undefined(engine: Engine) -> None:
    ran, _, _ = launched(program(WRITTEN), engine)
    assert ran.undefined is not None


@pytest.mark.parametrize("engine", ENGINES)
def test_what_else_is_undefined_stays_so_after_a_read(engine: Engine) -> None:
    ran, _, _ = launched(reading("region", WRITTEN), engine)
    assert ran.undefined is not None
    assert ran.undefined.position.line == line_of_read("region")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_result_that_something_depends_on_is_told_beside_a_read(engine: Engine) -> None:
    """Of a division by 0: it says nothing about the read, and the read nothing about it."""
    stored = OFFSETS + "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 V.0\n"
    ran, _, found = launched(reading("indirect", ELSEWHERE + stored), engine)
    assert ran.undefined is None
    assert found is not None
    assert {cause.beyond for one in found.dependent for cause in one.on} == {False}
    assert {one.beyond for one in found.picked} == {True, False}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_comparison_of_lanes_that_are_off_sees_no_read(engine: Engine) -> None:
    """As IGC emits it behind `fbl` of 0: what was read is compared, in no lane that runs."""
    body = THROUGH_ADDRESS.replace("(P2) mov (M1, 8)", "mov (M1_NM, 1)") + COMPARED.format(first="0x0").replace(
        "(M1, 8)", "(M5, 8)"
    )
    ran, _, found = launched(program(body.replace("P1", "P4")), engine)
    assert ran.undefined is None
    assert found is not None
