"""What a launch file says of the order of local ids, and of what is passed."""

from pathlib import Path

import pytest

from visaproof.isa.errors import ReadError
from visaproof.launch.launch import read_launch
from visaproof.launch.zebin import read_ze_info
from visaproof.visaasm.linking.names import read_program

KERNEL = """version: '1.73'
kernels:
  - name: k
    user_attributes:
      {attributes}
    execution_env:
      simd_size: 16
      {environment}
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: {space}}}
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 1, addrmode: stateful, addrspace: {other}}}
"""


def text(attributes: str = "a: b", environment: str = "grf_count: 128", space: str = "image", other: str = "") -> str:
    return KERNEL.format(attributes=attributes, environment=environment, space=space, other=other or space)


def test_today_s_compiler_demands_an_order_of_every_kernel() -> None:
    """Of the attributes, or of the environment, which the driver takes."""
    assert read_ze_info(text(), "k", "k").walk_order is None
    by_attribute = text("intel_reqd_workgroup_walk_order: [ 0, 1, 2 ]")
    assert read_ze_info(by_attribute, "k", "k").walk_order == (0, 1, 2)
    by_environment = text("a: b", "work_group_walk_order_dimensions: [ 1, 0, 2 ]")
    assert read_ze_info(by_environment, "k", "k").walk_order == (1, 0, 2)


def test_zeros_demand_no_order() -> None:
    zeros = text("a: b", "work_group_walk_order_dimensions: [ 0, 0, 0 ]")
    assert read_ze_info(zeros, "k", "k").walk_order is None


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["corpus", "corpus-2026"])
def test_launches_of_both_corpora_are_read(corpus: str) -> None:
    """One dump of each kernel, the VectorCompiler's among them, whose order is all zeros."""
    folder = Path(__file__).parents[4] / "shared" / corpus
    if not folder.is_dir():
        pytest.skip(f"no {corpus} beside the repository")
    dumps = {
        one.parent: one for one in sorted((folder / "visaasm").glob("*/*.visaasm")) if "." not in one.stem
    }.values()
    read = 0
    for path in dumps:
        try:
            kernel = read_program(path, grf_bytes=None)
        except ReadError:
            continue  # what the grammar does not have
        assert read_launch(folder / "manifest.json", kernel).platform is not None, path
        read += 1
    assert read > len(dumps) // 2


def test_an_order_has_each_dimension_once() -> None:
    with pytest.raises(ReadError, match="a walk order is 0, 1 and 2") as error:
        read_ze_info(text("intel_reqd_workgroup_walk_order: [ 0, 0, 2 ]"), "k", "k")
    assert error.value.position.line == 5


@pytest.mark.parametrize(
    ("space", "other", "expected"),
    [("image", "image", True), ("image", "sampler", True), ("image", "local", True), ("image", "global", False),
     ("image", "constant", False), ("global", "global", False)],
)  # fmt: skip
def test_images_without_buffers(space: str, other: str, expected: bool) -> None:
    assert read_ze_info(text(space=space, other=other), "k", "k").only_images is expected
