"""Which arguments of a launch may share memory: what the source says of each, from ze_info's `args_info`.

    kernels_misc_info:
      - args_info: [{index: 0, address_qualifier: __global, access_qualifier: NONE, type_name: 'int*;8',
                     type_qualifiers: restrict const}, …]

A host may pass one buffer twice, sub-buffers, and pointers into a buffer: two `__global` arguments may overlap at any
offset that is a multiple of their elements.  The types of the elements keep nothing apart: no option of OpenCL C lets
a compiler assume it any more (`-cl-strict-aliasing` is of version 1.0).  What keeps them apart:

* `restrict` of either (C 6.7.3.1): a byte that is written, and reached through a restrict pointer, is reached through
  it alone; where no kernel writes a byte, nobody sees that two arguments show it;
* `__constant` of either: nothing is written there while a kernel runs;
* address spaces: `__local` and `__private` memory is apart from all other;
* an image and a buffer, but for an `image1d_buffer_t`, which a host makes of a buffer;
* images of two types, a `read_only` and a `write_only` image (one image passed as both is undefined in OpenCL C 1.x,
  and from 2.0 on such a kernel needs one `read_write` argument), and images that are only read.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

GLOBAL, CONSTANT = "__global", "__constant"
READ_ONLY, WRITE_ONLY = "__read_only", "__write_only"
IMAGE_OF_A_BUFFER = "image1d_buffer_t"

SURFACE_ALIGNMENT = 4
"""Bytes: the driver lowers the base of a surface to a multiple, and hands the rest to the kernel as buffer offset."""

SCALARS = {
    "char": 1, "uchar": 1, "bool": 1, "short": 2, "ushort": 2, "half": 2, "int": 4, "uint": 4, "float": 4,
    "long": 8, "ulong": 8, "double": 8, "size_t": 8, "ptrdiff_t": 8, "intptr_t": 8, "uintptr_t": 8,
}  # fmt: skip
"""Bytes of the scalar types of OpenCL C on a device with 64-bit addresses."""

_BY_VALUE = re.compile(r"(?P<scalar>[a-z_]+?)(?P<count>2|3|4|8|16)?")
_POINTEE = re.compile(r"(?P<scalar>[a-z_]+?)(?P<count>2|3|4|8|16)?\*")


class ArgumentInfo(Struct, frozen=True):
    """What the source says of an argument, in the words of ze_info; empty where ze_info says nothing."""

    address: str = ""
    access: str = ""
    type_name: str = ""
    """Without the size that ze_info adds behind a semicolon."""
    qualifiers: frozenset[str] = frozenset()
    """Of `const`, `volatile` and `restrict`, as far as the source has them."""

    @property
    def is_image(self) -> bool:
        return self.type_name.startswith("image")

    @property
    def is_restrict(self) -> bool:
        return "restrict" in self.qualifiers

    @property
    def scalar_bytes(self) -> int:
        """Of each number of an argument by value, as of the two of a `uint2`; 0 where it is no number."""
        return SCALARS.get(self.scalar, 0)

    @property
    def scalar(self) -> str:
        """The type of each number of an argument by value: `uint` of a `uint2`; empty where it has no such name."""
        found = _BY_VALUE.fullmatch(self.type_name)
        return "" if found is None else found["scalar"]

    @property
    def components(self) -> int:
        """Of a vector by value, 2 of a `uint2`; 0 of what is none."""
        found = _BY_VALUE.fullmatch(self.type_name)
        return int(found["count"] or 0) if found is not None and self.scalar_bytes else 0

    @property
    def has_element(self) -> bool:
        """Whether it is known how large what the argument points to is."""
        found = _POINTEE.fullmatch(self.type_name)
        return self.type_name.count("*") > 1 or (found is not None and found["scalar"] in SCALARS)

    @property
    def pointee(self) -> tuple[str, int] | None:
        """What the argument points to: the scalar type, and how many of them a vector has; None of anything else."""
        found = _POINTEE.fullmatch(self.type_name)
        return (found["scalar"], int(found["count"] or 1)) if found is not None and found["scalar"] in SCALARS else None

    @property
    def alignment(self) -> int:
        """Bytes of which the address of the argument is a multiple: its element's size, 1 where that is not known.

        A vector of three has the alignment of four (OpenCL C 6.1.5).
        """
        if not self.has_element:
            return 1
        found = _POINTEE.fullmatch(self.type_name)
        if found is None:
            return 8
        count = int(found["count"] or 1)
        return SCALARS[found["scalar"]] * (4 if count == 3 else count)


NOTHING_SAID = ArgumentInfo()


def multiples(unit: int, others: Mapping[str, int]) -> str:
    """Of how many bytes addresses are multiples, in words: `others` are those of these names."""
    return f"{unit}" + "".join(f"; of {name}: {own}" for name, own in others.items())


def may_overlap(one: ArgumentInfo, other: ArgumentInfo) -> bool:
    """Whether a host may pass both so that a byte that is written belongs to both."""
    if one.is_restrict or other.is_restrict:
        return False
    if {one.address, other.address} - {GLOBAL, ""}:
        return False
    if one.is_image and other.is_image:
        return _may_be_one_image(one, other)
    if one.is_image or other.is_image:
        image, buffer = (one, other) if one.is_image else (other, one)
        return image.type_name == IMAGE_OF_A_BUFFER or not buffer.type_name
    return True


def _may_be_one_image(one: ArgumentInfo, other: ArgumentInfo) -> bool:
    if one.type_name != other.type_name:
        return False
    return {one.access, other.access} not in ({READ_ONLY}, {READ_ONLY, WRITE_ONLY})
