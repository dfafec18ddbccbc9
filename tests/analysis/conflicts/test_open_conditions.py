"""Conditions that much is computed for are open at first: what is proved so holds, and all else is asked with them."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support import rows
from visaproof.analysis.conflicts import ask
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Conflict, Finding, Free, Undecided
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.machine.concrete.run import run
from visaproof.program.places_alone import COSTLY
from visaproof.queries.kernels.tickets import COUNTED
from visaproof.smt import true
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEADER = """.version 4.1
.kernel "k"
.decl OWN v_type=G type=ud num_elts=8 align=GRF
.decl SAME v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input D offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mul (M1_NM, 8) OWN(0,0)<1> 0x76543210:v 0x4:uw
    mov (M1_NM, 8) SAME(0,0)<1> 0x0:ud
    mov (M1_NM, 8) E(0,0)<1> D(0,0)<1;1,0>
"""
DIGEST = "    xor (M1, 8) E(0,0)<1> E(0,0)<1;1,0> D(0,0)<1;1,0>\n    add (M1, 8) E(0,0)<1> E(0,0)<1;1,0> 0x9:ud\n" * (
    COSTLY // 2 + 1
)
"""With more statements than a comparison may need."""
FOUND = "    cmp.{} (M1, 8) P1 E(0,0)<1;1,0> {}:ud\n"
FIRST = "    cmp.eq (M1, 8) P2 OWN(0,0)<1;1,0> 0x8:ud\n"
"""Holds in lane 2."""
STORE = "    ({}) scatter_scaled.4 (M1, 8) T6 0x0:ud {}.0 E.0\n"


def of(body: str) -> Kernel:
    return read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")


def asked(kernel: Kernel) -> KernelAnswers:
    return ask.ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 20_000)


def opened(answers: KernelAnswers) -> bool:
    """Whether the run that is shown has open conditions."""
    return answers.asked.alone is not None and bool(answers.asked.alone.opened)


def test_lanes_that_write_apart_do_whatever_a_digest_is() -> None:
    answers = asked(of(DIGEST + FOUND.format("eq", "0x5") + STORE.format("P1", "OWN")))
    (found,) = answers.answers()
    assert isinstance(found.answer, Free)
    assert opened(answers)
    assert answers.with_data().alone is None


def test_a_cheap_condition_holds_beside_open_ones() -> None:
    """Where one lane writes, all may have one address."""
    guarded = "    and (M1, 8) P2 P2 P1\n" + STORE.format("P2", "SAME")
    answers = asked(of(DIGEST + FOUND.format("eq", "0x5") + FIRST + guarded))
    (found,) = answers.answers()
    assert isinstance(found.answer, Free)
    assert opened(answers)


def test_lanes_that_meet_under_the_condition_collide() -> None:
    kernel = of(DIGEST + FOUND.format("gt", "0x5") + STORE.format("P1", "SAME"))
    answers = asked(kernel)
    (found,) = answers.answers()
    assert isinstance(found.answer, Conflict)
    assert run(kernel, found.answer.state).undefined is not None
    assert not opened(answers)


def test_a_condition_that_never_holds_is_asked_for_where_it_decides() -> None:
    """No number is below 0, and no two lanes write."""
    answers = asked(of(DIGEST + FOUND.format("lt", "0x0") + STORE.format("P1", "SAME")))
    assert not opened(answers)
    assert all(isinstance(found.answer, Free) for found in answers.answers())


@pytest.mark.parametrize("own", [False, True])
def test_what_was_proved_stays_where_the_run_with_conditions_does_not_end(
    monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    """Of the rest it is said why it is open."""
    ran, reached = ask._run, LimitReached(1)

    def limited(*given: Any) -> KernelAnswers:
        answers, alone = ran(*given), given[-1]
        if alone.opened:
            return replace(answers, start=replace(answers.start, assumed=(COUNTED,)))
        return replace(answers, put=replace(answers.put, asked=(), stopped=reached))

    monkeypatch.setattr(ask, "_run", limited)
    stores = STORE.format("P1", "OWN") + STORE.format("P1", "OWN" if own else "SAME")
    answers = asked(of(DIGEST + FOUND.format("gt", "0x5") + stores))
    first, second = (one.answer for one in answers.answers())
    assert isinstance(first, Free)
    if own:
        assert isinstance(second, Free)
    else:
        assert second == Undecided(f"{ask.OPEN_CONDITIONS}: limit of 1 s reached")
    assert answers.stopped is None
    assert not answers.not_asked
    assert COUNTED in answers.start.assumed


def test_the_run_with_conditions_is_asked_where_the_other_comes_to_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = ask._run

    def limited(*given: Any) -> KernelAnswers:
        if given[-1].opened:
            raise LimitReached(1)
        return ran(*given)

    monkeypatch.setattr(ask, "_run", limited)
    (found,) = asked(of(DIGEST + FOUND.format("eq", "0x5") + STORE.format("P1", "OWN"))).answers()
    assert isinstance(found.answer, Free)


def test_a_proof_that_the_limit_ends_keeps_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = KernelAnswers.proofs

    def limited(answers: KernelAnswers) -> Iterator[Finding]:
        yield next(ready(answers))
        raise LimitReached(1)

    monkeypatch.setattr(KernelAnswers, "proofs", limited)
    answers = asked(of(DIGEST + FOUND.format("eq", "0x5") + 2 * STORE.format("P1", "OWN")))
    assert len(answers.settled) == 1
    assert [type(one.answer) for one in answers.answers()] == [Free, Free]


NONE_LEFT = (
    "    mov (M1, 8) D(0,0)<1> N(0,0)<0;1,0>\n"
    + (COSTLY + 2) * "    xor (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x3:ud\n"
    + "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x1:ud\n    mov (M1, 8) A(0,0)<1> 0x76543210:v\n"
    + rows.STORE.replace("scatter4", "(P1) scatter4")
)
"""Lanes store if N is 0: a number that is combined with 3 an even number of times."""


@pytest.mark.parametrize("where", [(), ("n >= 1",)])
def test_that_no_launch_comes_to_a_scatter_is_asked_with_the_conditions(where: tuple[str, ...]) -> None:
    """If relations are stated, what holds since none comes there is vacuous."""
    answers = rows.asked(NONE_LEFT, *where)
    assert opened(answers) != bool(where)
    (found,) = answers.answers()
    assert isinstance(found.answer, Free)
    assert found.answer.vacuous == bool(where)


def test_a_loop_that_may_go_on_is_no_proof() -> None:
    answers = asked(of(DIGEST + FOUND.format("eq", "0x5") + STORE.format("P1", "OWN")))
    assert len(list(answers.proofs())) == 1
    goes_on = replace(answers.asked.trace, bounded=((true(), Position("k.visaasm", 20, 5)),))
    assert not list(replace(answers, asked=replace(answers.asked, trace=goes_on)).proofs())
