"""Another thread may come between two atomics on one cell: a target that lets it in where the source never does.

By hand, or twice where the source has it once, of 1 on a cell with 0x12, while another thread exchanges the cell for 0:

    source   exchange, or     gets 0x12, leaves 1         or, exchange        gets 0x13, leaves 0
    target   or, exchange, or                             gets 0x13, leaves 1
"""

from pathlib import Path

import msgspec
import pytest

from tests.refinement.test_refinement_atomic_events import program
from tests.support.differences import in_memory
from visaproof.isa.errors import ReadError
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.environment.environment_steps import Interference
from visaproof.refinement.environment.interference import interfered, interfered_again, may_interfere
from visaproof.refinement.record import OtherThread, RefinementExample, refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.guesses import GUESSES, guessed
from visaproof.refinement.testing.memory import is_input
from visaproof.refinement.verdicts import Difference
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines
from visaproof.report.two_kernels.difference import difference_text
from visaproof.semantics.symbolic.names import is_size
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"


def both(source: str, target: str) -> Comparison:
    return compare(program(source), program(target), Scope(Assume.NONE))


def interference(source: str, target: str) -> Interference | None:
    """What another thread does that tells them apart."""
    comparison = both(source, target)
    if not may_interfere(*comparison.runners, comparison.question):
        return None
    found = guessed(comparison, GUESSES, ask=interfered)
    return found.what if found is not None and isinstance(found.what, Interference) else None


def atomic(op: str, *sources: str, cell: str = "C", brought: str = "%null") -> str:
    src0, src1 = (*sources, "%null", "%null")[:2]
    return f"dword_atomic.{op} (M1, 8) T6 {cell}.0 {src0} {src1} {brought}\n"


def constant(number: int, register: str = "Z") -> str:
    return f"mov (M1, 8) {register}(0,0)<1> {number:#x}:d\n"


OR = atomic("or", "X.0")
LOADED = "gather4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0\n"


@pytest.mark.parametrize(
    "once",
    [
        *(atomic(op, "X.0") for op in ("or", "and", "min", "max", "minsint", "maxsint", "xchg")),
        constant(3, "Y") + atomic("cmpxchg", "X.0", "Y.0"),
    ],
)
def test_an_atomic_that_happens_twice_lets_another_thread_in_between(once: str) -> None:
    """Twice for once is refuted by an exchange in between, and once for twice never: nobody needs to come there."""
    twice = once + once.splitlines()[-1] + "\n"
    assert interference(once, twice)
    assert interference(twice, once) is None


def test_the_exchange_comes_to_something_else_wherever_it_is_made_in_the_source() -> None:
    found = interference(OR, OR + OR)
    assert found is not None
    assert found.target.messages == 1
    assert [one.messages for one in found.source] == [0, 1]
    for one in found.source:
        assert (one.brought, one.left) != (found.target.brought, found.target.left)


def test_a_sum_in_two_parts_shows_the_first_and_two_sums_in_one_hide_it() -> None:
    parts = (constant(1) + atomic("add", "Z.0")) * 2
    whole = constant(2) + atomic("add", "Z.0")
    assert interference(whole, parts)
    assert interference(parts, whole) is None


def test_what_nobody_had_to_see_may_not_be_shown_for_a_while() -> None:
    """A target that flips bits there and back; the other way round nothing is shown."""
    flipped = atomic("xor", "X.0") * 2
    assert interference("", flipped)
    assert interference(flipped, "") is None


def test_atomics_on_other_cells_give_nobody_anything_to_see() -> None:
    """In another order, or twice where nothing happens in between: one exchange sees one cell."""
    other = atomic("or", "X.0", cell="D")
    assert interference(OR + other, other + OR) is None
    assert interference(OR + other, OR + other + OR)
    once = both(OR, OR)
    assert not may_interfere(*once.runners, once.question)


@pytest.mark.slow
def test_a_cell_that_a_kernel_also_loads_is_left_alone_by_others() -> None:
    """No other thread may write there while the target runs, so that nobody comes in between."""
    stored = "scatter4_scaled.R (M1, 8) T6 0x0:ud D.0 Y.0\n"
    for source, target in ((OR + LOADED + stored, OR + OR + LOADED + stored), (LOADED + OR, LOADED + OR + OR)):
        assert interference(source, target) is None


def test_what_nothing_wrote_may_explain_what_another_thread_sees() -> None:
    """The source may find 0 in Y, and then its second atomic is none; the target's may be anything as well."""
    unknown = atomic("or", "Y.0")
    assert interference(OR + unknown, OR + OR) is None


