"""Witnesses of the premises of runs: with each a launch ends as it does, and in one in which it is false otherwise."""

import json
from io import StringIO

import pytest
from msgspec import Struct

from tests.premises.kernels import program
from visaproof.execution.arguments import prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.choices import run_with_choices
from visaproof.execution.payload import Program, Values
from visaproof.execution.run import Engine, Memory, Ran, _LaunchRun, run_launch
from visaproof.execution.shape import Shape
from visaproof.launch.ids.local_ids import Order
from visaproof.report.execution.run import RunReport
from visaproof.semantics.concrete.choices import Choices

AT_LANE = "mov (M1, 8) U(0,0)<1> 0x76543210:uv\nshl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud\n"
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 DATA.0\n"
IDS = "mov (M1, 8) DATA(0,0)<1> X(0,0)<1;1,0>\n"
SHORT, FLOATS = ".decl SHORT v_type=G type=ud num_elts=4\n", ".decl F v_type=G type=f num_elts=8 align=GRF\n"


class Ended(Struct, frozen=True):
    """How a launch ended."""

    ran: Ran
    left: bytes
    premises: frozenset[str]
    in_json: tuple[str, ...]


def launched(
    body: str,
    shape: Shape,
    declared: str = "",
    engine: Engine = Engine.SCALAR,
    pad: bool = False,
    backwards: bool = False,
    **known: object,
) -> Ended:
    """A launch of a kernel with 32 bytes in buffer 0."""
    code = program(body, declared + ".kernel_attr SimdSize=8\n", simd=8, **known)
    one = Program(code.kernel, code.launch, code.platform)
    values, memory = prepare(one, shape, {0: "0"}, {0: bytes(32)}, pad=pad)

    def alone(choices: Choices, most: int) -> Ran:
        if engine is Engine.ARRAYS:
            return run_on_arrays(one, values, memory, choices, most)
        groups = reversed(list(shape.groups())) if backwards else None
        return run_launch(one, values, memory, None, groups, choices, most)

    ran, unstated = run_with_choices(alone, memory)
    return Ended(ran, bytes(memory.buffers[0].data), *_said(one, values, memory, ran, unstated))


def _said(
    one: Program, values: Values, memory: Memory, ran: Ran, unstated: object
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The names of the premises, as text has them, and as JSON has."""
    found: list[list[str]] = []
    for as_text in (True, False):
        out = StringIO()
        report = RunReport(out, one, values, as_text=as_text)
        report.header()
        report.finish(ran, memory, {0: bytes(32)}, {}, 0, unstated)  # type: ignore[arg-type]
        if as_text:
            lines = (line.strip() for line in out.getvalue().splitlines())
            found.append([line.split(": ")[1] for line in lines if line.startswith("assumed: ")])
        else:
            found.append([each["name"] for each in json.loads(out.getvalue())["premises"]])
    return frozenset(found[0]), tuple(found[1])


ONE = Shape((8, 1, 1), (8, 1, 1))
FOUR_BY_TWO = Shape((4, 2, 1), (4, 2, 1))
TWO_GROUPS = Shape((16, 1, 1), (8, 1, 1))
DIVIDED = "div (M1, 8) DATA(0,0)<1> U(0,0)<1;1,0> 0x0:ud\n"
TO_ZERO = "mov (M1, 8) DATA(0,0)<1> 0x0:ud\n"


def test_choices_that_agree_are_a_premise() -> None:
    """A quotient by 0 that nobody sees."""
    found = launched(AT_LANE + DIVIDED + TO_ZERO + STORE, ONE)
    assert "choices-agree" in found.premises & {*found.in_json}


def test_where_something_depends_nothing_agrees() -> None:
    found = launched(AT_LANE + DIVIDED + STORE, ONE)
    assert "choices-agree" not in found.premises | {*found.in_json}


@pytest.mark.parametrize("engine", Engine)
def test_padding_is_undefined_to_read_without_the_option(engine: Engine) -> None:
    body = AT_LANE + "mov (M1, 8) DATA(0,0)<1> SHORT(0,0)<1;1,0>\n" + STORE
    padded, plain = (launched(body, ONE, SHORT, engine, pad) for pad in (True, False))
    assert padded.ran.undefined is None
    assert "padding" in padded.premises & {*padded.in_json}
    assert plain.ran.undefined is not None
    assert "padding" not in plain.premises


def test_another_layout_ends_with_other_bytes() -> None:
    """Of groups of 4×2, in the order x-y-z and in y-x-z."""
    orders: tuple[Order, ...] = ((0, 1, 2), (1, 0, 2))
    one, other = (launched(AT_LANE + IDS + STORE, FOUR_BY_TWO, walk_order=order) for order in orders)
    assert one.left != other.left
    assert "laid-out" in one.premises & other.premises & {*one.in_json}


def test_another_rounding_ends_with_other_bytes() -> None:
    """The square of 0.1, rounded to nearest and to zero."""
    square = "mov (M1, 8) F(0,0)<1> 0x3dcccccd:f\nmul (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n"
    square += "mov (M1, 8) DATA(0,0)<1> BITS(0,0)<1;1,0>\n"
    declared = FLOATS + ".decl BITS v_type=G type=d num_elts=8 alias=<F,0>\n"
    to_zero = "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\n"
    nearest, cut = (launched(AT_LANE + before + square + STORE, ONE, declared) for before in ("", to_zero))
    assert nearest.left != cut.left
    assert "kernel-start" in nearest.premises & {*nearest.in_json}


@pytest.mark.parametrize("engine", Engine)
def test_another_order_of_threads_ends_with_other_bytes(engine: Engine) -> None:
    """Both groups store their number at one place."""
    body = AT_LANE + "mov (M1, 8) DATA(0,0)<1> GROUP(0,1)<0;1,0>\n" + STORE
    found = launched(body, TWO_GROUPS, engine=engine)
    assert "one-order" in found.premises & {*found.in_json}
    assert found.left != launched(body, TWO_GROUPS, backwards=True).left
    assert "one-order" not in launched(body, ONE, engine=engine).premises


def test_other_bytes_before_end_with_other_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nothing wrote in shared local memory."""
    load = "mov (M1, 8) V(0,0)<1> U(0,0)<1;1,0>\ngather4_scaled.R (M1, 8) %slm 0x0:ud V.0 DATA.0\n"
    for engine in Engine:
        found = launched(AT_LANE + load + STORE, ONE, engine=engine, slm_bytes=64)
        assert found.left == bytes(32)
        assert {"begins-at-0", "slm-size"} <= found.premises & {*found.in_json}
        assert "begins-at-0" not in launched(AT_LANE + IDS + STORE, ONE, engine=engine).premises
    monkeypatch.setattr(_LaunchRun, "_reset", lambda _, memory: memory.data.__init__(b"\7" * len(memory.data)))
    assert launched(AT_LANE + load + STORE, ONE, slm_bytes=64).left == b"\7" * 32
