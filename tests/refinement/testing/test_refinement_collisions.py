"""Lanes of an atomic that meet on one cell: what they leave is the same in any order where they commute."""

import pytest

from tests.refinement.test_refinement_atomic_events import program
from tests.support.differences import in_memory
from visaproof.checking.stages import Values
from visaproof.isa.identity import Same
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_launches import unknowns
from visaproof.refinement.testing.runs import trial
from visaproof.refinement.testing.watch import Watch
from visaproof.refinement.verdicts import Difference, Unknown
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.names import is_size


def both(source: str, target: str) -> Comparison:
    return compare(program(source), program(target), Scope(Assume.NONE))


def atomic(op: str, *sources: str, cell: str = "C", brought: str = "%null") -> str:
    src0, src1 = (*sources, "%null", "%null")[:2]
    return f"dword_atomic.{op} (M1, 8) T6 {cell}.0 {src0} {src1} {brought}\n"


def constant(number: int, register: str = "Z") -> str:
    return f"mov (M1, 8) {register}(0,0)<1> {number:#x}:d\n"


OR = atomic("or", "X.0")
LOADED = "gather4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0\n"

TOGETHER = "mov (M1_NM, 8) C(0,0)<1> 0x0:d\n"
"""All lanes reach one cell."""

STORED = "scatter4_scaled.R (M1, 8) T6 0x0:ud D.0 Y.0\n"


def all_lanes(comparison: Comparison) -> list[Difference] | None:
    """A run of both kernels in which all lanes are on."""
    symbols = unknowns(comparison.question, comparison.runners)
    values: Values = {one: 1 << 32 if is_size(one) else 1 for one in symbols}
    return trial(comparison, values, lambda *_: 0)


def shown(source: str, target: str) -> Difference | None:
    found = all_lanes(both(TOGETHER + source, TOGETHER + target))
    return found[0] if found else None


@pytest.mark.parametrize(("op", "other"), [("add", "sub"), ("or", "and"), ("max", "min"), ("xor", "and")])
def test_a_run_in_which_lanes_meet_shows_a_difference_where_they_commute(op: str, other: str) -> None:
    assert shown(constant(1) + atomic(op, "Z.0"), constant(1) + atomic(other, "Z.0") + atomic("inc"))


def test_a_run_shows_nothing_where_the_order_of_its_lanes_does() -> None:
    """An exchange leaves what the last lane brought; and what an addition brings says who came before."""
    assert all_lanes(both(TOGETHER + atomic("xchg", "X.0"), TOGETHER)) is None
    assert all_lanes(both(TOGETHER + atomic("add", "X.0", brought="Y.0") + STORED, TOGETHER)) is None
    apart = atomic("add", "X.0", brought="Y.0") + STORED
    assert all_lanes(both(apart, "")) is not None


@pytest.mark.parametrize(
    ("lanes", "shows", "met"),
    [
        ([(0, 4), (4, 4)], True, False),
        ([(0, 4), (0, 4)], True, True),
        ([(0, 4), (0, 4)], False, False),
        ([(0, 4), (2, 4)], False, True),
        ([(0, 4), (0, 8)], False, True),
    ],
)
def test_lanes_that_share_a_part_of_their_cells_meet_whatever_they_do(
    lanes: list[tuple[int, int]], shows: bool, met: bool
) -> None:
    modified, surface = Watch(), Same(Buffer(64))
    for address, width in lanes:
        modified.changes(surface, address, width)
    modified.end_statement(is_typed_atomic=False, order_shows=lambda: shows)
    assert modified.met == met
    modified.changes(surface, 0, 4)
    modified.end_statement(is_typed_atomic=False, order_shows=lambda: True)
    assert modified.met == met


def test_an_atomic_is_named_as_what_wrote_a_byte() -> None:
    comparison = both(OR, "")
    found = decide(comparison, 2_000)
    assert isinstance(found, Difference)
    writers = in_memory(found).source_writer, in_memory(found).target_writer
    assert writers[0] is not None
    assert writers[0].write.lane == 0
    assert writers[1] is None


@pytest.mark.usefixtures("few_runs")
def test_an_atomic_that_happens_twice_is_not_the_same_as_once() -> None:
    """Twice an or leaves what one leaves; another thread that comes in between sees it, and no run shows that."""
    assert isinstance(decide(both(OR, OR + OR), 2_000), Unknown)
