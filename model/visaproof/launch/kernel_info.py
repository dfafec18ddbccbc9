"""What ze_info says of one kernel."""

from collections.abc import Mapping

from msgspec import Struct, field

from visaproof.isa.errors import Position
from visaproof.launch.constants import BASES, Constant, Constants
from visaproof.launch.ids.local_ids import Order
from visaproof.launch.input_meaning import (
    Argument,
    SamplerModes,
)
from visaproof.launch.overlap import ArgumentInfo
from visaproof.visaasm.device import Said


class PayloadArgument(Struct, frozen=True):
    """One entry of `payload_arguments` or `per_thread_payload_arguments`, in ze_info's own words."""

    kind: str
    offset: int
    size: int
    argument: Argument | None = None
    address_mode: str = ""
    address_space: str = ""
    source_offset: int = 0
    sampler: int | None = None
    """The number of the sampler, where it is one."""
    table_index: int | None = None
    """The binding table index of what the payload has the address of."""


SCRATCH_TYPE, ONE_SPACE = "scratch", "single_space"
"""The type of memory behind `%scratch`, and the use of it for private variables and spilled registers in one."""

PRIVATE_SPACE = "private_space"
"""The use of memory for the private variables of the source, in ze_info's words."""


class KernelInfo(Struct, frozen=True):
    """What ze_info says of one kernel."""

    name: str
    simd: int
    arguments: tuple[PayloadArgument, ...]
    per_thread: tuple[PayloadArgument, ...]
    binding_table: Mapping[int, int]
    """Binding table index to argument index."""
    arg_names: Mapping[int, str]
    group_size: tuple[int, int, int] | None
    """`reqd_work_group_size` of the source."""
    inline_bytes: int
    """How much of the payload comes before what is loaded from memory, in registers of its own."""
    device: tuple[Said, ...]
    """What is said of the device."""
    source: str
    position: Position
    constants: Constants = field(default_factory=dict[str, Constant])
    """What the tables and strings of the program hold, as far as the source has it."""
    slm_bytes: int = 0
    """Shared local memory of a group, without `local` arguments."""
    private_bytes: int = 0
    """Private memory of all work items of a hardware thread; 0 where there is none, or nothing is said of it."""
    scratch_bytes: int = 0
    """Of it, what a thread has in `%scratch`; with what the compiler spills where both are in one piece."""
    uniform: bool | None = None
    """Whether it is built so that a launch with a smaller last group is refused; None where nothing says it."""
    samplers: Mapping[int, SamplerModes] = field(default_factory=dict[int, SamplerModes])
    """The samplers of the source, by their numbers."""
    registers: int | None = None
    """Registers of a thread."""
    walk_order: Order | None = None
    """`intel_reqd_workgroup_walk_order`: today's compiler demands x-y-z of every kernel."""
    order_known: bool = False
    """Whether the source would say a demanded order."""
    infos: Mapping[int, ArgumentInfo] = field(default_factory=dict[int, ArgumentInfo])
    """What the source says of its arguments, by index."""

    @property
    def only_images(self) -> bool | None:
        """Whether images are passed and no buffers; None where the source tells no kinds of pointers."""
        spaces = {one.address_space for one in self.arguments if one.kind == "arg_bypointer"}
        if "" in spaces:
            return None
        return "image" in spaces and not spaces & {"global", "constant"}


def samplers_of_launch(info: KernelInfo) -> dict[int, SamplerModes | Argument]:
    """What stands at each number of a sampler: one of the source, or an argument."""
    passed = {
        one.sampler: one.argument
        for one in info.arguments
        if one.address_space == "sampler"
        and one.address_mode == "stateful"
        and one.sampler is not None
        and one.argument
    }
    return {**info.samplers, **passed}


def tables_of_launch(info: KernelInfo) -> dict[int, str]:
    """The tables of the program that stand in the binding table, by what the payload calls their address."""
    return {one.table_index: one.kind for one in info.arguments if one.table_index is not None and one.kind in BASES}
