"""Questions about programs of which no syntax tree is left: the answers are those about the kernels."""

from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from visaproof.api.kernels import bounds, conflicts, read_kernel, refines
from visaproof.isa.errors import Position
from visaproof.launch.matching import Program
from visaproof.program.kernel import Kernel
from visaproof.program.lower import lowered
from visaproof.program.statements import Landing, Origin
from visaproof.refinement.decision import decide
from visaproof.refinement.refines import compared
from visaproof.refinement.testing.lane_runs import lane_runs
from visaproof.refinement.verdicts import Difference
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[1] / "data" / "visaasm"
KERNELS = (
    "conflict_div/tgllp-O2-simd8",
    "oob_offbyone/tgllp-O2-simd8",
    "copy16/dg2-O2-lsc-simd8",
    "img_rw/tgllp-O2-simd8",
)
PAIRS = (("copy16", "copy16_b"), ("oob_offbyone", "oob_offbyone_fixed"))


class Spelling(Struct, frozen=True):
    """A statement as a second front end may know it."""

    position: Position
    text: str
    opcode: str
    suffixes: tuple[str, ...]
    first_lane: int


def spelled(origin: Origin) -> Spelling:
    return Spelling(origin.position, origin.text, origin.opcode, origin.suffixes, origin.first_lane)


def without_text(asked: Program) -> Program:
    """What another front end hands on: the lowered program, with no more than the spelling of its statements."""
    statements = asked.code.statements
    bare = tuple(one if isinstance(one, Landing) else replace(one, origin=spelled(one.origin)) for one in statements)
    return replace(asked, kernel=replace(asked.code, statements=bare))


def read(name: str) -> Program:
    return read_kernel(DATA / f"{name}.visaasm", DATA.parent / "manifest.json")


@pytest.mark.parametrize("name", KERNELS)
def test_a_program_says_of_a_kernel_what_the_kernel_says(name: str) -> None:
    kernel = read_kernel_file(DATA / f"{name}.visaasm")
    program = lowered(kernel, read(name).platform)
    for said in [one for one in vars(Kernel) if not one.startswith("_")]:
        if said not in ("statements", "instructions"):
            assert getattr(program, said) == getattr(kernel, said), said
    assert list(program.instructions()) == list(kernel.instructions())


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", KERNELS)
def test_conflicts_and_bounds_need_no_syntax_tree(name: str) -> None:
    asked = read(name)
    bare = without_text(asked)
    for one, other in ((conflicts(asked), conflicts(bare)), (bounds(asked), bounds(bare))):
        assert (one.header, one.stopped) == (other.header, other.stopped)
        assert [(each.word, each.position, each.text) for each in one] == [
            (each.word, each.position, each.text) for each in other
        ]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_refinement_needs_no_syntax_tree(source: str, target: str) -> None:
    pair = [read(f"{name}/tgllp-O2-simd8") for name in (source, target)]
    found, bare = refines(*pair), refines(*map(without_text, pair))
    assert type(found) is type(bare)
    assert (type(found).__name__ == "Difference") == (source == "oob_offbyone")


def test_what_a_lane_did_is_told_without_a_syntax_tree() -> None:
    told = []
    asked = [read(f"{name}/tgllp-O2-simd8") for name in PAIRS[1]]
    for pair in (asked, [*map(without_text, asked)]):
        comparison, timeout_ms = compared(*pair)
        found = decide(comparison, timeout_ms)
        assert isinstance(found, Difference)
        runs = lane_runs(comparison, found)
        assert runs is not None
        assert any(run.done for run in runs)
        told.append([[(done.instruction.text, done.values) for done in run.done] for run in runs])
    assert told[0] == told[1]
