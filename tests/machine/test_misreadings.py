"""The machines share the lowering of operands, and no formula: a region that one of them misreads is noticed."""

import pytest
from msgspec.structs import replace

from tests.support.both_engines import differences, random_states
from tests.support.crosscheck import disagreements
from visaproof.isa.platform import Platform
from visaproof.machine.arrays import operands as on_arrays
from visaproof.machine.concrete import operands as concretely
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.program.operands import Elements, Region
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel


def kernel(sources: str) -> Kernel:
    return read_kernel(
        f"""
.version 4.1
.kernel "k"
.decl R v_type=G type=ud num_elts=16 align=GRF
.decl A v_type=G type=ud num_elts=64 align=GRF
.kernel_attr SimdSize=16
.function "k"
_main:
    add (M1, 16) R(0,0)<1> {sources}
    ret (M1, 1)
""",
        "k.visaasm",
    )


ROWS = kernel("A(0,1)<8;4,2> A(4,0)<0;1,0>")


def transposed(region: Region, lane: int) -> int:
    i, j = divmod(lane, region.width)
    return i * region.horizontal + j * region.vertical


def of_both(engine: Kernel) -> list[str]:
    return differences(engine, Platform.TGLLP, random_states(engine, Platform.TGLLP, 3), None)


def test_right_regions_agree() -> None:
    assert disagreements(ROWS, Platform.TGLLP, 3) == []
    assert of_both(ROWS) == []


def test_a_region_that_the_concrete_machine_misreads_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concretely, "_region_element", transposed)
    assert disagreements(ROWS, Platform.TGLLP, 3)
    assert of_both(ROWS)


def test_a_region_that_the_symbolic_machine_misreads_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = SymbolicOperands._vector_reader

    def wrong(self: SymbolicOperands, operand: Elements) -> object:
        region = operand.region
        return right(self, replace(operand, region=Region(region.horizontal, region.width, region.vertical)))

    monkeypatch.setattr(SymbolicOperands, "_vector_reader", wrong)
    assert disagreements(ROWS, Platform.TGLLP, 3)


def test_a_region_that_the_arrays_misread_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = on_arrays.Operands._view

    def wrong(self: on_arrays.Operands, root: str, start: int, *rest: object) -> object:
        return right(self, root, start - start % 32, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(on_arrays.Operands, "_view", wrong)
    assert of_both(ROWS)
