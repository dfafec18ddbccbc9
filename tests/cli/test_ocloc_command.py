"""`visaproof ocloc`: compiled twice with Intel's compiler, or with something that only looks like it."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

DATA = Path(__file__).parent.parent / "data"

needs_ocloc = pytest.mark.skipif(
    shutil.which("ocloc") is None, reason="ocloc is not installed (Debian: apt-get install intel-opencl-icd)"
)

COPY = """
kernel void copy(global const uint *from, global uint *to) {
    uint i = get_global_id(0);
    to[i] = from[i] OFFSET;
}
kernel void fill(global uint *to) { int i = get_global_id(0); to[i] = 7; }
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "copy.cl"
    path.write_text(COPY)
    return path


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made; what is left there in the end was not removed."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def pretender(tmp_path: Path) -> Callable[[str], Path]:
    """A script in the place of the compiler."""

    def write(script: str) -> Path:
        path = tmp_path / "pretender"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return write


@pytest.mark.slow
@needs_ocloc
def test_unoptimised_and_optimised_are_the_same(visaproof, source, own_folder):
    """Both kernels are asked about, with one SIMD width, and what the zebins say of their inputs."""
    options = ("--source-options", "-cl-opt-disable -DOFFSET=", "--target-options", "-DOFFSET=")
    ran = visaproof("ocloc", source, *options, "--format", "json")
    assert ran.code == 0, ran.err
    assert "the target is compiled again with SIMD8" in ran.err
    document = json.loads(ran.out)
    assert document["command"] == "ocloc"
    assert [record["verdict"] for record in document["asked"]] == ["refines", "refines"]
    assert document["asked"][0]["matched_by"] == "meaning"
    assert any(one.startswith("buffer-offsets: ") for one in document["asked"][1]["assumptions"])
    assert [one["simd"] for one in document["compiled"]] == [None, 8]
    assert list(own_folder.iterdir()) == []


@needs_ocloc
def test_an_option_that_changes_nothing_is_the_headline(visaproof, source):
    """A misspelt variable compiles the same program twice, into two binaries."""
    ran = visaproof("ocloc", source, "--source-options=-DOFFSET=", "--target-options=-DOFFSET=", "--target-env", "A=1")
    assert ran.code == 0, ran.err
    assert ran.out.count("REFINES: both are the same program: nothing was changed") == 2


@needs_ocloc
def test_a_wrong_rewrite_is_shown_saved_and_replayed(visaproof, source, tmp_path, own_folder):
    options = ("--source-options", "-DOFFSET=", "--target-options", "-DOFFSET=+1", "--simd", "8")
    ran = visaproof("ocloc", source, *options, "--save", tmp_path / "found", "--keep", tmp_path / "kept")
    assert ran.code == 1, ran.err
    assert "DOES NOT REFINE" in ran.out
    assert "REFINES: " in ran.out
    _, _, launch = ran.out.partition("in a launch of ")
    assert f"visaproof run {tmp_path / 'kept' / 'target' / 'copy.visaasm'} --launch" in launch
    assert (tmp_path / "kept" / "source" / "copy.visaasm").is_file()
    assert visaproof("replay", tmp_path / "found").code == 0
    assert list(own_folder.iterdir()) == []
    again = visaproof("ocloc", source, *options, "--keep", tmp_path / "kept")
    assert again.code == 2
    assert "holds an earlier compilation" in again.err


@needs_ocloc
def test_the_compilers_own_words_are_shown(visaproof, source):
    ran = visaproof("ocloc", source, "--target-options=-DOFFSET=+nothing", "--source-options=-DOFFSET=")
    assert ran.code == 2
    assert "undeclared identifier 'nothing'" in ran.err
    assert visaproof("ocloc", source, "--device", "abacus").code == 2


@needs_ocloc
def test_a_kernel_of_one_file_only_is_said(visaproof, source, tmp_path):
    other = tmp_path / "other.cl"
    other.write_text("kernel void fill(global uint *to) { to[get_global_id(0)] = 7; }\n")
    ran = visaproof("ocloc", source, other, "--source-options=-DOFFSET=", "--simd", "16")
    assert ran.code == 2
    assert "error: kernel copy is only in the source" in ran.err
    assert "REFINES: " in ran.out


def test_a_missing_compiler_is_an_error_with_a_hint(visaproof, source):
    ran = visaproof("ocloc", source, "--ocloc", "no-such-ocloc")
    assert ran.code == 2
    assert ran.err == (
        "error: no-such-ocloc is not installed\n  hint: Debian: apt install intel-opencl-icd; or --ocloc PATH\n"
    )


