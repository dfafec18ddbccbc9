"""Elements of all lanes at once: what they are lane by lane, or nothing where that is not sure."""

import pytest

from visaproof.isa.errors import Position
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.program.operands import Constant, Elements, Region, Target
from visaproof.semantics.concrete.state import ConcreteState

HERE = Position("k.visaasm", 1, 1)
REGIONS = [Region(0, 1, 0), Region(1, 1, 0), Region(2, 1, 0), Region(4, 4, 1), Region(8, 4, 2), Region(8, 8, 1)]


def operands(size: int = 64) -> tuple[ConcreteState, ConcreteOperands]:
    content = bytearray((37 * k + 11) % 256 for k in range(size))
    state = ConcreteState(Platform.TGLLP, registers={"V": content})
    return state, ConcreteOperands(state)


@pytest.mark.parametrize("data_type", [DataType.UB, DataType.W, DataType.UD, DataType.F, DataType.Q])
@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("start", [0, 3, 8])
def test_a_column_is_what_each_lane_reads(region: Region, data_type: DataType, start: int) -> None:
    _, some = operands(256)
    source = Elements("V", start, region, data_type, "-", HERE)
    column = some.column(source, 8)
    assert column is not None
    assert list(column) == [some.read(source, lane)[0] for lane in range(8)]


def test_a_constant_is_the_same_in_all_lanes() -> None:
    _, some = operands()
    assert list(some.column(Constant(7, DataType.UD, HERE), 3) or ()) == [7, 7, 7]


@pytest.mark.parametrize(("start", "count"), [(-4, 2), (60, 2), (36, 8)])
def test_what_lies_beyond_the_variable_is_read_lane_by_lane(start: int, count: int) -> None:
    _, some = operands()
    assert some.column(Elements("V", start, Region(1, 1, 0), DataType.UD, "", HERE), count) is None


def test_rows_that_overlap_are_read_lane_by_lane() -> None:
    _, some = operands()
    assert some.column(Elements("V", 0, Region(1, 4, 2), DataType.UD, "", HERE), 8) is None


@pytest.mark.parametrize("lanes", [[0, 1, 2, 3], [2, 3], [0, 2, 3], [1]])
@pytest.mark.parametrize("stride", [1, 2])
def test_lanes_are_written_as_each_one_is(lanes: list[int], stride: int) -> None:
    state, some = operands()
    other, others = operands()
    target, bits = Target("V", 4, stride, DataType.UD, HERE), [(-1 - lane) * 0x1234567 for lane in lanes]
    some.write_lanes(target, lanes, bits)
    for lane, one in zip(lanes, bits, strict=True):
        others.write(target, lane, one)
    assert state.registers == other.registers
