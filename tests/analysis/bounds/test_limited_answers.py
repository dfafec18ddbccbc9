"""A symbolic run that ends early, at whatever statement: what is then said is true of the whole kernel."""

from collections.abc import Iterator
from itertools import count
from time import process_time

import pytest

from tests.analysis.conflicts.test_loop_conflicts import BACK, CONFLICT, COUNT, FREE, HEADER, SCATTER
from visaproof.analysis.bounds import ask
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Free
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.checking.limited import each_within
from visaproof.isa.errors import LimitReached, NotModelled, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.machine.symbolic.machine import Machine
from visaproof.machine.symbolic.run import trace
from visaproof.smt import bool_symbol
from visaproof.smt.limit import Limit
from visaproof.visaasm.reader import read_kernel

ENDS = {"limit": lambda: LimitReached(1), "not modelled": lambda: NotModelled("this statement")}

STRAIGHT = SCATTER + "    mov (M1, 8) X(0,0)<1> 0x0:ud\n" + SCATTER
BODIES = {
    "straight": STRAIGHT,
    "before and in a loop": SCATTER + CONFLICT["inside the loop"],
    "a conflict in a later iteration": CONFLICT["inside the loop"],
    "a step of each lane": CONFLICT["a step that is not every lane's"],
    "a free loop": FREE["a uniform step inside the loop"],
    "two loops": f"{COUNT}{SCATTER}{BACK}    shr (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud\nafter:\n{SCATTER}"
    "    shr (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n    cmp.gt (M1, 8) P2 X(0,0)<1;1,0> 0x100:ud\n"
    "    (P2) goto (M1, 8) after\n",
}


def asked(body: str) -> KernelAnswers:
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    return ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 2000, 2, limit=Limit(1000))


def free(answers: KernelAnswers) -> set[Position]:
    found = ((one.question.instruction.position, one.answer) for one in answers.answers())
    return {position for position, answer in found if isinstance(answer, Free) and not answer.bounded}