def test_a_missing_file_is_an_error_before_anything_is_compiled(visaproof, tmp_path, pretender):
    ran = visaproof("ocloc", tmp_path / "no.cl", "--ocloc", pretender("exit 0"))
    assert ran.code == 2
    assert "no.cl:1:1: no such file" in ran.err


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo what; printf '\\033[2J'; exit 3", "the compiler ended with 3\n    what\n     [2J"),
        ("kill -9 $$", "the compiler ended with -9"),
        ("exit 0", "wrote 0 binaries"),
        ('while [ "$1" != -out_dir ]; do shift; done; touch "$2/k.bin"', "the compiler dumped no kernel"),
        (
            'while [ "$1" != -out_dir ]; do shift; done; touch "$2/k.bin"; echo junk > $IGC_DumpToCustomDir/k.visaasm',
            "cannot be read: no kernel in it",
        ),
    ],
)
def test_a_compiler_that_does_not_do_its_work_is_an_error(script, said, visaproof, source, pretender, own_folder):
    ran = visaproof("ocloc", source, "--ocloc", pretender(script))
    assert ran.code == 2
    assert said in ran.err
    assert list(own_folder.iterdir()) == []


def test_a_width_that_the_compiler_tried_and_gave_up_is_passed_over(visaproof, source, pretender):
    """It dumps both, and the binary has one: `simd_size` says which."""
    dumps = {width: DATA / f"launch/vadd/tgllp-O2{width}.visaasm" for width in ("-simd8", "")}
    copies = "; ".join(f"cp {path} $IGC_DumpToCustomDir/k{path.stem}.visaasm" for path in dumps.values())
    for width, path in dumps.items():
        zebin = DATA / f"launch/vadd/tgllp-O2{width}.zebin"
        script = f'while [ "$1" != -out_dir ]; do shift; done; cp {zebin} "$2/k.bin"; {copies}'
        ran = visaproof("ocloc", source, "--ocloc", pretender(script), "--keep", source.parent / f"kept{width}")
        assert ran.code == 0, ran.err
        assert (source.parent / f"kept{width}/source/vadd.visaasm").read_text() == path.read_text()


def test_of_a_kernel_that_was_compiled_again_the_last_attempt_is_asked(visaproof, source, pretender):
    """A kernel that spills is compiled once more, and both dumps are left."""
    path, zebin = (DATA / f"launch/vadd/tgllp-O2-simd8.{suffix}" for suffix in ("visaasm", "zebin"))
    first = source.parent / "first.visaasm"
    first.write_text(path.read_text() + "\n// the first attempt\n")
    names = {first: "OCL_asm0_simd8_entry_0001", path: "OCL_asm0_1_simd8_entry_0001"}
    copies = "; ".join(f"cp {one} $IGC_DumpToCustomDir/{name}.visaasm" for one, name in names.items())
    script = f'while [ "$1" != -out_dir ]; do shift; done; cp {zebin} "$2/k.bin"; {copies}'
    ran = visaproof("ocloc", source, "--ocloc", pretender(script), "--keep", source.parent / "kept")
    assert ran.code == 0, ran.err
    assert (source.parent / "kept/source/vadd.visaasm").read_text() == path.read_text()


def test_a_compiler_that_never_ends_is_ended(visaproof, source, pretender, own_folder):
    start = monotonic()
    ran = visaproof("ocloc", source, "--ocloc", pretender("sleep 300 & sleep 300"), "--compile-timeout", "0.3")
    assert ran.code == 2
    assert "did not end within 0.3 s" in ran.err
    assert monotonic() - start < 60
    assert list(own_folder.iterdir()) == []


def test_options_may_begin_with_a_dash(visaproof, source, pretender):
    """The compiler gets them as they are."""
    told = pretender('echo "$@"; exit 1')
    ran = visaproof("ocloc", source, "--ocloc", told, "--source-options", "-O0", "--source-internal-options", "-x y")
    assert "-options -O0 -internal_options -x y" in ran.err
    assert "-options -O0" in visaproof("ocloc", source, "--ocloc", told, "--source-options=-O0").err
    assert visaproof("ocloc", source, "--source-env", "A").code == 2


@pytest.mark.parametrize("ended_by", ["INT", "TERM"])
def test_ctrl_c_and_sigterm_end_the_compiler(ended_by, source, pretender, own_folder):
    """It ends with 130, and leaves no file."""
    code = (
        "import sys, tempfile\n"
        f"tempfile.tempdir = {str(own_folder)!r}\n"
        "from visaproof.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    compiler = pretender(f"echo $$ > pid; sleep 0.5; kill -{ended_by} $PPID; exec sleep 300")
    command = [sys.executable, "-c", code, "ocloc", str(source), "--ocloc", str(compiler)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 130
    assert list(own_folder.iterdir()) == []
    assert not Path(f"/proc/{(source.parent / 'pid').read_text().strip()}").exists()
