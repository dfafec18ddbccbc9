"""Runs on small random arguments: what they show of lanes that collide, and what they do not."""

from pathlib import Path

import pytest

from tests.support.rows import HEAD, PITCH, PLUS_X, asked, launch
from visaproof.analysis.conflicts.any_items import items_apart
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.launches import samples as samples_module
from visaproof.analysis.conflicts.launches.samples import Samples
from visaproof.analysis.conflicts.thread_states import state_of
from visaproof.analysis.conflicts.verdicts import Conflict
from visaproof.isa.errors import LimitReached
from visaproof.isa.platform import Platform
from visaproof.launch.assume import Assume
from visaproof.launch.launch import parse_input_option, read_launch
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.choices import Choices
from visaproof.smt.limit import NO_LIMIT
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

QUOTIENTS = Path(__file__).parents[2] / "data" / "quotients"
BYTES = "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n"
STORE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
FURTHER = "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x40:ud\n"
BY_DATA = "    gather4_scaled.R (M1, 8) T6 0x0:ud A.0 D.0\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n"
RET = "    ret (M1, 1)\n"
PLUS_Y = "    shl (M1, 8) D(0,0)<1> Y(0,0)<1;1,0> 0x10:ud\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n"
QUOTIENT = "    div (M1, 8) A(0,0)<1> X(0,0)<1;1,0> N(0,0)<0;1,0>\n"
TIMES_PLUS_REST = (
    "    mul (M1, 8) A(0,0)<1> A(0,0)<1;1,0> N(0,0)<0;1,0>\n"
    "    mod (M1, 8) D(0,0)<1> X(0,0)<1;1,0> N(0,0)<0;1,0>\n"
    "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n"
)
BY_ZERO = "    and (M1, 8) D(0,0)<1> N(0,0)<0;1,0> 0x0:ud\n    div (M1, 8) A(0,0)<1> X(0,0)<1;1,0> D(0,0)<1;1,0>\n"
MISALIGNED = (
    "    mov (M1, 8) D(0,0)<1> 0x{at}:ud\n    gather4_scaled.R (M1, 8) T6 0x0:ud D.0 D.0\n"
    "    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> N(0,0)<0;1,0>\n"
)


def searched(body: str, timeout_ms: int = 20_000) -> tuple[KernelAnswers, Samples]:
    rows = asked(body + BYTES + STORE + RET, timeout_ms=timeout_ms)
    assert rows.samples is not None
    rows.samples.prepare(NO_LIMIT)
    return rows, rows.samples


def test_quotients_that_are_alike_are_found_and_confirmed() -> None:
    rows, samples = searched(QUOTIENT + PLUS_Y)
    (position,) = rows.positions
    assert samples.shows(position)
    values = samples.found[0].values
    ended = run(rows.kernel, state_of(rows.asked, rows.questions[0].performed, values, Choices(0)))
    assert ended.undefined is not None
    assert ended.undefined.position == position


def test_a_quotient_with_its_remainder_tells_lanes_apart() -> None:
    _, samples = searched(QUOTIENT + TIMES_PLUS_REST + PLUS_Y)
    assert samples.begun
    assert not samples.found


def test_what_no_page_states_of_a_division_by_zero_shows_nothing() -> None:
    """Under the first choice all quotients are alike."""
    _, samples = searched(BY_ZERO + PLUS_Y)
    assert samples.begun
    assert not samples.found


@pytest.mark.parametrize(("at", "found"), [("1", False), ("4", True)])
def test_lanes_that_collide_behind_an_undefined_load_show_nothing(at: str, found: bool) -> None:
    """What decides places alone does not run the load."""
    rows, samples = searched(MISALIGNED.format(at=at))
    assert samples.begun
    assert any(map(samples.shows, rows.positions)) == found


@pytest.mark.parametrize(("between", "whatever"), [(FURTHER, True), (BY_DATA, False)])
def test_a_later_scatter_is_shown_unless_it_depends_on_what_collided(between: str, whatever: bool) -> None:
    rows, samples = searched(PITCH + PLUS_X + BYTES + STORE + between, timeout_ms=500)
    first, second = rows.positions
    assert samples.shows(first)
    for sample in samples.found:
        assert samples.whatever_is_stored(sample, first, second) == whatever
    answers = [one.answer for one in rows.answers()]
    assert isinstance(answers[0], Conflict)
    assert (isinstance(answers[1], Conflict) and answers[1].after == first) == whatever


def test_arguments_are_made_smaller() -> None:
    _, samples = searched(PITCH + PLUS_X)
    assert {samples.found[0].values[one] for one in samples.arguments} <= {0, 1, 2}


