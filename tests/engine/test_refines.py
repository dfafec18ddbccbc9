"""`refines`: the question of `visaproof refine` as one call."""

from pathlib import Path

import pytest

from visaproof.engine.refinement.decision import Refines
from visaproof.engine.refinement.runs import Difference
from visaproof.engine.refines import Programs, refines
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.kernel.assumptions import Assume

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"


def dump(kernel: str, variant: str = "tgllp-O2-simd8") -> Path:
    return DATA / "visaasm" / kernel / f"{variant}.visaasm"


def test_files_are_compared_with_what_a_manifest_says():
    assert isinstance(refines(dump("copy16"), dump("copy16_b"), launch=MANIFEST), Refines)
    verdict = refines(dump("transpose_naive"), dump("transpose_naive_bad"), launch=MANIFEST)
    assert isinstance(verdict, Difference)
    assert verdict.source != verdict.target


def test_a_file_is_read_once_for_several_questions():
    """Programs that were read may be given instead of paths."""
    programs = Programs()
    source = programs.read(dump("vadd"), MANIFEST)
    assert programs.read(dump("vadd"), MANIFEST) is source
    assert programs.read(dump("vadd")) is not source
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
