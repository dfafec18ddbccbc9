"""Safety nets: each catches a fault planted for it, and does not when it is cut.

`NETS` lists them: what is planted, and how the net is cut.  A net that is taken away, or lets everything pass, fails
the first test below; the second one fails for a fault that something else notices as well.
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY

import pytest
from msgspec import Struct

from tests import two_writings
from tests.support import both_engines, crosscheck
from tests.support import planted_replays as files
from tests.support import planted_synchronisation as others
from tests.support import planted_verdicts as planted
from tests.support.examples import wrong_scatter
from visaproof.analysis.bounds import ask as ask_bounds
from visaproof.analysis.bounds import uninitialised_runs as uninitialised_runs
from visaproof.analysis.bounds import verdicts as bounds
from visaproof.analysis.conflicts import search
from visaproof.analysis.conflicts import verdicts as conflicts
from visaproof.analysis.findings import verdicts as findings
from visaproof.analysis.findings.pairs import Behaviour
from visaproof.checking import all_choices, confirm, refutation, stages
from visaproof.checking import replay as replays
from visaproof.checking.claims import errata, identities, identity_record
from visaproof.checking.uninitialised_replay import TwoRuns
from visaproof.execution import choices
from visaproof.refinement import decision, questions
from visaproof.refinement import replay as refinement_replays
from visaproof.refinement.effects import side, synchronisation
from visaproof.refinement.strategies import differences, proofs
from visaproof.refinement.strategies import table as strategies
from visaproof.report.two_kernels import refinement_file
from visaproof.rules import decision as rules_decision
from visaproof.semantics.concrete.surface import Buffer
from visaproof.smt import false

Cut = tuple[object, str, Callable[..., Any] | object]


class Net(Struct, frozen=True):
    """A fault, and what alone notices it."""

    catches: Callable[[pytest.MonkeyPatch], bool]
    cuts: tuple[Cut, ...]


def nothing(*_: object) -> tuple[()]:
    """For what yields objections."""
    return ()


def shows_nothing(*_: object) -> Iterator[str]:
    """For what yields objections, and returns what the run shows."""
    yield from ()
    return "nothing"


def always(answer: object) -> Callable[..., object]:
    return lambda *_, **__: answer


UNDEFINED_THERE = SimpleNamespace(outcome=SimpleNamespace(undefined=SimpleNamespace(position=ANY)))

NETS = {
    # replay
    "replay compares the outcome": Net(files.another_outcome, ((replays, "_compared", nothing),)),
    "replay asks for the violation": Net(files.no_violation, ((replays, "violated", always(True)),)),
    "replay asks for the line": Net(files.another_line, ((replays, "_ends", shows_nothing),)),
    "replay asks for a collision": Net(files.one_lane, ((replays, "_ends", shows_nothing),)),
    "replay asks for an access outside": Net(files.all_inside, ((replays, "_leaves", shows_nothing),)),
    "replay asks for two memories": Net(
        files.the_same_state_twice, ((replays, "two_runs", lambda found, _: same_runs(found)),)
    ),
    "replay asks for two values of a term": Net(files.equal_sides, ((identity_record, "_differences", nothing),)),
    "replay asks for a difference": Net(
        files.the_source_as_target, ((refinement_replays, "_contents", shows_nothing),)
    ),
    "replay matches the inputs": Net(files.unlike_inputs, ((refinement_replays, "_unmatched", nothing),)),
    "replay works out the ledger again": Net(files.a_wrong_ledger, ((errata, "by_page", always(None)),)),
    "a record is replayed before it is saved": Net(
        files.a_record_of_no_difference, ((refinement_file, "replay_refinement", nothing),)
    ),
    # the two writings of an instruction
    "the footprint sees an early end": Net(files.bounds_a_byte_early, ((two_writings, "difference", always(None)),)),
    "the footprint sees a late end": Net(files.bounds_a_byte_late, ((two_writings, "difference", always(None)),)),
    "the trace sees a wrong sum": Net(
        files.a_wrong_sum,
        ((crosscheck, "_message_differences", always([])), (crosscheck, "_register_differences", always([]))),
    ),
    "one thread sees a wrong sum of all": Net(
        files.a_wrong_sum_on_arrays, ((both_engines, "_state_differences", nothing),)
    ),
    # a run confirms what a solver says
    "a claim's example is executed": Net(
        planted.a_claim_that_holds, ((refutation, "confirmed_counterexample", always(wrong_scatter())),)
    ),
    "a claim of one's own fails": Net(planted.values_that_break_no_claim, ((confirm, "breaks", always(True)),)),
    "a claim of one's own is of the instruction": Net(
        planted.a_footprint_that_execute_does_not_share, ((confirm._Scene, "model_agrees", always(True)),)
    ),
    "a variant must differ": Net(planted.a_variant_that_is_right, ((confirm, "_differs", always(True)),)),
    "orders must end apart": Net(planted.orders_that_end_alike, ((confirm, "violated", always(True)),)),
    "a rule of the normal form is evaluated": Net(
        planted.a_rule_of_the_normal_form_that_holds, ((identities, "equal", always(false())),)
    ),
    "a conflict is run": Net(planted.lanes_that_do_not_meet, ((conflicts, "_shown", always("a conflict")),)),
    "an access outside is run": Net(planted.lanes_inside, ((bounds._Confirm, "_outside", always("outside")),)),
    "an undefined access is run": Net(
        planted.lanes_with_a_meaning, ((bounds._Confirm, "_meaningless", always("undefined")),)
    ),
    "two runs show that a value matters": Net(
        planted.a_value_that_changes_nothing, ((Behaviour, "at", lambda *_: object()),)
    ),
    "a write beyond a variable is run": Net(
        planted.a_write_that_stays_inside, ((findings, "behaviour", always(UNDEFINED_THERE)),)
    ),
    "two runs show that bits decide": Net(
        planted.bits_that_decide_nothing, ((uninitialised_runs._Search, "differ", always("a dependence")),)
    ),
    "a difference of kernels is run": Net(
        planted.a_difference_that_is_none,
        ((proofs, "difference", always(planted.FOUND)), (differences, "smaller", lambda _, found: found)),
    ),
    "a rule's example is run": Net(
        planted.a_rule_that_is_right,
        (
            (proofs, "difference", always(planted.FOUND)),
            (proofs, "settled", always(planted.FOUND)),
            (decision, "smaller", lambda _, found: found),
            (rules_decision, "counterexample_of", always("an example")),
        ),
    ),
    # runs audit what terms say
    "runs audit the normal form": Net(planted.a_normal_form_that_equates, ((proofs, "random_test", always(None)),)),
    "runs audit single stores": Net(planted.stores_that_are_equated, ((proofs, "random_test", always(None)),)),
    "runs come before rounds": Net(planted.rounds_that_are_equated, ((differences, "random_test", always(None)),)),
    # what other threads see
    "barriers and fences are compared": Net(
        others.a_barrier_that_is_dropped, ((synchronisation, "_course", others.nothing_in_order),)
    ),
    "a fence is needed where something is ordered": Net(
        others.a_fence_that_is_dropped, ((synchronisation, "_is_needed", always(False)),)
    ),
    "a fence stands for no stronger one": Net(
        others.a_fence_that_reaches_less, ((synchronisation, "stands_for", always(True)),)
    ),
    "a fence is reached where the source's is": Net(
        others.a_fence_that_some_runs_miss, ((questions, "require_reached", always(None)),)
    ),
    "memory is cut at fences": Net(others.a_load_before_its_fence, ((side, "epoch", always((0, 0))),)),
    "caches are compared": Net(others.a_load_that_is_cached, ((decision, "weaker", always("")),)),
    # a proof from premises that contradict each other is vacuous
    "the premises of a claim can hold": Net(
        planted.a_false_premise, ((stages, "_satisfiable", always(stages.Fails({}))),)
    ),
    "the premises of bounds can hold": Net(
        planted.premises_that_contradict, ((ask_bounds, "_contradict", always(False)),)
    ),
    "some run comes to a store": Net(planted.never_defined, ((search, "UNDEFINED_BEFORE", "normal form"),)),
    "the source is defined": Net(
        planted.a_source_that_is_always_undefined,
        ((decision, "means_nothing", always(None)), (strategies, "undefined_always", always(""))),
    ),
    "the preconditions of a rule can hold": Net(
        planted.preconditions_that_contradict, ((decision, "means_nothing", always(None)),)
    ),
    # results that no page states
    "all choices must refute": Net(planted.shown_by_one_choice, ((all_choices, "POLICIES", 1),)),
    "bytes are compared under choices": Net(
        planted.bytes_that_depend, ((choices, "_differences", always(choices._Differences())),)
    ),
    "trails are compared under choices": Net(planted.addresses_that_depend, ((choices, "_diverging", nothing),)),
    "endings are compared under choices": Net(planted.an_ending_that_depends, ((choices, "_ending", always(None)),)),
}


def same_runs(found: Any) -> TwoRuns:
    """Two runs without objections."""
    return TwoRuns((found.runs[0].outcome, found.runs[1].outcome), (), ())


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("net", NETS)
def test_a_net_catches_what_is_planted(net: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert NETS[net].catches(monkeypatch)


@pytest.mark.slow(but=29)
@pytest.mark.parametrize("net", NETS)
def test_a_net_that_is_cut_lets_it_pass(net: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for where, name, replacement in NETS[net].cuts:
        monkeypatch.setattr(where, name, replacement)
    assert not NETS[net].catches(monkeypatch)


# ---------------------------------------------------------------- the edges of the concrete machine


def ends_found(size: int, width: int) -> list[int]:
    """The addresses around the end at which a write arrives."""
    arrived: list[int] = []
    for address in range(max(0, size - width - 2), size + 3):
        buffer = Buffer(size)
        buffer.write(address, width, (1 << 8 * width) - 1)
        if buffer.contents:
            arrived.append(address)
    return arrived


def edges() -> Iterator[tuple[int, int]]:
    return ((size, width) for size in (1, 4, 7, 64) for width in (1, 2, 4, 8) if width <= size)


def test_the_last_access_inside_ends_with_the_surface() -> None:
    for size, width in edges():
        assert ends_found(size, width)[-1] == size - width


@pytest.mark.parametrize("off", [-1, 1])
def test_an_edge_that_is_off_by_one_is_noticed(off: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above, with the net cut."""
    monkeypatch.setattr(Buffer, "_misses", lambda self, address, width: address + width > self.size + off)
    assert any(ends_found(size, width)[-1:] != [size - width] for size, width in edges())
