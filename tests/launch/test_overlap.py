"""Which arguments of a launch may share memory, against what OpenCL C says of their qualifiers."""

from itertools import product

import pytest

from visaproof.launch.input_meaning import Argument
from visaproof.launch.overlap import NOTHING_SAID, ArgumentInfo, may_overlap
from visaproof.launch.zebin import read_ze_info

BUFFER = ArgumentInfo("__global", "", "int*")
BYTES = ArgumentInfo("__global", "", "char*", frozenset({"const"}))
RESTRICT = ArgumentInfo("__global", "", "int*", frozenset({"restrict", "const"}))
VOLATILE = ArgumentInfo("__global", "", "int*", frozenset({"volatile"}))
CONSTANT = ArgumentInfo("__constant", "", "int*", frozenset({"const"}))
LOCAL = ArgumentInfo("__local", "", "float*")
VALUE = ArgumentInfo("__private", "", "int")
READS = ArgumentInfo("__global", "__read_only", "image2d_t")
WRITES = ArgumentInfo("__global", "__write_only", "image2d_t")
BOTH = ArgumentInfo("__global", "__read_write", "image2d_t")
CUBE = ArgumentInfo("__global", "__write_only", "image3d_t")
OF_BUFFER = ArgumentInfo("__global", "__write_only", "image1d_buffer_t")

MAY = [
    (BUFFER, BUFFER), (BUFFER, BYTES), (BYTES, BYTES), (BUFFER, VOLATILE), (VOLATILE, VOLATILE), (BUFFER, NOTHING_SAID),
    (NOTHING_SAID, NOTHING_SAID), (WRITES, WRITES), (BOTH, BOTH), (BOTH, READS), (BOTH, WRITES), (OF_BUFFER, BUFFER),
    (VOLATILE, BYTES), (BYTES, NOTHING_SAID), (VOLATILE, NOTHING_SAID), (OF_BUFFER, BYTES), (OF_BUFFER, VOLATILE),
    (OF_BUFFER, OF_BUFFER), (OF_BUFFER, NOTHING_SAID), (READS, NOTHING_SAID), (WRITES, NOTHING_SAID),
    (BOTH, NOTHING_SAID), (CUBE, CUBE), (CUBE, NOTHING_SAID),
]  # fmt: skip
"""All other pairs of these may not."""

ALL = [
    BUFFER, BYTES, RESTRICT, VOLATILE, CONSTANT, LOCAL, VALUE, READS, WRITES, BOTH, CUBE, OF_BUFFER, NOTHING_SAID,
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), list(product(ALL, ALL)), ids=lambda info: f"{info.access}{info.type_name}")
def test_arguments_overlap_as_their_qualifiers_allow(one: ArgumentInfo, other: ArgumentInfo) -> None:
    """C 6.7.3.1 for `restrict`, OpenCL C 6.5 for address spaces, 6.6 for access qualifiers."""
    assert may_overlap(one, other) == ((one, other) in MAY or (other, one) in MAY)


@pytest.mark.parametrize(
    ("type_name", "bytes_"),
    [
        ("int*", 4), ("uchar*", 1), ("half*", 2), ("double*", 8), ("float4*", 16), ("char3*", 4), ("long16*", 128),
        ("int**", 8), ("struct point*", 1), ("image2d_t", 1), ("int", 1), ("", 1), ("int5*", 1),
    ],
)  # fmt: skip
def test_a_buffer_begins_at_a_multiple_of_its_element(type_name: str, bytes_: int) -> None:
    """Of a struct, ze_info gives the name only: it may begin anywhere."""
    assert ArgumentInfo("__global", "", type_name).alignment == bytes_


ZE_INFO = """
kernels:
  - name: k
    execution_env: {simd_size: 16}
kernels_misc_info:
  - name: k
    args_info:
      - {index: 0, name: a, address_qualifier: __global, access_qualifier: NONE, type_name: 'int*;8',
         type_qualifiers: restrict const}
      - {index: 1, name: b, address_qualifier: __global, access_qualifier: __read_only, type_name: 'image2d_t;8',
         type_qualifiers: NONE}
      - {index: 2, name: c}
"""


def test_ze_info_says_what_the_source_says_of_its_arguments() -> None:
    """`NONE`, and what is missing, says nothing."""
    assert read_ze_info(ZE_INFO, "k.ze_info", "k").infos == {
        0: ArgumentInfo("__global", "", "int*", frozenset({"restrict", "const"})),
        1: ArgumentInfo("__global", "__read_only", "image2d_t"),
        2: NOTHING_SAID,
    }


UNNAMED = """
kernels:
  - name: k
    execution_env: {simd_size: 16}
    payload_arguments:
      - {arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global}
      - {arg_type: arg_byvalue, offset: 8, size: 4, arg_index: 1}
kernels_misc_info:
  - name: k
    args_info:
      - {index: 0, address_qualifier: __global, access_qualifier: NONE, type_name: 'long*;8', type_qualifiers: NONE}
      - {index: 1, name: n}
"""


def test_an_argument_without_a_name_keeps_what_else_is_said_of_it() -> None:
    """As the compiler writes it for SYCL kernels that were built without debug information."""
    info = read_ze_info(UNNAMED, "k.ze_info", "k")
    assert [each.argument for each in info.arguments] == [Argument(0, None), Argument(1, "n")]
    assert info.infos[0] == ArgumentInfo("__global", "", "long*")
