"""What is known of memory that two kernels share: which cells are one, of many those that are asked for."""

import pytest

from tests.refinement.test_refinement import HEAD, program
from visaproof.launch.assumptions import Assume
from visaproof.queries.kernels.shared_memory import MOST_PAIRS, SharedMemory
from visaproof.queries.kernels.stores import Stores, UnitStore, after
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines
from visaproof.smt import Term, add, bool_symbol, const, eq, evaluate, implies, scale, symbol

BASE = symbol("base", 33)


def memory_of(count: int) -> SharedMemory:
    memory = SharedMemory({"S": 4})
    for number in range(count):
        memory.initial("S", symbol(f"address.{number}", 33))
    return memory


def test_equal_addresses_hold_one_value() -> None:
    memory = SharedMemory({"S": 4, "T": 4})
    other = symbol("other", 33)
    first, second, elsewhere = memory.initial("S", BASE), memory.initial("S", other), memory.initial("T", other)
    behind = memory.initial("S", add(BASE, const(4, 33)))
    facts = list(memory.facts((eq(first, second), eq(elsewhere, behind))))
    assert implies(eq(BASE, other), eq(first, second)) in facts
    assert len(facts) == 2  # no other surface, and base is never base + 4


def stored(*numbers: int) -> Stores:
    return tuple(UnitStore(bool_symbol(f"on{n}"), symbol(f"at{n}", 33), symbol(f"value{n}", 32)) for n in numbers)


def test_units_are_found_again_after_more_stores_and_after_others() -> None:
    """Each of these has another one's number of stores or begins as another one does, and holds something else."""
    memory, cell = SharedMemory({"S": 4, "T": 4}), symbol("cell", 33)
    ways = [stored(1), stored(1, 2), stored(2), stored(2, 1), stored(1, 3), stored(1, 2, 3), (), stored(1, 2)]
    found = [memory.after(way, "S", cell) for way in ways]
    assert found == [after(way, cell, memory.initial("S", cell)) for way in ways]
    assert len(set(found)) == len(ways) - 1
    assert memory.after(stored(1), "T", cell) is not found[0]
    assert memory.after(stored(1), "S", BASE) is not found[0]


def test_sums_with_one_constant_are_equal_where_they_are_without() -> None:
    """Of words of 3 bits, each pair of numbers."""
    x, y = symbol("x", 3), symbol("y", 3)
    left, right = add(x, const(5, 3)), add(scale(y, 2), const(5, 3))
    assert eq(left, right) is eq(x, scale(y, 2))
    assert eq(left, add(scale(y, 2), const(4, 3))) is not eq(x, scale(y, 2))
    for number in range(64):
        values: dict[Term, int] = {x: number % 8, y: number // 8}
        assert evaluate(eq(left, right), values) == (number % 8 == 2 * (number // 8) % 8)


def test_surfaces_may_have_addresses_of_other_widths() -> None:
    """As a register that is observed, beside memory."""
    memory = SharedMemory({"S": 4, "register V": 1})
    first, second = memory.initial("S", BASE), memory.initial("register V", symbol("probe", 32))
    assert list(memory.facts((eq(first, const(0, 32)), eq(second, const(0, 8))))) == []


def test_of_too_many_cells_those_that_are_asked_for_are_compared() -> None:
    memory = memory_of(80)
    cells = list(memory.cells.values())
    assert not list(memory.facts([eq(cells[0], one) for one in cells[1:]]))  # 80 with 80 are too many
    names = [memory.named(add(one, const(1, 32))) for one in cells[1:]]
    facts = list(memory.facts([eq(cells[0], one) for one in names]))
    assert sum(eq(cells[0], one) in set(fact.args) for fact in facts for one in cells[1:]) == 79
    assert len(facts) == 2 * 79 <= MOST_PAIRS


@pytest.mark.slow
def test_a_block_that_is_stored_where_it_was_read_changes_nothing() -> None:
    """64 dwords."""
    head = HEAD.replace(".decl P1", ".decl V v_type=G type=ud num_elts=64 align=GRF\n.decl P1")
    load = "lsc_load.ugm (M1_NM, 1) V:d32x64t bti(0)[AT]:a32\n"

    def found(store: str) -> object:
        both = [program(load + one, head) for one in ("", store)]
        return decide(compare(both[0], both[1], Scope(Assume.NONE)), 20_000)

    assert isinstance(found("lsc_store.ugm (M1_NM, 1) bti(0)[AT]:a32 V:d32x64t\n"), Refines)
    assert isinstance(found("lsc_store.ugm (M1_NM, 1) bti(0)[AT+0x4]:a32 V:d32x64t\n"), Difference)
