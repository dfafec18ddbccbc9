"""Counterexample files that must not replay, and pairs of states on which the two writings must not agree.

Each function plants one fault and says whether it was noticed.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.refinement.test_refinement import APART, STORE_B, program
from tests.support import both_engines, crosscheck
from tests.support.differences import byte_of
from tests.support.examples import colliding_kernel, exchange_in_two_orders, wrong_rule, wrong_scatter
from tests.two_writings import found_disagreement
from visaproof.checking import replay as replays
from visaproof.checking.claims import errata
from visaproof.checking.claims.identity_record import IdentityExample, replay_identity
from visaproof.checking.counterexample import Counterexample, Outcome, read_counterexample
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.machine.arrays import integers
from visaproof.program.lower import tree_of
from visaproof.queries import subject
from visaproof.refinement import replay as refinement_replays
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import RefinementExample
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference
from visaproof.report.two_kernels.refinement_file import replayed_record
from visaproof.semantics.concrete import alu
from visaproof.semantics.concrete.surface import Buffer

FILES = Path(__file__).parent.parent.parent / "counterexamples"
CHANGED = msgspec.structs.replace


def objects(example: Counterexample) -> bool:
    return bool(replays.replay(example, "planted.json").differences)


def another_outcome(_: pytest.MonkeyPatch) -> bool:
    found = wrong_scatter()
    found.runs[0].outcome = Outcome(changes={"T6[0x4]": "0x05"})
    return objects(found)


def no_violation(_: pytest.MonkeyPatch) -> bool:
    """The claim is what `execute` leaves, and both orders end alike."""
    right, alike = wrong_scatter(), exchange_in_two_orders()
    right.claimed = right.runs[0].outcome
    alike.runs[1] = alike.runs[0]
    return objects(right) and objects(alike)


def another_line(_: pytest.MonkeyPatch) -> bool:
    """The message of line 9 has one lane, and cannot collide."""
    return objects(CHANGED(colliding_kernel(), line=9))


def one_lane(_: pytest.MonkeyPatch) -> bool:
    found = colliding_kernel()
    return objects(CHANGED(found, state=CHANGED(found.state, exec_mask="0x1")))


def all_inside(_: pytest.MonkeyPatch) -> bool:
    """Address 0 of a surface of 64 bytes."""
    found = colliding_kernel()
    return objects(CHANGED(found, violation="outside", line=9))


def the_same_state_twice(_: pytest.MonkeyPatch) -> bool:
    """Two runs from one state: no value of an uninitialised register differs."""
    found = read_counterexample(next(FILES.glob("img_invert*unwritten*.json")))
    return objects(CHANGED(found, other=found.state, runs=[found.runs[0], found.runs[0]]))


def equal_sides(_: pytest.MonkeyPatch) -> bool:
    found: IdentityExample = wrong_rule()
    return bool(replay_identity(CHANGED(found, other=found.written), "planted.json"))


@cache
def two_kernels() -> tuple[Comparison, Difference]:
    target = APART + "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n" + STORE_B
    comparison = compare(program(APART + STORE_B), program(target), Scope(Assume.NONE))
    found = decide(comparison, 2_000)
    assert isinstance(found, Difference)
    return comparison, found


def difference_of_two_kernels() -> RefinementExample:
    return replayed_record(*two_kernels())


def refuses(example: RefinementExample) -> bool:
    return bool(refinement_replays.replay_refinement(example, "planted.json"))


def the_source_as_target(_: pytest.MonkeyPatch) -> bool:
    found = difference_of_two_kernels()
    return refuses(CHANGED(found, target=found.source))


def unlike_inputs(_: pytest.MonkeyPatch) -> bool:
    """F, which neither kernel reads, is not the same on both sides."""
    found = difference_of_two_kernels()
    registers = {**found.target.registers, "F": "01" * 32}
    return refuses(CHANGED(found, target=CHANGED(found.target, registers=registers)))


def a_wrong_ledger(_: pytest.MonkeyPatch) -> bool:
    """An entry that says that the page leaves undefined what it defines, or the reverse."""
    ledger = errata.read_ledger(FILES / "errata.toml")
    entry = next(one for one in ledger.finding if one.by_page is not None and one.otherwise.changes is None)
    assert entry.by_page is not None
    by_page = CHANGED(entry.by_page, undefined=not entry.by_page.undefined)
    return bool(list(errata.differences(CHANGED(entry, by_page=by_page), ledger)))


def a_record_of_no_difference(_: pytest.MonkeyPatch) -> bool:
    """Before it is saved: the memory that is said to differ is elsewhere."""
    comparison, found = two_kernels()
    byte = byte_of(found)
    elsewhere = replace(found, what=replace(byte, address=byte.address + 0x1000))
    try:
        return not replayed_record(comparison, elsewhere)
    except AssertionError:
        return True


SUM = "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> B(0,0)<1;1,0>\n"


def one_too_many(values: Sequence[int], *_: object) -> int:
    return values[0] + values[1] + 1


def a_wrong_sum(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The concrete machine adds one too many."""
    monkeypatch.setitem(alu.OPERATIONS, "add", one_too_many)
    return any(crosscheck.disagreements(tree_of(program(SUM).kernel), Platform.DG2, seed) for seed in range(3))


def a_wrong_sum_on_arrays(monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setitem(integers.WRAPPING, "add", one_too_many)
    kernel = tree_of(program(SUM).kernel)
    states = both_engines.random_states(kernel, Platform.DG2, 1)
    return bool(both_engines.differences(kernel, Platform.DG2, states))


def bounds_off_by(off: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """The surfaces of the concrete machine end a byte early or late."""
    monkeypatch.setattr(Buffer, "_misses", lambda self, address, width: address + width > self.size + off)
    return found_disagreement(subject.qw_scatter(1, Platform.DG2, False), 100) is not None


def bounds_a_byte_early(monkeypatch: pytest.MonkeyPatch) -> bool:
    return bounds_off_by(-1, monkeypatch)


def bounds_a_byte_late(monkeypatch: pytest.MonkeyPatch) -> bool:
    return bounds_off_by(1, monkeypatch)
