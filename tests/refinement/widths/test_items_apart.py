"""Two lanes that are on run two work items, whatever the layout: threads that write by the ids of both do not race."""

import pytest

from tests.support.differences import kind_of
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import LocalId, Piece
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.obligations import open_undefined, parts_undefined
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.smt import is_false
from visaproof.visaasm.reader import read_kernel

HALVES = {8: (("M1", 0),), 16: (("M1", 0), ("M3", 1))}


def with_ids(simd: int, names: str, other: str) -> list[str]:
    """The begin of a kernel with local ids as dwords of these names, another variable of dwords, and a surface."""
    return [
        ".version 4.1", '.kernel "k"',
        *(f".decl ID{name} v_type=G type=uw num_elts=16 align=GRF" for name in names),
        *(f".decl {name} v_type=G type=ud num_elts={simd} align=GRF" for name in (*names, other)),
        ".decl T6 v_type=T num_elts=1",
        *(f".input ID{name} offset={32 * place} size=32" for place, name in enumerate(names, 1)),
        f".kernel_attr SimdSize={simd}", '.function "k"', "_main:",
        "movs (M1_NM, 1) T6(0) 0x0:ud",
        *(f"mov ({mask}, 8) {name}({half},0)<1> ID{name}(0,{8 * half})<1;1,0>"
          for mask, half in HALVES[simd] for name in names),
    ]  # fmt: skip


def launched(simd: int, names: str, lines: list[str]) -> Program:
    meanings = {f"ID{name}": (Piece(0, 2 * simd, LocalId(d)),) for d, name in enumerate(names)}
    code = read_kernel("\n".join([*lines, "ret (M1, 1)", ""]), "k.visaasm")
    walk_order = (0, 1, 2) if len(names) > 2 else None
    return Program(code, Launch(simd, meanings, {0: 0}, platform=Platform.DG2, walk_order=walk_order), Platform.DG2)


def written(simd: int, column: str = "X", row: str = "Y") -> Program:
    """Each work item writes its column at the texel (column, row) of an image."""
    lines = with_ids(simd, "XY", "ZERO")
    lines += [f"mov ({mask}, 8) ZERO({half},0)<1> 0x0:ud" for mask, half in HALVES[simd]]
    for mask, half in HALVES[simd]:
        at = 32 * half
        lines.append(f"scatter4_typed.R ({mask}, 8) T6 {column}.{at} {row}.{at} %null.0 %null.0 X.{at}")
    return launched(simd, "XY", lines)


def asked(source: Program, target: Program) -> Verdict:
    return decide(compare(source, target, Scope(Assume.LAUNCH)), 10_000)


@pytest.mark.slow
def test_threads_that_write_at_both_ids_do_not_race() -> None:
    """No layout has two work items with the same ids; what is left needs no counting from lane to lane."""
    comparison = compare(written(16), written(8), Scope(Assume.LAUNCH))
    assert not is_false(open_undefined(comparison.question))
    assert next(parts_undefined(comparison.question), None) is None
    assert isinstance(decide(comparison, 10_000), Refines)
    assert isinstance(asked(written(8), written(16)), Refines)


@pytest.mark.slow
@pytest.mark.parametrize(("column", "row"), [("X", "ZERO"), ("Y", "ZERO"), ("Y", "Y")])
def test_threads_that_write_at_one_id_race(column: str, row: str) -> None:
    """Work items of one column differ in their row alone."""
    found = asked(written(16, column, row), written(8, column, row))
    assert isinstance(found, Difference), found
    assert kind_of(found) is UndefinedKind.RACE


def written_at_two_columns(simd: int, second: int = 8) -> Program:
    """Each work item writes its row at the texels (column + 1, plane + 1) and (column + second, plane + 1)."""
    lines = with_ids(simd, "XYZ", "C")
    lines += [f"add ({mask}, 8) Z({half},0)<1> Z({half},0)<1;1,0> 0x1:d" for mask, half in HALVES[simd]]
    for distance in (1, second):
        lines += [f"add ({mask}, 8) C({half},0)<1> X({half},0)<1;1,0> {distance}:d" for mask, half in HALVES[simd]]
        for mask, at in ((mask, 32 * half) for mask, half in HALVES[simd]):
            lines.append(f"scatter4_typed.R ({mask}, 8) T6 C.{at} Z.{at} %null.0 %null.0 Y.{at}")
    return launched(simd, "XYZ", lines)


def test_texels_in_planes_are_written_in_any_order_where_threads_would_race() -> None:
    """A plane ends where a row and a column do: stores that meet have this condition in another form than races."""
    found = asked(written_at_two_columns(8), written_at_two_columns(16))
    assert isinstance(found, Refines), found
    assert "normal form" in found.by
    assert not isinstance(asked(written_at_two_columns(8), written_at_two_columns(16, 9)), Refines)
