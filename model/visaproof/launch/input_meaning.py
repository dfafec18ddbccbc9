"""What the bytes of a payload input stand for.  Names: ze_info, `payload_arguments[].arg_type`."""

from dataclasses import dataclass, field
from enum import Enum

from msgspec import Struct

DIMENSIONS = "xyz"
GROUP_ID_BYTES = (4, 24, 28)
"""Where r0 holds the group ids x, y, z.  Source: docs/pages/payload.md §3."""

MEMBERS = 1 << 24
"""What stands in structs has indices from here on (`launch.struct_members`): no kernel has as many arguments."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the kernel's source; its name is for the reader and never decides equality."""

    index: int
    name: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.index >= MEMBERS:
            return f"{self.name}"
        return f"argument {self.index}" + (f" ({self.name})" if self.name else "")


class LocalId(Struct, frozen=True):
    """Local ids of the thread's lanes: word k is the id of lane `first_lane` + k in one dimension."""

    dimension: int
    """0, 1, 2 for x, y, z."""
    first_lane: int = 0

    def __str__(self) -> str:
        return f"local_id_{DIMENSIONS[self.dimension]}" + (f"@{self.first_lane}" if self.first_lane else "")


class LaunchValue(Enum):
    """A value that every thread of the launch receives; its value is ze_info's name."""

    GLOBAL_ID_OFFSET = "global_id_offset"
    LOCAL_SIZE = "local_size"
    ENQUEUED_LOCAL_SIZE = "enqueued_local_size"
    GLOBAL_SIZE = "global_size"
    GROUP_COUNT = "group_count"
    WORK_DIMENSIONS = "work_dimensions"
    PRIVATE_BASE = "private_base_stateless"
    PRINTF_BUFFER = "printf_buffer"
    IMPLICIT_ARGUMENTS = "implicit_arg_buffer"
    LOCAL_ID_TABLE = "local_id_table"
    CONST_BASE = "const_base"
    GLOBAL_BASE = "global_base"
    INDIRECT_DATA = "indirect_data_pointer"
    SCRATCH_POINTER = "scratch_pointer"

    def __str__(self) -> str:
        return self.value

    @property
    def is_vector(self) -> bool:
        """Three dwords: x, y, z."""
        return self.value.endswith(("_size", "_offset", "_count"))

    @property
    def size(self) -> int:
        """Bytes.  Source: the table of argument types in IGC's ze_info specification."""
        if self.is_vector:
            return 12
        return 4 if self is LaunchValue.WORK_DIMENSIONS else 8


LAUNCH_VALUES = {value.value: value for value in LaunchValue}


class BufferAddress(Struct, frozen=True):
    """The 64-bit address at which the buffer that is passed as `argument` begins."""

    argument: Argument

    def __str__(self) -> str:
        return f"address of {self.argument}"


class BufferOffset(Struct, frozen=True):
    """How many bytes behind its surface's base the buffer that is passed as `argument` begins."""

    argument: Argument

    def __str__(self) -> str:
        return f"buffer offset of {self.argument}"


class SlmAddress(Struct, frozen=True):
    """Where in shared local memory the `local` pointer that is passed as `argument` points."""

    argument: Argument

    def __str__(self) -> str:
        return f"local address of {self.argument}"


class Surface(Struct, frozen=True):
    """What names the surface of `argument`: a binding table index or a surface state offset."""

    argument: Argument

    def __str__(self) -> str:
        return f"surface of {self.argument}"


class TableSurface(Struct, frozen=True):
    """What names the surface of the program's own variables: a surface state offset."""

    table: LaunchValue
    """What holds their address."""

    def __str__(self) -> str:
        return f"surface of {self.table}"


class Sampler(Struct, frozen=True):
    """The handle of a sampler: that of `argument`, or one in the source, by its number."""

    argument: Argument | None
    number: int | None = None

    def __str__(self) -> str:
        return f"sampler of {self.argument}" if self.argument else "inline_sampler"


class SamplerModes(Struct, frozen=True):
    """How a sampler reads that stands in the source, in ze_info's words."""

    addressing: str
    """What it reads outside of an image: `none`, `repeat`, `clamp_edge`, `clamp_border` or `mirror`."""
    filtering: str
    """`nearest` or `linear`."""
    normalized: bool
    """Whether coordinates go from 0 to 1."""

    def __str__(self) -> str:
        return f"{self.addressing}, {self.filtering}" + ", normalized" * self.normalized


IMAGE_EXTENTS = ("image_width", "image_height", "image_depth")


class ImageExtent(Struct, frozen=True):
    """The width, height or depth of the image that is passed as `argument`: dimension 0, 1 or 2."""

    argument: Argument
    dimension: int

    def __str__(self) -> str:
        return f"{IMAGE_EXTENTS[self.dimension]} of {self.argument}"


PROPERTIES = (
    "image_channel_data_type",
    "image_channel_order",
    "image_srgb_channel_order",
    "image_array_size",
    "image_num_samples",
    "image_num_mip_levels",
    "sampler_address",
    "sampler_normalized",
    "sampler_snap_wa",
)
"""What the driver says of images and samplers beside extents."""


class Property(Struct, frozen=True):
    """A dword about the image or the sampler that is passed as `argument`: any value is possible."""

    argument: Argument
    name: str

    def __str__(self) -> str:
        return f"{self.name} of {self.argument}"


class ArgumentValue(Struct, frozen=True):
    """`argument` itself, passed by value, from byte `offset` of it on."""

    argument: Argument
    offset: int = 0

    def __str__(self) -> str:
        return str(self.argument) + (f", from byte {self.offset}" if self.offset else "")


class Unknown(Struct, frozen=True):
    """Bytes of which the launch information does not say enough: any value is possible."""

    text: str
    modelled: bool = True
    """Whether no launch says what it is; else ze_info does, in a word that is not modelled here."""

    def __str__(self) -> str:
        return self.text


Meaning = (
    LocalId
    | LaunchValue
    | BufferAddress
    | BufferOffset
    | SlmAddress
    | Surface
    | TableSurface
    | Sampler
    | ImageExtent
    | Property
    | ArgumentValue
    | Unknown
)


class Piece(Struct, frozen=True):
    """`size` bytes of an input, from byte `offset` of its variable on, and what they hold."""

    offset: int
    size: int
    meaning: Meaning
    first_byte: int = 0
    """Where in the meaning's value the piece begins; local ids and by-value arguments say it themselves."""

    def __str__(self) -> str:
        match self.meaning:
            case LocalId(dimension, first_lane):
                last_lane = first_lane + self.size // 2 - 1
                return f"local_id_{DIMENSIONS[dimension]}, lanes {first_lane}..{last_lane}"
            case meaning:
                return str(meaning) + (f", from byte {self.first_byte}" if self.first_byte else "")


def natural_size(meaning: Meaning) -> int | None:
    """Bytes of a value of this meaning; None where an input holds as much of it as it has room for."""
    match meaning:
        case LaunchValue():
            return meaning.size
        case BufferAddress() | SlmAddress():
            return 8
        case BufferOffset() | ImageExtent() | Property():
            return 4
        case LocalId() | Surface() | TableSurface() | Sampler() | ArgumentValue() | Unknown():
            return None
