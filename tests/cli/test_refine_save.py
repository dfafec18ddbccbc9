"""`visaproof refine --save`: a difference as a file, which `visaproof replay` runs again without a solver."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"
SIMD8 = "tgllp-O2-simd8"
NO_SOLVER = """
import sys
sys.modules["z3"] = sys.modules["bitwuzla"] = None
from visaproof.cli import main
sys.exit(main(["replay", sys.argv[1]]))
"""


def dump(name: str) -> Path:
    path = DATA / "visaasm" / f"{name}.visaasm"
    assert path.is_file(), path
    return path


@pytest.fixture
def saved(visaproof, tmp_path: Path) -> Callable[[str, str], Path]:
    def save(source: str, target: str) -> Path:
        folder = tmp_path / "found"
        ran = visaproof("refine", dump(source), dump(target), "--launch", MANIFEST, "--save", folder)
        assert ran.code == 1
        (path,) = folder.glob("*.json")
        assert ran.err == f"saved {path}\n"
        return path

    return save


@pytest.fixture
def wrong_transpose(saved) -> Path:
    return saved(f"transpose_naive/{SIMD8}", f"transpose_naive_bad/{SIMD8}")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_difference_that_cannot_be_kept_is_shown_all_the_same(visaproof, tmp_path: Path, monkeypatch, form) -> None:
    """As on a disk that is full: no part of a file is left, and what was there before stays."""
    dumps = dump(f"transpose_naive/{SIMD8}"), dump(f"transpose_naive_bad/{SIMD8}")
    arguments = "refine", *dumps, "--launch", MANIFEST, "--save", tmp_path, "--format", form
    assert visaproof(*arguments).code == 1
    (path,) = tmp_path.iterdir()
    before = path.read_bytes()

    def full(part: Path, content: bytes) -> None:
        with part.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    found = visaproof(*arguments)
    assert found.code == 2
    assert ("DOES NOT REFINE" if form == "text" else '"does not refine"') in found.out
    assert found.err == f"error: {path}: No space left on device\n"
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (f"transpose_naive/{SIMD8}", f"transpose_naive_bad/{SIMD8}"),
        (f"oob_offbyone/{SIMD8}-a64", f"oob_offbyone_fixed/{SIMD8}-bindless"),
        (f"vadd/{SIMD8}", f"copy16/{SIMD8}"),
        (f"swap_pairs/{SIMD8}", f"conflict_div/{SIMD8}"),
    ],
)
def test_a_saved_difference_replays_where_no_solver_can_be_loaded(source, target, saved):
    """Both by surface and by address, and where the target is undefined."""
    path = saved(source, target)
    ran = subprocess.run([sys.executable, "-c", NO_SOLVER, str(path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"ok   {path}: ")
    assert ran.stdout.endswith("1 replayed\n")


@pytest.mark.slow
def test_another_byte_than_recorded_is_noticed(wrong_transpose, visaproof):
    now = json.loads(wrong_transpose.read_text())["differs"].get("target", "0x0")
    changed(wrong_transpose, lambda document: document["differs"].update(target="0xf7"))
    ran = visaproof("replay", wrong_transpose)
    assert ran.code == 1
    assert f"after the target: recorded 0xf7, now {now}" in ran.out


@pytest.mark.slow
def test_two_kernels_that_do_the_same_are_no_difference(wrong_transpose, visaproof):
    changed(wrong_transpose, lambda document: document.update(target=document["source"]))
    ran = visaproof("replay", wrong_transpose)
    assert ran.code == 1
    assert "both kernels leave the same there" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda document: document["source"].update(platform="ZX81"), "no platform 'ZX81'"),
        (lambda document: document["memory"].clear(), "its launch does not fit its kernels"),
        (lambda document: document["target"].update(program=["nonsense"]), "error: "),
        (lambda document: document.update(exec_mask="many"), "its launch does not fit its kernels"),
        (lambda document: document.update(more=1), "not a counterexample"),
        (lambda document: document.update(format=9), "this visaproof reads format 1"),
        (lambda document: document["source"].update(registers={"%r0": "0"}), "its launch does not fit its kernels"),
    ],
)
def test_a_malformed_file_is_an_error_with_its_name(change, said, wrong_transpose, visaproof):
    changed(wrong_transpose, change)
    ran = visaproof("replay", wrong_transpose)
    assert ran.code == 2
    assert said in ran.err
    assert str(wrong_transpose) in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_a_file_that_was_cut_off_is_an_error(wrong_transpose, visaproof):
    wrong_transpose.write_text(wrong_transpose.read_text()[:3000])
    assert visaproof("replay", wrong_transpose).code == 2


def test_nothing_is_asked_where_nothing_can_be_saved(tmp_path, visaproof):
    (tmp_path / "file").touch()
    file = dump(f"vadd/{SIMD8}")
    ran = visaproof("refine", file, file, "--platform", "TGLLP", "--save", tmp_path / "file")
    assert ran.code == 2
    assert "cannot make the folder" in ran.err


def test_what_refines_leaves_no_file(tmp_path, visaproof):
    files = dump(f"copy16/{SIMD8}"), dump(f"copy16_b/{SIMD8}")
    assert visaproof("refine", *files, "--launch", MANIFEST, "--save", tmp_path / "found").code == 0
    assert list((tmp_path / "found").iterdir()) == []


@pytest.mark.slow
def test_many_pairs_save_their_differences(tmp_path, visaproof):
    pairs = tmp_path / "pairs.json"
    source, target = dump(f"transpose_naive/{SIMD8}"), dump(f"transpose_naive_bad/{SIMD8}")
    pairs.write_text(json.dumps([{"source": str(source), "target": str(target)}]))
    assert visaproof("tv", pairs, "--launch", MANIFEST, "--save", tmp_path / "found").code == 1
    assert visaproof("replay", tmp_path / "found").code == 0


SHORT = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input AT offset=32 size=32
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) AT(0,0)<1> 0x0:ud
{body}
    ret (M1, 1)
"""
ONE_LANE = "    scatter4_scaled.R (M1_NM, 1) T6 0x0:ud AT.0 X.0"
SHARED_LOCAL = (
    "    shl (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x2:ud\n    gather4_scaled.R (M1_NM, 1) %slm 0x0:ud X.0 AT.0\n"
)
UNUSED = "    mov (M1_NM, 8) AT(0,0)<1> 0x0:ud\n    mov (M1_NM, 8) X(0,0)<1> 0x7:ud\n"


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        (ONE_LANE, ONE_LANE.replace("M1_NM, 1", "M1_NM, 8"), "collision"),
        (UNUSED + ONE_LANE, SHARED_LOCAL + UNUSED + ONE_LANE, "slm-outside"),
    ],
)
def test_a_target_without_a_meaning_replays_with_its_kind(source, target, kind, tmp_path, visaproof):
    for name, body in (("source", source), ("target", target)):
        (tmp_path / f"{name}.visaasm").write_text(SHORT.replace("{body}", body))
    files = tmp_path / "source.visaasm", tmp_path / "target.visaasm"
    ran = visaproof("refine", *files, "--platform", "DG2", "--undefined", f"{kind}=forbid",
                    "--save", tmp_path / "found")  # fmt: skip
    assert ran.code == 1, ran.out + ran.err
    (path,) = (tmp_path / "found").iterdir()
    assert json.loads(path.read_text())["differs"]["kind"] == kind
    assert visaproof("replay", path).code == 0
    changed(path, lambda document: document.update(target=document["source"]))
    assert visaproof("replay", path).code == 1


