"""What a zebin says beside the payload: scratch memory, and whether smaller last groups are refused."""

import pytest

from visaproof.launch.zebin import is_uniform, read_ze_info

ZE_INFO = """
kernels:
  - name: k
    execution_env: {simd_size: 16}
    per_thread_memory_buffers:
      - {type: scratch, usage: private_space, size: 512}
      - {type: scratch, usage: spill_fill_space, size: 64, slot: 1}
      - {type: scratch, usage: single_space, size: 1024}
      - {type: global, usage: private_space, size: 32, is_simt_thread: true}
"""


def test_scratch_is_what_private_variables_have_there() -> None:
    """Neither what the compiler spills, nor private memory at an address."""
    assert read_ze_info(ZE_INFO, "k.ze_info", "k").scratch_bytes == 512 + 1024
    assert read_ze_info(ZE_INFO.replace("scratch", "global"), "k.ze_info", "k").scratch_bytes == 0


@pytest.mark.parametrize(
    ("options", "uniform"),
    [
        (None, None), (b"", True), (b"-cl-std=CL1.2", True), (b"-cl-mad-enable\0", True), (b"-cl-std=CL2.0\0", False),
        (b"-cl-std=CL3.0 -cl-uniform-work-group-size", True), (b"-DX -cl-std=CL3.0", False),
        (b"-cl-std=CL1.1 -cl-std=CL2.0", True), (b"\xff\xfe -cl-std=CL2.0", False),
    ],
)  # fmt: skip
def test_build_options_say_whether_smaller_last_groups_are_refused(options: bytes | None, uniform: bool | None) -> None:
    """As compute-runtime's `Program::updateNonUniformFlag`: the first -cl-std counts, and 1.2 without one."""
    assert is_uniform(options) is uniform
