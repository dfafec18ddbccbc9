"""Pointers and numbers that are passed in structs, as functors of SYCL are."""

import re

import pytest

from visaproof.launch.input_meaning import MEMBERS, Argument
from visaproof.launch.kernel_info import KernelInfo
from visaproof.launch.payload import _meaning
from visaproof.launch.struct_members import MOST_BYTES
from visaproof.launch.zebin import read_ze_info

ZE_INFO = """
kernels:
  - name: k
    execution_env: {simd_size: 16}
    payload_arguments:
      - {arg_type: arg_byvalue, offset: 0, size: 8, arg_index: 0, source_offset: 0}
      - {arg_type: arg_byvalue, offset: 8, size: 8, arg_index: 1, source_offset: 0, is_ptr: true}
      - {arg_type: arg_byvalue, offset: 16, size: 8, arg_index: 1, source_offset: 8}
      - {arg_type: arg_byvalue, offset: 24, size: 4, arg_index: 1, source_offset: 16}
      - {arg_type: arg_byvalue, offset: 28, size: 1, arg_index: 1, source_offset: 20}
kernels_misc_info:
  - name: k
    args_info:
      - {index: 0, name: range, type_name: 'class.sycl::range;8'}
      - {index: 1, name: f, type_name: 'class.functor;24'}
"""


def read(text: str = ZE_INFO) -> KernelInfo:
    return read_ze_info(text, "k.ze_info", "k")


def meanings(info: KernelInfo) -> list[str]:
    return [str(_meaning(argument)) for argument in info.arguments]


def test_each_member_of_a_functor_is_an_argument_of_its_own() -> None:
    pointer, number, small = (MEMBERS + MOST_BYTES + offset for offset in (0, 8, 16))
    info = read()
    assert [each.argument for each in info.arguments] == [
        Argument(0), Argument(pointer), Argument(number), Argument(small), Argument(1)
    ]  # fmt: skip
    assert {info.arg_names[each] for each in (pointer, number, small)} == {"f_0", "f_8", "f_16"}
    assert [each.source_offset for each in info.arguments] == [0, 0, 0, 0, 20]


def test_a_pointer_in_a_struct_is_the_address_of_a_buffer() -> None:
    assert "address" in meanings(read())[1]
    assert meanings(read())[1] != meanings(read(ZE_INFO.replace("is_ptr: true", "is_ptr: false")))[1]


def test_a_gap_that_is_passed_with_a_number_is_none_of_it() -> None:
    """5 bytes from byte 16 on are the number there and a byte of the struct; from byte 18 on there is no number."""
    joined = "\n".join(line for line in ZE_INFO.splitlines() if "source_offset: 20" not in line)
    joined = joined.replace("size: 4, arg_index: 1, source_offset: 16", "size: 5, arg_index: 1, source_offset: 16")
    assert read(joined).arguments == read().arguments
    apart = read(joined.replace("source_offset: 16", "source_offset: 18"))
    assert [(each.size, each.source_offset) for each in apart.arguments][-1] == (5, 18)
    assert "f_18" not in apart.arg_names.values()


def test_a_struct_that_is_one_number_has_no_type_that_hides_it() -> None:
    assert read().infos[0].type_name == ""
    assert read().infos[1].type_name == "class.functor"


def test_a_struct_with_a_pointer_is_one_of_cpp() -> None:
    """Its numbers are arguments as well, though its type is not called a class."""
    assert read(ZE_INFO.replace("class.functor", "struct functor")).arguments == read().arguments


def test_a_struct_of_opencl_stays_one_argument() -> None:
    """`--arg` gives all of it."""
    info = read(ZE_INFO.replace("class.functor", "struct functor").replace(", is_ptr: true", ""))
    assert [each.argument for each in info.arguments] == [Argument(0), *[Argument(1)] * 4]


def test_no_member_takes_the_name_of_another_argument() -> None:
    info = read(ZE_INFO.replace("name: range", "name: f_0"))
    assert info.arg_names[MEMBERS + MOST_BYTES] == "f_0_"


def test_a_member_of_an_argument_without_a_name_is_named_by_its_number() -> None:
    info = read(re.sub(r"name: (range|f), ", "", ZE_INFO))
    assert info.arg_names[MEMBERS + MOST_BYTES + 8] == "arg1_8"


@pytest.mark.parametrize(
    "changed",
    [("size: 8, arg_index: 1, source_offset: 0", "size: 4, arg_index: 1, source_offset: 0"),
     ("source_offset: 0, is_ptr", "source_offset: 70000, is_ptr"), ("arg_index: 1, source_offset: 0", "arg_index: -1")],
    ids=["of four bytes", "far away", "of no argument"],
)  # fmt: skip
def test_what_is_no_pointer_of_a_struct_is_none(changed: tuple[str, str]) -> None:
    """It is not taken for a buffer, and nothing breaks."""
    assert not any("address" in each for each in meanings(read(ZE_INFO.replace(*changed))))
