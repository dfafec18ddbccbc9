"""Conflicts that are found in another thread of a group, or in a larger one, without a solver."""

from itertools import islice
from typing import cast

import pytest

from tests.support.rows import HEAD, asked, launch
from visaproof.analysis.conflicts import kernel
from visaproof.analysis.conflicts.after_others import Others, candidates, evaluated
from visaproof.analysis.conflicts.any_items.items_after_others import QUICK_MS, SOON_MS
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.launches.samples import Samples
from visaproof.analysis.conflicts.launches.threads import Threads
from visaproof.analysis.conflicts.results import Found, Never, Progress
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.conflicts.verdicts import Conflict
from visaproof.isa.platform import Platform
from visaproof.launch.assume import Assume
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.smt import evaluate
from visaproof.smt.limit import NO_LIMIT
from visaproof.visaasm.reader import read_kernel

PITCH_9 = "    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> 0x9:ud\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<1;1,0>\n"
BYTES = "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n"
STORE = "    (P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
FIRST_ROWS = "    cmp.lt (M1, 8) P1 Y(0,0)<1;1,0> 0x2:uw\n" + STORE
LATER_ROWS = "    cmp.ge (M1, 8) P1 Y(0,0)<1;1,0> 0x{:x}:uw\n" + STORE
OF_N_ROWS = "    cmp.gt (M1, 8) P1 N(0,0)<0;1,0> 0x{:x}:ud\n" + STORE
RET = "    ret (M1, 1)\n"


def others(body: str) -> tuple[KernelAnswers, Values]:
    """What shows the conflict of the first scatter, in the smallest group."""
    rows = asked(PITCH_9 + BYTES + body + RET)
    finding = next(iter(rows.answers()))
    assert isinstance(finding.answer, Conflict)
    return rows, finding.answer.values


def threads(rows: KernelAnswers) -> Threads:
    return Threads(rows.asked, rows.items.groups)


def test_the_threads_of_a_group_exist_and_are_as_many_as_it_has() -> None:
    rows, values = others(FIRST_ROWS)
    launched = rows.asked.start.group.launched
    assert launched is not None
    found = list(threads(rows).of_groups([values]))
    sizes = {tuple(evaluate(word, one) for word in launched.sizes) for one in found}
    (x, y, z), (_, most, _) = sorted(sizes)
    assert (z, most) == (1, launched.most // x)
    assert y < most
    lanes = launched_lanes(rows.kernel)
    assert all(rows.asked.start.is_launch(lanes, one) for one in found)
    items = [sum(one.get(lane, 0) for lane in lanes) for one in found if evaluate(launched.sizes[1], one) == y]
    assert sum(items) >= x * y


@pytest.mark.parametrize(("first", "collide"), [(9, True), (200, False)])
def test_lanes_of_later_rows_collide_in_another_thread(first: int, collide: bool) -> None:
    """A group of rows of ten items has no row 200."""
    rows, values = others(FIRST_ROWS + LATER_ROWS.format(first))
    question = rows.questions[-1]
    assert not list(evaluated(question, rows.asked, [values]))
    found = evaluated(question, rows.asked, threads(rows).of_groups([values]))
    assert any(True for _ in candidates(question, rows.asked, islice(found, 1))) == collide


@pytest.mark.parametrize(("number", "least", "collide"), [(1, 0x20, True), (1, 0x80, False), (0, 0x20, False)])
def test_arguments_are_made_larger_where_they_are_not_0(number: int, least: int, collide: bool) -> None:
    rows, values = others(FIRST_ROWS + OF_N_ROWS.format(least))
    (argument,) = rows.asked.arguments
    found = evaluated(rows.questions[-1], rows.asked, [{**values, argument: number}])
    assert any(True for _ in found) == collide


@pytest.mark.parametrize(("by", "found"), [("", Found), ("a solver", Never)])
def test_what_is_excluded_among_any_items_is_no_conflict_after_others(by: str, found: type[object]) -> None:
    rows, values = others(FIRST_ROWS + LATER_ROWS.format(9))

    asked_about = Others(
        rows.questions[-1], rows.asked, [values], threads(rows).of_groups, lambda _: by, lambda *_: "shown", Progress()
    )
    assert isinstance(asked_about.alike(), found)
    assert isinstance(asked_about.unless_excluded(Found("sampled"), 1), found)
    assert asked_about.unless_excluded(None, 1) is None


def test_after_some_scatters_in_vain_it_is_not_soon_asked_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one of which a run shows that its lanes collide after others, it is."""
    asked_about = list[int]()

    def excluded(*arguments: object) -> str:
        asked_about.append(cast(int, arguments[-1]))
        return ""

    monkeypatch.setattr(kernel, "excluded_among_items", excluded)
    rows, _ = others(FIRST_ROWS)
    asked_about.clear()
    (position,) = rows.positions
    for _ in range(2 * kernel.MOST_IN_VAIN):
        assert not rows._among_items(position, 1, 0, SOON_MS)  # pyright: ignore[reportPrivateUsage]
    assert len(asked_about) == kernel.MOST_IN_VAIN
    assert not rows._among_items(position, 1, 0, QUICK_MS)  # pyright: ignore[reportPrivateUsage]
    assert asked_about[-1] == QUICK_MS


LOCAL = HEAD.format(type="ud", size=4).replace(".function", ".kernel_attr SLMSize=1\n.function")
TO_LOCAL = (
    "    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> N(0,0)<0;1,0>\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<1;1,0>\n"
)


@pytest.mark.parametrize(("first", "found"), [("0x0", True), ("0x400", False)])
def test_samples_have_no_more_shared_local_memory_than_a_group(first: str, found: bool) -> None:
    """The kernel has one KiB: what lies behind it is not written."""
    at = f"    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> {first}:ud\n"
    message = "    scatter4_scaled.R (M1, 8) %slm 0x0:ud A.0 A.0\n"
    code = read_kernel(LOCAL + TO_LOCAL + BYTES + at + message + RET, "rows.visaasm")
    answers = ask_kernel(code, Platform.TGLLP, launch(code), Assume.LAUNCH, 20_000)
    samples = Samples(answers.asked, answers.asked.arguments, answers.questions)
    samples.prepare(NO_LIMIT)
    assert any(map(samples.shows, answers.positions)) == found
