"""Which file with launch information is taken where none is named: the one beside a kernel that tells of it."""

from pathlib import Path

import pytest

from visaproof.launch.beside import launch_beside, tells_of


def kernel(path: Path, name: str = "k") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'.version 3.6\n.kernel "{name}"\n')
    return path


def of_kernels(path: Path, *names: str) -> Path:
    path.write_text("kernels:\n" + "".join(f"  - name:            {name}\n    x: 1\n" for name in names))
    return path


def test_nothing_lies_beside(tmp_path):
    assert launch_beside(kernel(tmp_path / "one.visaasm")) is None


def test_a_kernel_that_cannot_be_read_has_none(tmp_path):
    of_kernels(tmp_path / "one.bin", "k")
    assert launch_beside(tmp_path / "one.visaasm") is None


@pytest.mark.parametrize("name", ["k.bin", "other.bin", "k.zeinfo", "k.ze_info", "k.progbin"])
def test_the_only_file_that_tells_of_the_kernel_is_taken(tmp_path, name):
    (tmp_path / "firmware.bin").write_bytes(bytes(64))
    of_kernels(tmp_path / "foreign.bin", "k2", "my_k", "k.x")
    assert launch_beside(kernel(tmp_path / "k.visaasm")) is None
    assert launch_beside(tmp_path / "k.visaasm") is None
    own = of_kernels(tmp_path / name, "a", "k")
    assert launch_beside(tmp_path / "k.visaasm") == own


def test_of_two_none_is_taken_unless_one_has_the_kernels_name(tmp_path):
    for name in ("a.bin", "b.bin"):
        of_kernels(tmp_path / name, "k")
    one = kernel(tmp_path / "one.visaasm")
    assert launch_beside(one) is None
    own = of_kernels(tmp_path / "one.bin", "k")
    assert launch_beside(one) == own


def test_the_binary_of_the_same_compilation_comes_first(tmp_path):
    for digest in ("0123456789abcdef", "fedcba9876543210"):
        of_kernels(tmp_path / f"OCL_asm{digest}.progbin", "k")
    path = kernel(tmp_path / "OCL_asmfedcba9876543210_simd16_entry_0001.visaasm")
    assert launch_beside(path) == tmp_path / "OCL_asmfedcba9876543210.progbin"


def test_folders_are_searched_up_to_the_root_and_not_beyond(tmp_path):
    top = of_kernels(tmp_path / "k.bin", "k")
    deep = kernel(tmp_path / "inner" / "one.visaasm")
    assert launch_beside(deep) is None
    assert launch_beside(deep, tmp_path / "inner") is None
    assert launch_beside(deep, tmp_path) == top
    near = of_kernels(tmp_path / "inner" / "only.bin", "k")
    assert launch_beside(deep, tmp_path) == near


def test_a_manifest_counts_where_it_names_the_file(tmp_path):
    manifest, one = tmp_path / "manifest.json", kernel(tmp_path / "one.visaasm")
    manifest.write_text('{"name": "an app", "icons": []}')
    assert launch_beside(one) is None
    manifest.write_text('{"entries": [{"kernel": "k", "file": "x/one.visaasm"}]}')
    assert launch_beside(one) == manifest
    assert tells_of(manifest, one)
    assert not tells_of(manifest, kernel(tmp_path / "two.visaasm"))