# ---------------------------------------------------------------- files that were tampered with


def registers(document: dict[str, Any], side: str) -> dict[str, str]:
    return document[side]["registers"]


def other_byte(content: str) -> str:
    return f"{int(content[:2], 16) ^ 1:02x}{content[2:]}"


@pytest.mark.slow
@pytest.mark.parametrize("launch", [True, False], ids=["by-meaning", "by-payload"])
def test_no_input_of_one_side_alone_can_be_changed(launch: bool, visaproof, tmp_path: Path) -> None:
    """Whatever input it is: the file then is about two launches."""
    folder = tmp_path / "found"
    dumps = dump(f"transpose_naive/{SIMD8}"), dump(f"transpose_naive_bad/{SIMD8}")
    options = ("--launch", MANIFEST) if launch else ("--platform", "tgllp")
    visaproof("refine", *dumps, *options, "--save", folder)
    (path,) = folder.glob("*.json")
    document = json.loads(path.read_text())
    assert visaproof("replay", path).code == 0
    changes = [(side, name) for side in ("source", "target") for name in registers(document, side)]
    assert len(changes) >= 4
    for side, name in changes:
        other = json.loads(path.read_text())
        registers(other, side)[name] = other_byte(registers(other, side)[name])
        changed_file = tmp_path / "changed.json"
        changed_file.write_text(json.dumps(other))
        ran = visaproof("replay", changed_file)
        assert ran.code == 1, (side, name)
        assert ": both are byte " in ran.out, (side, name)


@pytest.mark.slow
def test_equal_kernels_with_unlike_launches_are_no_difference(wrong_transpose, visaproof) -> None:
    """Two copies of the source, of which one gets another local id: both leave what the file says."""

    def change(document: dict[str, Any]) -> None:
        document["target"] = json.loads(json.dumps(document["source"]))
        ids = registers(document, "target").get("V0040", "00" * 32)  # a file leaves out registers that are 0
        registers(document, "target")["V0040"] = "0300" + ids[4:]

    changed(wrong_transpose, change)
    ran = visaproof("replay", wrong_transpose)
    assert ran.code == 1
    assert ": both are byte 0 of local_id 0" in ran.out


@pytest.mark.slow
def test_a_surface_stands_for_the_argument_of_its_launch(wrong_transpose, visaproof) -> None:
    def exchange(document: dict[str, Any]) -> None:
        document["target"]["surfaces"] = {"bti 0": "argument 1", "bti 1": "argument 0"}

    changed(wrong_transpose, exchange)
    ran = visaproof("replay", wrong_transpose)
    assert ran.code == 1
    assert "bti 0 of the target stands for argument 1, and by its launch for argument 0" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_replay_prints_what_the_runs_show(form: str, wrong_transpose, visaproof) -> None:
    before = visaproof("replay", wrong_transpose, "--format", form)
    changed(wrong_transpose, lambda document: document.update(claim="all/is-well", shows="the compiler is right"))
    again = visaproof("replay", wrong_transpose, "--format", form)
    assert again.code == before.code == 0
    assert again.out == before.out
    assert " after the source, 0x" in again.out
