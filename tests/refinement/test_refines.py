"""`refines`: the question of `visaproof refine` as one call."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.differences import byte_of
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.float_results import Floats
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.refines import Programs, refines
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"


def dump(kernel: str, variant: str = "tgllp-O2-simd8") -> Path:
    return DATA / "visaasm" / kernel / f"{variant}.visaasm"


@pytest.mark.slow
def test_files_are_compared_with_what_a_manifest_says():
    assert isinstance(refines(dump("copy16"), dump("copy16_b"), launch=MANIFEST), Refines)
    verdict = refines(dump("transpose_naive"), dump("transpose_naive_bad"), launch=MANIFEST)
    assert isinstance(verdict, Difference)
    assert byte_of(verdict).source != byte_of(verdict).target


def test_a_file_is_read_once_for_several_questions():
    """Programs that were read may be given instead of paths."""
    programs = Programs()
    source = programs.read(dump("vadd"), MANIFEST)
    assert programs.read(dump("vadd"), MANIFEST) is source
    assert programs.read(dump("vadd"), platform="tgllp") is not source
    others = [dump("vadd", variant) for variant in ("dg2-O2-simd8", "tgllp-O2-simd8-bindless", "tgllp-O2-simd8-a64")]
    verdicts = [refines(source, other, launch=MANIFEST, programs=programs) for other in others]
    assert all(isinstance(verdict, Refines) for verdict in verdicts)
    assert programs.read(others[0], MANIFEST).platform is Platform.DG2


def test_without_a_launch_the_platform_is_the_callers():
    plain = refines(str(dump("vadd")), str(dump("vadd")), platform=Platform.TGLLP, assume=Assume.NONE)
    assert isinstance(plain, Refines)


def test_what_cannot_be_asked_is_raised():
    with pytest.raises(ReadError):
        refines(dump("no_such_kernel"), dump("vadd"))
    with pytest.raises(NotModelled):
        refines(dump("vadd"), dump("vc_scatter4", "tgllp-vc"), launch=MANIFEST)


def test_paths_and_names_may_be_texts():
    named = refines(dump("copy16"), str(dump("copy16_b")), launch=str(MANIFEST), assume="ids", platform="TGLLP")
    assert isinstance(named, Refines)


@pytest.mark.parametrize(
    "ask",
    [
        lambda file: refines(file, file, platform="tgllp", assume="nothing"),
        lambda file: refines(file, file, platform="tgllp", floats="iee"),
        lambda file: refines(file, file, forbidden={"raze"}),
        lambda file: refines(file, file, platform="dg3"),
        lambda file: refines(file, file, unroll=0),
        lambda file: refines(file, file, timeout_s=0),
        lambda file: refines(file, file, timeout_s=float("inf")),
        lambda file: refines(file, file, timeout_s=float("nan")),
    ],
)
def test_an_option_without_such_a_value_is_an_error(ask: Callable[[Path], object]):
    """It never stands for something else."""
    with pytest.raises(ValueError, match=r".+"):
        ask(dump("vadd"))


def test_an_option_by_its_name_is_the_same_question(monkeypatch: pytest.MonkeyPatch):
    asked: list[Scope] = []

    def compare(source: object, target: object, scope: Scope) -> None:
        asked.append(scope)

    monkeypatch.setattr("visaproof.refinement.refines.compare", compare)
    monkeypatch.setattr("visaproof.refinement.refines.decide", lambda *_: None)
    file = dump("vadd")
    refines(file, file, platform="tgllp", assume="none", floats="ieee", forbidden={"race", "collision"}, observe="V32")
    kinds = frozenset({UndefinedKind.RACE, UndefinedKind.COLLISION})
    device = Platform.TGLLP
    refines(file, file, platform=device, assume=Assume.NONE, floats=Floats.IEEE, forbidden=kinds, observe=("V32",))
    assert asked[0] == asked[1]