def ending_at_each_statement(monkeypatch: pytest.MonkeyPatch, end: str) -> Iterator[None]:
    """Whatever is asked meanwhile ends at the first statement, then at the second, and so on to the last."""
    step = Machine.step
    for last in count(1):
        steps = count(1)

        def ends(self, instruction, steps=steps, last=last):
            if next(steps) == last:
                raise ENDS[end]()
            return step(self, instruction)

        monkeypatch.setattr(Machine, "step", ends)
        yield
        monkeypatch.setattr(Machine, "step", step)
        if next(steps) <= last:
            return


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("body", BODIES)
def test_free_is_free_wherever_the_run_ends(body: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And each scatter is answered or named."""
    everything = free(asked(BODIES[body]))
    some = 0
    for _ in ending_at_each_statement(monkeypatch, end):
        answers = asked(BODIES[body])
        found = free(answers)
        assert found <= everything
        some += bool(found)
        scatters = {one.position for one in answers.kernel.instructions() if "scatter" in one.opcode}
        named = {one.position for one in answers.not_asked}
        assert named.isdisjoint(answers.positions)
        if answers.stopped is not None:
            assert named.union(answers.positions) == scatters
    assert bool(some) == bool(everything)


def test_in_bounds_is_in_bounds_wherever_the_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address grows in each iteration, and leaves the surface in a late one."""
    body = f"{SCATTER}{COUNT}{SCATTER}    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x400:ud\n{BACK}"
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")

    def inside() -> set[Position]:
        stated = StatedLaunch(surfaces=(parse_size_option("T6=0x1000"),))
        answers = ask_bounds(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, stated, 2000, 2, limit=Limit(1000))
        found = ((one.question.instruction.position, one.bounds) for one in answers.answers())
        return {position for position, answer in found if isinstance(answer, Holds) and not answer.bounded}

    everything, some = inside(), 0
    for _ in ending_at_each_statement(monkeypatch, "limit"):
        found = inside()
        assert found <= everything
        some += bool(found)
    assert some


def test_a_run_that_ends_in_a_general_round_keeps_no_message_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an iteration starts with is not yet arbitrary where that iteration was the first attempt."""
    kernel = read_kernel(f"{HEADER}{CONFLICT['inside the loop']}    ret (M1, 1)\n", "k.visaasm")
    whole = trace(kernel, Platform.TGLLP, unroll=1, limit=Limit(1000))
    assert any(one.any_round for one in whole.performed)
    for _ in ending_at_each_statement(monkeypatch, "limit"):
        ran = trace(kernel, Platform.TGLLP, unroll=1, limit=Limit(1000))
        first = [one for one in ran.performed if not one.any_round]
        assert len(first) <= len([one for one in whole.performed if not one.any_round])
        assert all(one.any_round is False for one in ran.performed) or ran.stopped is None


def test_a_slow_question_lets_the_others_pass() -> None:
    def ask(key: str) -> str:
        while key == "slow":
            pass
        return key

    found = list(each_within(Limit(0.5), ["a", "slow", "b"], ask, lambda key, reached: f"{key}: {reached}"))
    assert found == ["a", "b", "slow: limit of 0.5 s reached"]


@pytest.mark.parametrize("keys", [["slow"], ["a", "slow"]])
def test_a_question_for_which_no_other_waits_is_asked_once(keys: list[str]) -> None:
    """It would begin anew."""
    asked: list[str] = []

    def ask(key: str) -> str:
        asked.append(key)
        while key == "slow":
            pass
        return key

    found = list(each_within(Limit(0.3), keys, ask, lambda key, _: f"no {key}"))
    assert found == [*keys[:-1], "no slow"]
    assert asked == keys


@pytest.mark.parametrize(("seconds", "vain"), [(0.06, 2), (0.14, 4)])
def test_after_some_that_took_too_long_one_has_longer(seconds: float, vain: int) -> None:
    """What it finds makes the others quick: some were asked in vain before it, and are asked again."""
    asked: list[int] = []
    known: list[int] = []

    def ask(key: int) -> int:
        asked.append(key)
        before = process_time()
        while not known and process_time() < before + seconds:
            pass
        known.append(key)
        return key

    found = list(each_within(Limit(1), range(20), ask, lambda _, __: -1))
    assert found == [*range(vain, 20), *range(vain)]
    assert asked == [*range(20), *range(vain)]


def test_of_keys_that_are_alike_one_has_the_time_of_all() -> None:
    """The second slow one is not asked before the first has an answer: then the answer of the other is not late."""
    asked: list[str] = []

    def ask(key: str) -> str:
        asked.append(key)
        while key.startswith("slow"):
            pass
        return key

    keys = ["slow a", "slow b", "quick"]
    found = list(each_within(Limit(0.5), keys, ask, lambda key, _: f"no {key}", lambda key: key[:4]))
    assert found == ["quick", "no slow a", "no slow b"]
    assert asked[:3] == ["slow a", "quick", "slow a"]
    assert asked.count("slow b") <= 1


def test_messages_are_listed_where_the_limit_ends_before_the_first_is_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As it may when it is asked whether the assumptions contradict each other: none is said to hold then."""
    limit = Limit(60)

    def late(*_: object) -> None:
        monkeypatch.setattr(limit, "_end", 0.0)
        raise LimitReached(60)

    monkeypatch.setattr(ask, "decide_goal", late)
    kernel = read_kernel(f"{HEADER}{STRAIGHT}    ret (M1, 1)\n", "k.visaasm")
    stated = StatedLaunch((parse_size_option("T6=0x1000"),))
    monkeypatch.setattr(ask, "facts_of_elements", lambda *_: [bool_symbol("stated")])
    answers = ask_bounds(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, stated, 1000, limit=limit)
    found = list(answers.answers())
    assert len(found) == 2
    assert not any(isinstance(one.bounds, Holds) for one in found)