@pytest.mark.slow
def test_samples_with_loops_that_hardly_end_are_given_up() -> None:
    """Each may take a quarter of the statements that are left: not even the first ten of these run to an end."""
    endless = "again:\n    add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x0:ud\n    goto (M1, 8) again\n"
    rows = asked(PITCH + PLUS_X + BYTES + STORE + endless + RET)
    assert rows.samples is not None
    rows.samples.prepare(NO_LIMIT)
    assert rows.samples.begun
    assert not rows.samples.found
    assert rows.samples.steps <= 1_000


WIDE = "".join(f".decl {k} v_type=G type=q num_elts=1 align=qword\n" for k in "MK") + "".join(
    f".decl {k}H v_type=G type=ud num_elts=2 align=qword alias=<{k}, 0>\n" for k in "NMK"
)
LONG_IF_WIDE = (
    "    or (M1, 8) D(0,0)<1> NH(0,1)<0;1,0> MH(0,1)<0;1,0>\n"
    "    or (M1, 8) D(0,0)<1> D(0,0)<1;1,0> KH(0,1)<0;1,0>\n"
    "    mul (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x12345:ud\n"
    "again:\n    cmp.eq (M1, 8) P1 D(0,0)<1;1,0> 0x0:ud\n    (P1) goto (M1, 8) done\n"
    "    add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0xffffffff:ud\n    goto (M1, 8) again\ndone:\n"
    "    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> NH(0,0)<0;1,0>\n"
)


@pytest.mark.parametrize("small", [True, False])
def test_arguments_of_64_bits_are_small_numbers(small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else loops that count to one of them hardly end: of some random halves one is mostly not 0."""
    if not small:
        monkeypatch.setattr(samples_module, "high_dwords", lambda _: ())
    head = HEAD.format(type="q", size=8).replace(".decl P1", WIDE + ".decl P1")
    head = head.replace(".kernel_attr", ".input M offset=136 size=8\n.input K offset=144 size=8\n.kernel_attr")
    code = read_kernel(head + LONG_IF_WIDE + PLUS_X + BYTES + STORE + RET, "wide.visaasm")
    others = [parse_input_option(f"{name}=arg_byvalue:arg{number}") for number, name in ((2, "M"), (3, "K"))]
    wide = launch(code, "long").with_inputs(code, others)
    samples = ask_kernel(code, Platform.TGLLP, wide, Assume.LAUNCH, 1_000).samples
    assert samples is not None
    samples.prepare(NO_LIMIT)
    assert bool(samples.found) == small


def test_what_samples_show_is_said_where_a_second_run_takes_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing of quotients as digits is looked for first, in that run."""
    code = read_program(QUOTIENTS / "wide_rows.visaasm")
    rows = ask_kernel(code, Platform.Xe2, read_launch(QUOTIENTS / "wide.ze_info", code), Assume.LAUNCH, 1_000)

    def too_slow(*_: object, **__: object) -> None:
        raise LimitReached(1)

    monkeypatch.setattr(items_apart, "trace", too_slow)
    (found,) = rows.answers()
    assert isinstance(found.answer, Conflict)


@pytest.mark.parametrize("highest", [31, 12])
def test_rows_of_a_global_size_wrap_where_it_is_large(highest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """4 · 2^28 · 4 is 2^32: rows 0 and 4 are one.  In the small launches that are usual all rows are apart."""
    monkeypatch.setattr(samples_module, "HIGHEST", highest)
    rows = asked(PITCH + PLUS_X + BYTES + STORE + RET, pitch="global_size")
    assert rows.samples is not None
    rows.samples.prepare(NO_LIMIT)
    assert bool(rows.samples.found) == (highest == 31)
    for sample in rows.samples.found:
        launched = rows.start.group.launched
        assert launched is not None
        (size,) = (sample.values[one] for one in launched.of_all_groups[0])
        assert size >= 1 << 24
        ended = run(rows.kernel, state_of(rows.asked, rows.questions[0].performed, sample.values, Choices(0)))
        assert ended.undefined is not None


def test_samples_of_large_launches_are_launches() -> None:
    """As many work items as there may be: the premises hold of each."""
    rows = asked(PITCH + PLUS_X + BYTES + STORE + RET, pitch="global_size")
    assert rows.samples is not None
    launched = rows.start.group.launched
    assert launched is not None
    sizes = [values[one] for values in rows.samples._values() for one in launched.of_all_groups[0]]
    assert max(sizes) > 1 << 24
    assert max(sizes) <= 1 << 31
