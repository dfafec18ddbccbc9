"""Pointers and numbers that are passed in structs, as functors of SYCL are."""

import re
from pathlib import Path

import pytest

from visaproof.isa.registers import Register
from visaproof.isa.types import type_named
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.input_meaning import MEMBERS, Argument, ArgumentValue, Piece
from visaproof.launch.kernel_info import KernelInfo
from visaproof.launch.launch import read_launch
from visaproof.launch.overlap import ArgumentInfo
from visaproof.launch.payload import _meaning
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.struct_members import MOST_BYTES, members_of_inputs, names_of_members
from visaproof.launch.zebin import read_ze_info
from visaproof.visaasm.reader import read_kernel_file

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


INDEXER = ArgumentInfo(type_name="struct ns::indexer")


def of_inputs(
    *held: tuple[str, int, int], info: ArgumentInfo = INDEXER, names: dict[int, str] | None = None
) -> list[Argument]:
    """The arguments of inputs that hold bytes of argument 2: their types, their sizes and where they begin."""
    pieces = {f"V{at}": (Piece(0, size, ArgumentValue(Argument(2), at)),) for _, size, at in held}
    registers = {
        f"V{at}": Register(f"V{at}", type_named(of), max(1, size // type_named(of).size), f"V{at}", 0)
        for of, size, at in held
    }
    found = members_of_inputs(pieces, registers, names or {}, {2: info})
    return [one.meaning.argument for (one,) in found.values() if isinstance(one.meaning, ArgumentValue)]


def test_numbers_that_are_passed_in_one_entry_are_cut_by_the_inputs() -> None:
    first, second = Argument(MEMBERS + 2 * MOST_BYTES), Argument(MEMBERS + 2 * MOST_BYTES + 8)
    found = of_inputs(("q", 8, 0), ("d", 4, 8))
    assert found == [first, second]
    assert [one.name for one in found] == ["arg2_0", "arg2_8"]
    assert [one.name for one in of_inputs(("q", 8, 0), names={2: "f", 3: "f_0"})] == ["f_0_"]


@pytest.mark.parametrize("held", [("b", 1, 4), ("q", 16, 0), ("d", 8, 0)], ids=["a gap", "two", "two halves"])
def test_an_input_that_is_not_one_number_is_no_member(held: tuple[str, int, int]) -> None:
    assert of_inputs(held) == [Argument(2)]


@pytest.mark.parametrize("name", ["struct indexer", "float4", ""])
def test_an_entry_of_opencl_stays_one_argument(name: str) -> None:
    assert of_inputs(("q", 8, 0), ("q", 8, 8), info=ArgumentInfo(type_name=name)) == [Argument(2)] * 2


def test_members_that_inputs_show_have_names() -> None:
    member = Argument(MEMBERS + 2 * MOST_BYTES, "f_0")
    pieces = {"V0": (Piece(0, 8, ArgumentValue(member)),), "V1": (Piece(0, 8, ArgumentValue(Argument(1, "x"))),)}
    assert names_of_members(pieces) == {member.index: "f_0"}


def test_a_class_of_several_numbers_in_one_entry_keeps_its_type() -> None:
    """One of eight bytes is a number; its type would hide that."""
    both = ZE_INFO.replace("size: 8, arg_index: 0", "size: 24, arg_index: 0")
    assert read(both).infos[0].type_name == "class.sycl::range"


def test_a_number_of_a_struct_may_be_negative() -> None:
    """Sizes that are made of it say that it is at least 0: of a stride nobody knows the type.  A range is no struct."""
    folder = Path(__file__).parents[1] / "data" / "functors"
    kernel = read_kernel_file(folder / "fill.visaasm")
    launch = read_launch(folder / "fill.ze_info", kernel)
    names = LaunchNames(kernel, launch, start_of(kernel, launch, Assume.LAUNCH))
    assert [names.is_signed(each) for each in ("functor_8", "range")] == [True, False]