def test_lanes_that_meet_in_one_message_of_the_source_come_in_any_order() -> None:
    """All lanes on one cell: a run of the source shows one order of many, unless one lane alone is on."""
    together = "mov (M1_NM, 8) C(0,0)<1> 0x0:d\n"
    found = guessed(both(together + OR, together + OR + OR), GUESSES, ask=interfered)
    assert found is not None
    assert found.exec_mask.bit_count() == 1


def example() -> tuple[Comparison, Difference, RefinementExample]:
    comparison = both(OR, OR + OR)
    found = decide(comparison, 2_000)
    assert isinstance(found, Difference)
    return comparison, found, refinement_record(comparison, found, difference_text(comparison, found))


def other_thread(record: RefinementExample) -> OtherThread:
    assert record.differs.other_thread is not None
    return record.differs.other_thread


def test_the_example_is_of_one_lane_with_few_inputs() -> None:
    _, found, _ = example()
    assert found.exec_mask == 1
    assert sum(value != 0 for term, value in found.values.items() if is_input(term) and not is_size(term)) <= 3


def test_the_example_replays_and_one_that_the_source_explains_does_not() -> None:
    comparison, found, record = example()
    assert interfered_again(*comparison.runners, comparison.question, found)
    decoded = msgspec.json.decode(msgspec.json.encode(record), type=RefinementExample)
    assert replay_refinement(decoded, "example.json") == ()
    last = msgspec.structs.replace(other_thread(record), behind=2)
    record.differs.other_thread = last
    assert any("the source does the same" in one for one in replay_refinement(record, "example.json"))


def test_an_example_that_is_not_as_recorded_says_so() -> None:
    _, _, record = example()
    there = other_thread(record)
    for name in ("brought", "left"):
        record.differs.other_thread = msgspec.structs.replace(there, **{name: "0x7777"})
        assert any("recorded: 0x7777" in one for one in replay_refinement(record, "example.json"))
    record.differs.other_thread = msgspec.structs.replace(there, width=3)
    with pytest.raises(ReadError, match="an atomic of 3 bytes"):
        replay_refinement(record, "example.json")
    record.differs.other_thread = there
    record.source.program.insert(record.source.program.index(OR.strip()), LOADED.strip())
    assert any("something else than atomics" in one for one in replay_refinement(record, "example.json"))


def test_the_report_says_who_wrote_what_and_where_the_other_thread_came() -> None:
    comparison, found, _ = example()
    text = "\n".join(verdict_lines(comparison, found))
    assert "meanwhile another thread exchanges the 32 bits at 0x0 of argument 0 for 0x0, in one atomic" in text
    assert "in the target behind line 21, lane 0 | dword_atomic.or" in text
    assert "and before line 22, lane 0 | dword_atomic.or" in text
    assert "before every atomic there" in text
    seen = verdict_json(comparison, found)["example"]["other_thread"]
    assert seen["in_target"]["behind"] == {"line": 21, "lane": 0}
    assert [one["behind"] for one in seen["in_source"]] == [None, {"line": 21, "lane": 0}]
    exception = "no other thread writes what this one reads or writes while it runs, but by atomics what both"
    assert any(one.sentence.startswith(exception) for one in comparison.assumed)


def test_an_atomic_is_named_as_what_wrote_a_byte() -> None:
    comparison = both(OR, "")
    found = decide(comparison, 2_000)
    assert isinstance(found, Difference)
    writers = in_memory(found).source_writer, in_memory(found).target_writer
    assert writers[0] is not None
    assert writers[0].write.lane == 0
    assert writers[1] is None


@pytest.mark.slow
def test_a_duplicate_in_a_dump_that_uses_addresses_is_refuted() -> None:
    """A cell of a buffer that is reached by 64-bit addresses."""
    path = CORPUS / "visaasm" / "atomics_mixed" / "tgllp-O2-simd8.visaasm"
    if not path.is_file():
        pytest.skip("the corpus of dumps is not there")
    kernel = read_program(path)
    launch = read_launch(CORPUS / "manifest.json", kernel)
    assert launch.platform is not None
    text = path.read_text("utf-8")
    (once,) = (line for line in text.splitlines() if line.strip().startswith("svm_atomic.or "))
    wrong = read_kernel(text.replace(once, f"{once}\n{once}"), str(path))
    source, target = (Program(one, launch, launch.platform) for one in (kernel, wrong))
    comparison = compare(source, target, Scope(Assume.IDS))
    found = decide(comparison, 2_000)
    assert isinstance(found, Difference)
    assert isinstance(found.what, Interference)
    assert not replay_refinement(refinement_record(comparison, found, "twice"), "example.json")
