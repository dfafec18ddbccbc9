"""TYPED_ATOMIC on each type of surface: examples worked by hand from the page's table, on both writings at once."""

import pytest

from tests.two_writings import after_both, dwords, dwords_of
from visaproof.instructions import TypedAtomic
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import Axis, SurfaceKind, surface_kind
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image

U, V, R, LOD, DST = (RawOperand(name) for name in ("VU", "VV", "VR", "VL", "VD"))

TABLE = {
    "1D": (Axis.X,),
    "1D_array": (Axis.X, Axis.LAYER),
    "2D": (Axis.X, Axis.Y),
    "2D_array": (Axis.X, Axis.Y, Axis.LAYER),
    "3D": (Axis.X, Axis.Y, Axis.Z),
}
"""Page: "The table below summarizes the offsets for each surface type." """

LEVELS = ((4, 3, 2), (2, 2, 1))
LAYERS = 5

LAST = {
    "1D": [(3, 0, 0), (1, 0, 0)],
    "1D_array": [(3, 4, 0), (1, 4, 0)],
    "2D": [(3, 2, 0), (1, 1, 0)],
    "2D_array": [(3, 2, 4), (1, 1, 4)],
    "3D": [(3, 2, 1), (1, 1, 0)],
}
"""The last texel of levels 0 and 1: pixels shrink with the level, layers do not."""


def test_the_kinds_are_the_rows_of_the_table() -> None:
    assert {kind.spelling: kind.axes for kind in SurfaceKind} == TABLE
    assert all(surface_kind(spelling).spelling == spelling for spelling in TABLE)
    with pytest.raises(KeyError):
        surface_kind("4D")


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("spelling", TABLE)
def test_the_last_texel_of_a_level_is_inside_and_the_next_along_each_axis_is_not(spelling: str, level: int) -> None:
    """Lane 0 is at the last texel, lane k + 1 one further along axis k, and one more lane at level 2: there is none."""
    kind = surface_kind(spelling)
    axes, last = len(kind.axes), LAST[spelling][level]
    further = [(*(last[k] + (k == axis) for k in range(3)), level) for axis in range(axes)]
    places = [(*last, level), *further, (0, 0, 0, 2)]
    before = ConcreteState(Platform.TGLLP, exec_mask=2 ** len(places) - 1)
    for name, column in zip(("VU", "VV", "VR", "VL"), zip(*places, strict=True), strict=True):
        before.registers[name] = dwords(*column, *[0] * (8 - len(places)))
    before.registers["VD"] = dwords(*[7] * 8)
    texels = dict.fromkeys(places, 40)
    before.surfaces["T6"] = Image(LEVELS, texels, kind, LAYERS)
    u, v, r = (*(U, V, R)[:axes], NULL, NULL)[:3]
    instruction = TypedAtomic(Execution(8), AtomicOp.INC, "T6", u, v, r, LOD, dst=DST)
    instruction.validate(Platform.TGLLP)
    instruction.validate_on(kind)
    after = after_both(instruction, before)
    assert dwords_of(after.registers["VD"]) == [40] + [0] * (axes + 1) + [7] * (6 - axes)
    assert after.image("T6").texels == texels | {(*last, level): 41}


@pytest.mark.parametrize("spelling", TABLE)
@pytest.mark.parametrize("given", [1, 2, 3])
def test_a_coordinate_that_is_not_applicable_must_be_null(spelling: str, given: int) -> None:
    """Page: "N/A (must be V0)"."""
    kind = surface_kind(spelling)
    u, v, r = (*(U, V, R)[:given], NULL, NULL)[:3]
    instruction = TypedAtomic(Execution(8), AtomicOp.INC, "T6", u, v, r)
    if given <= len(kind.axes):
        instruction.validate_on(kind)
        return
    with pytest.raises(IllegalInstruction, match=f"[VR] must be V0 for a surface of type {spelling}"):
        instruction.validate_on(kind)
