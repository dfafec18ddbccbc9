"""The notes of a launch on statements that leave a buffer: each has its line, however many there are."""

from visaproof.execution.races import OutsideAccess
from visaproof.execution.shape import ThreadId
from visaproof.isa.errors import Position
from visaproof.report.execution.run import MOST_STATEMENTS, outside_lines

THREAD = ThreadId((0, 0, 0), 0)


def access(line: int, memory: str = "a", count: int = 1) -> OutsideAccess:
    return OutsideAccess(memory, 4096, 0x1000, THREAD, Position("k.visaasm", line, 5), count=count)


def test_each_statement_has_a_line_and_each_buffer_a_note() -> None:
    _, head, first, second, _, other, last = outside_lines([access(7), access(3, "b"), access(9, count=3)])
    assert head == "  note: a has 4,096 bytes; outside of it reads give 0 and writes are dropped:"
    assert first.strip() == "line 7: byte 0x1000, by group 0,0,0, thread 0"
    assert second.strip() == "line 9: byte 0x1000, by group 0,0,0, thread 0, and 2 more"
    assert "b has 4,096 bytes" in other
    assert last.strip().startswith("line 3:")


def test_of_many_statements_the_last_have_their_lines_alone() -> None:
    *_, end = outside_lines([access(line) for line in range(10, 12 + MOST_STATEMENTS)])
    assert end.strip() == f"… and 2 statements more, on the lines {10 + MOST_STATEMENTS}, {11 + MOST_STATEMENTS}"
